"""Past drawings: kept with their answers, opened again, relabelled, exported, deleted; nothing is lost on the way."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QLockFile, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMainWindow, QPushButton
from pytestqt.qtbot import QtBot

from tests.predictions import make_prediction
from training import paths
from training.errors import Message, UserError
from training.pictures import Picture
from training.strokes import Drawing, Stroke, read_drawings
from vit_pad import history
from vit_pad.actions import PadActions
from vit_pad.document import Content, PadDocument
from vit_pad.file_actions import FileActions
from vit_pad.history import HistoryEntry, HistoryStore
from vit_pad.history_model import HistoryModel
from vit_pad.history_panel import HistoryPanel
from vit_pad.history_recorder import answered_drawing
from vit_pad.number import Number
from vit_pad.thumbnail_view import ThumbnailView

LEFT, NO_KEYS = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
BLANK = Picture(np.zeros((20, 20), np.float32), np.zeros((20, 20, 3), np.uint8))


def stroke(x: float) -> Stroke:
    return Stroke(np.array([[x, 50.0], [x + 10, 300.0]]), 20.0)


def drawing(number: int) -> Drawing:
    """Make a drawing that was read at so many seconds."""
    date = datetime.fromtimestamp(1_700_000_000 + number, timezone.utc)
    return answered_drawing(Drawing(strokes=(stroke(float(number % 300)),)), Number((make_prediction(),)), date)


def filled(folder: Path, count: int) -> HistoryStore:
    store = HistoryStore(folder)
    for number in range(count):
        assert store.add(drawing(number))
    return store


def places(entries: tuple[HistoryEntry, ...]) -> list[int]:
    """Give the numbers of drawings by where they are."""
    return [int(entry.strokes[0].points[0, 0]) for entry in entries]


# The file.


def test_the_newest_comes_first_and_keeps_its_answer(tmp_path: Path) -> None:
    entries, note = filled(tmp_path, 3).load()
    prediction = make_prediction()
    assert note is None
    assert places(entries) == [2, 1, 0]
    assert entries[0].top == prediction.top
    assert entries[0].probability == pytest.approx(prediction.probabilities.max(), abs=1e-4)
    assert entries[0].model == "pad-4"
    assert entries[0].date == datetime.fromtimestamp(1_700_000_002, timezone.utc)
    assert len(read_drawings(tmp_path / history.FILE_NAME).drawings) == 3  # a drawing file like any other


def test_the_same_strokes_are_kept_once(tmp_path: Path) -> None:
    store = filled(tmp_path, 2)
    again = dataclasses.replace(drawing(0), extra={"date": "2030-01-01T00:00:00"})
    assert not store.add(again)
    assert places(store.load().entries) == [1, 0]


def test_the_oldest_go_beyond_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MAX_DRAWINGS", 5)
    assert places(filled(tmp_path, 8).load().entries) == [7, 6, 5, 4, 3]


def test_two_windows_lose_nothing_of_each_other(tmp_path: Path) -> None:
    first, second = HistoryStore(tmp_path), HistoryStore(tmp_path)
    first.load()
    for number in range(6):
        (first if number % 2 else second).add(drawing(number))
    lines = {entry.line for entry in first.load().entries[:2]}
    second.add(drawing(6))
    first.remove(lines)
    assert places(second.load().entries) == [6, 3, 2, 1, 0]


def test_a_file_that_another_window_holds_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "_WAIT_MS", 50)
    store = filled(tmp_path, 1)
    other = QLockFile(str(tmp_path / f"{history.FILE_NAME}.lock"))
    assert other.lock()
    with pytest.raises(UserError, match="another window holds it"):
        store.add(drawing(1))
    other.unlock()
    assert store.add(drawing(1))


@pytest.mark.parametrize("bad", [b"{half a li", b"\xff\xfe\x00", b'{"strokes": 7}'])
def test_a_broken_file_is_one_sentence_and_loses_nothing(tmp_path: Path, bad: bytes) -> None:
    store, path = filled(tmp_path, 2), tmp_path / history.FILE_NAME
    broken = path.read_bytes() + bad
    path.write_bytes(broken)
    store.add(drawing(2))  # before anybody has looked at the file
    before = path.read_bytes()
    entries, note = HistoryStore(tmp_path).load()
    assert places(entries) == [2, 1, 0]
    assert "history-broken-1.jsonl" in str(note)
    assert bad in before
    assert (tmp_path / "history-broken-1.jsonl").read_bytes() == before
    assert HistoryStore(tmp_path).load().note is None


def test_what_cannot_be_read_is_never_dropped_for_its_age(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MAX_DRAWINGS", 2)
    path = tmp_path / history.FILE_NAME
    path.write_bytes(b"not a drawing\n")
    filled(tmp_path, 4)
    assert path.read_bytes().startswith(b"not a drawing\n")


def test_a_folder_in_its_place_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / history.FILE_NAME).mkdir()
    with pytest.raises(UserError, match="can't be read"):
        HistoryStore(tmp_path).load()


def test_relabelling_keeps_everything_else(tmp_path: Path) -> None:
    store = filled(tmp_path, 2)
    old = store.load().entries[0]
    assert store.relabel({old.line, "gone by now"}, "7") == {store.load().entries[0].line}
    new = store.load().entries[0]
    assert (new.label, new.top, new.date) == ("7", old.top, old.date)
    np.testing.assert_array_equal(new.strokes[0].points, old.strokes[0].points)


def test_keys_of_another_kind_are_no_answer(tmp_path: Path) -> None:
    odd = {"strokes": [[[1, 2]]], "top": 7, "probability": True, "date": "soon", "model": None}
    (tmp_path / history.FILE_NAME).write_text(json.dumps(odd) + "\n", encoding="utf-8")
    (entry,) = HistoryStore(tmp_path).load().entries
    assert (entry.top, entry.probability, entry.date, entry.model) == (None, None, None, None)


# The window.


class Person:
    """A window with the history in it, and hands for it."""

    def __init__(self) -> None:
        self.window = QMainWindow()
        self.document = PadDocument()
        self.files = FileActions(self.window, self.document)
        self.files.opened.connect(lambda content: self.document.replace(content.strokes, content.picture))
        clear = PadActions(self.window).clear
        clear.triggered.connect(self.document.clear)
        self.problems: list[Message] = []
        self.files.problem.connect(self.problems.append)
        panel = self.window.findChild(HistoryPanel, "historyPanel")
        view = self.window.findChild(ThumbnailView, "historyView")
        assert panel is not None
        assert view is not None
        self.panel, self.view = panel, view

    def draw(self, x: float) -> None:
        """Draw a line and see an answer to it."""
        self.document.begin_stroke(x, 50.0, 20.0)
        self.document.extend_stroke(x + 10, 300.0)
        self.document.end_stroke()
        self.files.recorder.show_number(Number((make_prediction(revision=self.document.revision),)))

    def click(self, row: int, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
        QTest.mouseClick(self.view.viewport(), LEFT, keys, self.place(row))

    def place(self, row: int) -> QPoint:
        return self.view.visualRect(self.view.model().index(row, 0)).center()

    def press(self, name: str) -> None:
        button = self.window.findChild(QPushButton, name)
        assert button is not None
        QTest.mouseClick(button, LEFT)

    @property
    def listed(self) -> list[int]:
        model = self.view.model()
        assert isinstance(model, HistoryModel)
        return places(model.entries)

    @property
    def kept(self) -> list[int]:
        return places(HistoryStore(paths.state_folder()).load().entries)


@pytest.fixture
def person(qtbot: QtBot) -> Iterator[Person]:
    person = Person()
    person.window.resize(700, 700)
    with qtbot.waitActive(person.window, timeout=60_000):
        person.window.show()
        person.window.activateWindow()
    yield person
    person.window.close()


@pytest.fixture
def opened(person: Person) -> Person:
    """A person who drew four lines, the newest still on the pad, and opened the history."""
    for x in (10.0, 20.0, 30.0):
        person.draw(x)
        person.document.clear()
    person.draw(40.0)
    QTest.keyClick(person.window, Qt.Key.Key_H, Qt.KeyboardModifier.ControlModifier)
    return person


def test_it_is_closed_at_first_and_ctrl_h_opens_and_closes_it(person: Person) -> None:
    assert not person.panel.isVisible()
    for is_open in (True, False):
        QTest.keyClick(person.window, Qt.Key.Key_H, Qt.KeyboardModifier.ControlModifier)
        assert person.panel.isVisible() == is_open


def test_what_leaves_the_pad_with_ink_and_an_answer_is_kept(person: Person) -> None:
    person.draw(10.0)
    person.document.clear()
    person.draw(20.0)
    person.document.replace((stroke(200.0),))
    assert person.kept == [20, 10]


def test_what_has_no_answer_no_ink_or_a_picture_is_not_kept(person: Person) -> None:
    person.document.begin_stroke(5.0, 5.0, 20.0)
    person.document.clear()  # no answer yet
    person.draw(10.0)
    person.files.recorder.show_number(Number())
    person.document.clear()
    person.document.replace((), BLANK)
    person.draw(20.0)
    person.document.clear()
    assert person.kept == []


def test_clearing_undoing_and_clearing_again_keeps_it_once(person: Person) -> None:
    person.draw(10.0)
    for _ in range(2):
        person.document.clear()
        person.document.undo_stack.undo()
        person.files.recorder.show_number(Number((make_prediction(revision=person.document.revision),)))
    assert person.kept == [10]


def test_a_click_opens_and_undo_brings_back_what_was_there(opened: Person) -> None:
    assert opened.listed == [30, 20, 10]
    opened.click(2)
    assert opened.document.strokes[0].points[0, 0] == 10
    assert opened.listed == [40, 30, 20, 10]  # what was on the pad has come in
    assert [places((entry,)) for entry in opened.panel.selected] == [[10]]
    opened.document.undo_stack.undo()
    assert opened.document.strokes[0].points[0, 0] == 40


def test_a_double_click_opens_what_the_first_click_met(opened: Person) -> None:
    opened.click(1)
    QTest.mouseDClick(opened.view.viewport(), LEFT, NO_KEYS, opened.place(1))  # on another one, which has moved there
    QTest.mouseRelease(opened.view.viewport(), LEFT, NO_KEYS, opened.place(1))
    assert opened.document.strokes[0].points[0, 0] == 20


def test_arrows_and_enter_open(opened: Person) -> None:
    opened.view.select([0])
    QTest.keyClick(opened.view, Qt.Key.Key_Right)
    QTest.keyClick(opened.view, Qt.Key.Key_Return)
    assert opened.document.strokes[0].points[0, 0] == 20


def test_opening_what_is_there_is_no_step_of_undo(opened: Person) -> None:
    opened.click(0)
    count = opened.document.undo_stack.count()
    opened.click(1)
    assert opened.document.undo_stack.count() == count


def test_saying_what_it_really_is(opened: Person) -> None:
    opened.click(0, Qt.KeyboardModifier.ControlModifier)
    opened.click(2, Qt.KeyboardModifier.ControlModifier)
    field = opened.window.findChild(QLineEdit, "historyLabelField")
    assert field is not None
    QTest.keyClicks(field, "1")
    QTest.keyClick(field, Qt.Key.Key_Return)
    entries = HistoryStore(paths.state_folder()).load().entries
    assert [entry.label for entry in entries] == ["1", None, "1"]
    assert [entry.label for entry in opened.panel.selected] == ["1", "1"]
    assert "is 1" in opened.view.model().index(0, 0).data()


def test_leaving_the_label_as_it_is_changes_nothing(opened: Person) -> None:
    before = (paths.state_folder() / history.FILE_NAME).stat().st_mtime_ns
    opened.click(0, Qt.KeyboardModifier.ControlModifier)
    field = opened.window.findChild(QLineEdit, "historyLabelField")
    assert field is not None
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert (paths.state_folder() / history.FILE_NAME).stat().st_mtime_ns == before


def test_del_deletes_what_is_selected_and_undo_brings_it_back(opened: Person) -> None:
    opened.click(1, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(opened.view, Qt.Key.Key_Delete)  # which clears the pad anywhere else
    assert not opened.document.is_empty
    assert opened.kept == opened.listed == [30, 10]
    opened.press("undoDeleteButton")
    assert opened.kept == opened.listed == [30, 20, 10]


def test_all_are_deleted_without_a_question_and_come_back_whole(opened: Person) -> None:
    before = (paths.state_folder() / history.FILE_NAME).read_bytes()
    opened.press("deleteAllHistoryButton")
    assert opened.kept == opened.listed == []
    opened.press("undoDeleteButton")
    assert (paths.state_folder() / history.FILE_NAME).read_bytes() == before


@pytest.mark.parametrize(("rows", "exported"), [((), [10, 20, 30]), ((0, 2), [10, 30])])
def test_exporting_all_or_what_is_selected(
    opened: Person, tmp_path: Path, rows: tuple[int, ...], exported: list[int]
) -> None:
    for row in rows:
        opened.click(row, Qt.KeyboardModifier.ControlModifier)
    opened.press("exportHistoryButton")
    dialog = opened.window.findChild(QFileDialog, "exportDialog")
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "all.jsonl"))
    dialog.reject()
    drawings = read_drawings(tmp_path / "all.jsonl").drawings
    assert [int(each.strokes[0].points[0, 0]) for each in drawings] == exported
    assert drawings[0].extra["model"] == "pad-4"


def test_a_history_that_cannot_be_written_is_a_sentence_and_the_pad_is_cleared(person: Person) -> None:
    (paths.state_folder() / history.FILE_NAME).mkdir()
    person.draw(10.0)
    person.document.clear()
    assert person.document.is_empty
    assert len(person.problems) == 1


def test_thumbnails_show_the_strokes(opened: Person) -> None:
    pixmap = opened.view.model().index(2, 0).data(Qt.ItemDataRole.DecorationRole)
    image = pixmap.toImage()
    scale = image.width() / 400
    assert image.pixelColor(round(15 * scale), round(175 * scale)).lightness() == 255  # on the line of 10
    assert image.pixelColor(round(45 * scale), round(175 * scale)).lightness() == 0


def test_a_document_says_that_it_is_about_to_be_replaced_while_all_is_there(qtbot: QtBot) -> None:
    document = PadDocument()
    seen: list[Content] = []
    document.about_to_be_replaced.connect(lambda: seen.append(document.content))
    document.begin_stroke(10.0, 10.0, 20.0)
    document.clear()
    assert [len(content.strokes) for content in seen] == [1]
