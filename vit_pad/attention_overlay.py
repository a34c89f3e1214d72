"""What the class token looks at, laid over the ink, and the bar that says what its colours mean."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from training.facts import Prediction
from training.strokes import PAD_SIZE
from vit_pad.heat import DEFAULT_STRENGTH, MEAN_HEAD, heat_map, image_box, nice_scale, overlay_colors
from vit_pad.percent import percent
from vit_pad.rgba_image import rgba_image
from vit_pad.theme import PAPERS, UNIT, Paper, font, theme_of

_WIDEST_NUMBER = "0.15 %"  # makes room for every scale, so the bar's end stays where it is


class AttentionOverlay(QWidget):
    """The heat map of one head, or of the mean of all, over the canvas whose geometry it shares, open to the mouse.

    Signals:
        scale_changed: the share of attention that the hottest colour stands for, 0.0 while there is no map.
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
        self._block = 0
        self._head = MEAN_HEAD
        self._strength = DEFAULT_STRENGTH
        self._paper: Paper = "dark"
        self._scale: float | None = None
        self._image: QImage | None = None

    @property
    def scale(self) -> float:
        """The share of attention that the hottest colour stands for; 0.0 while there is no map."""
        return self._scale or 0.0

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show where a model looks; None clears the overlay."""
        self._prediction = prediction
        self._refresh()

    def set_choice(self, block: int, head: int) -> None:
        """Choose block (from 0) and head (from 0; -1: the mean of all)."""
        if (block, head) == (self._block, self._head):
            return
        self._block, self._head = block, head
        self._set_scale(None)
        self._refresh()

    def set_strength(self, strength: float) -> None:
        """Set how strongly the colours cover the ink, 0 (not at all) to 1."""
        self._strength = min(max(strength, 0.0), 1.0)
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
            # One small image stretched without smoothing: sharp squares in one call, however many patches there are.
            painter.drawImage(QRectF(*box), self._image)

    def _refresh(self) -> None:
        prediction = self._prediction
        heat = None if prediction is None else heat_map(prediction, self._block, self._head)
        if heat is None:
            self._image = None
            self._set_scale(None)
        else:
            self._set_scale(nice_scale(float(heat.max()), self._scale))
            self._image = rgba_image(overlay_colors(heat, self.scale, self._strength, self._paper))
        self.update()

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
        return rgba_image(overlay_colors(values, 1.0, self._strength, self._paper))
