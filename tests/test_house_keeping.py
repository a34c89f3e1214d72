"""The menu: text size, reset, deleting all data, about."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
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
    QMenu,
    QPushButton,
    QSlider,
    QWidget,
)
from pytestqt.qtbot import QtBot
from safetensors.numpy import save_file

from tests.random_model import write_random_model
from tests.test_window import LIMIT_MS, draw_seven, find, wait_for_answer
from training import __version__, paths
from training.data import MNIST_FILES
from training.errors import UserError
from training.lock import lock_for_training
from training.models import unfinished_runs, user_models
from vit_pad.app import create_window
from vit_pad.exceptions import start_log
from vit_pad.main_menu import MainMenu
from vit_pad.main_window import MainWindow
from vit_pad.own_data import OwnData, delete, find_own_data
from vit_pad.settings import TEXT_SIZES, Choices, Settings
from vit_pad.theme import DARK, LIGHT, theme_of

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


def choice(window: MainWindow, menu: str, data: object) -> QAction:
    (action,) = (each for each in find(window, QMenu, menu).actions() if each.data() == data)
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


def test_the_largest_text_is_whole_at_once(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    window.resize(1280, 800)
    find(window, QAbstractButton, "trainingPanelButton").click()
    draw_seven(window)
    wait_for_answer(window, qtbot)
    for _ in range(3):
        QTest.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    QApplication.processEvents()
    probability = find(window, QLabel, "probabilityLabel")
    assert probability.fontMetrics().horizontalAdvance("100 %") <= probability.width()
    assert probability.fontMetrics().height() <= probability.height()
    chooser = find(window, QComboBox, "presetChooser")
    form = chooser.parentWidget()
    assert form is not None
    assert form.visibleRegion().boundingRect().width() == form.width()
    assert window.width() <= 1280


def test_curves_follow_text_size_and_theme(open_window: Open, qtbot: QtBot) -> None:
    from vit_pad.training_curves import TrainingCurves  # loads pyqtgraph

    window = open_window()
    curves = TrainingCurves(window)
    axis = curves._loss.getAxis("left")
    before = axis.style["tickFont"].pointSizeF()
    window._on_chosen("text_size", 150)
    assert axis.style["tickFont"].pointSizeF() == pytest.approx(1.5 * before, rel=0.02)
    for choice, theme in (("dark", DARK), ("light", LIGHT)):
        window._on_chosen("theme", choice)
        assert axis.textPen().color().name() == theme.quiet_text


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
    for name, value in (("modelChooser", "pad-8"), ("placementChooser", "as-drawn")):
        chooser = find(window, QComboBox, name)
        chooser.setCurrentIndex(chooser.findData(value))
    choice(window, "themeMenu", "dark").trigger()
    window._on_chosen("text_size", 130)
    strokes = window.document.strokes
    menu_action(window, "Reset all choices").trigger()
    assert window.document.strokes == strokes
    qtbot.waitUntil(lambda: window.predictions[0].model == Choices().model, timeout=LIMIT_MS)
    assert find(window, QComboBox, "modelChooser").currentData() == Choices().model
    assert find(window, QComboBox, "placementChooser").currentData() == "like-mnist"
    assert choice(window, "themeMenu", "system").isChecked()
    assert choice(window, "textSizeMenu", 100).isChecked()
    assert find(window, QSlider, "penWidthSlider").value() == Choices().pen_width
    geometry = window._settings.load().geometry
    window.close()
    remembered = window._settings.load()
    assert remembered == Choices(geometry=remembered.geometry, layouts=remembered.layouts)
    assert geometry is not None


def test_choices_come_back_until_something_else_is_chosen(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    reset = menu_action(window, "Reset all choices")
    find(window, QSlider, "penWidthSlider").setValue(50)
    choice(window, "themeMenu", "dark").trigger()
    reset.trigger()
    assert find(window, QSlider, "penWidthSlider").value() == Choices().pen_width
    assert reset.text() == "Bring my choices back"
    reset.trigger()
    assert find(window, QSlider, "penWidthSlider").value() == 50
    assert choice(window, "themeMenu", "dark").isChecked()
    assert theme_of(window) is DARK
    reset.trigger()
    find(window, QSlider, "penWidthSlider").setValue(40)
    assert reset.text() == "Reset all choices"
    window.close()
    assert window._settings.load().pen_width == 40


def test_the_theme_is_chosen_by_keyboard_in_the_menu(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    menu = find(window, MainMenu, "mainMenu")
    menu.popup(window.pos())
    themes = find(window, QMenu, "themeMenu")
    menu.setActiveAction(themes.menuAction())
    QTest.keyClick(menu, Qt.Key.Key_Right)
    qtbot.waitUntil(themes.isVisible, timeout=LIMIT_MS)
    themes.setActiveAction(choice(window, "themeMenu", "dark"))
    QTest.keyClick(themes, Qt.Key.Key_Return)
    assert not menu.isVisible()
    assert theme_of(window) is DARK
    choice(window, "themeMenu", "light").trigger()
    assert theme_of(window) is LIGHT


@pytest.fixture
def log() -> Iterator[Path]:
    """The program's log, closed again afterwards."""
    root = logging.getLogger()
    before = root.handlers[:]
    yield start_log(paths.state_folder())
    for handler in [each for each in root.handlers if each not in before]:
        root.removeHandler(handler)
        handler.close()


@pytest.fixture
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache that other tests don't share."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(tmp_path / "cache"))
    return paths.cache_folder()


def folders() -> tuple[Path, ...]:
    return paths.config_folder(), paths.state_folder(), paths.models_folder(), paths.cache_folder()


def files_below(places: Iterable[Path]) -> set[Path]:
    return {path for place in places for path in place.rglob("*") if path.is_symlink() or not path.is_dir()}


def fill_folders() -> set[Path]:
    """Write what the program would, and give it."""
    config, state, models, cache = folders()
    raw = cache / "datasets" / "MNIST" / "raw"
    raw.mkdir(parents=True)
    files = [
        *(config / name for name in ("window.ini", "recent.ini", "recent.ini.lock", "training.toml")),
        *(state / name for name in ("last-drawing.jsonl", "last-picture.png", "history.jsonl", "history.jsonl.lock")),
        *(state / name for name in ("history-broken-12.jsonl", "vit-pad.log", "vit-pad.log.1")),
        *(state / name for name in ("training-0123456789abcdef.lock", ".history.jsonl.0123abcd.tmp")),
        *(raw / f"{file.name}{packed}" for file in MNIST_FILES for packed in ("", ".gz")),
        models / ".mine.safetensors.0123abcd.tmp",
    ]
    for file in files:
        file.write_text("ours")
    write_random_model(models / "mine.safetensors")
    save_file({}, models / "mine.state.safetensors", {"format_version": "1", "kind": '"run-state"'})
    return files_below(folders())


def add_others() -> set[Path]:
    """Put what others might have into the same folders, named as nearly the same as can be; give it."""
    config, state, models, cache = folders()
    raw = cache / "datasets" / "MNIST" / "raw"
    names = {
        config: ("window.ini.bak", "my-window.ini", "window.inix", "notes.txt"),
        state: ("history-of-rome/book.txt", "my.log", "vit-pad.log.txt", "last-drawing.png", "history.jsonl.orig"),
        models: ("readme.txt", "mine.safetensors.md5", "damaged.safetensors", ".mine.safetensors.short.tmp"),
        raw: ("train-images-idx3-ubyte.png", "notes.txt"),
        cache: ("datasets/other/data.bin", "train-images-idx3-ubyte"),
    }
    others = {folder / name for folder, several in names.items() for name in several}
    for other in others:
        other.parent.mkdir(parents=True, exist_ok=True)
        other.write_text("not ours")
    foreign = models / "foreign.safetensors"
    save_file({}, foreign, {"format": "pt"})
    (state / "vit-pad.log.1").unlink()
    (state / "vit-pad.log.1").mkdir()  # named as ours, and a folder
    (state / "vit-pad.log.1" / "inside.txt").write_text("not ours")
    return {*others, foreign, state / "vit-pad.log.1" / "inside.txt"}


@pytest.mark.usefixtures("own_cache")
def test_all_that_is_ours_goes_and_all_else_stays() -> None:
    ours = fill_folders()
    assert len(ours) == 24
    others = add_others()
    delete(find_own_data(with_models=True))
    assert files_below(folders()) == others


@pytest.mark.usefixtures("own_cache")
def test_nothing_of_ours_is_left_and_the_folders_stay_for_open_windows() -> None:
    fill_folders()
    delete(find_own_data(with_models=True))
    assert [list(folder.iterdir()) for folder in folders()] == [[], [], [], []]


def test_links_are_never_followed(own_cache: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    raw = elsewhere / "MNIST" / "raw"
    raw.mkdir(parents=True)
    kept = [raw / MNIST_FILES[0].name, elsewhere / "window.ini", write_random_model(elsewhere / "m.safetensors")]
    for file in kept[:2]:
        file.write_text("not ours")
    (own_cache / "datasets").symlink_to(elsewhere)
    (paths.config_folder() / "window.ini").symlink_to(kept[1])
    (paths.models_folder() / "linked.safetensors").symlink_to(kept[2])
    delete(find_own_data(with_models=True))
    assert all(file.exists() for file in kept)
    assert not (paths.config_folder() / "window.ini").is_symlink()
    assert not (paths.models_folder() / "linked.safetensors").is_symlink()


@pytest.mark.usefixtures("own_cache")
def test_models_and_unfinished_runs_stay_unless_wished() -> None:
    fill_folders()
    delete(find_own_data(with_models=False))
    assert user_models() == ("mine",)
    assert len(unfinished_runs()) == 1


def test_nothing_is_deleted_while_a_training_goes_on(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    draw_seven(window)
    wait_for_answer(window, qtbot)
    window._save()
    lock = lock_for_training(paths.models_folder())  # as a training in a terminal holds it
    delete_all(window, qtbot)
    assert find(window, QLabel, "problemBanner").text().startswith("A training is going on.")
    assert not window.document.is_empty
    assert (paths.state_folder() / "last-drawing.jsonl").exists()
    lock.release()
    delete_all(window, qtbot)
    assert window.document.is_empty


def test_after_deleting_one_goes_on_drawing_and_it_is_saved(open_window: Open, qtbot: QtBot, log: Path) -> None:
    logging.getLogger("vit_pad").warning("something")
    window = open_window()
    draw_seven(window)
    wait_for_answer(window, qtbot)
    QTest.keyClick(window, Qt.Key.Key_Delete)  # into the history
    QTest.keyClick(window, Qt.Key.Key_H, Qt.KeyboardModifier.ControlModifier)
    QTest.mouseClick(find(window, QPushButton, "deleteAllHistoryButton"), Qt.MouseButton.LeftButton)
    assert find(window, QPushButton, "undoDeleteButton").isVisible()
    assert log.exists()
    delete_all(window, qtbot)
    assert not files_below([paths.state_folder()])
    assert not find(window, QPushButton, "undoDeleteButton").isVisible()
    draw_seven(window)
    window._save()
    assert find(window, QLabel, "problemBanner").text() == ""
    assert (paths.state_folder() / "last-drawing.jsonl").exists()
    logging.getLogger("vit_pad").warning("something else")
    assert "something else" in log.read_text(encoding="utf-8")


def delete_all(window: MainWindow, qtbot: QtBot) -> None:
    """Say yes to deleting all but the models."""
    menu_action(window, "Delete all my data …").trigger()
    dialog = find(window, QDialog, "deleteDataDialog")
    QTest.mouseClick(find_in(dialog, "deleteDataButton"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.findChild(QDialog, "deleteDataDialog") is None)


def test_what_cannot_be_deleted_is_told_and_the_rest_is_deleted(tmp_path: Path) -> None:
    good = tmp_path / "good"
    good.write_text("ours")
    bad = tmp_path / "bad"  # its parent is a file: no system deletes that
    bad.write_text("ours")
    with pytest.raises(UserError, match=r"bad.child can't be deleted \(Not a directory\)"):
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


def test_about_is_there_once(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    for _ in range(3):
        menu_action(window, "About ViT Pad").trigger()
    qtbot.waitUntil(lambda: len(window.findChildren(QDialog, "aboutDialog")) == 1)


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
