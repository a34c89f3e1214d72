"""Take the pictures of the README: the window with a drawing, plain and looking inside.

QT_QPA_PLATFORM=offscreen python scripts/pictures.py
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from training.strokes import Drawing, Stroke, write_drawings
from vit_pad.app import create_window
from vit_pad.main_window import MainWindow

DOCS = Path(__file__).parents[1] / "docs"
SIZES = {"screenshot": (1280, 800), "inside": (1500, 860)}
SETTLED_MS = 4000  # after the answer: small views follow more slowly
LIMIT_MS = 120_000
SEVEN = (((90, 95), (150, 88), (215, 92), (285, 84), (262, 130), (228, 190), (200, 250), (178, 325)),)
BAR = (((150, 205), (200, 196), (255, 200)),)


def main() -> None:
    """Take all pictures, one window after the other."""
    with tempfile.TemporaryDirectory() as folder:
        drawing = Path(folder) / "seven.jsonl"
        write_drawings(drawing, [Drawing(strokes=tuple(smooth(points) for points in (*SEVEN, *BAR)))])
        take("screenshot", drawing, show_one_head)
        take("inside", drawing, look_inside)


def smooth(corners: tuple[tuple[float, float], ...]) -> Stroke:
    """Draw a line through corners, rounded by going half way three times (Chaikin, 1974)."""
    points = np.array(corners, dtype=np.float64)
    for _ in range(3):
        ends, inner = (
            points[[0, -1]],
            np.stack([0.75 * points[:-1] + 0.25 * points[1:], 0.25 * points[:-1] + 0.75 * points[1:]], 1),
        )
        points = np.concatenate([ends[:1], inner.reshape(-1, 2), ends[1:]])
    points.flags.writeable = False
    return Stroke(points)


def take(name: str, drawing: Path, prepare: Callable[[MainWindow], None]) -> None:
    """Open the window, let it be prepared once it has answered, and take its picture."""
    window = create_window([str(drawing), "--model", "pad-4"])
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    window._choose_all(type(window._choices)(theme="dark"))
    window.resize(*SIZES[name])
    window.show()
    QTimer.singleShot(LIMIT_MS, lambda: sys.exit("The window didn't answer."))
    pictures: list[QImage] = []

    def finish() -> None:
        pictures.append(window.grab().toImage())
        app.quit()

    def answered() -> None:
        window.predicted.disconnect(answered)
        prepare(window)
        QTimer.singleShot(SETTLED_MS, finish)

    window.predicted.connect(answered)
    app.exec()
    window.close()
    pictures[0].save(str(DOCS / f"{name}.png"))


def show_one_head(window: MainWindow) -> None:
    """Choose a head that looks at the corner of the 7."""
    window._on_chosen("block", 5)
    window._on_chosen("head", 7)


def look_inside(window: MainWindow) -> None:
    """Open the workspace that looks inside, with the wall of heads on top."""
    window._workspaces.switch("inside")
    window._inside.actions[1].setChecked(False)
    window._inside.actions[1].setChecked(True)


if __name__ == "__main__":
    main()
