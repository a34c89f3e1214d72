"""The answer without a change of the model and with it, bar by bar."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QLocale, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from training.config import DIGITS
from training.facts import FloatArray, Prediction
from vit_pad.choosers import name_widget
from vit_pad.pace import Pace
from vit_pad.percent import percent
from vit_pad.probability_bars import choose_rows
from vit_pad.theme import UNIT, font, theme_of

MOST_ROWS = 10
_BAR_PX, _GAP_PX = 4.0, 1.0
_LARGEST_ROW_PX = 22.0
_WIDEST_NAME = 0.3  # of the widget's width
_WIDEST_NUMBER = "+100"
_DESCRIBE_EVERY_MS = 200  # a screen reader speaks no faster
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class PairRow(NamedTuple):
    """Where the parts of one class lie, in widget pixels."""

    name: QRectF
    before: QRectF  # the track of the upper bar
    after: QRectF
    points: QRectF


def lay_out_pairs(
    width: float, height: float, num_rows: int, name_px: float, points_px: float, legend_px: float
) -> list[PairRow]:
    """Share out what is below the legend: name on the left, points on the right, two bars one above the other between.

    Bars touch neither each other nor those of the next row, if there is room at all.
    """
    pitch = max(min((height - legend_px) // max(num_rows, 1), _LARGEST_ROW_PX), 0.0)
    bar_px = min(_BAR_PX, pitch / 4)
    left = name_px + UNIT
    across = max(width - points_px - UNIT - left, 0.0)
    rows = []
    for index in range(num_rows):
        top = legend_px + index * pitch
        upper = top + (pitch - 2 * bar_px - _GAP_PX) // 2
        rows.append(
            PairRow(
                name=QRectF(0, top, name_px, pitch),
                before=QRectF(left, upper, across, bar_px),
                after=QRectF(left, upper + bar_px + _GAP_PX, across, bar_px),
                points=QRectF(width - points_px, top, points_px, pitch),
            )
        )
    return rows


def points(before: float, after: float, locale: QLocale) -> str:
    """Write how a share of 0 to 1 has changed, in whole percentage points with their sign: "+12", "−3", "0"."""
    change = round(100 * after) - round(100 * before)
    sign = "+" if change > 0 else "−" if change < 0 else ""
    return sign + locale.toString(abs(change))


class BeforeAfterBars(QWidget):
    """One row a class: a grey bar before, one in the accent colour after, and by how many points they differ."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        name_widget(self, "beforeAfterBars", self.tr("Answer before and after"))
        self.setToolTip(self.tr("Probabilities of the classes before and after the change, and their difference"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.shown_revision: int | None = None  # of the prediction painted last
        self._class_names = DIGITS
        self._prediction: Prediction | None = None
        self._description_pace = Pace(_DESCRIBE_EVERY_MS, self._describe, self)
        self._describe()

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Show what a model says, and said unchanged where it was changed; None puts the bars to rest."""
        self._prediction = prediction
        if prediction is None:
            self._description_pace.act_now()
        else:
            self.set_class_names(prediction.class_names)
            self._description_pace.ask()
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
        return QSize(30 * UNIT, self._height(max(self._least_row_px(), 2 * UNIT)))

    def minimumSizeHint(self) -> QSize:
        return QSize(20 * UNIT, self._height(self._least_row_px()))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = theme_of(self)
        classes, rows = self._lay_out()
        shares = self._shares()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(font("small"))
            self._paint_legend(painter, rows[0])
            for index, row in zip(classes, rows, strict=True):
                for track in (row.before, row.after):
                    _paint_bar(painter, track, theme.track)
                is_top = False
                if shares is not None:
                    before, after = shares
                    is_top = index == int(after.argmax())
                    for track, share, color in (
                        (row.before, before[index], theme.bar),
                        (row.after, after[index], theme.accent),
                    ):
                        bar = QRectF(track)
                        bar.setWidth(track.width() * min(max(float(share), 0.0), 1.0))
                        _paint_bar(painter, bar, color)
                    change = points(float(before[index]), float(after[index]), self.locale())
                    painter.setPen(QColor(theme.quiet_text if change == "0" else theme.text))
                    painter.drawText(row.points, _RIGHT, change)
                painter.setPen(QColor(theme.accent if is_top else theme.quiet_text))
                name = self._class_names[index]
                elided = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, int(row.name.width()))
                painter.drawText(row.name, _LEFT, elided)
        self.shown_revision = None if self._prediction is None else self._prediction.revision

    def _paint_legend(self, painter: QPainter, row: PairRow) -> None:
        """Say above the rows which bar is which, and what the numbers are."""
        theme, metrics = theme_of(self), QFontMetricsF(painter.font())
        left, height = row.before.left(), self._legend_px()
        for color, word in ((theme.bar, self.tr("before")), (theme.accent, self.tr("after"))):
            _paint_bar(painter, QRectF(left, (height - _BAR_PX) / 2, 2 * UNIT, _BAR_PX), color)
            painter.setPen(QColor(theme.quiet_text))
            left += 2.5 * UNIT
            across = metrics.horizontalAdvance(word) + 1
            painter.drawText(QRectF(left, 0, across, height), _LEFT, word)
            left += across + 2 * UNIT
        words = self.tr("points")
        painter.drawText(QRectF(left, 0, max(self.width() - left, 0.0), height), _RIGHT, words)

    def _shares(self) -> tuple[FloatArray, FloatArray] | None:
        """Give the probabilities before and after (C,) each."""
        prediction = self._prediction
        if prediction is None:
            return None
        before = prediction if prediction.unedited is None else prediction.unedited
        return before.probabilities, prediction.probabilities

    def _lay_out(self) -> tuple[list[int], list[PairRow]]:
        """Give the classes that are shown, the likeliest where they are many, and where."""
        shares = self._shares()
        likeliest = None if shares is None else np.maximum(*shares)
        classes = choose_rows(likeliest, len(self._class_names), MOST_ROWS)
        metrics = QFontMetricsF(font("small"))
        widest = max(metrics.horizontalAdvance(self._class_names[index]) for index in classes)
        name_px = math.ceil(min(widest + 1, self.width() * _WIDEST_NAME))
        points_px = metrics.horizontalAdvance(_WIDEST_NUMBER) + 1
        size = self.width(), self.height()
        return classes, lay_out_pairs(*size, len(classes), name_px, points_px, self._legend_px())

    def _height(self, row_px: float) -> int:
        return math.ceil(self._legend_px() + min(len(self._class_names), MOST_ROWS) * row_px)

    def _legend_px(self) -> float:
        return math.ceil(QFontMetricsF(font("small")).height() + UNIT / 2)

    def _least_row_px(self) -> float:
        return QFontMetricsF(font("small")).height() - 1  # digits have no descenders

    def _describe(self) -> None:
        shares = self._shares()
        if shares is None:
            self.setAccessibleDescription(self.tr("Nothing is drawn yet."))
            return
        before, after = shares
        words = self.tr("{name}: {before} before, {after} after")
        described = [
            words.format(
                name=self._class_names[index],
                before=percent(float(before[index]), self.locale(), 0),
                after=percent(float(after[index]), self.locale(), 0),
            )
            for index in dict.fromkeys((int(before.argmax()), int(after.argmax())))
        ]
        self.setAccessibleDescription("; ".join(described))


def _paint_bar(painter: QPainter, bar: QRectF, color: str) -> None:
    radius = min(bar.height(), bar.width()) / 2
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(color))
    painter.drawRoundedRect(bar, radius, radius)
