"""Puts what leaves the pad into the history."""

from __future__ import annotations

from datetime import datetime, timezone

from PySide6.QtCore import QObject, Signal

from training.errors import UserError
from training.facts import Prediction
from training.strokes import Drawing
from vit_pad.document import PadDocument
from vit_pad.history import HistoryStore


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
        self._prediction: Prediction | None = None
        document.about_to_be_replaced.connect(self._record)

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Take the answer that the person sees now; None for an empty pad."""
        self._prediction = prediction

    def _record(self) -> None:
        prediction, self._prediction = self._prediction, None
        document = self._document
        if prediction is None or prediction.top is None or not document.strokes or document.picture is not None:
            return
        try:
            if self._store.add(answered_drawing(document.to_drawing(), prediction, datetime.now(timezone.utc))):
                self.recorded.emit()
        except UserError as error:
            self.problem.emit(error.message)


def answered_drawing(drawing: Drawing, prediction: Prediction, date: datetime) -> Drawing:
    """Give a drawing with the time and what it was read as, which a drawing file keeps as further keys."""
    answer = {
        "date": date.isoformat(timespec="milliseconds"),
        "top": prediction.top,
        "probability": round(float(prediction.probabilities.max()), 4),
        "model": prediction.model,
    }
    return Drawing(strokes=drawing.strokes, canvas=drawing.canvas, label=drawing.label, extra=answer)
