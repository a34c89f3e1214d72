"""The probabilities of all classes as bars that keep their place."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFontMetrics, QFontMetricsF, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from training.config import DIGITS
from training.facts import FloatArray, Prediction
from vit_pad.percent import percent
from vit_pad.theme import UNIT, font, theme_of

_ROW_PX = 28  # a row where there is room
_BAR_PX = 10
_DESCRIBE_EVERY_MS = 200  # a screen reader speaks no faster
_WIDEST_NAME = 0.4  # of the widget's width
_NAME_FLAGS = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_NUMBER_FLAGS = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class Row(NamedTuple):
    """Where the parts of one class lie, in widget pixels."""

    name: QRectF
    track: QRectF
    number: QRectF


class _Resting(NamedTuple):
    """The rows without an answer, as they are painted for what is in the key."""

    key: tuple[object, ...]
    rows: dict[int, Row]
    pixmap: QPixmap


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
        self._number_texts: dict[int, str] = {}
        self._resting: _Resting | None = None
        self._description_timer = QTimer(self, singleShot=True, interval=_DESCRIBE_EVERY_MS)
        self._description_timer.timeout.connect(self._describe)
        self._describe()

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show what a model says; None puts the bars to rest."""
        self._prediction = prediction
        self._numbers = ()
        if prediction is not None:
            self.set_class_names(prediction.class_names)
            self._numbers = tuple(self._number(share) for share in prediction.probabilities.tolist())
        if prediction is None:
            self._describe()
        elif not self._description_timer.isActive():
            self._description_timer.start()
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
        resting = self._at_rest(classes)
        with QPainter(self) as painter:
            painter.drawPixmap(0, 0, resting.pixmap)
            if probabilities is not None:
                self._paint_bars(painter, resting.rows, probabilities)
                self._paint_words(painter, resting.rows, int(probabilities.argmax()))
        self.shown_revision = None if prediction is None else prediction.revision

    def _at_rest(self, classes: list[int]) -> _Resting:
        """Give what stays while answers come and go, painted once: it is half of the work."""
        theme = theme_of(self)
        key = (self.size(), self.devicePixelRatioF(), theme, self._class_names, classes, font("text"))
        if self._resting is None or self._resting.key != key:
            rows = dict(zip(classes, self._lay_out(len(classes)), strict=True))
            pixmap = QPixmap(self.size() * self.devicePixelRatioF())
            pixmap.setDevicePixelRatio(self.devicePixelRatioF())
            pixmap.fill(Qt.GlobalColor.transparent)
            with QPainter(pixmap) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                for index, row in rows.items():
                    radius = row.track.height() / 2
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(QColor(theme.track))
                    painter.drawRoundedRect(row.track, radius, radius)
                    painter.setPen(QColor(theme.quiet_text))
                    painter.setFont(font("text"))
                    painter.drawText(row.name, _NAME_FLAGS, self._elided(index, row))
            self._resting = _Resting(key, rows, pixmap)
        return self._resting

    def _paint_bars(self, painter: QPainter, rows: dict[int, Row], probabilities: FloatArray) -> None:
        theme, top = theme_of(self), int(probabilities.argmax())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        accent, grey = QColor(theme.accent), QColor(theme.bar)
        for index, row in rows.items():
            bar = QRectF(row.track)
            bar.setWidth(row.track.width() * float(probabilities[index]))
            radius = row.track.height() / 2
            painter.setBrush(accent if index == top else grey)
            painter.drawRoundedRect(bar, min(radius, bar.width() / 2), radius)

    def _paint_words(self, painter: QPainter, rows: dict[int, Row], top: int) -> None:
        theme = theme_of(self)
        painter.setPen(QColor(theme.quiet_text))
        painter.setFont(font("text"))
        for index, row in rows.items():
            if index != top:
                painter.drawText(row.number, _NUMBER_FLAGS, self._numbers[index])
        if top in rows:
            row = rows[top]
            painter.fillRect(row.name, QColor(theme.window))  # its quiet name lies there
            painter.setPen(QColor(theme.accent))
            painter.setFont(font("text", bold=True))
            painter.drawText(row.name, _NAME_FLAGS, self._elided(top, row))
            painter.drawText(row.number, _NUMBER_FLAGS, self._numbers[top])

    def _number(self, share: float) -> str:
        """Write a share as a per cent; there are no more than a thousand such texts, and each is asked for often."""
        tenths = round(1000 * share)
        if tenths not in self._number_texts:
            self._number_texts[tenths] = percent(tenths / 1000, self.locale(), 1)
        return self._number_texts[tenths]

    def _elided(self, index: int, row: Row) -> str:
        metrics = QFontMetrics(font("text", bold=True))
        width = math.ceil(row.name.width())
        return metrics.elidedText(self._class_names[index], Qt.TextElideMode.ElideRight, width)

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
        self._description_timer.stop()
        if self._prediction is None:
            self.setAccessibleDescription(self.tr("Nothing is drawn yet."))
            return
        best = np.argsort(self._prediction.probabilities)[:-4:-1]
        words = [
            self.tr("{name} with {percent}").format(name=self._class_names[index], percent=self._numbers[index])
            for index in best
        ]
        self.setAccessibleDescription(", ".join(words))
