"""Breaking a drawing with sliders: how far an answer holds, and the whole of it in the window."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QSlider
from pytestqt.qtbot import QtBot

from tests.predictions import make_prediction
from tests.test_looking import model, open_window, window
from tests.test_window import LIMIT_MS, find
from training.breaking import RANGES, Breaking
from training.facts import PredictionRequest
from training.predict import load_predictor
from vit_pad.inside.break_panel import BreakPanel, holding_range, value_text
from vit_pad.inside.sweeper import STEPS, Reading, Sweeper, Wish
from vit_pad.main_window import MainWindow

__all__ = ["model", "open_window", "window"]  # fixtures

CTRL = Qt.KeyboardModifier.ControlModifier


def readings(answers: str) -> list[Reading]:
    return [Reading(float(index), answer, (0.5, 0.5)) for index, answer in enumerate(answers)]


@pytest.mark.parametrize(
    ("answers", "rest", "held"),
    [("1177711", 3.2, (2, 4)), ("7777", 0.0, (0, 3)), ("1771", 0.0, None), ("7717", 3.0, (3, 3)), ("7", 9.0, (0, 0))],
)
def test_an_answer_holds_from_where_to_where(answers: str, rest: float, held: tuple[float, float] | None) -> None:
    assert holding_range(readings(answers), "7", rest) == held


def test_values_have_their_units() -> None:
    assert (value_text("turn_degrees", -12.3), value_text("pen", 2.0), value_text("noise", 4.6)) == (
        "-12°",
        "× 2.0",
        "5",
    )


def test_sliders_choose_and_come_back_to_rest(qtbot: QtBot) -> None:
    panel = BreakPanel()
    qtbot.addWidget(panel)
    panel.show_prediction(make_prediction())
    chosen: list[Breaking] = []
    panel.breaking_chosen.connect(chosen.append)
    slider = find(panel, QSlider, "turn_degreesSlider")
    QTest.keyClick(slider, Qt.Key.Key_Home)
    assert chosen[-1] == Breaking(turn_degrees=-90)
    slider.setValue(60)
    assert chosen[-1] == Breaking()
    find(panel, QSlider, "sizeSlider").setValue(0)
    assert chosen[-1] == Breaking(size=RANGES["size"].low)
    find(panel, QAbstractButton, "resetBreakingButton").click()
    assert chosen[-1] == Breaking()
    assert find(panel, QSlider, "sizeSlider").value() > 60


def test_along_each_slider_it_is_read_as_the_model_reads_it(window: MainWindow, qtbot: QtBot) -> None:
    sweeper = Sweeper()
    name, strokes = window._choices.model, window.document.strokes
    swept: dict[str, tuple[Reading, ...]] = {}
    sweeper.swept.connect(lambda field, found: swept.update({field: found}))
    sweeper.sweep(Wish(model=name, strokes=strokes, placement_mode="as-drawn", breaking=Breaking(size=0.8)))
    qtbot.waitUntil(lambda: len(swept) == len(RANGES), timeout=LIMIT_MS)
    sweeper.stop()
    assert {len(found) for found in swept.values()} == {STEPS}
    alone = load_predictor(name, "cpu")
    for field, index in (("turn_degrees", 0), ("shift_x", 4), ("noise", 12)):
        reading = swept[field][index]
        changed = Breaking(**{"size": 0.8, field: reading.value}).apply(strokes)
        expected = alone.predict(PredictionRequest(revision=1, strokes=changed, placement_mode="as-drawn"))
        assert expected is not None
        assert reading.answer == expected.top
        np.testing.assert_allclose(reading.probabilities, expected.probabilities, atol=1e-5)


def test_in_the_window_every_slider_says_how_far_the_answer_holds(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(window, Qt.Key.Key_7, CTRL)
    held = [find(window, QLabel, f"{field}Held") for field in RANGES]
    qtbot.waitUntil(lambda: all(label.text() for label in held), timeout=LIMIT_MS)
    answer = window.predictions[0].top
    assert all(label.text().startswith((f"{answer} from", f"not {answer}")) for label in held)
    assert find(window, QLabel, "brokenAnswer").text().startswith(str(answer))
    before = find(window, QLabel, "turn_degreesHeld").text()
    QTest.keyClick(window._canvas, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: not any(label.text() for label in held), timeout=LIMIT_MS)
    assert find(window, QLabel, "brokenAnswer").text() == "Draw one digit."
    assert before
