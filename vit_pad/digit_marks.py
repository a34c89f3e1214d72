"""Boxes round the digits of a number, each with what it is read as."""

from __future__ import annotations

from PySide6.QtCore import QMarginsF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from training.facts import Box, Prediction
from training.strokes import PAD_SIZE
from vit_pad.number import UNSURE, Number
from vit_pad.theme import PAPERS, UNIT, Paper, font

_MARGIN_PX = UNIT / 2  # between ink and box
_LINE_PX, _CHOSEN_LINE_PX = 1.0, 3.0


def mark_box(box: Box, scale: float, side_px: float) -> QRectF:
    """Give the mark round ink, in widget pixels, kept within a square widget of that side."""
    mark = QRectF(box.x * scale, box.y * scale, box.width * scale, box.height * scale)
    inside = QRectF(0, 0, side_px, side_px).marginsRemoved(QMarginsF(*[_CHOSEN_LINE_PX / 2] * 4))
    return mark.marginsAdded(QMarginsF(*[_MARGIN_PX] * 4)).intersected(inside)


def answer_box(mark: QRectF, size: QSizeF, side_px: float) -> QRectF:
    """Give the place of an answer's words, all of it on the pad: above their mark, or in it where there is no room."""
    left = min(max(mark.center().x() - size.width() / 2, 0.0), side_px - size.width())
    above = mark.top() - size.height()
    return QRectF(QPointF(left, above if above >= 0 else mark.top()), size)


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
            self._describe()
            self.update()

    def set_telling_doubt(self, tells_doubt: bool) -> None:
        """Mark which digits are unsure, or none."""
        self._tells_doubt = tells_doubt
        self._describe()
        self.update()

    def set_paper(self, paper: Paper) -> None:
        """Say whether the pad is dark or light, for words that can be read on it."""
        self._paper = paper
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = PAPERS[self._paper]
        side, chosen = self.width(), self._number.index
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(font("title", bold=True))
            metrics = QFontMetricsF(painter.font())
            for index, digit in enumerate(self._number.digits):
                mark = mark_box(digit.box, side / PAD_SIZE, side)
                color, line_px = (colors.accent, _CHOSEN_LINE_PX) if index == chosen else (colors.hint, _LINE_PX)
                painter.setPen(QPen(QColor(color), line_px))
                painter.drawRoundedRect(mark, _MARGIN_PX, _MARGIN_PX)
                words = self._words(digit)
                if len(digit.top or "") > 1:
                    words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(mark.width(), 8 * UNIT))
                place = answer_box(mark, QSizeF(metrics.horizontalAdvance(words), metrics.height()), side)
                painter.fillRect(place, QColor(colors.paper))
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)

    def _words(self, digit: Prediction) -> str:
        return UNSURE.format(digit.top) if digit.unsure and self._tells_doubt else digit.top or ""

    def _describe(self) -> None:
        chosen = self._number.chosen
        if chosen is None or self.isHidden():
            self.setAccessibleDescription("")
            return
        words = self.tr("Digit {number} of {count} is shown: {answer}").format(
            number=self._number.index + 1, count=len(self._number.digits), answer=self._words(chosen)
        )
        self.setAccessibleDescription(words)
