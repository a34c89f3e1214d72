"""Several digits on the pad, and answers that are unsure: real mouse and keys on a real window."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, QSizeF, Qt
from PySide6.QtGui import QAction, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QSlider, QWidget
from pytestqt.qtbot import QtBot

from tests.predictions import make_prediction
from tests.random_model import SMALL
from tests.test_window import LIMIT_MS, Open, draw_lines, find, model, open_window, wait_for_answer
from tests.tiny import make_lively_model
from training.checkpoint import save_checkpoint
from training.cnn import ConvNet
from training.config import CnnConfig
from training.errors import Message
from training.facts import Box, Prediction
from training.models import ModelInfo
from training.reject import RejectRule
from vit_pad.answer_view import AnswerView, ElidedLabel
from vit_pad.digit_marks import DigitMarks, answer_box, mark_box
from vit_pad.main_window import MainWindow
from vit_pad.number import Number

__all__ = ["model", "open_window"]  # fixtures
CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton
# Lines in shares of the pad's side: a 7 with its bar, and a 1 to the right of it.
SEVEN = (((0.1, 0.3), (0.3, 0.3), (0.2, 0.7)), ((0.12, 0.5), (0.28, 0.5)))
ONE = (((0.6, 0.3), (0.6, 0.7)),)


def shown_digit(window: MainWindow) -> Prediction | None:
    """Give the answer whose attention lies over the ink."""
    return window._overlay._prediction


def test_each_digit_is_read_and_marked_and_the_views_follow_the_pen(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    chosen: list[Prediction] = []
    window.predicted.connect(chosen.append)
    marks = find(window, DigitMarks, "digitMarks")
    draw_lines(window, *ONE)
    wait_for_answer(window, qtbot)
    (_one,) = window.predictions
    assert not marks.isVisible()
    draw_lines(window, *SEVEN)
    wait_for_answer(window, qtbot)
    left, right = window.predictions
    assert left.box.x < right.box.x
    assert find(window, QLabel, "predictionLabel").text().startswith(f"{left.top}{right.top}")
    assert marks.isVisible()
    assert marks.geometry() == find(window, QWidget, "canvas").geometry()
    assert marks.accessibleDescription() == f"Digit 1 of 2 is shown: {left.top}"
    assert chosen[-1] is shown_digit(window) is left  # the 7 was drawn last
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL)
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL)
    wait_for_answer(window, qtbot)
    assert len(window.predictions) == 1
    assert not marks.isVisible()


def test_a_digit_is_chosen_by_a_click_with_ctrl_and_by_keys_until_one_draws_on(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    draw_lines(window, *SEVEN, *ONE)
    wait_for_answer(window, qtbot)
    left, right = window.predictions
    canvas = find(window, QWidget, "canvas")
    num_strokes = len(window.document.strokes)
    assert shown_digit(window) is right
    QTest.mouseClick(canvas, LEFT, CTRL, QPoint(int(0.25 * canvas.width()), int(0.9 * canvas.height())))
    assert shown_digit(window) is left
    assert len(window.document.strokes) == num_strokes  # pointing draws nothing
    QTest.keyClick(window, Qt.Key.Key_Right, CTRL)
    assert shown_digit(window) is right
    QTest.keyClick(window, Qt.Key.Key_Right, CTRL)
    assert shown_digit(window) is right  # there is no other
    QTest.keyClick(window, Qt.Key.Key_Left, CTRL)
    assert shown_digit(window) is left
    draw_lines(window, ((0.85, 0.3), (0.85, 0.7)))
    wait_for_answer(window, qtbot)
    assert len(window.predictions) == 3
    assert shown_digit(window) is window.predictions[2]


def test_erasing_elsewhere_leaves_the_digit_chosen(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    draw_lines(window, *SEVEN, *ONE)
    wait_for_answer(window, qtbot)
    QTest.keyClick(window, Qt.Key.Key_Left, CTRL)
    canvas = find(window, QWidget, "canvas")
    QTest.mouseClick(canvas, Qt.MouseButton.RightButton, pos=QPoint(*[int(0.3 * canvas.width())] * 2))
    wait_for_answer(window, qtbot)
    assert shown_digit(window) is window.predictions[0]
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL)
    wait_for_answer(window, qtbot)
    assert shown_digit(window) is window.predictions[0]


def test_with_ctrl_down_one_can_draw(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    canvas = find(window, QWidget, "canvas")
    QTest.mousePress(canvas, LEFT, CTRL, QPoint(50, 50))
    QTest.mouseMove(canvas, QPoint(150, 150))
    QTest.mouseRelease(canvas, LEFT, CTRL, QPoint(150, 150))
    assert len(window.document.strokes) == 1
    wait_for_answer(window, qtbot)


def test_pointing_leaves_what_could_be_made_again(open_window: Open) -> None:
    window = open_window()
    canvas = find(window, QWidget, "canvas")
    draw_lines(window, *SEVEN, *ONE)
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL)
    before = window.document.undo_stack.count()
    QTest.mouseClick(canvas, LEFT, CTRL, canvas.rect().center())
    assert window.document.undo_stack.canRedo()
    assert window.document.undo_stack.count() == before


def test_a_click_that_began_with_ctrl_points_also_when_ctrl_is_let_go_first(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    canvas = find(window, QWidget, "canvas")
    draw_lines(window, *SEVEN, *ONE)
    wait_for_answer(window, qtbot)
    at_seven = QPoint(int(0.25 * canvas.width()), int(0.9 * canvas.height()))
    QTest.mousePress(canvas, LEFT, CTRL, at_seven)
    QTest.mouseRelease(canvas, LEFT, Qt.KeyboardModifier.NoModifier, at_seven)
    assert shown_digit(window) is window.predictions[0]
    assert len(window.document.strokes) == 3
    QTest.mouseMove(canvas, canvas.rect().center())  # nothing is left of it
    assert len(window.document.strokes) == 3


def test_the_digit_chosen_stays_when_a_clear_is_undone_or_many_are_erased(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    draw_lines(window, *SEVEN, *ONE, ((0.85, 0.3), (0.85, 0.7)))
    wait_for_answer(window, qtbot)
    QTest.keyClick(window, Qt.Key.Key_Left, CTRL)
    QTest.keyClick(window, Qt.Key.Key_Delete)
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL)
    wait_for_answer(window, qtbot)
    assert shown_digit(window) is window.predictions[1]
    QTest.keyClick(window, Qt.Key.Key_Left, CTRL)
    canvas = find(window, QWidget, "canvas")
    height = int(0.68 * canvas.height())
    QTest.mousePress(canvas, Qt.MouseButton.RightButton, pos=QPoint(5, height))
    QTest.mouseMove(canvas, QPoint(canvas.width() - 5, height))
    QTest.mouseRelease(canvas, Qt.MouseButton.RightButton, pos=QPoint(canvas.width() - 5, height))
    wait_for_answer(window, qtbot)
    assert len(window.predictions) == 3
    assert shown_digit(window) is window.predictions[0]


def test_pointing_where_nothing_was_read_tells_nobody_anything(open_window: Open) -> None:
    window = open_window()
    told: list[object] = []
    window.predicted.connect(told.append)
    QTest.keyClick(window, Qt.Key.Key_Left, CTRL)
    assert told == []


def test_the_answer_does_not_change_when_the_pen_touches_the_pad_for_the_next_digit(
    open_window: Open, qtbot: QtBot
) -> None:
    window = open_window()
    draw_lines(window, *SEVEN)
    wait_for_answer(window, qtbot)
    (before,) = window.predictions
    canvas = find(window, QWidget, "canvas")
    QTest.mousePress(canvas, LEFT, pos=QPoint(int(0.8 * canvas.width()), int(0.3 * canvas.height())))
    wait_for_answer(window, qtbot)
    (after,) = window.predictions
    np.testing.assert_array_equal(after.image, before.image)


def test_another_model_leaves_the_digit_chosen(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    draw_lines(window, *SEVEN, *ONE)
    wait_for_answer(window, qtbot)
    QTest.keyClick(window, Qt.Key.Key_Left, CTRL)
    before = window.predictions
    window._load()
    qtbot.waitUntil(lambda: window.predictions[0] is not before[0], timeout=LIMIT_MS)
    assert shown_digit(window) is window.predictions[0]


def test_what_is_drawn_as_it_is_stays_one(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    draw_lines(window, *SEVEN, *ONE)
    wait_for_answer(window, qtbot)
    chooser = find(window, QComboBox, "placementChooser")
    chooser.setCurrentIndex(chooser.findData("as-drawn"))
    qtbot.waitUntil(lambda: len(window.predictions) == 1, timeout=LIMIT_MS)
    assert not find(window, DigitMarks, "digitMarks").isVisible()


def make_number(*tops: int, unsure: tuple[int, ...] = (), place: float = 0.0) -> Number:
    digits = []
    for index, top in enumerate(tops):
        shares = np.full(10, 0.02, np.float32)
        shares[top] = 0.82
        reason = Message("Between {one} and {other}.", one="4", other="9") if index in unsure else None
        prediction = make_prediction(probabilities=shares, reason=reason)
        digits.append(dataclasses.replace(prediction, box=Box(100.0 * index, 50.0, 60.0, 200.0)))
    return Number(tuple(digits), place)


def test_the_digit_nearest_to_a_place_is_chosen() -> None:
    number = make_number(4, 7, 2)
    for place, index in ((-50.0, 0), (59.0, 0), (79.0, 0), (81.0, 1), (130.0, 1), (500.0, 2)):
        assert dataclasses.replace(number, place=place).index == index
    assert Number().chosen is None
    assert Number().next_place(1) == 0.0


@pytest.mark.parametrize(("names", "text"), [(("4", "7"), "47"), (("ten", "one"), "ten one")])
def test_the_whole_answer_is_read_as_one_reads_it(names: tuple[str, str], text: str) -> None:
    shares = np.array([[0.9, 0.1], [0.1, 0.9]], np.float32)
    digits = tuple(make_prediction(class_names=names, probabilities=each) for each in shares)
    assert Number(digits).text == text


def test_an_unsure_answer_says_why_calmly_and_not_where_that_is_unwanted(qtbot: QtBot) -> None:
    view = AnswerView()
    qtbot.addWidget(view)
    answer, doubt = find(view, QLabel, "predictionLabel"), find(view, QLabel, "unsureLabel")
    view.show_number(make_number(4))
    height = view.sizeHint().height()
    assert (answer.text(), doubt.text()) == ("4", "")
    view.show_number(make_number(4, unsure=(0,)))
    assert (answer.text(), doubt.text()) == ("4 ?", "Not sure. Between 4 and 9.")
    assert isinstance(answer, ElidedLabel)
    assert answer.shown_text() == "4 ?"
    assert doubt.accessibleDescription() == doubt.text()
    assert answer.foregroundRole() == QPalette.ColorRole.PlaceholderText
    assert view.sizeHint().height() == height  # nothing jumps
    view.set_telling_doubt(False)
    assert (answer.text(), doubt.text()) == ("4", "")
    assert answer.foregroundRole() == QPalette.ColorRole.WindowText
    view.set_telling_doubt(True)
    view.show_number(make_number(4, 7, unsure=(1,)))
    assert (answer.text(), doubt.text()) == ("47 ?", "")  # the reason is that of the digit that is chosen
    view.show_number(make_number(4, 7, unsure=(1,), place=110.0))
    assert doubt.text() == "Not sure. Between 4 and 9."


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_all_digits_of_an_answer_can_be_read(qtbot: QtBot, count: int) -> None:
    view = AnswerView()
    qtbot.addWidget(view)
    view.resize(360, 120)
    view.show()
    view.show_number(make_number(*[8] * count, unsure=(0,)))
    label = find(view, ElidedLabel, "predictionLabel")
    assert label.shown_text() == label.text() == "8" * count + " ?"
    assert view.rect().contains(label.geometry())
    height = label.height()
    view.show_number(make_number(8))
    assert label.height() == height  # nothing below it jumps


def write_unsure_model(path: Path) -> Path:
    weights = {name: value.numpy() for name, value in make_lively_model(SMALL).state_dict().items()}
    rule = RejectRule(method="margin", threshold=0.0)
    info = ModelInfo(model=SMALL, temperature=1.0, reject=rule, training={}, seen=(), metrics={})
    save_checkpoint(path, info, weights)
    return path


def test_saying_when_it_is_unsure_is_a_choice_that_is_remembered(
    open_window: Open, model: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    write_unsure_model(model)
    window = open_window()
    draw_lines(window, *SEVEN)
    wait_for_answer(window, qtbot)
    answer, doubt = find(window, QLabel, "predictionLabel"), find(window, QLabel, "unsureLabel")
    assert window.predictions[0].unsure
    assert answer.text() == f"{window.predictions[0].top} ?"
    assert doubt.text().startswith("Not sure. ")
    switch = window.findChild(QAction, "unsureSwitch")
    assert switch is not None
    assert switch.isChecked()
    switch.trigger()
    assert answer.text() == window.predictions[0].top
    assert doubt.text() == ""
    window.close()
    assert not window._settings.load().tells_doubt
    again = open_window()
    qtbot.waitUntil(lambda: bool(again.predictions), timeout=LIMIT_MS)
    assert find(again, QLabel, "unsureLabel").text() == ""
    other = again.findChild(QAction, "unsureSwitch")
    assert other is not None
    assert not other.isChecked()


def test_a_model_without_attention_says_so_and_leaves_block_and_head_for_the_next(
    open_window: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    config = CnnConfig(widths=(4, 8))
    weights = {name: value.numpy() for name, value in ConvNet(config).state_dict().items()}
    path = tmp_path / "cnn.safetensors"
    save_checkpoint(path, ModelInfo(model=config, temperature=1.0, training={}, seen=(), metrics={}), weights)
    window = open_window()
    draw_lines(window, *SEVEN)
    wait_for_answer(window, qtbot)
    block = find(window, QComboBox, "blockChooser")
    block.setCurrentIndex(1)
    vit = window._choices.model
    window._on_chosen("model", str(path))
    qtbot.waitUntil(lambda: window.predictions[0].attention.size == 0, timeout=LIMIT_MS)
    attention = (block, find(window, QComboBox, "headChooser"), find(window, QSlider, "strengthSlider"))
    for widget in attention:
        assert not widget.isEnabled()
        assert widget.toolTip() == "This model has no attention."
    preview = find(window, QWidget, "inputPreview")
    qtbot.waitUntil(lambda: preview.accessibleDescription() == "32 by 32 pixels", timeout=LIMIT_MS)
    window._on_chosen("model", vit)
    qtbot.waitUntil(lambda: window.predictions[0].attention.size > 0, timeout=LIMIT_MS)
    assert all(widget.isEnabled() for widget in attention)
    assert block.currentData() == 1


def test_a_mark_goes_round_the_ink_and_its_answer_stays_on_the_pad() -> None:
    mark = mark_box(Box(100, 50, 60, 200), 2.0, 800)
    assert mark.contains(QRectF(200, 100, 120, 400))
    pad, words = QRectF(0, 0, 800, 800), QSizeF(30, 20)
    assert answer_box(mark, words, 800).bottom() == mark.top()
    for box in (Box(-20, -20, 500, 500), Box(0, 100, 4, 200), Box(396, 100, 4, 200)):
        at_the_edge = mark_box(box, 2.0, 800)
        assert pad.contains(at_the_edge)
        assert pad.contains(answer_box(at_the_edge, words, 800))
