"""Boxes round the digits of a number, each with what it is read as."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from training.facts import Box
from training.strokes import PAD_SIZE
from vit_pad.number import Number
from vit_pad.theme import PAPERS, UNIT, Paper, font

_MARGIN_PX = UNIT / 2  # between ink and box
_LINE_PX = 1.5
_UNSURE = "{} ?"


def mark_box(box: Box, scale: float, side_px: float) -> QRectF:
    """Give the mark round ink, in widget pixels, kept within a square widget of that side."""
    mark = QRectF(box.x * scale, box.y * scale, box.width * scale, box.height * scale)
    inside = QRectF(0, 0, side_px, side_px).adjusted(_LINE_PX, _LINE_PX, -_LINE_PX, -_LINE_PX)
    return mark.adjusted(-_MARGIN_PX, -_MARGIN_PX, _MARGIN_PX, _MARGIN_PX).intersected(inside)


def answer_place(mark: QRectF, width_px: float, height_px: float) -> QPointF:
    """Give the upper left corner of an answer's words: above their mark, or in it where there is no room above."""
    above = mark.top() - height_px
    return QPointF(max(mark.center().x() - width_px / 2, 0.0), above if above >= 0 else mark.top())


class DigitMarks(QWidget):
    """Marks over the canvas whose geometry it shares, open to the mouse; none where there is one digit, or no ink."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("digitMarks")
        self.setAccessibleName(self.tr("Digits of the number"))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self._number = Number()
        self._paper: Paper = "dark"
        self._tells_doubt = True
        self.hide()

    def show_number(self, number: Number) -> None:
        """Mark the digits of a number, the chosen one in the accent colour."""
        self._number = number
        is_needed = len(number.digits) > 1
        if is_needed or not self.isHidden():  # while one digit is drawn it costs nothing
            self.setVisible(is_needed)
            self.setAccessibleDescription(number.text if is_needed else "")
            self.update()

    def set_telling_doubt(self, tells_doubt: bool) -> None:
        """Mark which digits are unsure, or none."""
        self._tells_doubt = tells_doubt
        self.update()

    def set_paper(self, paper: Paper) -> None:
        """Say whether the pad is dark or light, for words that can be read on it."""
        self._paper = paper
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = PAPERS[self._paper]
        scale = self.width() / PAD_SIZE
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(font("title", bold=True))
            metrics = QFontMetricsF(painter.font())
            for index, digit in enumerate(self._number.digits):
                color = QColor(colors.accent if index == self._number.index else colors.hint)
                mark = mark_box(digit.box, scale, self.width())
                painter.setPen(QPen(color, _LINE_PX))
                painter.drawRoundedRect(mark, _MARGIN_PX, _MARGIN_PX)
                name = digit.top or ""
                words = _UNSURE.format(name) if digit.unsure and self._tells_doubt else name
                words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(mark.width(), 4 * UNIT))
                width = metrics.horizontalAdvance(words)
                ground = QRectF(answer_place(mark, width, metrics.height()), mark.size())
                ground.setSize(metrics.size(0, words))
                painter.fillRect(ground, QColor(colors.paper))
                painter.drawText(ground, Qt.AlignmentFlag.AlignCenter, words)
