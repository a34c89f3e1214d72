"""The window as a person uses it: real mouse and keys on real widgets, a real model that was never trained."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt, QThread
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSlider,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.predictions import make_prediction
from tests.random_model import SMALL, write_random_model
from tests.test_canvas import turn_wheel
from training import models, paths
from training.facts import PredictionRequest
from training.strokes import read_drawings
from vit_pad.answer_view import AnswerView, ElidedLabel
from vit_pad.app import create_window
from vit_pad.attention_overlay import AttentionOverlay
from vit_pad.canvas import Canvas
from vit_pad.exceptions import ErrorDialog, ErrorDialogs, ExceptionHook, describe_exception
from vit_pad.head_strip import HeadStrip, lay_out_cells
from vit_pad.input_preview import InputPreview
from vit_pad.main_window import MainWindow
from vit_pad.number import Number
from vit_pad.probability_bars import ProbabilityBars
from vit_pad.settings import Choices, Settings, choices_from_text
from vit_pad.words import model_title

NAMES: dict[type[QWidget], tuple[str, ...]] = {
    QWidget: ("canvas", "probabilityBars", "attentionOverlay", "headStrip", "inputPreview"),
    QLabel: ("predictionLabel",),
    QComboBox: ("modelChooser", "deviceChooser", "placementChooser", "blockChooser", "headChooser"),
    QAbstractButton: ("clearButton", "undoButton", "redoButton", "eraserButton", "openButton", "paperButton"),
    QSlider: ("penWidthSlider", "strengthSlider"),
}
LIMIT_MS = 60_000  # torch may take its time to load on a busy machine
Open = Callable[..., MainWindow]
WidgetT = TypeVar("WidgetT", bound=QWidget)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_random_model(tmp_path / "small.safetensors")


@pytest.fixture
def open_window(qtbot: QtBot, model: Path) -> Iterator[Open]:
    """Give a function that opens windows; all are closed at the end."""
    windows: list[MainWindow] = []

    def open_one(*words: str) -> MainWindow:
        window = create_window([*words, "--model", str(model)])
        windows.append(window)
        with qtbot.waitActive(window, timeout=LIMIT_MS):  # shortcuts are the active window's
            window.show()
            window.activateWindow()
        return window

    yield open_one
    for window in windows:
        window.close()
        window.deleteLater()


def find(window: QWidget, kind: type[WidgetT], name: str) -> WidgetT:
    widget = window.findChild(kind, name)
    assert widget is not None, name
    return widget


def draw_lines(window: MainWindow, *lines: Sequence[tuple[float, float]]) -> None:
    """Draw with the mouse from corner to corner, each a share of the pad's side."""
    canvas = find(window, QWidget, "canvas")
    side = canvas.width()
    for line in lines:
        corners = [QPoint(int(side * x), int(side * y)) for x, y in line]
        QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=corners[0])
        for start, end in pairwise(corners):
            for share in np.linspace(0.1, 1, 10):
                step = QPoint(round((end - start).x() * share), round((end - start).y() * share))
                QTest.mouseMove(canvas, start + step)
        QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=corners[-1])


def draw_seven(window: MainWindow, size: float = 0.6) -> None:
    """Draw with the mouse: a bar, then a slanted stem."""
    draw_lines(window, ((0.2, 0.2), (0.2 + size, 0.2), (0.4, 0.2 + size)))


def num_strokes(window: MainWindow) -> int:
    return len(window.document.strokes)


def request_of(window: MainWindow) -> PredictionRequest:
    """Give the request for what is on the pad."""
    document = window.document
    return PredictionRequest(revision=document.revision, strokes=document.strokes, picture=document.picture)


def wait_for_answer(window: MainWindow, qtbot: QtBot) -> None:
    """Wait for the answer that contains the last change."""
    revision = window.document.revision
    qtbot.waitUntil(lambda: bool(window.predictions) and window.predictions[0].revision == revision, timeout=LIMIT_MS)


def test_every_widget_has_its_names_and_every_chooser_its_data(open_window: Open) -> None:
    window = open_window()
    assert "ViT Pad" in window.windowTitle()
    for kind, names in NAMES.items():
        for name in names:
            assert find(window, kind, name).accessibleName(), name
    placement, head, block = (find(window, QComboBox, f"{name}Chooser") for name in ("placement", "head", "block"))
    assert [placement.itemData(index) for index in range(placement.count())] == ["like-mnist", "as-drawn"]
    assert head.itemData(0) == -1
    assert head.itemData(1) == 0
    assert block.itemData(0) == 0


def test_the_answer_follows_the_pen_and_every_view_shows_it(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    answers: list[object] = []
    window.predicted.connect(answers.append)
    assert find(window, QLabel, "predictionLabel").text() == ""
    draw_seven(window)
    wait_for_answer(window, qtbot)
    prediction = window.predictions[0]
    assert answers[-1] is prediction
    assert find(window, QLabel, "predictionLabel").text().startswith(prediction.top or "?")
    assert prediction.attention.shape == (SMALL.depth, SMALL.num_heads, SMALL.num_tokens, SMALL.num_tokens)
    overlay = find(window, AttentionOverlay, "attentionOverlay")
    views = (
        overlay,
        find(window, ProbabilityBars, "probabilityBars"),
        find(window, HeadStrip, "headStrip"),
        find(window, InputPreview, "inputPreview"),
    )
    qtbot.waitUntil(lambda: all(view.shown_revision == prediction.revision for view in views), timeout=LIMIT_MS)
    canvas = find(window, QWidget, "canvas")
    assert canvas.width() == canvas.height()
    assert canvas.mapTo(window, QPoint()) == overlay.mapTo(window, QPoint())
    assert canvas.size() == overlay.size()


def test_strokes_drawn_before_the_model_is_there_keep_all_points(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    assert window._loaded is None
    draw_seven(window)
    (stroke,) = window.document.strokes
    assert len(stroke.points) >= 21
    wait_for_answer(window, qtbot)


def test_clear_undo_redo_by_button_and_key(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    answers: list[object] = []
    undo, redo, clear = (find(window, QAbstractButton, f"{name}Button") for name in ("undo", "redo", "clear"))
    assert not undo.isEnabled()
    draw_seven(window)
    wait_for_answer(window, qtbot)
    window.predicted.connect(answers.append)
    clear.click()
    assert answers == [None]
    assert window.predictions == ()
    assert find(window, QLabel, "predictionLabel").text() == ""
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert num_strokes(window) == 1
    wait_for_answer(window, qtbot)
    undo.click()
    assert num_strokes(window) == 0
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert num_strokes(window) == 1
    QTest.keyClick(window, Qt.Key.Key_Delete)
    assert num_strokes(window) == 0
    assert redo.isEnabled() is False


def test_a_late_answer_is_not_shown_on_an_empty_pad(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    draw_seven(window)
    wait_for_answer(window, qtbot)
    late = window.predictions[0]
    request = request_of(window)
    window.document.clear()
    window.predictor.predicted.emit((late,), request)
    assert window.predictions == ()
    canvas = find(window, QWidget, "canvas")
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=QPoint(50, 50))
    window.predictor.predicted.emit((late,), request)
    assert window.predictions == ()  # nor on what was drawn since
    wait_for_answer(window, qtbot)


def test_an_answer_to_something_else_changes_nothing(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    draw_seven(window)
    wait_for_answer(window, qtbot)
    shown, request = window.predictions, request_of(window)
    window.document.begin_stroke(200, 200, 20)
    wait_for_answer(window, qtbot)
    now = window.predictions
    emit = window.predictor.predicted.emit
    emit((), request)  # that there was no ink before what is there now
    emit(shown, dataclasses.replace(request_of(window), placement_mode="as-drawn"))
    assert window.predictions == now
    draw_seven(window)
    emit(shown, request)  # of the same drawing, a step behind
    assert window.predictions == shown
    wait_for_answer(window, qtbot)
    now, request = window.predictions, request_of(window)
    window.open_content(window.document.content)
    emit(shown, request)  # of what lay there before
    assert window.predictions == now


def test_an_old_models_answer_leaves_the_word_that_another_loads(open_window: Open, qtbot: QtBot) -> None:
    write_random_model(paths.models_folder() / "my.v2.safetensors")
    window = open_window()
    draw_seven(window)
    wait_for_answer(window, qtbot)
    status = find(window, QLabel, "statusLabel")
    assert status.text().startswith("small · cpu")
    chooser = find(window, QComboBox, "modelChooser")
    chooser.setCurrentIndex(chooser.findData("my.v2"))
    window.predictor.predicted.emit(window.predictions, request_of(window))
    assert status.text() == status.accessibleDescription() == "Loading my.v2 …"
    qtbot.waitUntil(lambda: status.text().startswith("my.v2 · cpu"), timeout=LIMIT_MS)


def test_choosers_change_what_is_asked_and_shown(open_window: Open, qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window()
    draw_seven(window, size=0.3)
    wait_for_answer(window, qtbot)
    fitted = window.predictions[0].placement
    placement = find(window, QComboBox, "placementChooser")
    with qtbot.waitSignal(window.predicted, timeout=LIMIT_MS):
        placement.setCurrentIndex(placement.findData("as-drawn"))
    drawn = window.predictions[0].placement
    assert fitted != drawn
    assert drawn.scale == pytest.approx(SMALL.image_size / 400)
    block, head = find(window, QComboBox, "blockChooser"), find(window, QComboBox, "headChooser")
    assert block.count() == SMALL.depth
    assert head.count() == SMALL.num_heads + 1
    overlay = find(window, QWidget, "attentionOverlay")
    before = overlay.grab().toImage()
    block.setCurrentIndex(block.findData(0))
    head.setCurrentIndex(head.findData(2))
    assert overlay.grab().toImage() != before
    strip = find(window, HeadStrip, "headStrip")
    _, squares = lay_out_cells(strip.width(), strip.height(), SMALL.num_heads + 1)
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=squares[1].center().toPoint())
    assert head.currentData() == 0


def test_another_model_answers_when_it_is_chosen(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    draw_seven(window)
    wait_for_answer(window, qtbot)
    write_random_model(paths.models_folder() / "mine.safetensors")
    second = open_window()
    chooser = find(second, QComboBox, "modelChooser")
    draw_seven(second)
    wait_for_answer(second, qtbot)
    chooser.setCurrentIndex(chooser.findData("mine"))
    qtbot.waitUntil(lambda: second.predictions[0].model == "mine", timeout=LIMIT_MS)


def test_a_model_that_cannot_be_read_gives_a_sentence_and_the_last_one_goes_on(
    open_window: Open, qtbot: QtBot, model: Path
) -> None:
    broken = paths.models_folder() / "broken.safetensors"
    broken.write_bytes(b"no checkpoint")
    window = open_window()
    draw_seven(window)
    wait_for_answer(window, qtbot)
    chooser = find(window, QComboBox, "modelChooser")
    chooser.setCurrentIndex(chooser.findData("broken"))
    banner = find(window, QLabel, "problemBanner")
    qtbot.waitUntil(lambda: "broken.safetensors" in banner.text(), timeout=LIMIT_MS)
    assert chooser.currentData() == str(model)
    with qtbot.waitSignal(window.predicted, timeout=LIMIT_MS):
        draw_seven(window)
    window.close()
    assert Settings(paths.config_folder()).load().model == Choices().model


@pytest.mark.parametrize("name", ["seven.jsonl", "seven.png", "seven"])
def test_what_is_drawn_is_saved_with_ctrl_s_and_opened_again(
    open_window: Open, qtbot: QtBot, tmp_path: Path, name: str
) -> None:
    window = open_window()
    draw_seven(window)
    QTest.keyClick(window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    dialog = find(window, QFileDialog, "saveDialog")
    dialog.selectFile(str(tmp_path / name))
    dialog.accept()
    path = tmp_path / ("seven.jsonl" if name == "seven" else name)  # an ending is added where there is none
    assert path.exists()
    again = open_window(str(path)).document
    if name == "seven.png":
        assert again.picture is not None
    else:
        assert len(again.strokes) == len(window.document.strokes) > 0


def test_a_pad_that_cannot_be_saved_says_why(open_window: Open, tmp_path: Path) -> None:
    window = open_window()
    draw_seven(window)
    QTest.keyClick(window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    find(window, QFileDialog, "saveDialog").fileSelected.emit(str(tmp_path / "gone" / "seven.png"))
    assert "gone" in find(window, QLabel, "problemBanner").text()


def test_a_copied_pad_can_be_pasted(open_window: Open) -> None:
    window = open_window()
    draw_seven(window)
    QTest.keyClick(window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    window.document.clear()
    assert window.document.picture is None
    QTest.keyClick(window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    picture = window.document.picture
    assert picture is not None
    assert picture.ink_box is not None


def test_the_wheel_over_the_pad_changes_the_pens_width_and_it_is_remembered(open_window: Open) -> None:
    window = open_window()
    slider = find(window, QSlider, "penWidthSlider")
    before = slider.value()
    turn_wheel(find(window, Canvas, "canvas"), 240)
    assert slider.value() == before + 2 * slider.singleStep()
    window.close()
    assert Settings(paths.config_folder()).load().pen_width == slider.value()


def test_an_empty_pad_is_neither_saved_nor_copied(open_window: Open) -> None:
    window = open_window()
    actions = {action.text(): action for action in window.actions()}
    assert not actions["Save …"].isEnabled()
    assert not actions["Copy"].isEnabled()
    draw_seven(window)
    assert actions["Save …"].isEnabled()
    assert actions["Copy"].isEnabled()


@pytest.mark.parametrize(
    ("first", "second", "used"), [("broken", "mine", "mine"), ("mine", "broken", "mine"), ("mine", "other", "other")]
)
def test_of_two_wishes_for_a_model_the_last_good_one_is_used_and_remembered(
    open_window: Open, qtbot: QtBot, first: str, second: str, used: str
) -> None:
    folder = paths.models_folder()
    (folder / "broken.safetensors").write_bytes(b"no checkpoint")
    for name in ("mine", "other"):
        write_random_model(folder / f"{name}.safetensors")
    window = open_window()
    draw_seven(window)
    wait_for_answer(window, qtbot)
    chooser = find(window, QComboBox, "modelChooser")
    chosen: list[str] = []
    window.predictor.loaded.connect(lambda _loaded: chosen.append(chooser.currentData()))
    for name in (first, second):  # the second is wished for while the first loads
        while window.predictor.is_waiting:
            QThread.yieldCurrentThread()
        chooser.setCurrentIndex(chooser.findData(name))
    qtbot.waitUntil(lambda: window.predictions[0].model == used, timeout=LIMIT_MS)
    assert chooser.currentData() == used
    assert set(chosen[:-1]) <= {second}  # nothing jumps to the first meanwhile
    assert chosen[-1] in (second, used)
    assert ("broken.safetensors" in find(window, QLabel, "problemBanner").text()) == ("broken" in (first, second))
    window.close()
    assert Settings(paths.config_folder()).load().model == used


def test_without_any_model_the_status_says_so(
    qtbot: QtBot, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "asset", lambda name: tmp_path / "no assets" / name)
    Settings(paths.config_folder()).save(Choices(model="lost", device="cpu"))
    window = create_window()
    with qtbot.waitExposed(window):
        window.show()
    status = find(window, QLabel, "statusLabel")
    assert status.text() == "Loading lost …"
    qtbot.waitUntil(lambda: status.text() == "No model is loaded", timeout=LIMIT_MS)
    assert "'pad-4'" in find(window, QLabel, "problemBanner").text()
    draw_seven(window)
    window.document.clear()
    assert status.text() == "No model is loaded"
    window.close()
    assert Settings(paths.config_folder()).load().model == "lost"  # it may be there again the next time


def test_a_screen_reader_hears_what_is_said(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    labels = [find(window, QLabel, f"{name}Label") for name in ("prediction", "probability", "status")]
    draw_seven(window)
    wait_for_answer(window, qtbot)
    for label in labels:
        assert label.text()
        assert label.accessibleDescription() == label.text()
    window.document.clear()
    assert [label.accessibleDescription() for label in labels[:2]] == ["", ""]


def test_drawing_without_a_pause_is_saved_too(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    window._save()
    canvas, last = find(window, QWidget, "canvas"), paths.state_folder() / "last-drawing.jsonl"
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))

    def draw_on_and_look() -> bool:
        QTest.mouseMove(canvas, QPoint(20 + window.document.revision % 200, 60))
        return last.exists()

    qtbot.waitUntil(draw_on_and_look, timeout=10_000)
    assert window.document.is_stroke_growing


def test_closing_saves_before_it_waits(open_window: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window()
    last, stop, seen = paths.state_folder() / "last-drawing.jsonl", window.predictor.stop, list[bool]()
    draw_seven(window)

    def look_and_stop() -> None:
        seen.append(last.exists())
        stop()

    monkeypatch.setattr(window.predictor, "stop", look_and_stop)
    window.close()
    assert seen == [True]


def test_a_closed_window_hears_no_more_of_the_systems_theme(qtbot: QtBot, model: Path) -> None:
    window = create_window(["--model", str(model)])
    window.close()
    shiboken6.delete(window)
    QGuiApplication.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)  # qtbot sees what fails in a slot


def test_a_bad_line_is_told_and_the_drawing_opened(open_window: Open, tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_text('{"strokes": 7}\n{"strokes": [[[1, 1], [9, 9]]]}\n')
    window = open_window()
    window._canvas.drop_received.emit(path)
    assert num_strokes(window) == 1
    banner = find(window, QLabel, "problemBanner")
    assert banner.text() == banner.accessibleDescription()
    assert banner.text().startswith(f'Line 1 of {path} was left out: "strokes" must be')


def test_choices_and_drawing_come_back_and_the_command_line_is_not_remembered(open_window: Open, qtbot: QtBot) -> None:
    first = open_window("--device", "cpu")
    draw_seven(first)
    block = find(first, QComboBox, "blockChooser")
    block.setCurrentIndex(block.findData(1))
    find(first, QSlider, "strengthSlider").setValue(35)
    find(first, QSlider, "penWidthSlider").setValue(31)
    find(first, QAbstractButton, "paperButton").click()
    (drawn,) = first.document.strokes
    # Not closed: what a crash would leave is written shortly after the last change.
    last = paths.state_folder() / "last-drawing.jsonl"
    qtbot.waitUntil(lambda: last.exists() and Settings(paths.config_folder()).load().paper == "light", timeout=LIMIT_MS)
    (saved,) = read_drawings(last).drawings
    np.testing.assert_allclose(saved.strokes[0].points[:, :2], drawn.points[:, :2], atol=0.01)
    second = open_window()
    (stroke,) = second.document.strokes
    assert len(stroke.points) == len(drawn.points)
    assert find(second, QComboBox, "blockChooser").currentData() == 1
    assert find(second, QSlider, "strengthSlider").value() == 35
    assert second._canvas.pen_width == 31
    assert second._canvas.paper == "light"
    remembered = Settings(paths.config_folder()).load()
    assert (remembered.device, remembered.model) == (Choices().device, Choices().model)
    wait_for_answer(second, qtbot)


def test_a_pasted_picture_is_read_saved_and_comes_back(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    picture = QImage(60, 60, QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.white)
    for y in range(10, 50):
        for x in range(26, 32):
            picture.setPixelColor(x, y, Qt.GlobalColor.black)
    QGuiApplication.clipboard().setImage(picture)
    QTest.keyClick(window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    wait_for_answer(window, qtbot)
    window.close()
    assert (paths.state_folder() / "last-picture.png").exists()
    second = open_window()
    assert second.document.picture is not None
    second.document.clear()
    second.close()
    assert not (paths.state_folder() / "last-picture.png").exists()


def test_what_cannot_be_pasted_or_saved_gives_a_sentence_without_moving_anything(
    open_window: Open, qtbot: QtBot
) -> None:
    window = open_window()
    canvas = find(window, QWidget, "canvas")
    place = canvas.geometry()
    QGuiApplication.clipboard().setText("no picture")
    QTest.keyClick(window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    banner = find(window, QLabel, "problemBanner")
    assert banner.text()
    folder = paths.state_folder()
    for each in folder.iterdir():
        each.unlink()
    folder.rmdir()
    folder.touch()  # a file where the folder should be: nothing can be written there, whoever one is
    draw_seven(window)
    qtbot.waitUntil(lambda: str(folder) in banner.text(), timeout=LIMIT_MS)
    QApplication.processEvents()
    assert canvas.geometry() == place
    folder.unlink()
    folder.mkdir()
    draw_seven(window)
    qtbot.waitUntil(lambda: banner.text() == "", timeout=LIMIT_MS)


def test_eraser_and_pen_by_key(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    QTest.keyClick(window, Qt.Key.Key_E)
    draw_seven(window)
    assert window.document.is_empty
    QTest.keyClick(window, Qt.Key.Key_P)
    draw_seven(window)
    QTest.keyClick(window, Qt.Key.Key_E)
    draw_seven(window)
    assert window.document.is_empty
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len(window.document.strokes) == 1


def test_everything_is_reached_by_the_tab_key(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    window.activateWindow()
    seen = set()
    for _ in range(40):
        focused = window.focusWidget()
        assert focused is not None
        seen.add(focused.objectName())
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    wanted = {*NAMES[QComboBox], *NAMES[QSlider]} | {"canvas", "headStrip", "clearButton", "openButton"}
    assert wanted <= seen


def test_the_window_fits_small_and_large_screens(open_window: Open) -> None:
    window = open_window()
    assert window.minimumSizeHint().width() <= 800
    assert window.minimumSizeHint().height() <= 570
    canvas = find(window, QWidget, "canvas")
    for width, height in ((800, 570), (1280, 800), (1920, 1080)):
        window.resize(width, height)
        QApplication.processEvents()
        assert canvas.width() == canvas.height()
        views = (find(window, QWidget, name) for name in ("probabilityBars", "headStrip", "inputPreview"))
        assert canvas.width() * canvas.height() > max(view.width() * view.height() for view in views)


@pytest.mark.parametrize(
    ("name", "text"),
    [("strength", "nan"), ("strength", "2"), ("block", "x"), ("head", "-5"), ("device", "abacus"), ("theme", "pink")],
)
def test_a_choice_that_makes_no_sense_becomes_the_default(name: str, text: str) -> None:
    choices = choices_from_text({name: text, "pen_width": "30"})
    assert getattr(choices, name) == getattr(Choices(), name)
    assert choices.pen_width == 30


def test_a_broken_file_of_choices_gives_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "window.ini").write_bytes(b"\x00\xff[[[")
    assert Settings(tmp_path).load() == Choices()
    Settings(tmp_path).save(Choices(strength=0.25, geometry=b"\x01\x02"))
    assert Settings(tmp_path).load() == Choices(strength=0.25, geometry=b"\x01\x02")


def test_a_list_written_by_hand_is_no_choice(tmp_path: Path) -> None:
    (tmp_path / "window.ini").write_text("[General]\nmodel=a, b\nblock=2\n")
    assert Settings(tmp_path).load() == Choices(block=2)


def test_unchanged_choices_are_not_written_again(tmp_path: Path) -> None:
    settings, path = Settings(tmp_path), tmp_path / "window.ini"
    settings.save(Choices(block=2))
    path.unlink()
    settings.save(Choices(block=2))
    assert not path.exists()
    settings.save(Choices(block=1))
    assert Settings(tmp_path).load().block == 1


@pytest.mark.parametrize("name", ["my.v2", "/somewhere/my.v2.safetensors"])
def test_a_models_title_keeps_its_dots(name: str) -> None:
    assert model_title(name) == "my.v2"


def test_a_long_class_name_is_elided_and_still_the_labels_text(qtbot: QtBot) -> None:
    view = AnswerView()
    qtbot.addWidget(view)
    name = "a very long name of a class"
    view.set_class_names((name, "b"))
    answer = make_prediction(class_names=(name, "b"), probabilities=np.array([0.75, 0.25], np.float32))
    view.show_number(Number((answer,)))
    label = find(view, ElidedLabel, "predictionLabel")
    assert label.text() == name
    assert label.shown_text().endswith("…")
    whole = label.grab().toImage()
    label.setText(label.shown_text())
    assert label.grab().toImage() == whole


def test_what_has_no_button_is_told_in_tool_tips_and_a_menu(open_window: Open) -> None:
    window = open_window()
    assert "Ctrl+O" in find(window, QAbstractButton, "openButton").toolTip()
    assert "Ctrl+V" in find(window, QAbstractButton, "openButton").toolTip()
    assert "Esc" in find(window, QAbstractButton, "undoButton").toolTip()
    slider = find(window, QSlider, "penWidthSlider")
    assert "only shows on the pad" in slider.toolTip()
    assert [label.text() for label in window.findChildren(QLabel) if label.buddy() is slider] == ["Width"]
    assert window.contextMenuPolicy() == Qt.ContextMenuPolicy.ActionsContextMenu
    assert {"Paste", "Quit"} <= {action.text() for action in window.actions()}


def test_one_dialog_for_each_distinct_error_with_text_to_copy(open_window: Open, qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window()
    hook, dialogs = ExceptionHook(), ErrorDialogs(window, tmp_path / "a.log")
    hook.caught.connect(dialogs.show_report)

    def fail(divisor: int) -> None:
        try:
            1 // divisor
        except ZeroDivisionError as error:
            hook.caught.emit(describe_exception(error))

    fail(0)
    fail(0)
    (dialog,) = window.findChildren(ErrorDialog)
    assert isinstance(dialog, QDialog)
    assert not dialog.isModal()
    text = find(dialog, QPlainTextEdit, "errorText").toPlainText()
    assert "ZeroDivisionError" in text
    assert any("a.log" in label.text() for label in dialog.findChildren(QLabel))
    (copy,) = (button for button in dialog.findChildren(QPushButton) if "opy" in button.text())
    copy.click()
    assert QGuiApplication.clipboard().text() == text
    try:
        raise KeyError("another")
    except KeyError as error:
        hook.caught.emit(describe_exception(error))
    assert len(window.findChildren(ErrorDialog)) == 2
