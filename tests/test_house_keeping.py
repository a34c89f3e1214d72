"""The menu: text size, reset, deleting all data, about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QLabel,
    QPushButton,
    QSlider,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.random_model import write_random_model
from tests.test_window import LIMIT_MS, draw_seven, find, wait_for_answer
from training import __version__, paths
from training.errors import UserError
from training.models import user_models
from vit_pad.app import create_window
from vit_pad.main_menu import MainMenu
from vit_pad.main_window import MainWindow
from vit_pad.own_data import OwnData, delete, find_own_data
from vit_pad.settings import TEXT_SIZES, Choices, Settings

Open = Callable[[], MainWindow]


@pytest.fixture
def open_window(qtbot: QtBot) -> Iterator[Open]:
    windows: list[MainWindow] = []

    def open_one() -> MainWindow:
        window = create_window([])
        windows.append(window)
        with qtbot.waitActive(window, timeout=LIMIT_MS):
            window.show()
            window.activateWindow()
        return window

    yield open_one
    for window in windows:
        window._on_chosen("text_size", 100)
        window.close()
        window.deleteLater()


def menu_action(window: MainWindow, text: str) -> QAction:
    (action,) = (each for each in find(window, MainMenu, "mainMenu").actions() if each.text() == text)
    return action


def test_text_grows_and_shrinks_everywhere_and_is_remembered(open_window: Open) -> None:
    window = open_window()
    label, small = find(window, QLabel, "predictionLabel"), find(window, QLabel, "statusLabel")
    chooser = find(window, QComboBox, "modelChooser")
    before = [each.font().pointSizeF() for each in (label, small, chooser)]
    for _ in range(10):
        QTest.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    larger = [each.font().pointSizeF() for each in (label, small, chooser)]
    assert larger == pytest.approx([1.5 * size for size in before], rel=0.02)
    for _ in range(2):
        QTest.keyClick(window, Qt.Key.Key_Minus, Qt.KeyboardModifier.ControlModifier)
    window.close()
    assert Settings(paths.config_folder()).load().text_size == 115
    again = open_window()
    size = find(again, QComboBox, "modelChooser").font().pointSizeF()
    assert size == pytest.approx(1.15 * before[2], rel=0.02)
    QTest.keyClick(again, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert find(again, QComboBox, "modelChooser").font().pointSizeF() == before[2]


@pytest.mark.parametrize("size", TEXT_SIZES)
def test_at_every_text_size_the_window_fits_a_small_screen(open_window: Open, size: int) -> None:
    window = open_window()
    window._on_chosen("text_size", size)
    QApplication.processEvents()
    assert window.minimumSizeHint().width() <= 1280
    assert window.minimumSizeHint().height() <= 800


@pytest.mark.parametrize("by_key", [True, False], ids=["key", "button"])
def test_the_menu_opens(open_window: Open, qtbot: QtBot, by_key: bool) -> None:
    window = open_window()
    menu = find(window, MainMenu, "mainMenu")
    with qtbot.waitSignal(menu.aboutToHide, timeout=LIMIT_MS):
        menu.aboutToShow.connect(lambda: QTimer.singleShot(0, menu.close))
        if by_key:
            QTest.keyClick(window, Qt.Key.Key_F10)
        else:
            QTest.mouseClick(find(window, QAbstractButton, "menuButton"), Qt.MouseButton.LeftButton)


def test_reset_brings_all_choices_back_and_keeps_the_drawing(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    draw_seven(window)
    wait_for_answer(window, qtbot)
    find(window, QSlider, "penWidthSlider").setValue(50)
    for name, value in (("modelChooser", "pad-8"), ("placementChooser", "as-drawn"), ("themeChooser", "dark")):
        chooser = find(window, QComboBox, name)
        chooser.setCurrentIndex(chooser.findData(value))
    window._on_chosen("text_size", 130)
    strokes = window.document.strokes
    menu_action(window, "Reset all choices").trigger()
    assert window.document.strokes == strokes
    qtbot.waitUntil(lambda: window.predictions[0].model == Choices().model, timeout=LIMIT_MS)
    assert find(window, QComboBox, "modelChooser").currentData() == Choices().model
    assert find(window, QComboBox, "placementChooser").currentData() == "like-mnist"
    assert find(window, QComboBox, "themeChooser").currentData() == "system"
    assert find(window, QSlider, "penWidthSlider").value() == Choices().pen_width
    geometry = window._settings.load().geometry
    window.close()
    remembered = window._settings.load()
    assert remembered == Choices(geometry=remembered.geometry)
    assert geometry is not None


def fill_folders() -> list[Path]:
    """Write what the program would, and give it."""
    files = [
        paths.config_folder() / "window.ini",
        paths.config_folder() / "training.toml",
        paths.state_folder() / "history.jsonl",
        paths.state_folder() / "vit-pad.log",
        paths.models_folder() / "mine.safetensors",
        paths.models_folder() / "mine.state.safetensors",
    ]
    for file in files:
        file.write_text("ours")
    return files


def test_all_that_is_ours_goes_and_all_else_stays(tmp_path: Path) -> None:
    files = fill_folders()
    others = [folder / "notes.txt" for folder in (paths.config_folder(), paths.state_folder(), paths.models_folder())]
    elsewhere = tmp_path / "elsewhere.safetensors"
    for other in (*others, elsewhere):
        other.write_text("not ours")
    (paths.models_folder() / "linked.safetensors").symlink_to(elsewhere)
    delete(each for each in find_own_data(with_models=True) if each.folder != paths.cache_folder())
    assert not any(file.exists() for file in files)
    assert not (paths.models_folder() / "linked.safetensors").is_symlink()
    assert all(other.exists() for other in (*others, elsewhere))


def test_models_stay_unless_wished_and_empty_folders_go() -> None:
    fill_folders()
    state_folder = paths.state_folder()
    delete(each for each in find_own_data(with_models=False) if each.folder != paths.cache_folder())
    assert user_models() == ("mine",)
    assert not state_folder.exists()


def test_what_cannot_be_deleted_is_told_and_the_rest_is_deleted(tmp_path: Path) -> None:
    good = tmp_path / "good"
    good.write_text("ours")
    bad = tmp_path / "bad"  # its parent is a file: no system deletes that
    bad.write_text("ours")
    with pytest.raises(UserError, match=r"1 files can't be deleted, among them .*bad/child"):
        delete([OwnData(tmp_path, (bad / "child", good))])
    assert not good.exists()


def test_deleting_asks_first_and_leaves_a_fresh_pad(open_window: Open, qtbot: QtBot) -> None:
    write_random_model(paths.models_folder() / "mine.safetensors")
    window = open_window()
    draw_seven(window)
    wait_for_answer(window, qtbot)
    window._save()
    menu_action(window, "Delete all my data …").trigger()
    dialog = find(window, QDialog, "deleteDataDialog")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not window.document.is_empty
    qtbot.waitUntil(lambda: window.findChild(QDialog, "deleteDataDialog") is None)
    menu_action(window, "Delete all my data …").trigger()
    dialog = find(window, QDialog, "deleteDataDialog")
    box = dialog.findChild(QCheckBox, "deleteModelsBox")
    assert box is not None
    box.click()
    assert str(paths.models_folder()) in " ".join(label.text() for label in dialog.findChildren(QLabel))
    QTest.mouseClick(find_in(dialog, "deleteDataButton"), Qt.MouseButton.LeftButton)
    assert window.document.is_empty
    assert not window.document.undo_stack.canUndo()
    assert user_models() == ()
    assert find(window, QComboBox, "modelChooser").findData("mine") == -1
    assert not list(paths.state_folder().glob("last-drawing*"))


def find_in(parent: QWidget, name: str) -> QPushButton:
    button = parent.findChild(QPushButton, name)
    assert button is not None
    return button


def test_about_tells_what_helpers_ask_for_and_copies_it(open_window: Open) -> None:
    window = open_window()
    menu_action(window, "About ViT Pad").trigger()
    dialog = find(window, QDialog, "aboutDialog")
    facts = dialog.findChild(QLabel, "aboutFacts")
    assert facts is not None
    for word in (f"ViT Pad: {__version__}", "Python: ", "Qt ", "torch: ", str(paths.models_folder())):
        assert word in facts.text()
    QTest.mouseClick(find_in(dialog, "copyAboutButton"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == facts.text()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
