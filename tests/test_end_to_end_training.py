"""The real program on a real screen: a training is started with the mouse, broken off, and taken up again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.screen import (
    LIMIT_S,
    ROOT,
    Pixels,
    Rect,
    draw,
    environment,
    find_window,
    needs_screen,
    run,
    running_program,
    wait_for_screen,
)
from tests.test_end_to_end import a_seven
from training.run_state import load_run_state

__all__ = ["environment"]  # a fixture
pytestmark = needs_screen
ACCENT = (0x1A, 0x4F, 0xB4)  # of the light theme
LEARN = """
import json, sys
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QWidget
from vit_pad.app import create_window
window = create_window()
window.show()
QTest.qWaitForWindowExposed(window)
panel_button = window.findChild(QWidget, 'trainingPanelButton')
places = {}
def note(names, parent):
    for name in names:
        widget = parent.findChild(QWidget, name)
        if widget is not None and widget.isVisible():
            place = widget.mapTo(parent, QPoint())
            places[name] = [place.x(), place.y(), widget.width(), widget.height()]
note(['trainingPanelButton'], window)
panel_button.click()
QTest.qWait(100)
note(['canvas', 'probabilityBars', 'startTrainingButton', 'goOnTrainingButton'], window)
window._ask_to_close_in_training()
dialog = window.findChild(QMessageBox, 'closeTrainingDialog')
QTest.qWaitForWindowExposed(dialog)
note(['closeInTrainingButton'], dialog)
places['dialog'] = [dialog.x() - window.x(), dialog.y() - window.y(), dialog.width(), dialog.height()]
print(json.dumps(places))
window.close()
"""


def test_a_training_is_started_broken_off_and_taken_up_again_with_the_mouse(environment: dict[str, str]) -> None:
    places = learn(environment)
    with running_program(environment) as program:
        left, top = find_window(environment)
        click(environment, places["trainingPanelButton"], left, top)
        canvas, bars = (moved(places[name], left, top) for name in ("canvas", "probabilityBars"))
        wait_for_screen(environment, lambda pixels: is_on_dark(canvas, pixels))
        draw(environment, canvas, a_seven())
        wait_for_screen(environment, lambda pixels: accent_in(bars.of(pixels)) > 1000)  # pad-4 is sure
        click(environment, places["startTrainingButton"], left, top)
        wait_for_screen(environment, lambda pixels: 0 < accent_in(bars.of(pixels)) < 700)  # new weights aren't
        run(environment, "xdotool", "key", "ctrl+q")
        dialog = moved(places["dialog"], left, top)
        click(environment, places["closeInTrainingButton"], dialog.x, dialog.y)
        assert program.wait(LIMIT_S) == 0
    (state_file,) = Path(environment["HOME"], ".local/share/vit-pad/models").glob("*.state.safetensors")
    step = load_run_state(state_file)[0].step
    assert step > 0
    places = learn(environment)
    with running_program(environment) as program:
        left, top = find_window(environment)
        click(environment, places["trainingPanelButton"], left, top)
        wait_for_screen(environment, lambda pixels: accent_in(bars.of(pixels)) > 1000)  # pad-4 reads what was drawn
        click(environment, places["goOnTrainingButton"], left, top)
        wait_for_screen(environment, lambda pixels: 0 < accent_in(bars.of(pixels)) < 700)
        program.send_signal(signal.SIGTERM)
        assert program.wait(LIMIT_S) == 0
    assert load_run_state(state_file)[0].step > step


def learn(environment: dict[str, str]) -> dict[str, Rect]:
    """Build the same window in a child process, on the same screen, and ask it where things are."""
    done = subprocess.run(
        (sys.executable, "-c", LEARN), env=environment, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S
    )
    assert done.returncode == 0, done.stderr
    return {name: Rect(*place) for name, place in json.loads(done.stdout).items()}


def moved(rect: Rect, left: int, top: int) -> Rect:
    return rect._replace(x=rect.x + left, y=rect.y + top)


def click(environment: dict[str, str], rect: Rect, left: int, top: int) -> None:
    x, y = left + rect.x + rect.width // 2, top + rect.y + rect.height // 2
    run(environment, "xdotool", "mousemove", str(x), str(y), "click", "1")


def is_on_dark(canvas: Rect, pixels: Pixels) -> bool:
    """Tell whether the pad lies where it is expected: dark inside, light beside it."""
    beside = pixels[canvas.y - 6 : canvas.y - 2, canvas.x : canvas.x + canvas.width]
    return bool(canvas.of(pixels).mean() < 60 and beside.mean() > 200)


def accent_in(pixels: Pixels) -> int:
    """Count the pixels in the colour of the likeliest bar."""
    return int((np.abs(pixels - np.array(ACCENT)).max(axis=-1) < 8).sum())
