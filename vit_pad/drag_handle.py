"""A handle by which the drawing is dragged out of the window, as a picture and as a file."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QSize, Qt, QTemporaryDir, QUrl, Signal
from PySide6.QtGui import QDrag, QMouseEvent, QPixmap
from PySide6.QtWidgets import QApplication, QToolButton, QWidget

from training.errors import UserError
from vit_pad.choosers import name_widget
from vit_pad.document import Content, PadDocument
from vit_pad.icons import ICON_PX, icon
from vit_pad.save_file import pad_picture, save_content
from vit_pad.theme import Theme

_PREVIEW_PX = 96


class DragHandle(QToolButton):
    """Takes hold of what is on the pad. The files that it makes live as long as the program."""

    problem = Signal(object)  # a training.errors.Message

    def __init__(self, document: PadDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._pressed_at: QPoint | None = None
        self._folder = QTemporaryDir()
        name_widget(self, "dragHandle", self.tr("Drag the drawing out"))
        self.setToolTip(self.tr("Drag from here to put the drawing into another program or a folder"))
        self.setIconSize(QSize(ICON_PX, ICON_PX))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys for it are those that copy and save
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        document.changed.connect(self._show_change)
        self._show_change()

    def show_theme(self, theme: Theme) -> None:
        """Draw the icon in the colours of a theme."""
        self.setIcon(icon("drag", theme))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        is_left = event.button() == Qt.MouseButton.LeftButton
        self._pressed_at = event.position().toPoint() if is_left else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        start = self._pressed_at
        if start is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        if (event.position().toPoint() - start).manhattanLength() >= QApplication.startDragDistance():
            self._pressed_at = None
            self.setDown(False)
            self._drag()

    def _drag(self) -> None:
        content = self._document.content
        try:
            data = drag_data(content, Path(self._folder.path()))
        except UserError as error:
            self.problem.emit(error.message)
            return
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.setPixmap(QPixmap.fromImage(pad_picture(content, _PREVIEW_PX)))
        drag.setHotSpot(QPoint(_PREVIEW_PX // 2, _PREVIEW_PX // 2))
        drag.exec(Qt.DropAction.CopyAction)

    def _show_change(self) -> None:
        self.setEnabled(not self._document.is_empty)


def drag_data(content: Content, folder: Path) -> QMimeData:
    """Give what is on a pad as a picture and as a new file in `folder`: its strokes, or PNG where it has a picture.

    Raises:
        UserError: the file can't be written.
    """
    suffix = "jsonl" if content.picture is None else "png"
    # A name of its own, as whoever got the last one may read it only now.
    path = folder / f"drawing-{datetime.now():%Y%m%d-%H%M%S-%f}.{suffix}"
    save_content(path, content)
    data = QMimeData()
    data.setImageData(pad_picture(content))
    data.setUrls([QUrl.fromLocalFile(str(path))])
    return data
