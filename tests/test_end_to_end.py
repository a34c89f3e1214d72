"""The real program on a real screen: a digit drawn with the mouse is answered, and still there after a crash."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tests.screen import (
    LIMIT_S,
    MODEL,
    ROOT,
    Pixels,
    Rect,
    draw,
    environment,
    find_window,
    needs_screen,
    read_pixels,
    run,
    running_program,
    screenshot,
    share_of_colour,
    wait_for_screen,
)
from training.strokes import drawing_from_json, on_pad, read_drawings

__all__ = ["environment"]  # a fixture
SHARED_STROKES = ROOT.parent / "shared/data/strokes/pendigits-train.jsonl.gz"
OWN_SEVEN = (
    '{"label": 7, "strokes": [[[92, 96], [130, 92], [175, 88], [222, 84], [270, 82], [300, 84], [296, 100], [280, 128],'
    " [262, 160], [243, 194], [226, 226], [212, 256], [200, 286], [190, 314], [184, 334]]]}"
)
pytestmark = needs_screen


class Layout(NamedTuple):
    """Where things are in the window, and how the answer label looks with each class name in it."""

    canvas: Rect
    answer: Rect
    faces: dict[str, Pixels]


def test_a_digit_drawn_with_the_mouse_is_answered_and_survives_a_crash(
    environment: dict[str, str], tmp_path: Path
) -> None:
    layout = _learn_layout(environment, tmp_path)
    stroke = a_seven()
    state = Path(environment["HOME"], ".local/state/vit-pad/last-drawing.jsonl")
    with running_program(environment) as program:
        left, top = find_window(environment)
        canvas = layout.canvas._replace(x=layout.canvas.x + left, y=layout.canvas.y + top)
        answer = layout.answer._replace(x=layout.answer.x + left, y=layout.answer.y + top)
        before = screenshot(environment)
        assert share_of_colour(canvas.of(before)) == 0
        draw(environment, canvas, stroke)  # torch is still loading
        after = wait_for_screen(environment, lambda pixels: _face(answer.of(pixels), layout) != "")
        seen = _face(answer.of(after), layout)
        assert share_of_colour(canvas.of(after)) > 0.05  # the overlay; ink and paper are grey
        wait_for_screen(environment, lambda _pixels: state.exists())
        program.kill()
    saved = np.concatenate([each.points[:, :2] for each in read_drawings(state).drawings[0].strokes])
    distances = np.linalg.norm(saved[None] - stroke[:, None], axis=-1).min(axis=1)
    assert distances.max() < 1.5  # pad units: no point was lost
    assert seen == _predict(environment, state) == "7"
    with running_program(environment) as program:
        find_window(environment)
        wait_for_screen(environment, lambda pixels: _face(answer.of(pixels), layout) == seen)
        program.send_signal(signal.SIGTERM)
        assert program.wait(LIMIT_S) == 0


def a_seven() -> npt.NDArray[np.float64]:
    """Give a seven of one stroke, (n, 2) in pad units: a person's where they are at hand, else one of ours."""
    drawings = [drawing_from_json(OWN_SEVEN)]
    if SHARED_STROKES.exists():
        drawings = [
            each for each in read_drawings(SHARED_STROKES).drawings if each.label == "7" and len(each.strokes) == 1
        ]
    return on_pad(drawings[0]).strokes[0].points[:, :2]


def _learn_layout(environment: dict[str, str], folder: Path) -> Layout:
    """Build the same window in a child process, on the same screen, and ask it."""
    code = (
        "import json, sys\n"
        "from PySide6.QtCore import QPoint\n"
        "from PySide6.QtTest import QTest\n"
        "from PySide6.QtWidgets import QWidget\n"
        "from vit_pad.app import create_window\n"
        "window = create_window()\n"
        "window.show()\n"
        "QTest.qWaitForWindowExposed(window)\n"
        "rects = {}\n"
        "for name in ('canvas', 'predictionLabel'):\n"
        "    widget = window.findChild(QWidget, name)\n"
        "    place = widget.mapTo(window, QPoint())\n"
        "    rects[name] = [place.x(), place.y(), widget.width(), widget.height()]\n"
        "for text in ('', *'0123456789'):\n"
        "    widget.setText(text)\n"
        "    widget.grab().save(f'{sys.argv[1]}/face-{text}.png')\n"
        "print(json.dumps(rects))\n"
        "window.close()\n"
    )
    done = subprocess.run(
        (sys.executable, "-c", code, str(folder)),
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr
    rects = json.loads(done.stdout)
    faces = {text: read_pixels((folder / f"face-{text}.png").read_bytes()) for text in ("", *"0123456789")}
    return Layout(Rect(*rects["canvas"]), Rect(*rects["predictionLabel"]), faces)


def _face(pixels: Pixels, layout: Layout) -> str:
    """Read the answer off the screen: the class name with which the label looks most like this."""
    return min(layout.faces, key=lambda text: float(np.abs(layout.faces[text] - pixels).mean()))


def _predict(environment: dict[str, str], drawing: Path) -> str:
    """Ask the command line what the same model says of the same drawing."""
    answer = run(environment, sys.executable, "-m", "vit_pad", "predict", str(drawing), "--model", MODEL, "--json")
    return str(json.loads(answer)["top"])
