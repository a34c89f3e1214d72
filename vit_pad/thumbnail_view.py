"""Small pictures in rows: a list view that a click, the arrows, Enter and Del work in."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QAbstractItemModel, QEvent, QItemSelectionModel, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from vit_pad.theme import set_font


class ThumbnailView(QListView):
    """Shows a model's pictures, `picture_px` wide, with their texts of `num_lines` lines below."""

    delete_pressed = Signal()

    def __init__(
        self, model: QAbstractItemModel, picture_px: int, num_lines: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setModel(model)
        set_font(self, "small")
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setWordWrap(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setIconSize(QSize(picture_px, picture_px))
        text_px = num_lines * self.fontMetrics().lineSpacing()
        self.setGridSize(QSize(picture_px + 16, picture_px + text_px + 16))
        self.installEventFilter(self)

    def select(self, rows: Iterable[int]) -> None:
        """Select these rows and nothing else; the first of them can be seen."""
        selection, first = self.selectionModel(), None
        selection.clearSelection()
        for row in sorted(rows):
            index = self.model().index(row, 0)
            selection.select(index, QItemSelectionModel.SelectionFlag.Select)
            first = first or index
        if first is not None:
            selection.setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(first)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.accept()  # the first click has done it all; what lies there now may be something else

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.delete_pressed.emit()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            watched is self
            and event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Delete
        ):
            event.accept()  # else Del would clear the pad
        return False
