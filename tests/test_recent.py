"""The last files that were opened or saved, in a menu."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from tests.random_model import write_random_model
from training import paths
from training.errors import Message, UserError
from training.strokes import Drawing, Stroke, write_drawings
from vit_pad.app import create_window
from vit_pad.main_window import MainWindow
from vit_pad.recent import FILE_NAME, MAX_FILES, RecentFiles, RecentMenu


def touched(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.touch()
    return path


def entries(menu: RecentMenu) -> list[QAction]:
    """Give what the menu shows when it is opened."""
    menu.aboutToShow.emit()
    return menu.actions()


def texts(menu: RecentMenu) -> list[str]:
    return [action.text() for action in entries(menu) if not action.isSeparator()]


@pytest.fixture
def files(tmp_path: Path) -> RecentFiles:
    return RecentFiles(tmp_path)


def test_the_last_eight_are_kept_the_newest_first(files: RecentFiles, tmp_path: Path) -> None:
    made = [touched(tmp_path, f"{number}.png") for number in range(10)]
    for path in (*made, made[5]):
        files.add(path)
    expected = [made[number] for number in (5, 9, 8, 7, 6, 4, 3, 2)]
    assert list(RecentFiles(tmp_path).load()) == expected
    assert len(expected) == MAX_FILES


def test_missing_ones_are_not_shown_and_come_back_with_their_disk(files: RecentFiles, tmp_path: Path) -> None:
    path = touched(tmp_path, "a.png")
    files.add(path)
    path.unlink()
    assert files.load() == ()
    path.touch()
    assert files.load() == (path,)


@pytest.mark.parametrize("name", ["a, b;c=d.png", "ü § 漢.png", '"quoted" %41 #1.png', "\udcff.png"])
def test_any_name_is_remembered(files: RecentFiles, tmp_path: Path, name: str) -> None:
    path = touched(tmp_path, name)
    files.add(path)
    assert RecentFiles(tmp_path).load() == (path,)


def test_two_windows_add_to_one_list(files: RecentFiles, tmp_path: Path) -> None:
    first, second = touched(tmp_path, "1.png"), touched(tmp_path, "2.png")
    other = RecentFiles(tmp_path)
    files.add(first)
    other.add(second)
    assert files.load() == (second, first)


@pytest.mark.parametrize("text", ["files=[1, 2", "files=7", "files=a, b", "\0\1"])
def test_a_broken_list_is_an_empty_one(files: RecentFiles, tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(f"[General]\n{text}\n", encoding="utf-8")
    assert files.load() == ()
    path = touched(tmp_path, "a.png")
    files.add(path)
    assert files.load() == (path,)


def test_a_list_that_cannot_be_written_is_a_sentence(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "a file").touch()
    files = RecentFiles(tmp_path / "a file")
    with pytest.raises(UserError, match="recent files"):
        files.add(tmp_path / "a.png")
    menu, problems = RecentMenu(files), list[Message]()
    qtbot.addWidget(menu)
    menu.problem.connect(problems.append)
    menu.add(tmp_path / "a.png")
    assert len(problems) == 1


def test_the_menu_tells_files_of_one_name_apart_and_shows_every_letter(qtbot: QtBot, tmp_path: Path) -> None:
    files = RecentFiles(tmp_path)
    menu = RecentMenu(files)
    qtbot.addWidget(menu)
    for path in (touched(tmp_path / "x", "7.png"), touched(tmp_path / "y", "7.png"), touched(tmp_path, "a&b.png")):
        files.add(path)
    assert texts(menu) == ["&1  a&&b.png", "&2  7.png (y)", "&3  7.png (x)", "Clear list"]


def test_a_key_chooses_and_the_last_entry_forgets(qtbot: QtBot, tmp_path: Path) -> None:
    files = RecentFiles(tmp_path)
    menu, chosen = RecentMenu(files), list[Path]()
    qtbot.addWidget(menu)
    menu.chosen.connect(chosen.append)
    made = [touched(tmp_path, name) for name in ("a.png", "b.png")]
    for path in made:
        files.add(path)
    menu.popup(menu.pos())
    QTest.keyClick(menu, Qt.Key.Key_2)
    assert chosen == [made[0]]
    menu.popup(menu.pos())
    QTest.keyClick(menu, Qt.Key.Key_Up)  # from nothing to the last
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert files.load() == ()
    assert texts(menu) == ["No recent files"]


# In the window.


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    model = write_random_model(tmp_path / "small.safetensors")
    window = create_window(["window", str(drawing_file(tmp_path, "first")), "--model", str(model)])
    yield window
    window.close()


def drawing_file(folder: Path, name: str) -> Path:
    path = folder / f"{name}.jsonl"
    write_drawings(path, [Drawing(strokes=(Stroke(np.array([[10.0, 10.0], [90.0, 300.0]])),))])
    return path


def choose_file(window: MainWindow, action: QAction, path: Path) -> None:
    action.trigger()
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(path))
    dialog.setParent(None)


def test_what_is_opened_and_saved_is_remembered(window: MainWindow, tmp_path: Path) -> None:
    opened, saved = drawing_file(tmp_path, "opened"), tmp_path / "saved.png"
    choose_file(window, window._actions.open, opened)
    choose_file(window, window._actions.save, saved)
    listed = RecentFiles(paths.config_folder()).load()
    assert listed == (saved, opened, tmp_path / "first.jsonl")


def test_what_fails_is_not_remembered_and_choosing_opens(window: MainWindow, tmp_path: Path) -> None:
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"no picture")
    window._open_from(bad)
    window.document.clear()
    assert texts(window.files.recent) == ["&1  first.jsonl", "Clear list"]
    entries(window.files.recent)[0].trigger()
    assert len(window.document.strokes) == 1
