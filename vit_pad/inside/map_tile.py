"""A small picture of a map over the model's image, with a word or two below it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from training.facts import FloatArray
from vit_pad.heat import RgbaArray
from vit_pad.input_preview import image_colors
from vit_pad.rgba_image import rgba_image
from vit_pad.theme import UNIT, font, theme_of

_CAPTION_PX = 2 * UNIT + UNIT // 2


class MapTile(QWidget):
    """Shows the image faintly, and the colours of a map over it; at rest an empty square."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._caption = ""
        self._image: QImage | None = None
        self._map: QImage | None = None
        self._is_smooth = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    @property
    def caption(self) -> str:
        """The words below."""
        return self._caption

    def show_map(self, image: FloatArray | None, colors: RgbaArray | None, *, is_smooth: bool = False) -> None:
        """Show a map's colours (G, G, 4) over an image (in_channels, S, S); None leaves out either."""
        self._image = None if image is None else rgba_image(image_colors(image))
        self._map = None if colors is None else rgba_image(colors)
        self._is_smooth = is_smooth
        self.update()

    def set_caption(self, caption: str) -> None:
        """Set the words below, which a screen reader says, too."""
        if caption != self._caption:
            self._caption = caption
            self.setAccessibleDescription(caption)
            self.setToolTip(caption)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(14 * UNIT, 14 * UNIT + _CAPTION_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(8 * UNIT, 8 * UNIT + _CAPTION_PX)

    def heightForWidth(self, width: int) -> int:
        return width + _CAPTION_PX

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = theme_of(self)
        side = max(min(self.width(), self.height() - _CAPTION_PX), 0)
        square = QRectF((self.width() - side) / 2, 0, side, side)
        with QPainter(self) as painter:
            painter.fillRect(square, QColor(theme.track))
            if self._image is not None:
                painter.drawImage(square, self._image)
            if self._map is not None:
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, self._is_smooth)
                painter.drawImage(square, self._map)
            painter.setFont(font("small"))
            painter.setPen(QColor(theme.quiet_text))
            words = painter.fontMetrics().elidedText(self._caption, Qt.TextElideMode.ElideRight, self.width())
            below = QRectF(0, side, self.width(), _CAPTION_PX)
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, words)
