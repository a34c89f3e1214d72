"""Finding the digits of a number among the strokes on the pad, by the gaps between them.

Lengths in pad units, y grows downward.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from training.facts import PredictionRequest
from training.strokes import PAD_SIZE, Stroke

# Two parts belong to one digit if the gap between them is smaller than a share of the height of the taller one: this
# share where both are equally tall, and more the lower one is than the other, as the bar of a 5 and the leg of a 4 are.
# Chosen by tests/benchmarks/digits.py on pendigits' writers tra1 to tra25, who leave up to 0.13 before the leg of a 4.
_GAP_SHARE = 0.06
_GAP_SHARE_OF_LOWER = 0.2
_LEAST_HEIGHT = 0.1 * PAD_SIZE  # that gaps are compared with
_DOT = 0.05 * PAD_SIZE  # what is smaller, both ways, is no digit
_FARTHEST_DOT = 2 * PAD_SIZE  # from the digit that it belongs to: wherever it lies on the pad


@dataclass(frozen=True)
class _Part:
    """Strokes that belong together, by number, and their box, without the width of the line."""

    strokes: tuple[int, ...]
    left: float
    right: float
    top: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def is_dot(self) -> bool:
        return max(self.right - self.left, self.height) < _DOT


def split_digits(strokes: Sequence[Stroke]) -> tuple[tuple[Stroke, ...], ...]:
    """Share strokes out among the digits that they make, from left to right; the strokes of each stay in order.

    Strokes above one another make one digit, whatever lies between; a dot belongs to the digit next to it.
    """
    if len(strokes) < 2:
        return (tuple(strokes),) if strokes else ()
    parts = _joined(sorted((_part(number, each) for number, each in enumerate(strokes)), key=lambda part: part.left))
    return tuple(tuple(strokes[number] for number in sorted(part.strokes)) for part in parts)


def digits_in(request: PredictionRequest) -> tuple[tuple[Stroke, ...], ...]:
    """Give the strokes of each digit that is to be read: all together where place counts, or over a picture."""
    if request.placement_mode == "as-drawn" or request.picture is not None:
        return (request.strokes,)
    return split_digits(request.strokes)


def whole_answer(names: Sequence[str]) -> str:
    """Write the answers to all digits as one reads them, with spaces between names of more than one character."""
    return ("" if all(len(name) == 1 for name in names) else " ").join(names)


def _part(number: int, stroke: Stroke) -> _Part:
    x, y = stroke.points[:, 0], stroke.points[:, 1]
    return _Part((number,), float(x.min()), float(x.max()), float(y.min()), float(y.max()))


def _joined(parts: list[_Part]) -> list[_Part]:
    """Join parts, sorted by their left ends, until all that are left are apart: the surest pair first."""
    while len(parts) > 1:
        room = [_room_between(left, right) for left, right in pairwise(parts)]
        nearest = int(np.argmin(room))
        if room[nearest] >= 0:
            break
        parts[nearest : nearest + 2] = [_both(*parts[nearest : nearest + 2])]
    return parts


def _room_between(left: _Part, right: _Part) -> float:
    """Give by how much the gap between two parts is wider than it may be within a digit."""
    gap = right.left - left.right
    if left.is_dot or right.is_dot:
        return gap - _FARTHEST_DOT
    lower, taller = sorted((left.height, right.height))
    height = max(taller, _LEAST_HEIGHT)
    return gap - height * (_GAP_SHARE + _GAP_SHARE_OF_LOWER * (1 - lower / height))


def _both(one: _Part, other: _Part) -> _Part:
    return _Part(
        (*one.strokes, *other.strokes),
        min(one.left, other.left),
        max(one.right, other.right),
        min(one.top, other.top),
        max(one.bottom, other.bottom),
    )
