"""What goes on and off the pad besides opening and saving, built and connected."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QMenu

from training import paths
from training.strokes import Stroke
from vit_pad.actions import add_action
from vit_pad.document import Content, PadDocument
from vit_pad.drag_handle import DragHandle
from vit_pad.history import HistoryStore
from vit_pad.history_panel import HistoryPanel
from vit_pad.history_recorder import HistoryRecorder
from vit_pad.recent import RecentFiles, RecentMenu
from vit_pad.sample_dialog import SampleDialog
from vit_pad.samples import Sample, SampleDeck


class FileActions(QObject):
    """The actions and menus of one window, with their shortcuts.

    `history` opens and closes the panel of past drawings; `recent` is the menu of recent files;
    `sample` puts an MNIST digit on the pad, and `choose_sample` offers them all. `drag_handle` is a
    button to lay out near the pad.
    """

    opened = Signal(object)  # the vit_pad.document.Content to put on the pad
    file_chosen = Signal(object)  # the pathlib.Path to open
    problem = Signal(object)  # a training.errors.Message

    def __init__(self, window: QMainWindow, document: PadDocument) -> None:
        super().__init__(window)
        self._window = window
        self._document = document
        self.history = self._add_history()
        self.recent = RecentMenu(RecentFiles(paths.config_folder()), window)
        self.recent.chosen.connect(self.file_chosen)
        self.recent.problem.connect(self.problem)
        self.drag_handle = DragHandle(document)
        self.drag_handle.problem.connect(self.problem)
        self._deck = SampleDeck()
        self._sample_dialog: SampleDialog | None = None
        self.sample = add_action(
            window, self.tr("MNIST digit"), self.tr("Put a digit of MNIST's test set on the pad, at random"), ["Ctrl+M"]
        )
        self.choose_sample = add_action(
            window,
            self.tr("MNIST digits …"),
            self.tr("Choose a digit of MNIST's test set by its number"),
            ["Ctrl+Shift+M"],
        )
        self.sample.triggered.connect(lambda: self._open_sample(self._deck.draw()))
        self.choose_sample.triggered.connect(self._show_samples)

    @property
    def in_menu(self) -> tuple[QAction | QMenu, ...]:
        """What the menu offers beside opening and saving, in its order."""
        return self.recent, self.sample, self.choose_sample, self.history

    def _add_history(self) -> QAction:
        store = HistoryStore(paths.state_folder())
        panel = self._panel = HistoryPanel(store, self._window)
        self._window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, panel)
        panel.hide()  # docking shows it
        self.recorder = HistoryRecorder(self._document, store, self)
        self.recorder.recorded.connect(panel.reload)
        panel.opened.connect(self._open_strokes)
        for part in (panel, self.recorder):
            part.problem.connect(self.problem)
        self._window.addAction(panel.action)
        return panel.action

    def forget(self) -> None:
        """Begin anew, after what lay on the disk was deleted."""
        self._panel.forget_deleted()

    def _open_strokes(self, strokes: tuple[Stroke, ...]) -> None:
        if strokes != self._document.strokes or self._document.picture is not None:  # strokes are equal if the same
            self.opened.emit(Content(strokes))

    def _open_sample(self, sample: Sample) -> None:
        self.opened.emit(sample.to_content())

    def _show_samples(self) -> None:
        if self._sample_dialog is None:
            self._sample_dialog = SampleDialog(self._window)
            self._sample_dialog.chosen.connect(self._open_sample)
        self._sample_dialog.show()
        self._sample_dialog.raise_()
        self._sample_dialog.activateWindow()
