"""Finding the digits of a number among the strokes on the pad, by the gaps between them.

Lengths in pad units, y grows downward.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from training.facts import PredictionRequest
from training.ink import DOT_SIDE
from training.strokes import PAD_SIZE, Stroke

# Two parts belong to one digit if the gap between their lines is smaller than a share of the height of the taller one:
# this share where both are equally tall, and more the lower one is than the other, as the bar of a 5 and the leg of a 4
# are. Chosen by tests/benchmarks/digits.py on pendigits' writers tra1 to tra25, who leave 0.13 before the leg of a 4.
_GAP_SHARE = 0.06
_GAP_SHARE_OF_LOWER = 0.2
_LEAST_HEIGHT = 0.1 * PAD_SIZE  # that gaps are compared with


@dataclass(frozen=True)
class _Part:
    """Strokes that belong together, by number, their box without the width of the line, and half of that width."""

    strokes: tuple[int, ...]
    left: float
    right: float
    top: float
    bottom: float
    margin: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def is_dot(self) -> bool:
        """Whether it is what a pen leaves that slips, and no digit, however small."""
        return max(self.right - self.left, self.height) <= min(self.margin, DOT_SIDE / 2)


def split_digits(strokes: Sequence[Stroke]) -> tuple[tuple[Stroke, ...], ...]:
    """Share strokes out among the digits that they make, from left to right; the strokes of each stay in order.

    Strokes that lie above one another, or touch, make one digit. A dot apart from all digits belongs to none and is
    left out, be it a slip or the beginning of a stroke; where there are only dots they belong together.
    """
    if len(strokes) < 2:
        return (tuple(strokes),) if strokes else ()
    parts = _joined(_part(number, each) for number, each in enumerate(strokes))
    if all(part.is_dot for part in parts):
        return (tuple(strokes),)
    return tuple(tuple(strokes[number] for number in sorted(part.strokes)) for part in parts if not part.is_dot)


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
    return _Part((number,), float(x.min()), float(x.max()), float(y.min()), float(y.max()), stroke.width / 2)


def _joined(parts: Iterable[_Part]) -> list[_Part]:
    """Join parts until all that are left are apart, from left to right: what touches first, then the surest pair."""
    apart: list[_Part] = []
    for part in sorted(parts, key=lambda part: part.left):
        if apart and _do_touch(apart[-1], part):
            apart[-1] = _both(apart[-1], part)
        else:
            apart.append(part)
    while len(apart) > 1:
        room = [_room_between(left, right) for left, right in pairwise(apart)]
        nearest = int(np.argmin(room))
        if room[nearest] >= 0:
            break
        apart[nearest : nearest + 2] = [_both(*apart[nearest : nearest + 2])]
    return apart


def _do_touch(left: _Part, right: _Part) -> bool:
    return right.left - left.right <= left.margin + right.margin


def _room_between(left: _Part, right: _Part) -> float:
    """Give by how much the gap between two parts is wider than it may be within a digit."""
    lower, taller = sorted((left.height, right.height))
    height = max(taller, _LEAST_HEIGHT)
    return right.left - left.right - height * (_GAP_SHARE + _GAP_SHARE_OF_LOWER * (1 - lower / height))


def _both(one: _Part, other: _Part) -> _Part:
    return _Part(
        (*one.strokes, *other.strokes),
        min(one.left, other.left),
        max(one.right, other.right),
        min(one.top, other.top),
        max(one.bottom, other.bottom),
        max(one.margin, other.margin),
    )
