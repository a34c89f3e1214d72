"""The history beside the pad: past drawings to open again, to say what they really are, to export and to delete."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from training.errors import UserError
from training.strokes import write_drawings
from vit_pad.choosers import name_widget
from vit_pad.history import HistoryEntry, HistoryStore
from vit_pad.history_model import THUMBNAIL_PX, HistoryModel
from vit_pad.theme import UNIT
from vit_pad.thumbnail_view import ThumbnailView


class HistoryPanel(QDockWidget):
    """A drawer that reads the history when it is shown. Deleting doesn't ask; the last time can be taken back."""

    opened = Signal(object)  # the tuple of strokes to put on the pad
    problem = Signal(object)  # a training.errors.Message

    def __init__(self, store: HistoryStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._deleted: tuple[str, ...] = ()  # lines, as long as they can be brought back
        self._model = HistoryModel()
        self._view = ThumbnailView(self._model, THUMBNAIL_PX, num_lines=2)
        self._empty = QLabel(self.tr("Drawings come here when the pad is cleared or filled anew."))
        self._label_field = QLineEdit(placeholderText=self.tr("Say what it really is"))
        self._export = QPushButton(self.tr("Export all …"))
        self._delete = QPushButton(self.tr("Delete"))
        self._delete_all = QPushButton(self.tr("Delete all"))
        self._deleted_label = QLabel()
        self._undo = QPushButton(self.tr("Undo"))
        self.setWindowTitle(self.tr("History"))
        self._name_parts()
        self._lay_out()
        self._connect_parts()
        self.hide()

    @property
    def action(self) -> QAction:
        """The action that opens and closes the panel."""
        return self.toggleViewAction()

    @property
    def selected(self) -> tuple[HistoryEntry, ...]:
        """What is selected, the newest first."""
        rows = sorted(index.row() for index in self._view.selectionModel().selectedIndexes())
        return tuple(self._model.entries[row] for row in rows)

    def reload(self) -> None:
        """Show what the file holds now, if the panel can be seen."""
        if self.isVisible():
            self._show_again({entry.line for entry in self.selected})

    def forget_deleted(self) -> None:
        """Bring nothing back any more."""
        self._deleted = ()
        self._show_selection()
        self.reload()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_again(())
        self._view.setFocus()

    def _name_parts(self) -> None:
        for widget, object_name, name in (
            (self, "historyPanel", self.tr("History")),
            (self._view, "historyView", self.tr("Past drawings")),
            (self._label_field, "historyLabelField", self.tr("What it really is")),
            (self._export, "exportHistoryButton", self.tr("Export")),
            (self._delete, "deleteHistoryButton", self.tr("Delete selected")),
            (self._delete_all, "deleteAllHistoryButton", self.tr("Delete all")),
            (self._deleted_label, "historyDeletedLabel", self.tr("Deleted")),
            (self._undo, "undoDeleteButton", self.tr("Bring back what was deleted")),
        ):
            name_widget(widget, object_name, name)
        self.action.setObjectName("history")
        self.action.setShortcut("Ctrl+H")
        self._view.setToolTip(self.tr("Click to open; Ctrl or Shift and a click select several"))
        self._export.setToolTip(self.tr("Write what is selected, or all, to a drawing file"))

    def _lay_out(self) -> None:
        self._empty.setWordWrap(True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        keeps_place = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        keeps_place.setRetainSizeWhenHidden(True)
        self._undo.setSizePolicy(keeps_place)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(UNIT, UNIT, UNIT, UNIT)
        column.setSpacing(UNIT)
        self._pages = QStackedLayout()
        self._pages.addWidget(self._view)
        self._pages.addWidget(self._empty)
        column.addLayout(self._pages, 1)
        column.addWidget(self._label_field)
        buttons = QGridLayout()
        buttons.setSpacing(UNIT)
        buttons.addWidget(self._export, 0, 0, 1, 2)
        buttons.addWidget(self._delete, 1, 0)
        buttons.addWidget(self._delete_all, 1, 1)
        column.addLayout(buttons)
        taken_back = QHBoxLayout()
        taken_back.addWidget(self._deleted_label, 1)
        taken_back.addWidget(self._undo)
        column.addLayout(taken_back)
        self.setWidget(content)

    def _connect_parts(self) -> None:
        self._view.clicked.connect(self._open_clicked)
        self._view.activated.connect(self._open)
        self._view.delete_pressed.connect(self._delete_selected)
        self._view.selectionModel().selectionChanged.connect(self._show_selection)
        self._label_field.editingFinished.connect(self._relabel)
        self._export.clicked.connect(self._ask_where_to_export)
        self._delete.clicked.connect(self._delete_selected)
        self._delete_all.clicked.connect(lambda: self._remove(self._model.entries))
        self._undo.clicked.connect(self._bring_back)

    # What is shown.

    def _show_again(self, selected: Collection[str]) -> None:
        """Read the file and select these lines."""
        try:
            history = self._store.load()
        except UserError as error:
            self.problem.emit(error.message)
            return
        if history.note is not None:
            self.problem.emit(history.note)
        self._model.ratio = self.devicePixelRatioF()
        self._model.set_entries(history.entries)
        self._view.select({row for row, entry in enumerate(history.entries) if entry.line in selected})
        self._pages.setCurrentWidget(self._view if history.entries else self._empty)
        self._show_selection()

    def _show_selection(self) -> None:
        chosen = self.selected
        labels = {entry.label or "" for entry in chosen}
        self._label_field.setText(labels.pop() if len(labels) == 1 else "")
        self._label_field.setEnabled(bool(chosen))
        self._delete.setEnabled(bool(chosen))
        self._delete_all.setEnabled(bool(self._model.entries))
        self._export.setEnabled(bool(self._model.entries))
        self._export.setText(self.tr("Export selected …") if chosen else self.tr("Export all …"))
        self._deleted_label.setText(
            self.tr("{count} deleted").format(count=len(self._deleted)) if self._deleted else ""
        )
        self._undo.setVisible(bool(self._deleted))

    # What is done.

    def _open_clicked(self, index: QModelIndex) -> None:
        if QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.NoModifier:  # else one selects
            self._open(index)

    def _open(self, index: QModelIndex) -> None:
        entry: HistoryEntry = index.data(Qt.ItemDataRole.UserRole)
        self.opened.emit(entry.strokes)

    def _relabel(self) -> None:
        if not self._label_field.isModified():
            return  # the field was only left
        self._label_field.setModified(False)
        lines = {entry.line for entry in self.selected}
        label = self._label_field.text().strip() or None
        if self._worked(lambda: lines.update(self._store.relabel(lines, label))):
            self._show_again(lines)

    def _delete_selected(self) -> None:
        self._remove(self.selected)

    def _remove(self, entries: tuple[HistoryEntry, ...]) -> None:
        lines = tuple(entry.line for entry in entries)
        if not lines or not self._worked(lambda: self._store.remove(lines)):
            return
        self._deleted = lines
        self._show_again(())

    def _bring_back(self) -> None:
        lines = self._deleted
        if self._worked(lambda: self._store.put_back(lines)):
            self._deleted = ()
            self._show_again(lines)

    def _ask_where_to_export(self) -> None:
        entries = self.selected or self._model.entries
        dialog = QFileDialog(self, self.tr("Export past drawings"))
        dialog.setObjectName("exportDialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(self.tr("Drawings ({pattern})").format(pattern="*.jsonl *.jsonl.gz"))
        dialog.setDefaultSuffix("jsonl")
        dialog.fileSelected.connect(lambda name: self._export_to(Path(name), entries))
        dialog.open()

    def _export_to(self, path: Path, entries: tuple[HistoryEntry, ...]) -> None:
        self._worked(lambda: write_drawings(path, [entry.drawing for entry in reversed(entries)]))

    def _worked(self, action: Callable[[], object]) -> bool:
        """Do something with a file, or say why it can't be done."""
        try:
            action()
        except UserError as error:
            self.problem.emit(error.message)
            return False
        return True
