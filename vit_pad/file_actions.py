"""What goes on and off the pad besides opening and saving, built and connected."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from training import paths
from training.strokes import Stroke
from vit_pad.document import Content, PadDocument
from vit_pad.history import HistoryStore
from vit_pad.history_panel import HistoryPanel
from vit_pad.history_recorder import HistoryRecorder
from vit_pad.recent import RecentFiles, RecentMenu


class FileActions(QObject):
    """The actions and menus of one window, with their shortcuts.

    `history` opens and closes the panel of past drawings; `recent` is the menu of recent files.
    """

    opened = Signal(object)  # the vit_pad.document.Content to put on the pad
    file_chosen = Signal(object)  # the pathlib.Path to open
    problem = Signal(object)  # a training.errors.Message

    def __init__(self, window: QMainWindow, document: PadDocument) -> None:
        super().__init__(window)
        self._document = document
        self.history = self._add_history(window)
        self.recent = RecentMenu(RecentFiles(paths.config_folder()), window)
        self.recent.chosen.connect(self.file_chosen)
        self.recent.problem.connect(self.problem)

    def _add_history(self, window: QMainWindow) -> QAction:
        store = HistoryStore(paths.state_folder())
        panel = self._panel = HistoryPanel(store, window)
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, panel)
        panel.hide()  # docking shows it
        self.recorder = HistoryRecorder(self._document, store, self)
        self.recorder.recorded.connect(panel.reload)
        panel.opened.connect(self._open_strokes)
        for part in (panel, self.recorder):
            part.problem.connect(self.problem)
        window.addAction(panel.action)
        return panel.action

    def reload(self) -> None:
        """Read anew what lies on the disk."""
        self._panel.reload()

    def _open_strokes(self, strokes: tuple[Stroke, ...]) -> None:
        if strokes != self._document.strokes or self._document.picture is not None:  # strokes are equal if the same
            self.opened.emit(Content(strokes))
