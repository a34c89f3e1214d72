"""MNIST's own digits on the pad: the shipped sheet is what the test set has, and keys and clicks put it there."""

from __future__ import annotations

import runpy
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from training.data import load_mnist
from training.paths import asset
from vit_pad.document import Content, PadDocument
from vit_pad.file_actions import FileActions
from vit_pad.sample_dialog import SampleDialog
from vit_pad.samples import SampleDeck, load_samples
from vit_pad.thumbnail_view import ThumbnailView

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "make_samples.py"


def test_there_are_ten_of_each_digit_row_by_row(qtbot: QtBot) -> None:
    samples = load_samples()
    assert len({sample.number for sample in samples}) == 100
    assert Counter(sample.label for sample in samples) == {str(digit): 10 for digit in range(10)}
    assert [sample.label for sample in samples] == [str(place // 10) for place in range(100)]


def test_each_is_the_image_of_its_number_and_is_read_as_it_is(qtbot: QtBot) -> None:
    test_set = load_mnist("test")
    for sample in load_samples()[::7]:
        picture = sample.to_content().picture
        assert picture is not None
        expected = test_set.images[sample.number].reshape(28, 28).numpy()
        np.testing.assert_allclose(picture.ink, expected / 255, atol=1e-6)
        assert str(int(test_set.labels[sample.number])) == sample.label


def test_the_script_makes_the_shipped_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"samples": tmp_path / "made"}
    monkeypatch.setattr("training.paths.asset", lambda name: made.get(name, asset(name)))
    runpy.run_path(str(SCRIPT), run_name="__main__")
    assert sorted(path.name for path in made["samples"].iterdir()) == ["mnist.json", "mnist.png"]
    for path in made["samples"].iterdir():
        assert path.read_bytes() == asset(f"samples/{path.name}").read_bytes(), path.name


def test_the_same_never_comes_twice_in_a_row(qtbot: QtBot) -> None:
    deck = SampleDeck()
    drawn = [deck.draw().number for _ in range(500)]
    assert all(before != after for before, after in pairwise(drawn))
    assert len(set(drawn)) > 50


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[QMainWindow]:
    window = QMainWindow()
    yield window
    window.close()


@pytest.fixture
def opened(window: QMainWindow, qtbot: QtBot) -> list[Content]:
    """What the actions of the window put on the pad."""
    opened: list[Content] = []
    FileActions(window, PadDocument(window)).opened.connect(opened.append)
    with qtbot.waitActive(window, timeout=60_000):  # shortcuts are the active window's
        window.show()
        window.activateWindow()
    return opened


def test_ctrl_m_puts_one_on_the_pad(window: QMainWindow, opened: list[Content]) -> None:
    QTest.keyClick(window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    assert len(opened) == 1
    assert opened[0].picture is not None
    assert opened[0].picture.ink.shape == (28, 28)
    assert opened[0].strokes == ()


@pytest.fixture
def view(window: QMainWindow, opened: list[Content], qtbot: QtBot) -> ThumbnailView:
    """The dialog's list, opened by its keys."""
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window, Qt.Key.Key_M, keys)
    dialog = window.findChild(SampleDialog, "sampleDialog")
    assert dialog is not None
    assert dialog.isVisible()
    view = dialog.findChild(ThumbnailView, "sampleView")
    assert view is not None
    qtbot.waitUntil(lambda: view.hasFocus())
    return view


def test_a_number_and_enter_choose(view: ThumbnailView, opened: list[Content]) -> None:
    QTest.keyClicks(view, "73")
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert_is(opened, 73)


def test_a_click_chooses_and_the_dialog_stays(view: ThumbnailView, opened: list[Content]) -> None:
    place = view.visualRect(view.model().index(12, 0)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert_is(opened, 12)
    assert view.isVisible()


def test_one_row_is_one_digit(view: ThumbnailView) -> None:
    tops = [view.visualRect(view.model().index(row, 0)).top() for row in range(21)]
    assert len(set(tops[:10])) == len(set(tops[10:20])) == 1
    assert tops[0] < tops[10] < tops[20]


def assert_is(opened: list[Content], place: int) -> None:
    picture, expected = opened[-1].picture, load_samples()[place].to_content().picture
    assert picture is not None
    assert expected is not None
    np.testing.assert_array_equal(picture.ink, expected.ink)
