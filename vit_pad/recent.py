"""The files that were opened or saved last, remembered from one start to the next, and the menu of them."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import QSettings, Signal
from PySide6.QtWidgets import QMenu, QWidget

from training.errors import UserError

FILE_NAME = "recent.ini"
MAX_FILES = 8
_KEY = "files"


class RecentFiles:
    """The list of files in `folder`. It is read anew each time: another window may have added to it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME

    def load(self) -> tuple[Path, ...]:
        """Give the files that are still there, the last one first; a broken list is an empty one."""
        return tuple(path for path in self._all() if path.is_file())

    def add(self, path: Path) -> None:
        """Put a file first.

        Raises:
            UserError: the list can't be written.
        """
        newest = path.absolute()
        self._save([newest, *(each for each in self._all() if each != newest)][:MAX_FILES])

    def clear(self) -> None:
        """Forget all files.

        Raises:
            UserError: the list can't be written.
        """
        self._save([])

    def _all(self) -> list[Path]:
        """Give the missing ones, too: they may lie on a disk that comes back."""
        text = self._settings().value(_KEY)
        try:
            names = json.loads(text) if isinstance(text, str) else []
        except ValueError:
            return []
        return [Path(name) for name in names if isinstance(name, str)] if isinstance(names, list) else []

    def _save(self, paths: list[Path]) -> None:
        settings = self._settings()
        settings.setValue(_KEY, json.dumps([str(path) for path in paths]))  # ASCII, whatever the names are
        settings.sync()  # Qt writes a temporary file and renames it
        if settings.status() != QSettings.Status.NoError:
            raise UserError(
                "The list of recent files can't be saved to {path}. Free some space, or make the folder writable.",
                path=self._path,
            )

    def _settings(self) -> QSettings:
        return QSettings(str(self._path), QSettings.Format.IniFormat)


class RecentMenu(QMenu):
    """The recent files by name, the last one first, and an entry that forgets them. It is filled as it is opened."""

    chosen = Signal(object)  # a pathlib.Path
    problem = Signal(object)  # a training.errors.Message

    def __init__(self, files: RecentFiles, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._files = files
        self.setObjectName("recentMenu")
        self.setTitle(self.tr("Open recent"))
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self._fill)

    def add(self, path: Path) -> None:
        """Put a file that was opened or saved first."""
        try:
            self._files.add(path)
        except UserError as error:
            self.problem.emit(error.message)

    def _fill(self) -> None:
        self.clear()
        paths = self._files.load()
        for number, path in enumerate(paths, start=1):
            action = self.addAction(f"&{number}  {_shown(path, paths)}")
            action.setToolTip(str(path))
            action.triggered.connect(lambda _checked=False, path=path: self.chosen.emit(path))
        if not paths:
            self.addAction(self.tr("No recent files")).setEnabled(False)
            return
        self.addSeparator()
        self.addAction(self.tr("Clear list")).triggered.connect(self._forget)

    def _forget(self) -> None:
        try:
            self._files.clear()
        except UserError as error:
            self.problem.emit(error.message)


def _shown(path: Path, others: tuple[Path, ...]) -> str:
    """Give a file's name, with its folder's where another file has the same."""
    is_alone = sum(each.name == path.name for each in others) == 1
    name = path.name if is_alone else f"{path.name} ({path.parent.name})"
    return name.replace("&", "&&")  # a single one would underline a letter
