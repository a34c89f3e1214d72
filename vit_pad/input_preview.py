"""What the model sees: its image, pixel by pixel, cut into patches."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from training.facts import FloatArray, Prediction
from vit_pad.heat import RgbaArray
from vit_pad.rgba_image import rgba_image
from vit_pad.theme import UNIT, theme_of

_GRID_COLOR = QColor(128, 128, 128, 120)  # seen on paper and on ink
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
    """The model's image with its patch grid; the grid alone, on an empty square, while the pad is empty."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inputPreview")
        self.setAccessibleName(self.tr("What the model sees"))
        self.shown_revision: int | None = None  # of the prediction painted last
        self._prediction: Prediction | None = None
        self._image: QImage | None = None
        self._grid = _RESTING_GRID
        self._describe()

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

    def _describe(self) -> None:
        if self._prediction is None:
            self.setAccessibleDescription(self.tr("Nothing is drawn yet."))
            return
        size, grid = self._prediction.image.shape[-1], self._prediction.grid
        words = self.tr("{size} by {size} pixels, cut into {grid} by {grid} patches")
        if grid == 0:
            words = self.tr("{size} by {size} pixels")
        self.setAccessibleDescription(words.format(size=size, grid=grid))
