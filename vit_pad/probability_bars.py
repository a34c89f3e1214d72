"""The probabilities of all classes as bars that keep their place."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from training.config import DIGITS
from training.facts import FloatArray, Prediction
from vit_pad.percent import percent
from vit_pad.theme import UNIT, font, theme_of

_ROW_PX = 28  # a row where there is room
_BAR_PX = 10
_WIDEST_NAME = 0.4  # of the widget's width
_NAME_FLAGS = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_NUMBER_FLAGS = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class Row(NamedTuple):
    """Where the parts of one class lie, in widget pixels."""

    name: QRectF
    track: QRectF
    number: QRectF


def lay_out_rows(width: float, height: float, num_rows: int, name_px: float, number_px: float) -> list[Row]:
    """Share the widget out among the rows: name on the left, number on the right, the bar's track between."""
    pitch = min(height / num_rows, _ROW_PX)
    bar_px = min(_BAR_PX, pitch * 0.6)
    left, right = name_px + UNIT, width - number_px - UNIT
    return [
        Row(
            name=QRectF(0, index * pitch, name_px, pitch),
            track=QRectF(left, index * pitch + (pitch - bar_px) / 2, max(right - left, 0), bar_px),
            number=QRectF(width - number_px, index * pitch, number_px, pitch),
        )
        for index in range(num_rows)
    ]


def choose_rows(probabilities: FloatArray | None, num_classes: int, num_rows: int) -> list[int]:
    """Choose the classes to show, in their own order: all, or the likeliest where not all fit."""
    if num_classes <= num_rows or probabilities is None:
        return list(range(min(num_classes, num_rows)))
    likeliest = np.argpartition(probabilities, -num_rows)[-num_rows:]
    return sorted(likeliest.tolist())


class ProbabilityBars(QWidget):
    """One row a class: name, bar, per cent; the likeliest in the accent colour. At rest while the pad is empty."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("probabilityBars")
        self.setAccessibleName(self.tr("Probabilities of the classes"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.shown_revision: int | None = None  # of the prediction painted last
        self._class_names = DIGITS
        self._prediction: Prediction | None = None
        self._numbers: tuple[str, ...] = ()
        self._describe()

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show what a model says; None puts the bars to rest."""
        self._prediction = prediction
        self._numbers = ()
        if prediction is not None:
            self.set_class_names(prediction.class_names)
            self._numbers = tuple(percent(float(share), self.locale(), 1) for share in prediction.probabilities)
        self._describe()
        self.update()

    def set_class_names(self, class_names: tuple[str, ...]) -> None:
        """Set the rows for a model that hasn't answered yet."""
        if class_names == self._class_names:
            return
        self._class_names = class_names
        if self._prediction is not None and self._prediction.class_names != class_names:
            self.show_prediction(None)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(35 * UNIT, _ROW_PX * min(len(self._class_names), 10))

    def minimumSizeHint(self) -> QSize:
        return QSize(20 * UNIT, math.ceil(self._lowest_row_px()) * min(len(self._class_names), 10))

    def paintEvent(self, event: QPaintEvent) -> None:
        prediction = self._prediction
        probabilities = None if prediction is None else prediction.probabilities
        classes = choose_rows(
            probabilities, len(self._class_names), max(int(self.height() // self._lowest_row_px()), 1)
        )
        rows = dict(zip(classes, self._lay_out(len(classes)), strict=True))
        top = None if probabilities is None else int(probabilities.argmax())
        with QPainter(self) as painter:
            self._paint_bars(painter, rows, top)
            self._paint_words(painter, rows, top)
        self.shown_revision = None if prediction is None else prediction.revision

    def _paint_bars(self, painter: QPainter, rows: dict[int, Row], top: int | None) -> None:
        theme = theme_of(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        track, accent, grey = (QColor(color) for color in (theme.track, theme.accent, theme.bar))
        for index, row in rows.items():
            radius = row.track.height() / 2
            painter.setBrush(track)
            painter.drawRoundedRect(row.track, radius, radius)
            if self._prediction is None:
                continue
            bar = QRectF(row.track)
            bar.setWidth(row.track.width() * float(self._prediction.probabilities[index]))
            painter.setBrush(accent if index == top else grey)
            painter.drawRoundedRect(bar, min(radius, bar.width() / 2), radius)

    def _paint_words(self, painter: QPainter, rows: dict[int, Row], top: int | None) -> None:
        theme = theme_of(self)
        plain, bold = font("text"), font("text", bold=True)
        metrics = QFontMetrics(bold)
        quiet, accent = QColor(theme.quiet_text), QColor(theme.accent)
        for index, row in rows.items():
            painter.setPen(accent if index == top else quiet)
            painter.setFont(bold if index == top else plain)
            name, width = self._class_names[index], math.ceil(row.name.width())
            painter.drawText(row.name, _NAME_FLAGS, metrics.elidedText(name, Qt.TextElideMode.ElideRight, width))
            if self._numbers:
                painter.drawText(row.number, _NUMBER_FLAGS, self._numbers[index])

    def _lay_out(self, num_rows: int) -> list[Row]:
        # Bold is the widest that name and number get, so neither moves when its class comes to the top.
        metrics = QFontMetricsF(font("text", bold=True))
        widest = max(metrics.horizontalAdvance(name) for name in self._class_names)
        name_px = min(widest + 1, self.width() * _WIDEST_NAME)
        number_px = metrics.horizontalAdvance(percent(1.0, self.locale(), 1)) + 1
        return lay_out_rows(self.width(), self.height(), num_rows, name_px, number_px)

    def _lowest_row_px(self) -> float:
        return QFontMetricsF(font("text")).height() + 2

    def _describe(self) -> None:
        if self._prediction is None:
            self.setAccessibleDescription(self.tr("Nothing is drawn yet."))
            return
        best = np.argsort(self._prediction.probabilities)[:-4:-1]
        words = [
            self.tr("{name} with {percent}").format(name=self._class_names[index], percent=self._numbers[index])
            for index in best
        ]
        self.setAccessibleDescription(", ".join(words))
