"""Puts what leaves the pad into the history."""

from __future__ import annotations

from datetime import datetime, timezone

from PySide6.QtCore import QObject, Signal

from training.errors import UserError
from training.strokes import Drawing
from vit_pad.document import PadDocument
from vit_pad.history import HistoryStore
from vit_pad.number import Number


class HistoryRecorder(QObject):
    """Keeps a drawing when the pad is cleared or filled anew, if it has ink and an answer.

    What lies over a picture isn't kept: a drawing file has no place for the picture, and without it the answer would be
    one to something else.
    """

    recorded = Signal()
    problem = Signal(object)  # a training.errors.Message

    def __init__(self, document: PadDocument, store: HistoryStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._store = store
        self._number = Number()
        document.about_to_be_replaced.connect(self._record)

    def show_number(self, number: Number) -> None:
        """Take the answer that the person sees now."""
        self._number = number

    def _record(self) -> None:
        number, self._number = self._number, Number()
        document = self._document
        if not number.text or not document.strokes or document.picture is not None:
            return
        try:
            if self._store.add(answered_drawing(document.to_drawing(), number, datetime.now(timezone.utc))):
                self.recorded.emit()
        except UserError as error:
            self.problem.emit(error.message)


def answered_drawing(drawing: Drawing, number: Number, date: datetime) -> Drawing:
    """Give a drawing with the time and what it was read as, which a drawing file keeps as further keys.

    The probability is that of the least likely digit.
    """
    answer = {
        "date": date.isoformat(timespec="milliseconds"),
        "top": number.text,
        "probability": round(min(float(digit.probabilities.max()) for digit in number.digits), 4),
        "model": number.digits[0].model,
    }
    return Drawing(strokes=drawing.strokes, canvas=drawing.canvas, label=drawing.label, extra=answer)
