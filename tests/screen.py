"""A real screen for tests: the program on it, mouse and keys, and what can be seen."""

from __future__ import annotations

import io
import os
import shutil
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

ROOT = Path(__file__).parents[1]
LIMIT_S = 120
MODEL = "pad-4"
TOOLS = ("Xvfb", "xdotool", "import")
Pixels = npt.NDArray[np.int16]

needs_screen = pytest.mark.skipif(
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
        """Cut it out of a picture."""
        return pixels[self.y : self.y + self.height, self.x : self.x + self.width]


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


@contextmanager
def running_program(environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    command = (sys.executable, "-m", "vit_pad", "--model", MODEL)
    with subprocess.Popen(command, env=environment, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


def find_window(environment: dict[str, str]) -> tuple[int, int]:
    """Wait for the window and give the place of its upper left corner."""
    window = run(environment, "xdotool", "search", "--sync", "--onlyvisible", "--name", "ViT Pad").split()[0].decode()
    lines = run(environment, "xdotool", "getwindowgeometry", "--shell", window).decode().split()
    facts = dict(line.split("=") for line in lines)
    return int(facts["X"]), int(facts["Y"])


def draw(environment: dict[str, str], canvas: Rect, stroke: npt.NDArray[np.float64]) -> None:
    places = [(round(canvas.x + x * canvas.width / 400), round(canvas.y + y * canvas.width / 400)) for x, y in stroke]
    moves = [word for x, y in places for word in ("mousemove", str(x), str(y))]
    run(environment, "xdotool", *moves[:3], "mousedown", "1", *moves[3:], "mouseup", "1")


def wait_for_screen(environment: dict[str, str], is_there: Callable[[Pixels], bool]) -> Pixels:
    """Take pictures of the screen until one shows what is wanted."""
    end_s = time.monotonic() + LIMIT_S
    while time.monotonic() < end_s:
        pixels = screenshot(environment)
        if is_there(pixels):
            return pixels
    pytest.fail(f"It wasn't seen within {LIMIT_S} seconds.")


def screenshot(environment: dict[str, str]) -> Pixels:
    return read_pixels(run(environment, "import", "-window", "root", "png:-"))


def read_pixels(content: bytes) -> Pixels:
    with Image.open(io.BytesIO(content)) as image:
        return np.asarray(image.convert("RGB"), np.int16)


def share_of_colour(pixels: Pixels) -> float:
    """Give the share of the pixels that are clearly not grey."""
    return float((pixels.max(axis=-1) - pixels.min(axis=-1) > 24).mean())


def run(environment: dict[str, str], *command: str) -> bytes:
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=True, timeout=LIMIT_S).stdout
