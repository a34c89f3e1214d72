"""Many small pictures of one size as one sheet, sharp to the pixel."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from training.facts import FloatArray
from vit_pad.heat import RgbaArray, colorize
from vit_pad.rgba_image import rgba_image
from vit_pad.theme import UNIT, font, theme_of


def lay_out_sheet(pictures: RgbaArray, columns: int) -> RgbaArray:
    """Lay pictures (count, height, width, 4) out row by row, a clear pixel between them: (rows, columns, 4) pixels."""
    count, height, width, _ = pictures.shape
    rows = math.ceil(count / columns)
    sheet = np.zeros((rows * (height + 1) - 1, columns * (width + 1) - 1, 4), np.uint8)
    for index, picture in enumerate(pictures):
        top, left = (index // columns) * (height + 1), (index % columns) * (width + 1)
        sheet[top : top + height, left : left + width] = picture
    return sheet


def filter_pictures(filters: FloatArray) -> RgbaArray:
    """Picture kernels (D, in_channels, P, P) in grey, the mean of their channels: middle grey is 0, (D, P, P, 4)."""
    kernels = filters.mean(axis=1)  # (D, P, P)
    highest = np.abs(kernels).max(axis=(1, 2), keepdims=True)
    return colorize(kernels / np.maximum(highest, np.finfo(np.float32).tiny), -1.0, 1.0, palette="grey")


def similarity_pictures(similarity: FloatArray, grid: int) -> RgbaArray:
    """Picture how like each position (N, N) is to all, each as a map: (N, grid, grid, 4)."""
    return colorize(similarity.reshape(-1, grid, grid), float(similarity.min()), 1.0)


class SheetView(QWidget):
    """A sheet, as large as it fits; at rest the words that say why there is none."""

    def __init__(self, words_at_rest: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words_at_rest
        self._image: QImage | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_sheet(self, sheet: RgbaArray | None) -> None:
        """Show colours (height, width, 4); None: there are none."""
        self._image = None if sheet is None else rgba_image(sheet)
        self.setAccessibleDescription(self._words if sheet is None else "")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(30 * UNIT, 24 * UNIT)

    def minimumSizeHint(self) -> QSize:
        return QSize(16 * UNIT, 12 * UNIT)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            if self._image is None:
                painter.setFont(font("small"))
                painter.setPen(QColor(theme_of(self).quiet_text))
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, self._words)
                return
            size = self._image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
            painter.drawImage(QRectF(0, 0, size.width(), size.height()), self._image)
