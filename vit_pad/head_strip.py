"""All heads of the chosen block side by side, to compare and to choose from."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from training.facts import FloatArray, Prediction
from vit_pad.heat import Palette, colorize, nice_scale
from vit_pad.look import MEAN_HEAD, Look, block_maps
from vit_pad.percent import percent
from vit_pad.rgba_image import rgba_image
from vit_pad.theme import UNIT, Paper, font, theme_of

_LARGEST_PX = 96
_LABEL_PX = 2 * UNIT
_GAP_PX = UNIT
_RING_PX = 2.0
_RESTING_HEADS = 8  # shown before any model has said how many it has


def lay_out_cells(width: float, height: float, num_cells: int) -> tuple[int, list[QRectF]]:
    """Place square thumbnails, each with room for a label below, in the rows and columns that make them largest.

    Returns:
        the number of columns, and each thumbnail's square in widget pixels.
    """
    if num_cells == 0:
        return 1, []
    margin = _RING_PX + 1

    def side_with(columns: int) -> float:
        rows = -(-num_cells // columns)
        across = (width - 2 * margin + _GAP_PX) / columns - _GAP_PX
        down = (height - margin + _GAP_PX) / rows - _GAP_PX - _LABEL_PX
        return min(across, down, _LARGEST_PX)

    columns = max(range(1, num_cells + 1), key=lambda count: (side_with(count), count))
    side = max(float(int(side_with(columns))), 1.0)
    step_x, step_y = side + _GAP_PX, side + _LABEL_PX + _GAP_PX
    squares = [
        QRectF(margin + index % columns * step_x, margin + index // columns * step_y, side, side)
        for index in range(num_cells)
    ]
    return columns, squares


class HeadStrip(QWidget):
    """Thumbnails of one block's heat maps, the mean first, all on one scale so that they can be compared.

    Signals:
        head_chosen: the head that was clicked or reached by the arrow keys, -1 for the mean.
    """

    head_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("headStrip")
        self.setAccessibleName(self.tr("Heads of the block"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.shown_revision: int | None = None  # of the prediction painted last
        self._prediction: Prediction | None = None
        self._num_heads = _RESTING_HEADS
        self._block = 0
        self._head = MEAN_HEAD
        self._look = Look()
        self._palette: Palette = "violet"
        self._paper: Paper = "dark"
        self._scale: float | None = None
        self._image: QImage | None = None  # the maps below one another, the mean on top
        self._describe()

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show all heads of the chosen block; None leaves the thumbnails blank."""
        self._prediction = prediction
        if prediction is not None:
            self.set_num_heads(prediction.attention.shape[1])
        self._refresh()

    def set_num_heads(self, num_heads: int) -> None:
        """Set the thumbnails for a model that hasn't answered yet; 0 for one without attention."""
        if num_heads == self._num_heads:
            return
        self._num_heads = num_heads
        self._describe()
        self.update()

    def set_choice(self, block: int, head: int) -> None:
        """Choose the block to show (from 0) and the head to frame (from 0; -1: the mean). Emits nothing."""
        if block != self._block:
            self._block, self._scale = block, None
            self._refresh()
        self._head = head
        self._describe()
        self.update()

    def set_look(self, look: Look) -> None:
        """Choose the token that asks; block and head come by `set_choice`."""
        if (look.token, look.is_reversed) != (self._look.token, self._look.is_reversed):
            self._look, self._scale = look, None
            self._refresh()

    def set_palette(self, palette: Palette) -> None:
        """Set the colours of the overlay, for the same here."""
        self._palette = palette
        self._refresh()

    def set_paper(self, paper: Paper) -> None:
        """Say whether the pad is dark or light, for the same colours as over the ink."""
        self._paper = paper
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize((_RESTING_HEADS + 1) * 7 * UNIT, 6 * UNIT + _LABEL_PX + UNIT)

    def minimumSizeHint(self) -> QSize:
        return QSize((_RESTING_HEADS + 1) * 4 * UNIT, 3 * UNIT + _LABEL_PX + UNIT)

    def head_at(self, position: QPointF) -> int | None:
        """Give the head whose thumbnail or label is at a place in the widget, -1 for the mean."""
        for index, square in enumerate(self._lay_out()[1]):
            if square.adjusted(-_GAP_PX / 2, 0, _GAP_PX / 2, _LABEL_PX).contains(position):
                return index - 1
        return None

    def describe_head(self, head: int) -> str:
        """Say in words what a thumbnail shows."""
        if head == MEAN_HEAD:
            words = self.tr("Mean of all heads of block {block}").format(block=self._block + 1)
        else:
            words = self.tr("Head {head} of block {block}").format(head=head + 1, block=self._block + 1)
        if self._scale is None:
            return words
        scale = percent(self._scale, self.locale())
        return words + "\n" + self.tr("All thumbnails share one scale: 0 to {percent} a patch").format(percent=scale)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setFont(font("small"))
            if self._num_heads == 0:
                painter.setPen(QColor(theme_of(self).quiet_text))
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.tr("This model has no attention."))
            for index, square in enumerate(self._lay_out()[1]):
                self._paint_cell(painter, square, index)
        self.shown_revision = None if self._prediction is None else self._prediction.revision

    def mousePressEvent(self, event: QMouseEvent) -> None:
        head = self.head_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and head is not None:
            self._choose(head)
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        columns = self._lay_out()[0]
        last = self._num_heads - 1
        targets = {
            Qt.Key.Key_Left: self._head - 1,
            Qt.Key.Key_Right: self._head + 1,
            Qt.Key.Key_Up: self._head - columns,
            Qt.Key.Key_Down: self._head + columns,
            Qt.Key.Key_Home: MEAN_HEAD,
            Qt.Key.Key_End: last,
        }
        target = targets.get(Qt.Key(event.key()))
        if target is None or self._num_heads == 0:
            super().keyPressEvent(event)
        elif MEAN_HEAD <= target <= last:
            self._choose(target)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        # Not by overriding event(): an exception in anything below such an override can end the process (PySide6 6.11).
        head = self.head_at(event.position())
        words = "" if head is None else self.describe_head(head)
        if words != self.toolTip():
            self.setToolTip(words)
            QToolTip.hideText()

    def _choose(self, head: int) -> None:
        if head == self._head:
            return
        self.set_choice(self._block, head)
        self.head_chosen.emit(head)

    def _lay_out(self) -> tuple[int, list[QRectF]]:
        return lay_out_cells(self.width(), self.height(), self._num_heads + 1 if self._num_heads else 0)

    def _refresh(self) -> None:
        maps = None if self._prediction is None else self._maps(self._prediction)
        if maps is None:
            self._image = self._scale = None
        else:
            self._scale = nice_scale(float(maps.max()), self._scale)
            colors = colorize(
                maps, 0.0, self._scale, reverse=self._paper == "light", palette=self._palette
            )  # (1 + H, G, G, 4)
            self._image = rgba_image(colors.reshape(-1, maps.shape[-1], 4))
        self.update()

    def _maps(self, prediction: Prediction) -> FloatArray | None:
        return block_maps(prediction, dataclasses.replace(self._look, block=self._block))

    def _paint_cell(self, painter: QPainter, square: QRectF, index: int) -> None:
        theme = theme_of(self)
        is_chosen = index - 1 == self._head
        if self._image is None:
            painter.fillRect(square, QColor(theme.track))
        else:
            grid = self._image.width()
            painter.drawImage(square, self._image, QRectF(0, index * grid, grid, grid))
        if is_chosen:
            self._paint_frame(painter, square)
        painter.setPen(QColor(theme.accent if is_chosen else theme.quiet_text))
        label = QRectF(square.left() - _GAP_PX / 2, square.bottom() + 2, square.width() + _GAP_PX, _LABEL_PX - 2)
        text = self.tr("mean") if index == 0 else str(index)
        text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(label.width()))
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_frame(self, painter: QPainter, square: QRectF) -> None:
        theme = theme_of(self)
        rings = [(theme.accent, 1.0)]
        if self.hasFocus():  # a second ring inside, in the colour of the background, sets the first apart
            rings.append((theme.window, -1.0))
        for color, outset in rings:
            pen = QPen(QColor(color), _RING_PX)
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            painter.drawRect(square.adjusted(-outset, -outset, outset, outset))

    def _describe(self) -> None:
        if self._num_heads == 0:
            self.setAccessibleDescription(self.tr("This model has no attention."))
        elif self._head == MEAN_HEAD:
            self.setAccessibleDescription(self.tr("The mean of {count} heads is chosen.").format(count=self._num_heads))
        else:
            words = self.tr("Head {head} of {count} is chosen.")
            self.setAccessibleDescription(words.format(head=self._head + 1, count=self._num_heads))
