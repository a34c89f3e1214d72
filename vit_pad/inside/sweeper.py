"""Reading a drawing again and again, changed a little more each time, in the background."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from training.breaking import RANGES, Breaking, along
from training.digits import whole_answer
from training.facts import PlacementMode, Prediction, PredictionRequest
from training.strokes import Stroke
from vit_pad.predictor import LivePredictor

STEPS = 13  # along a slider; an odd number has its middle


@dataclass(frozen=True)
class Reading:
    """What was read at one place of a slider."""

    value: float  # of the field
    answer: str  # all digits that were found; nothing where no ink was left
    probabilities: tuple[float, ...]  # of the classes; none where not one digit was found


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What is to be read: a drawing, by a model, changed so."""

    model: str  # name or path
    strokes: tuple[Stroke, ...]
    placement_mode: PlacementMode
    breaking: Breaking


class Sweeper(QObject):
    """Reads the drawing as it is changed, then along every slider. A new wish takes the place of the one before.

    Signals:
        read(Prediction | None): the drawing as it is changed; None where it isn't one digit.
        swept(str, tuple[Reading, ...]): a field of Breaking, and what was read along it.
    """

    read = Signal(object)
    swept = Signal(str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader = LivePredictor(self)
        self._reader.predicted.connect(self._on_predicted)
        self._wish: Wish | None = None
        self._model: str | None = None
        self._waiting: list[tuple[str, float, Breaking]] = []  # field, its value, all values
        self._readings: list[Reading] = []  # along the field at hand
        self._revision = 0

    def sweep(self, wish: Wish | None) -> None:
        """Read for a wish; None: there is nothing to read."""
        if wish == self._wish:
            return
        self._wish = wish
        self._readings = []
        self._waiting = []
        if wish is None:
            self._reader.forget()
            return
        if wish.model != self._model:
            self._model = wish.model
            self._reader.load(wish.model, "cpu")
            self._reader.start()
        self._waiting = [("", 0.0, wish.breaking)]
        for field in RANGES:
            steps = along(wish.breaking, field, STEPS)
            self._waiting += [(field, getattr(step, field), step) for step in steps]
        self._ask()

    def stop(self) -> None:
        """End all reading and wait for it."""
        self._reader.stop()

    def _ask(self) -> None:
        if self._wish is None or not self._waiting:
            return
        self._revision += 1
        strokes = self._waiting[0][2].apply(self._wish.strokes)
        request = PredictionRequest(revision=self._revision, strokes=strokes, placement_mode=self._wish.placement_mode)
        self._reader.request(request)

    def _on_predicted(self, digits: tuple[Prediction, ...], request: PredictionRequest) -> None:
        if request.revision != self._revision or not self._waiting:
            return
        field, value, _ = self._waiting.pop(0)
        alone = digits[0] if len(digits) == 1 else None
        if not field:
            self.read.emit(alone)
        else:
            answer = whole_answer([digit.top for digit in digits if digit.top is not None])
            shares = () if alone is None else tuple(float(each) for each in alone.probabilities)
            self._readings.append(Reading(value, answer, shares))
            if len(self._readings) == STEPS:
                self.swept.emit(field, tuple(self._readings))
                self._readings = []
        self._ask()
