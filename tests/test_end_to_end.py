"""The real program on a real screen: a digit drawn with the mouse is answered, and still there after a crash."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from training.strokes import drawing_from_json, on_pad, read_drawings

ROOT = Path(__file__).parents[1]
SHARED_STROKES = ROOT.parent / "shared/data/strokes/pendigits-train.jsonl.gz"
TOOLS = ("Xvfb", "xdotool", "import")
LIMIT_S = 120
MODEL = "pad-4"
OWN_SEVEN = (
    '{"label": 7, "strokes": [[[92, 96], [130, 92], [175, 88], [222, 84], [270, 82], [300, 84], [296, 100], [280, 128],'
    " [262, 160], [243, 194], [226, 226], [212, 256], [200, 286], [190, 314], [184, 334]]]}"
)
Pixels = npt.NDArray[np.int16]

pytestmark = pytest.mark.skipif(
    not all(shutil.which(tool) for tool in TOOLS),
    reason=f"needs {', '.join(TOOLS)} (packages xvfb, xdotool, imagemagick)",
)


class Rect(NamedTuple):
    """A rectangle in pixels."""

    x: int
    y: int
    width: int
    height: int

    def of(self, pixels: Pixels) -> Pixels:
        return pixels[self.y : self.y + self.height, self.x : self.x + self.width]


class Layout(NamedTuple):
    """Where things are in the window, and how the answer label looks with each class name in it."""

    canvas: Rect
    answer: Rect
    faces: dict[str, Pixels]


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Start a screen of this test's own and give an environment with it and with user folders of its own."""
    reader, writer = os.pipe()
    command = ("Xvfb", "-displayfd", str(writer), "-screen", "0", "1400x900x24", "-nolisten", "tcp")
    with subprocess.Popen(command, pass_fds=(writer,), stderr=subprocess.DEVNULL) as server:
        os.close(writer)
        with os.fdopen(reader) as pipe:
            number = pipe.readline().strip()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("QT_", "XDG_", "WAYLAND"))}
        yield {**kept, "DISPLAY": f":{number}", "HOME": str(tmp_path / "home"), "LC_ALL": "C.UTF-8"}
        server.terminate()


def test_a_digit_drawn_with_the_mouse_is_answered_and_survives_a_crash(
    environment: dict[str, str], tmp_path: Path
) -> None:
    layout = _learn_layout(environment, tmp_path)
    stroke = _a_seven()
    state = Path(environment["HOME"], ".local/state/vit-pad/last-drawing.jsonl")
    with _program(environment) as program:
        left, top = _find_window(environment)
        canvas = layout.canvas._replace(x=layout.canvas.x + left, y=layout.canvas.y + top)
        answer = layout.answer._replace(x=layout.answer.x + left, y=layout.answer.y + top)
        before = _screenshot(environment)
        assert _share_of_colour(canvas.of(before)) == 0
        _draw(environment, canvas, stroke)  # torch is still loading
        after = _wait_for_screen(environment, lambda pixels: _face(answer.of(pixels), layout) != "")
        seen = _face(answer.of(after), layout)
        assert _share_of_colour(canvas.of(after)) > 0.05  # the overlay; ink and paper are grey
        _wait_for_screen(environment, lambda _pixels: state.exists())
        program.kill()
    saved = np.concatenate([each.points[:, :2] for each in read_drawings(state).drawings[0].strokes])
    distances = np.linalg.norm(saved[None] - stroke[:, None], axis=-1).min(axis=1)
    assert distances.max() < 1.5  # pad units: no point was lost
    assert seen == _predict(environment, state) == "7"
    with _program(environment) as program:
        _find_window(environment)
        _wait_for_screen(environment, lambda pixels: _face(answer.of(pixels), layout) == seen)
        program.send_signal(signal.SIGTERM)
        assert program.wait(LIMIT_S) == 0


def _a_seven() -> npt.NDArray[np.float64]:
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
    faces = {text: _read_pixels((folder / f"face-{text}.png").read_bytes()) for text in ("", *"0123456789")}
    return Layout(Rect(*rects["canvas"]), Rect(*rects["predictionLabel"]), faces)


@contextmanager
def _program(environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    command = (sys.executable, "-m", "vit_pad", "--model", MODEL)
    with subprocess.Popen(command, env=environment, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


def _find_window(environment: dict[str, str]) -> tuple[int, int]:
    """Wait for the window and give the place of its upper left corner."""
    window = _run(environment, "xdotool", "search", "--sync", "--onlyvisible", "--name", "ViT Pad").split()[0].decode()
    lines = _run(environment, "xdotool", "getwindowgeometry", "--shell", window).decode().split()
    facts = dict(line.split("=") for line in lines)
    return int(facts["X"]), int(facts["Y"])


def _draw(environment: dict[str, str], canvas: Rect, stroke: npt.NDArray[np.float64]) -> None:
    places = [(round(canvas.x + x * canvas.width / 400), round(canvas.y + y * canvas.width / 400)) for x, y in stroke]
    moves = [word for x, y in places for word in ("mousemove", str(x), str(y))]
    _run(environment, "xdotool", *moves[:3], "mousedown", "1", *moves[3:], "mouseup", "1")


def _wait_for_screen(environment: dict[str, str], is_there: Callable[[Pixels], bool]) -> Pixels:
    """Take pictures of the screen until one shows what is wanted."""
    end_s = time.monotonic() + LIMIT_S
    while time.monotonic() < end_s:
        pixels = _screenshot(environment)
        if is_there(pixels):
            return pixels
    pytest.fail(f"It wasn't seen within {LIMIT_S} seconds.")


def _screenshot(environment: dict[str, str]) -> Pixels:
    return _read_pixels(_run(environment, "import", "-window", "root", "png:-"))


def _read_pixels(content: bytes) -> Pixels:
    with Image.open(io.BytesIO(content)) as image:
        return np.asarray(image.convert("RGB"), np.int16)


def _face(pixels: Pixels, layout: Layout) -> str:
    """Read the answer off the screen: the class name with which the label looks most like this."""
    return min(layout.faces, key=lambda text: float(np.abs(layout.faces[text] - pixels).mean()))


def _share_of_colour(pixels: Pixels) -> float:
    """Give the share of the pixels that are clearly not grey."""
    return float((pixels.max(axis=-1) - pixels.min(axis=-1) > 24).mean())


def _predict(environment: dict[str, str], drawing: Path) -> str:
    """Ask the command line what the same model says of the same drawing."""
    answer = _run(environment, sys.executable, "-m", "vit_pad", "predict", str(drawing), "--model", MODEL, "--json")
    return str(json.loads(answer)["top"])


def _run(environment: dict[str, str], *command: str) -> bytes:
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=True, timeout=LIMIT_S).stdout
