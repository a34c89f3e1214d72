"""The probabilities of all classes as bars that keep their place."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QFontMetricsF, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from training.config import DIGITS
from training.facts import FloatArray, Prediction
from vit_pad.pace import Pace
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
    pixels: QRect  # all of these


class _Share(NamedTuple):
    """What a row says. Rows that say the same look the same."""

    per_mille: int
    is_top: bool


class _Resting(NamedTuple):
    """What stays while answers come and go, worked out and painted once: it is most of the work."""

    classes: list[int]
    ratio: float  # device pixels a widget pixel
    rows: dict[int, Row]  # by class
    names: dict[int, str]  # by class, as far as there is room
    fonts: tuple[QFont, QFont]  # for all rows, and for the likeliest
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
            pixels=QRectF(0, index * pitch, width, pitch).toAlignedRect(),
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
        self.shown_revision: int | None = None  # of the prediction that can be seen
        self._class_names = DIGITS
        self._prediction: Prediction | None = None
        self._shares: tuple[_Share, ...] = ()  # one a class; none at rest
        self._number_texts: dict[int, str] = {}
        self._resting: _Resting | None = None
        self._description_pace = Pace(_DESCRIBE_EVERY_MS, self._describe, self)
        self._describe()

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show what a model says; None puts the bars to rest."""
        before = self._shares
        self._prediction = prediction
        if prediction is None:
            self._shares = ()
            self._description_pace.act_now()
            self.update()
            return
        self.set_class_names(prediction.class_names)
        self._shares = _shares(prediction.probabilities)
        self._description_pace.ask()
        self._update_rows(before, prediction)

    def set_class_names(self, class_names: tuple[str, ...]) -> None:
        """Set the rows for a model that hasn't answered yet."""
        if class_names == self._class_names:
            return
        self._class_names = class_names
        self._resting = None
        if self._prediction is not None and self._prediction.class_names != class_names:
            self.show_prediction(None)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(35 * UNIT, _ROW_PX * min(len(self._class_names), 10))

    def minimumSizeHint(self) -> QSize:
        return QSize(20 * UNIT, math.ceil(self._lowest_row_px()) * min(len(self._class_names), 10))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._resting = None
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        self._resting = None  # a font, a theme, a language
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        resting = self._at_rest()
        with QPainter(self) as painter:
            painter.drawPixmap(0, 0, resting.pixmap)
            if self._shares:
                asked = event.region()
                rows = {index: row for index, row in resting.rows.items() if asked.intersects(row.pixels)}
                self._paint_bars(painter, rows)
                self._paint_words(painter, rows, resting)
        self.shown_revision = None if self._prediction is None else self._prediction.revision

    def _update_rows(self, before: tuple[_Share, ...], prediction: Prediction) -> None:
        """Ask for a paint of the rows that say something else than `before`: with most answers, a few."""
        resting = self._resting
        if resting is None or len(before) != len(self._shares) or resting.classes != self._classes(len(resting.rows)):
            self.update()
            return
        changed = [row for index, row in resting.rows.items() if before[index] != self._shares[index]]
        for row in changed:
            self.update(row.pixels)
        if not changed:
            self.shown_revision = prediction.revision  # what can be seen already says it

    def _classes(self, num_rows: int) -> list[int]:
        probabilities = None if self._prediction is None else self._prediction.probabilities
        return choose_rows(probabilities, len(self._class_names), num_rows)

    def _at_rest(self) -> _Resting:
        room = max(int(self.height() // self._lowest_row_px()), 1) if self._resting is None else len(self._resting.rows)
        classes = self._classes(room)
        ratio = self.devicePixelRatioF()
        if self._resting is None or (self._resting.classes, self._resting.ratio) != (classes, ratio):
            self._resting = self._make_resting(classes, ratio)
        return self._resting

    def _make_resting(self, classes: list[int], ratio: float) -> _Resting:
        theme, fonts = theme_of(self), (font("text"), font("text", bold=True))
        # Bold is the widest that name and number get, so neither moves when its class comes to the top.
        metrics = QFontMetrics(fonts[1])
        rows = dict(zip(classes, self._lay_out(len(classes), QFontMetricsF(fonts[1])), strict=True))
        names = {
            index: metrics.elidedText(
                self._class_names[index], Qt.TextElideMode.ElideRight, math.ceil(row.name.width())
            )
            for index, row in rows.items()
        }
        pixmap = QPixmap(self.size() * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        with QPainter(pixmap) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(fonts[0])
            for index, row in rows.items():
                radius = row.track.height() / 2
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(theme.track))
                painter.drawRoundedRect(row.track, radius, radius)
                painter.setPen(QColor(theme.quiet_text))
                painter.drawText(row.name, _NAME_FLAGS, names[index])
        return _Resting(classes, ratio, rows, names, fonts, pixmap)

    def _paint_bars(self, painter: QPainter, rows: dict[int, Row]) -> None:
        theme = theme_of(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        accent, grey = QColor(theme.accent), QColor(theme.bar)
        for index, row in rows.items():
            bar = QRectF(row.track)
            bar.setWidth(row.track.width() * self._shares[index].per_mille / 1000)
            radius = row.track.height() / 2
            painter.setBrush(accent if self._shares[index].is_top else grey)
            painter.drawRoundedRect(bar, min(radius, bar.width() / 2), radius)

    def _paint_words(self, painter: QPainter, rows: dict[int, Row], resting: _Resting) -> None:
        theme = theme_of(self)
        painter.setPen(QColor(theme.quiet_text))
        painter.setFont(resting.fonts[0])
        for index, row in rows.items():
            if not self._shares[index].is_top:
                painter.drawText(row.number, _NUMBER_FLAGS, self._number(index))
        for index, row in rows.items():
            if self._shares[index].is_top:
                painter.fillRect(row.name, QColor(theme.window))  # its quiet name lies there
                painter.setPen(QColor(theme.accent))
                painter.setFont(resting.fonts[1])
                painter.drawText(row.name, _NAME_FLAGS, resting.names[index])
                painter.drawText(row.number, _NUMBER_FLAGS, self._number(index))

    def _number(self, index: int) -> str:
        """Write a share as a per cent; there are no more than a thousand such texts, and each is asked for often."""
        share = self._shares[index].per_mille
        if share not in self._number_texts:
            self._number_texts[share] = percent(share / 1000, self.locale(), 1)
        return self._number_texts[share]

    def _lay_out(self, num_rows: int, metrics: QFontMetricsF) -> list[Row]:
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
            self.tr("{name} with {percent}").format(name=self._class_names[index], percent=self._number(index))
            for index in best
        ]
        self.setAccessibleDescription(", ".join(words))


def _shares(probabilities: FloatArray) -> tuple[_Share, ...]:
    top = int(probabilities.argmax())
    return tuple(_Share(round(1000 * share), index == top) for index, share in enumerate(probabilities.tolist()))
