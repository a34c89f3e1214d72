"""Numbers put together from digits that one writer drew, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from training.strokes import Drawing, Stroke, on_pad

Number = tuple[tuple[Stroke, ...], ...]  # the strokes of each digit, from left to right
SCALE = 0.4  # of a digit that fills the pad
_MOST_RESIZED = 0.15  # larger or smaller than that
_LEFT = 20.0  # pad units


def side_by_side(drawings: Sequence[Drawing], gap: float, generator: np.random.Generator) -> Number:
    """Put drawings side by side; the gap between their lines' middles is a share of the height of a usual digit."""
    number, x = [], _LEFT
    for drawing in map(on_pad, drawings):
        scale = SCALE * generator.uniform(1 - _MOST_RESIZED, 1 + _MOST_RESIZED)
        low, high = _extent(drawing.strokes)
        shift = x - scale * low[0], 20.0
        strokes = tuple(Stroke(scale * each.points[:, :2] + shift, SCALE * each.width) for each in drawing.strokes)
        number.append(strokes)
        x = shift[0] + scale * high[0] + gap * SCALE * _USUAL_HEIGHT
    return tuple(number)


_USUAL_HEIGHT = 286.0  # of pendigits' drawings on the pad: all of them


def _extent(strokes: Sequence[Stroke]) -> tuple[np.ndarray, np.ndarray]:
    points = np.concatenate([each.points[:, :2] for each in strokes])
    return points.min(axis=0), points.max(axis=0)
