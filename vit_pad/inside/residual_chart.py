"""How long the model's vectors are before block 1 and after each block.

Layers count from 0, which lies before block 1; layer k lies after block k.

Shapes: T tokens.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from training.facts import FloatArray, Prediction
from vit_pad.choosers import name_widget
from vit_pad.inside.lens_race import elided, layer_label
from vit_pad.pace import Pace
from vit_pad.theme import UNIT, font, theme_of

_RESTING_DEPTH = 6  # shown before any model has said how many blocks it has
_GROUP_PX = 8 * UNIT  # a layer where there is room
_SWATCH_PX = UNIT
_PLOT_PX, _LEAST_PLOT_PX = 12 * UNIT, 5 * UNIT
_WIDEST_NUMBER = "1,500"  # makes room for most scales, so that the bars stay where they are
_ROUND_NUMBERS = (1, 1.5, 2, 3, 5, 7, 10)  # times a power of ten
_LEAST_SHARE = 0.2  # of the scale that the longest vector must reach, or a smaller scale comes
_DESCRIBE_EVERY_MS = 200  # a screen reader speaks no faster
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class ChartPlan(NamedTuple):
    """Where the parts lie, in widget pixels."""

    title: QRectF
    swatches: tuple[QRectF, QRectF]
    legend: tuple[QRectF, QRectF]
    top: QRectF  # the number at the upper end of the scale
    zero: QRectF
    tracks: list[tuple[QRectF, QRectF]]  # one pair a layer: class token, patches
    labels: list[QRectF]  # one a layer


def lengths_of(residual_norms: FloatArray, grid: int) -> FloatArray:
    """Give the length of the class token and the mean length of the patches.

    Args:
        residual_norms: (depth + 1, T); a distillation token may follow the patches.

    Returns:
        (depth + 1, 2).
    """
    patches = residual_norms[:, 1 : 1 + grid**2].mean(axis=1)
    lengths: FloatArray = np.stack([residual_norms[:, 0], patches], axis=1)
    return lengths


def round_top(maximum: float, previous: float | None = None) -> float:
    """Choose the top of a scale that starts at 0: a round number, of any size.

    `previous`, the one shown last, is kept as long as the highest bar fits below it and isn't lost at its foot.
    """
    if not 0 < maximum < math.inf:
        return previous or 1.0
    if previous is not None and _LEAST_SHARE * previous <= maximum <= previous:
        return previous
    power = 10.0 ** math.floor(math.log10(maximum))
    step = next(step for step in _ROUND_NUMBERS if maximum <= step * power * (1 + 1e-6))
    return float(f"{step * power:.2g}")


def lay_out_chart(
    width: float, height: float, num_layers: int, legend_px: tuple[float, float], number_px: float, line_px: float
) -> ChartPlan:
    """Put the title on top, the legend below, the number left of the bars and the names of the layers under them."""
    plot_top = 2 * line_px + UNIT // 2
    plot_px = max(height - plot_top - line_px - 2, 1)
    left = number_px + UNIT
    right = min(max(width, left), left + _GROUP_PX * num_layers)
    edges = np.rint(np.linspace(left, right, num_layers + 1)).tolist()
    tracks = []
    for start, end in pairwise(edges):
        gap = min(UNIT, (end - start) // 3)
        bar_px = max((end - start - gap - 1) // 2, 1)
        first = QRectF(start + gap // 2, plot_top, bar_px, plot_px)
        tracks.append((first, first.translated(bar_px + 1, 0)))
    second = _SWATCH_PX + UNIT // 2 + legend_px[0] + 2 * UNIT
    swatches = [QRectF(each, line_px + (line_px - _SWATCH_PX) / 2, _SWATCH_PX, _SWATCH_PX) for each in (0, second)]
    words = [
        QRectF(swatch.right() + UNIT // 2, line_px, word_px, line_px)
        for swatch, word_px in zip(swatches, legend_px, strict=True)
    ]
    return ChartPlan(
        title=QRectF(0, 0, width, line_px),
        swatches=(swatches[0], swatches[1]),
        legend=(words[0], words[1]),
        top=QRectF(0, plot_top, number_px, line_px),
        zero=QRectF(0, plot_top + plot_px - line_px, number_px, line_px),
        tracks=tracks,
        labels=[QRectF(start, plot_top + plot_px + 2, end - start, line_px) for start, end in pairwise(edges)],
    )


class ResidualChart(QWidget):
    """Two bars a layer: how long the class token is, and the patches on average. At rest while nobody knows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        name_widget(self, "residualChart", self.tr("Size of the residual stream"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setToolTip(self.tr("How long a token's vector is, before block 1 and after each block"))
        self.shown_revision: int | None = None  # of the prediction painted last
        self._prediction: Prediction | None = None
        self._lengths: FloatArray | None = None  # (depth + 1, 2)
        self._num_layers = _RESTING_DEPTH + 1
        self._scale: float | None = None
        self._plan: ChartPlan | None = None
        self._description_pace = Pace(_DESCRIBE_EVERY_MS, self._describe, self)
        self._describe()

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show how long a model's vectors are; None, and a prediction that doesn't know, put the chart to rest."""
        self._prediction = prediction
        norms = None if prediction is None else prediction.residual_norms
        self._lengths = None if prediction is None or norms is None else lengths_of(norms, prediction.grid)
        if self._lengths is not None:
            self._scale = round_top(float(self._lengths.max()), self._scale)
        if prediction is None:
            self._description_pace.act_now()
        else:
            self._set_num_layers(len(prediction.lens))
            self._description_pace.ask()
        self.update()

    def sizeHint(self) -> QSize:
        return self._size_with(_GROUP_PX // 2, _PLOT_PX)

    def minimumSizeHint(self) -> QSize:
        label_px = QFontMetrics(font("small")).horizontalAdvance(str(self._num_layers))
        return self._size_with(max(label_px + UNIT, 2 * UNIT), _LEAST_PLOT_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._plan = None
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        self._plan = None  # a font, a language
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        plan, theme = self._planned(), theme_of(self)
        with QPainter(self) as painter:
            painter.setFont(font("small"))
            painter.setPen(QColor(theme.text))
            painter.drawText(plan.title, _LEFT, elided(painter, self.accessibleName(), plan.title))
            painter.setPen(QColor(theme.quiet_text))
            for place, word in zip(plan.legend, self._legend(), strict=True):
                painter.drawText(place, _LEFT, word)
            for layer, label in enumerate(plan.labels):
                word = layer_label(layer, painter.fontMetrics(), label.width())
                painter.drawText(label, Qt.AlignmentFlag.AlignCenter, word)
            if self._lengths is not None and self._scale is not None:
                painter.drawText(plan.top, _RIGHT, self._number(self._scale))
                painter.drawText(plan.zero, _RIGHT, self._number(0.0))
            self._paint_bars(painter, plan)
        self.shown_revision = None if self._prediction is None else self._prediction.revision

    def _paint_bars(self, painter: QPainter, plan: ChartPlan) -> None:
        theme = theme_of(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)  # a bar may end within a pixel
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.track))
        painter.drawRects([track for pair in plan.tracks for track in pair])
        for kind, color in enumerate((theme.accent, theme.bar)):
            painter.setBrush(QColor(color))
            bars = [plan.swatches[kind]]
            if self._lengths is not None and self._scale is not None:
                shares = (self._lengths[:, kind] / self._scale).tolist()
                tracks = (pair[kind] for pair in plan.tracks)
                bars += [
                    track.adjusted(0, (1 - share) * track.height(), 0, 0)
                    for track, share in zip(tracks, shares, strict=True)
                ]
            painter.drawRects(bars)

    def _set_num_layers(self, num_layers: int) -> None:
        if num_layers not in (0, self._num_layers):
            self._num_layers, self._plan = num_layers, None
            self.updateGeometry()

    def _planned(self) -> ChartPlan:
        if self._plan is None:
            self._plan = self._lay_out(self.width(), self.height())
        return self._plan

    def _lay_out(self, width_px: int, height_px: int) -> ChartPlan:
        metrics = QFontMetrics(font("small"))
        token_px, patches_px = (metrics.horizontalAdvance(word) + 1 for word in self._legend())
        number_px = metrics.horizontalAdvance(_WIDEST_NUMBER)
        return lay_out_chart(width_px, height_px, self._num_layers, (token_px, patches_px), number_px, metrics.height())

    def _size_with(self, group_px: int, plot_px: int) -> QSize:
        """Give the size at which each layer and the bars get that much."""
        empty = self._lay_out(0, 0)
        width_px = empty.top.width() + UNIT + group_px * max(self._num_layers, _RESTING_DEPTH + 1)
        height_px = empty.labels[0].bottom() - empty.tracks[0][0].height() + plot_px
        return QSize(int(max(width_px, empty.legend[1].right())), int(height_px))

    def _legend(self) -> tuple[str, str]:
        return self.tr("class token"), self.tr("patches")

    def _number(self, value: float) -> str:
        return self.locale().toString(value, "g", 3)

    def _describe(self) -> None:
        if self._prediction is None:
            words = self.tr("Nothing is drawn yet.")
        elif len(self._prediction.lens) == 0:
            words = self.tr("This model has no blocks to read from.")
        elif self._lengths is None:
            words = self.tr("Not measured yet.")
        else:
            words = self.tr("From the start to the last block: class token {token}; patches {patches}.").format(
                token=", ".join(map(self._number, self._lengths[:, 0].tolist())),
                patches=", ".join(map(self._number, self._lengths[:, 1].tolist())),
            )
        self.setAccessibleDescription(words)
