"""What a token looks at, laid over the ink, and the bar that says what its colours mean."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from training.facts import FloatArray, Prediction
from training.strokes import PAD_SIZE
from vit_pad.heat import DEFAULT_STRENGTH, HeatStyle, Palette, image_box, nice_scale, overlay_colors, patch_box
from vit_pad.look import Look, all_maps, heat_map
from vit_pad.percent import percent
from vit_pad.rgba_image import rgba_image
from vit_pad.theme import PAPERS, UNIT, Paper, font, theme_of

_PIN_PX = 2
_WIDEST_NUMBER = "0.15 %"  # makes room for every scale, so the bar's end stays where it is


class AttentionOverlay(QWidget):
    """The map that is looked at, over the canvas whose geometry it shares, open to the mouse.

    Patches that were pinned are framed and numbered, so that one sees who asks.

    Signals:
        scale_changed: the share that the hottest colour stands for, 0.0 while there is no map.
    """

    scale_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("attentionOverlay")
        self.setAccessibleName(self.tr("Attention over the drawing"))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.shown_revision: int | None = None  # of the prediction painted last
        self._prediction: Prediction | None = None
        self._look = Look()
        self._style = HeatStyle()
        self._strength = DEFAULT_STRENGTH
        self._paper: Paper = "dark"
        self._pinned: tuple[int, ...] = ()  # tokens
        self._scale: float | None = None
        self._image: QImage | None = None

    @property
    def scale(self) -> float:
        """The share that the hottest colour stands for; 0.0 while there is no map."""
        return self._scale or 0.0

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show where a model looks; None clears the overlay."""
        self._prediction = prediction
        self._refresh()

    def set_look(self, look: Look) -> None:
        """Choose the map."""
        if look != self._look:
            self._look = look
            self._set_scale(None)
            self._refresh()

    def set_pinned(self, tokens: tuple[int, ...]) -> None:
        """Frame the patches of these tokens; the class token has no place."""
        self._pinned = tokens
        self.update()

    def set_strength(self, strength: float) -> None:
        """Set how strongly the colours cover the ink, 0 (not at all) to 1."""
        self._strength = min(max(strength, 0.0), 1.0)
        self._refresh()

    def set_style(self, style: HeatStyle) -> None:
        """Set colours, smoothing and scale."""
        if style != self._style:
            self._style = style
            self._set_scale(None)
            self._refresh()

    def set_paper(self, paper: Paper) -> None:
        """Say whether the pad is dark or light, for colours that stand out from it."""
        self._paper = paper
        self._refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        prediction = self._prediction
        self.shown_revision = None if prediction is None else prediction.revision
        if prediction is None or self._image is None:
            return
        box = image_box(prediction.image.shape[-1], prediction.placement)
        with QPainter(self) as painter:
            painter.scale(self.width() / PAD_SIZE, self.height() / PAD_SIZE)
            # One small image stretched in one call, however many patches there are; without smoothing, sharp squares.
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, self._style.is_smooth)
            painter.drawImage(QRectF(*box), self._image)
            for number, token in enumerate(self._pinned, 1):
                place = patch_box(token - 1, prediction.grid, box)
                if place is not None:
                    self._paint_pin(painter, QRectF(*place), str(number))

    def _paint_pin(self, painter: QPainter, place: QRectF, name: str) -> None:
        """Frame a patch, twice, so that the frame is seen on ink and on paper; its number stands in its corner."""
        colors = PAPERS[self._paper]
        for color, width_px in ((colors.paper, _PIN_PX + 2), (colors.accent, _PIN_PX)):
            pen = QPen(QColor(color), width_px)
            pen.setCosmetic(True)  # in pixels, whatever the scale
            painter.setPen(pen)
            painter.drawRect(place)
        if len(self._pinned) > 1:
            painter.save()
            corner = painter.transform().map(place.topLeft())
            painter.resetTransform()
            painter.scale(self.devicePixelRatioF(), self.devicePixelRatioF())
            painter.setFont(font("text", bold=True))
            painter.setPen(QColor(colors.accent))
            size = painter.fontMetrics().size(0, name)
            tag = QRectF(corner / self.devicePixelRatioF(), size + QSize(UNIT // 2, 0))
            painter.fillRect(tag, QColor(colors.paper))
            painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, name)
            painter.restore()

    def _refresh(self) -> None:
        prediction = self._prediction
        heat = None if prediction is None else heat_map(prediction, self._look)
        if prediction is None or heat is None:
            self._image = None
            self._set_scale(None)
        else:
            self._set_scale(nice_scale(self._highest(prediction, heat), self._scale))
            colors = overlay_colors(heat, self.scale, self._strength, self._paper, self._style.palette)
            self._image = rgba_image(colors)
        self.update()

    def _highest(self, prediction: Prediction, heat: FloatArray) -> float:
        """Give the value that the scale must reach: of this map, or of all heads."""
        if self._style.has_common_scale and self._look.way == "head":
            maps = all_maps(prediction, self._look)
            if maps is not None:
                return float(maps.max())
        return float(heat.max())

    def _set_scale(self, scale: float | None) -> None:
        if scale != self._scale:
            self._scale = scale
            self.scale_changed.emit(self.scale)


class ColorBar(QWidget):
    """What the colours over the ink mean: from 0 to the number at its right end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("colorBar")
        self.setAccessibleName(self.tr("Scale of the attention"))
        self.setToolTip(self.tr("Share of its attention that the class token gives to one patch"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._strength = DEFAULT_STRENGTH
        self._paper: Paper = "dark"
        self._palette: Palette = "violet"
        self._scale = 0.0
        self._image = self._make_image()

    def show_scale(self, scale: float) -> None:
        """Show the share of attention that the hottest colour stands for; 0 leaves the bar blank."""
        self._scale = scale
        words = self.tr("0 to {percent}").format(percent=percent(scale, self.locale())) if scale else ""
        self.setAccessibleDescription(words)
        self.update()

    def set_strength(self, strength: float) -> None:
        """Set the strength of the overlay, for the same colours here."""
        self._strength = min(max(strength, 0.0), 1.0)
        self._image = self._make_image()
        self.update()

    def set_paper(self, paper: Paper) -> None:
        """Say whether the pad is dark or light, for the same colours here."""
        self._paper = paper
        self._image = self._make_image()
        self.update()

    def set_palette(self, palette: Palette) -> None:
        """Set the colours of the overlay, for the same here."""
        self._palette = palette
        self._image = self._make_image()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(30 * UNIT, 3 * UNIT)

    def minimumSizeHint(self) -> QSize:
        return QSize(16 * UNIT, 3 * UNIT)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = theme_of(self)
        with QPainter(self) as painter:
            painter.setFont(font("small"))
            metrics = painter.fontMetrics()
            zero_px = metrics.horizontalAdvance("0")
            number_px = metrics.horizontalAdvance(_WIDEST_NUMBER)
            bar_px = max(self.width() - zero_px - number_px - 2 * UNIT, 0)
            bar = QRectF(zero_px + UNIT, (self.height() - UNIT) / 2, bar_px, UNIT)
            if self._scale == 0.0:
                painter.fillRect(bar, QColor(theme.track))
                return
            painter.fillRect(bar, QColor(PAPERS[self._paper].paper))
            painter.drawImage(bar, self._image)
            painter.setPen(QColor(theme.quiet_text))
            text_flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(self.rect(), text_flags, "0")
            number = QRectF(bar.right() + UNIT, 0, number_px, self.height())
            painter.drawText(number, text_flags, percent(self._scale, self.locale()))

    def _make_image(self) -> QImage:
        values = np.linspace(0.0, 1.0, 256, dtype=np.float32)[None, :]  # (1, 256)
        return rgba_image(overlay_colors(values, 1.0, self._strength, self._paper, self._palette))
