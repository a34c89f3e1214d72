"""One drawing changed more and more, in one way or several at once, until a model reads it wrongly.

Lengths in pad units, y grows downward.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from training import distort
from training.strokes import Drawing, Stroke

SEED = 0


class Range(NamedTuple):
    """What a field of `Breaking` may be; `rest` changes nothing."""

    low: float
    high: float
    rest: float


@dataclass(frozen=True, kw_only=True)
class Breaking:
    """How far a drawing is changed in each way. The noise is the same each time, only larger or smaller."""

    turn_degrees: float = 0.0  # clockwise, about the middle of the ink
    size: float = 1.0  # times as large, about its middle
    shift_x: float = 0.0
    shift_y: float = 0.0
    pen: float = 1.0  # times as wide
    noise: float = 0.0  # standard deviation of each point

    def apply(self, strokes: Sequence[Stroke]) -> tuple[Stroke, ...]:
        """Give changed strokes; those given stay as they are."""
        if not strokes or self == Breaking():
            return tuple(strokes)
        drawing = Drawing(strokes=tuple(strokes))
        drawing = distort.turned(drawing, self.turn_degrees)
        drawing = distort.mapped(drawing, np.diag((self.size, self.size)))
        drawing = distort.moved(drawing, self.shift_x, self.shift_y)
        drawing = distort.jittered(drawing, self.noise, np.random.default_rng(SEED))
        return tuple(dataclasses.replace(each, width=each.width * self.pen) for each in drawing.strokes)


RANGES: Mapping[str, Range] = {
    "turn_degrees": Range(-90.0, 90.0, 0.0),
    "size": Range(0.2, 1.5, 1.0),
    "shift_x": Range(-150.0, 150.0, 0.0),
    "shift_y": Range(-150.0, 150.0, 0.0),
    "pen": Range(0.2, 4.0, 1.0),
    "noise": Range(0.0, 25.0, 0.0),
}


def along(breaking: Breaking, field: str, count: int) -> list[Breaking]:
    """Give changes from one end of a field's range to the other, in equal steps; the other fields stay."""
    low, high, _ = RANGES[field]
    return [dataclasses.replace(breaking, **{field: float(value)}) for value in np.linspace(low, high, count)]
