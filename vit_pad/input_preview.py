"""What the model sees: its image, pixel by pixel, cut into patches."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from training.facts import Box, FloatArray, Prediction
from vit_pad.heat import RgbaArray, patch_at, patch_box
from vit_pad.rgba_image import rgba_image
from vit_pad.theme import UNIT, theme_of

_GRID_COLOR = QColor(128, 128, 128, 120)  # seen on paper and on ink
_FRAME_PX = 2
_RESTING_GRID = 8  # shown before any model has said how many patches it has


def image_colors(image: FloatArray) -> RgbaArray:
    """Turn a model's image into colours: three channels as red, green and blue, else grey.

    Args:
        image: (in_channels, S, S), 0 paper to 1 pen.

    Returns:
        (S, S, 4) RGBA.
    """
    channels = image if len(image) == 3 else image.mean(axis=0, keepdims=True)
    colors = np.full((*image.shape[1:], 4), 255, np.uint8)
    colors[..., :3] = np.rint(255 * np.clip(channels, 0.0, 1.0)).transpose(1, 2, 0)
    return colors


def fit_side(room_px: int, image_size: int) -> int:
    """Give the side, in device pixels, at which all pixels of the image come out equally large, if there is room."""
    return room_px // image_size * image_size or room_px


def grid_lines(grid: int, side_px: int) -> list[int]:
    """Give the device pixels, within a side, on which the lines between the patches fall."""
    return [round(index * side_px / grid) for index in range(1, grid)]


class InputPreview(QWidget):
    """The model's image with its patch grid; the grid alone, on an empty square, while the pad is empty.

    The patches can be pointed at, with the mouse or, by arrow keys, with a cursor.

    Signals:
        patch_pointed(object): the patch that is pointed at, row by row from 0, or None.
        patch_clicked(int): a patch was clicked, or chosen by Space or Enter.
    """

    patch_pointed = Signal(object)
    patch_clicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inputPreview")
        self.setAccessibleName(self.tr("What the model sees"))
        self.shown_revision: int | None = None  # of the prediction painted last
        self._prediction: Prediction | None = None
        self._image: QImage | None = None
        self._grid = _RESTING_GRID
        self._pinned: tuple[int, ...] = ()  # tokens
        self._pointed: int | None = None  # patch
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._describe()

    def set_pinned(self, tokens: tuple[int, ...]) -> None:
        """Frame the patches of these tokens."""
        self._pinned = tokens
        self.update()

    def set_grid(self, grid: int) -> None:
        """Set the patches along one side for a model that hasn't answered yet."""
        self._grid = grid
        self.update()

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show a model's image; None leaves the square empty."""
        self._prediction = prediction
        if prediction is not None:
            self._grid = prediction.grid
        self._image = None if prediction is None else rgba_image(image_colors(prediction.image))
        self._describe()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(20 * UNIT, 20 * UNIT)

    def minimumSizeHint(self) -> QSize:
        return QSize(12 * UNIT, 12 * UNIT)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self._patch_under(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._point(None)
        super().focusOutEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        patch = self._patch_under(event.position())
        if event.button() == Qt.MouseButton.LeftButton and patch is not None:
            self.patch_clicked.emit(patch)
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        step = steps.get(Qt.Key(event.key()))
        if self._grid == 0:
            super().keyPressEvent(event)
        elif step is not None:
            middle = self._grid // 2
            row, column = (middle, middle) if self._pointed is None else divmod(self._pointed, self._grid)
            if self._pointed is not None:
                row, column = (min(max(each, 0), self._grid - 1) for each in (row + step[0], column + step[1]))
            self._point(row * self._grid + column)
        elif event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._pointed is not None:
            self.patch_clicked.emit(self._pointed)
        else:
            super().keyPressEvent(event)

    def _patch_under(self, position: QPointF) -> int | None:
        """Give the patch at a place of the widget."""
        side = min(self.width(), self.height())
        if self._image is not None:
            ratio = self.devicePixelRatioF()
            side = int(fit_side(int(side * ratio), self._image.width()) / ratio)
        left, top = (self.width() - side) / 2, (self.height() - side) / 2
        return patch_at(position.x(), position.y(), self._grid, Box(left, top, side, side)) if self._grid else None

    def _point(self, patch: int | None) -> None:
        if patch != self._pointed:
            self._pointed = patch
            self.patch_pointed.emit(patch)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        self.shown_revision = None if self._prediction is None else self._prediction.revision
        with QPainter(self) as painter:
            # At a fractional scale the widget may begin between two device pixels. Counting in device pixels from a
            # whole one keeps every line one pixel thin and every square equally large.
            device = painter.deviceTransform()
            scale = device.m11()
            painter.scale(1 / scale, 1 / scale)
            painter.translate(round(device.dx()) - device.dx(), round(device.dy()) - device.dy())
            width, height = int(self.width() * scale), int(self.height() * scale)
            side = min(width, height) if self._image is None else fit_side(min(width, height), self._image.width())
            painter.translate((width - side) // 2, (height - side) // 2)
            self._paint_square(painter, side)

    def _paint_square(self, painter: QPainter, side: int) -> None:
        theme = theme_of(self)
        if self._image is None:
            painter.fillRect(0, 0, side, side, QColor(theme.track))
            line_color = QColor(theme.line)
        else:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, side < self._image.width())
            painter.drawImage(QRectF(0, 0, side, side), self._image)
            line_color = _GRID_COLOR
        for line in grid_lines(self._grid, side):
            painter.fillRect(line, 0, 1, side, line_color)
            painter.fillRect(0, line, side, 1, line_color)
        pointed = () if self._pointed is None else (self._pointed + 1,)
        for token, color in [(each, theme.accent) for each in self._pinned] + [(each, theme.text) for each in pointed]:
            place = patch_box(token - 1, self._grid, Box(0, 0, side, side))
            if place is not None:
                painter.setPen(QPen(QColor(color), _FRAME_PX))
                painter.drawRect(QRectF(*place))

    def _describe(self) -> None:
        if self._prediction is None:
            self.setAccessibleDescription(self.tr("Nothing is drawn yet."))
            return
        size, grid = self._prediction.image.shape[-1], self._prediction.grid
        words = self.tr("{size} by {size} pixels, cut into {grid} by {grid} patches")
        if grid == 0:
            words = self.tr("{size} by {size} pixels")
        self.setAccessibleDescription(words.format(size=size, grid=grid))
