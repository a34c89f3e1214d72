"""The answer in large type, its probability, and why it is unsure."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from training.config import DIGITS
from training.errors import Message
from vit_pad.choosers import name_widget, say
from vit_pad.number import UNSURE, Number
from vit_pad.percent import percent
from vit_pad.theme import UNIT, set_font
from vit_pad.words import translated

_LEAST_ANSWER_PX = 12 * UNIT
_DOUBT_PX = 35 * UNIT  # there is that much room in the narrowest window


class AnswerView(QWidget):
    """The answer, all digits of it from left to right; the probability of the one that is chosen, and its doubt.

    Texts change in place, in labels of fixed size: the layout moves with the number of digits alone, and Qt needn't
    work it out anew each time.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answer = ElidedLabel()
        self._answer.setTextFormat(Qt.TextFormat.PlainText)
        set_font(self._answer, "answer", bold=True)
        name_widget(self._answer, "predictionLabel", self.tr("Answer"))
        self._probability = QLabel()
        set_font(self._probability, "title")
        name_widget(self._probability, "probabilityLabel", self.tr("Probability of the answer"))
        self._doubt = ElidedLabel()
        self._doubt.setTextFormat(Qt.TextFormat.PlainText)
        self._doubt.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        set_font(self._doubt, "text")
        name_widget(self._doubt, "unsureLabel", self.tr("Why the answer is unsure"))
        self._number = Number()
        self._tells_doubt = True
        self._num_digits = 1  # that there is room for
        row = QHBoxLayout()
        row.setSpacing(2 * UNIT)
        row.addWidget(self._answer)
        row.addWidget(self._probability)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self._doubt)
        column.addStretch(1)
        self.set_class_names(DIGITS)

    def set_class_names(self, class_names: tuple[str, ...]) -> None:
        """Keep room for the widest answer, up to a limit."""
        self._class_names = class_names
        self.keep_room()

    def keep_room(self) -> None:
        """Fit the labels to the size of the text and the number of digits, which are smaller where they are many."""
        metrics = self._probability.fontMetrics()
        self._probability.setFixedSize(metrics.horizontalAdvance(percent(1.0, self.locale(), 0)), metrics.height())
        self._doubt.setFixedSize(_DOUBT_PX, self._doubt.fontMetrics().height())
        set_font(self._answer, "answer", bold=True)
        self._answer.setFixedHeight(self._answer.fontMetrics().height())
        room = self.width() - self._probability.width() - 2 * UNIT
        if self._num_digits > 1 and self._widest_px() > room:
            set_font(self._answer, "title", bold=True)
        self._answer.setFixedWidth(min(self._widest_px(), max(room, _LEAST_ANSWER_PX)))

    def _widest_px(self) -> int:
        metrics = self._answer.fontMetrics()
        widest = max(self._class_names, key=metrics.horizontalAdvance)
        return metrics.horizontalAdvance(UNSURE.format(widest * self._num_digits)) + 1  # fractions are cut off

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.keep_room()
        super().resizeEvent(event)

    def set_telling_doubt(self, tells_doubt: bool) -> None:
        """Say whether an answer is unsure, or take every answer for a sure one."""
        self._tells_doubt = tells_doubt
        self.show_number(self._number)

    def show_number(self, number: Number) -> None:
        """Show the likeliest class of each digit; nothing on an empty pad."""
        self._number = number
        if max(len(number.digits), 1) != self._num_digits:
            self._num_digits = max(len(number.digits), 1)
            self.keep_room()
        chosen = number.chosen
        if chosen is None:
            self._say("", "", None)
            return
        text = UNSURE.format(number.text) if self._tells_doubt and number.is_unsure else number.text
        share = percent(float(chosen.probabilities.max()), self.locale(), 0)
        self._say(text, share, chosen.reason if self._tells_doubt else None)

    def _say(self, answer: str, share: str, reason: Message | None) -> None:
        say(self._answer, answer)
        say(self._probability, share)
        doubt = "" if reason is None else self.tr("Not sure. {reason}").format(reason=translated(reason))
        if doubt != self._doubt.text():
            say(self._doubt, doubt)
            self._doubt.setToolTip(doubt)
        role = QPalette.ColorRole.WindowText if reason is None else QPalette.ColorRole.PlaceholderText
        if role != self._answer.foregroundRole():
            self._answer.setForegroundRole(role)
            self._answer.update()


class ElidedLabel(QLabel):
    """A label that shows as much of its text as there is room for, and an ellipsis; `text()` is always the whole."""

    def shown_text(self) -> str:
        """Give what is painted."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setFont(self.font())
            self.style().drawItemText(
                painter,
                self.contentsRect(),
                self.alignment(),
                self.palette(),
                self.isEnabled(),
                self.shown_text(),
                self.foregroundRole(),
            )
