"""What people, pens and mice do to a drawing, one thing at a time: the conditions a model is measured under.

A condition takes a drawing to the pad and changes it there. What is random in one depends on the condition and the
drawing's number alone, so that neither order nor choice of conditions matters.

Shapes: n points of a stroke. Lengths in pad units, y grows downward.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from training.facts import Box
from training.ink import ink_box
from training.strokes import PAD_SIZE, Drawing, Stroke, line_widths, on_pad

SEED = 0
GAP_SHARE = 0.1

Points = npt.NDArray[np.float64]
Change = Callable[[Drawing, np.random.Generator], Drawing]  # of a drawing with strokes, on the pad


@dataclass(frozen=True)
class Condition:
    """One thing that may happen to a drawing."""

    name: str
    change: Change

    def apply(self, drawings: Iterable[Drawing]) -> Iterator[Drawing]:
        """Give drawings on the pad and under this condition."""
        return (self.apply_to(drawing, number) for number, drawing in enumerate(drawings))

    def apply_to(self, drawing: Drawing, number: int) -> Drawing:
        """Give a drawing on the pad and under this condition; `number` tells it from others in what is random."""
        placed = on_pad(drawing)
        if not placed.strokes:
            return placed
        generator = np.random.default_rng((SEED, *self.name.encode(), number))
        return self.change(placed, generator)


def as_it_is(drawing: Drawing, generator: np.random.Generator) -> Drawing:
    """Change nothing."""
    return drawing


def resized(share: float, right: float = 0.5, down: float = 0.5) -> Change:
    """Bring the ink's longer side, line widths included, to a share of the pad's, the pen left as wide as it is.

    `right` and `down` are the ink's place in the room that is left: 0 at the left or upper edge, 0.5 in the middle, 1
    at the other edge.
    """

    def change(drawing: Drawing, generator: np.random.Generator) -> Drawing:
        side = share * PAD_SIZE
        widest = max(float(line_widths(each).max()) for each in drawing.strokes)
        longest = float(np.ptp(np.concatenate([each.points[:, :2] for each in drawing.strokes]), axis=0).max())
        # A pen nearly as wide as the whole has no room to draw in: half of the side is always left to it.
        scale = max(side - widest, side / 2) / longest if longest > 0 else 1.0
        drawn = _moved(drawing, lambda points: points * scale)
        box = _box(drawn)
        goal = np.array(((PAD_SIZE - box.width) * right, (PAD_SIZE - box.height) * down))
        return _moved(drawn, lambda points: points + (goal - (box.x, box.y)))

    return change


def turned(degrees: float) -> Change:
    """Turn the drawing clockwise round the middle of its ink."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return _mapped(np.array(((cos, -sin), (sin, cos))))


def sheared(share: float) -> Change:
    """Slant the drawing: what lies above its middle goes right by that share of its height above it."""
    return _mapped(np.array(((1.0, -share), (0.0, 1.0))))


def with_pen(factor: float) -> Change:
    """Draw with a pen that many times as wide."""

    def change(drawing: Drawing, generator: np.random.Generator) -> Drawing:
        return _with_strokes(drawing, [Stroke(each.points, each.width * factor) for each in drawing.strokes])

    return change


def thinned(step: int) -> Change:
    """Keep every so-many-th point of each stroke, as a fast mouse does; the first and the last one always."""

    def change(drawing: Drawing, generator: np.random.Generator) -> Drawing:
        strokes = []
        for each in drawing.strokes:
            is_kept = np.arange(len(each.points)) % step == 0
            is_kept[-1] = True
            strokes.append(Stroke(_read_only(each.points[is_kept]), each.width))
        return _with_strokes(drawing, strokes)

    return change


def shaken(share: float) -> Change:
    """Move each point at random, normally distributed with that share of the ink's longer side."""

    def change(drawing: Drawing, generator: np.random.Generator) -> Drawing:
        box = _box(drawing)
        sigma = share * max(box.width, box.height)
        return _moved(drawing, lambda points: points + generator.normal(0.0, sigma, points.shape))

    return change


def interrupted(drawing: Drawing, generator: np.random.Generator) -> Drawing:
    """Leave out a tenth of the line, at a random place, as a pen that loses touch; it may begin and end in strokes."""
    lengths = [_lengths(each.points) for each in drawing.strokes]
    total = sum(float(each[-1]) for each in lengths)
    begin = generator.uniform(0.0, 1.0 - GAP_SHARE) * total
    end = begin + GAP_SHARE * total
    strokes, passed = [], 0.0
    for stroke, along in zip(drawing.strokes, lengths, strict=True):
        length = float(along[-1])
        if length == 0 or passed + length <= begin or passed >= end:  # a dot has nothing to leave out
            strokes.append(stroke)
        else:
            if passed < begin:
                strokes.append(_part(stroke, along, 0.0, begin - passed))
            if end < passed + length:
                strokes.append(_part(stroke, along, end - passed, length))
        passed += length
    return _with_strokes(drawing, strokes)


def _box(drawing: Drawing) -> Box:
    box = ink_box(drawing.strokes, None)
    assert box is not None  # strokes have points, and coordinates of drawings are finite
    return box


def _mapped(matrix: Points) -> Change:
    """Map the plane linearly (2, 2), x and y in columns, round the middle of the ink."""

    def change(drawing: Drawing, generator: np.random.Generator) -> Drawing:
        box = _box(drawing)
        middle = np.array((box.x + box.width / 2, box.y + box.height / 2))
        return _moved(drawing, lambda points: (points - middle) @ matrix.T + middle)

    return change


def _moved(drawing: Drawing, move: Callable[[Points], Points]) -> Drawing:
    """Move the points, x and y (n, 2), of each stroke."""
    strokes = []
    for each in drawing.strokes:
        points = each.points.copy()
        points[:, :2] = move(points[:, :2])
        strokes.append(Stroke(_read_only(points), each.width))
    return _with_strokes(drawing, strokes)


def _lengths(points: Points) -> Points:
    """Give the length of the line up to each point, (n,)."""
    steps = np.hypot(*np.diff(points[:, :2], axis=0).T)
    return np.concatenate(((0.0,), np.cumsum(steps)))


def _part(stroke: Stroke, along: Points, begin: float, end: float) -> Stroke:
    """Cut a stroke out between two lengths of its line; time and pressure are interpolated as places are."""
    inner = along[(along > begin) & (along < end)]
    places = np.concatenate(((begin,), inner, (end,)))
    columns = [np.interp(places, along, column) for column in stroke.points.T]
    return Stroke(_read_only(np.column_stack(columns)), stroke.width)


def _with_strokes(drawing: Drawing, strokes: list[Stroke]) -> Drawing:
    return dataclasses.replace(drawing, strokes=tuple(strokes))


def _read_only(points: Points) -> Points:
    points.flags.writeable = False
    return points


CONDITIONS = (
    Condition("as they are", as_it_is),
    Condition("size 25 %", resized(0.25)),
    Condition("size 50 %, centre", resized(0.5)),
    Condition("size 75 %", resized(0.75)),
    Condition("size 100 %", resized(1.0)),
    Condition("size 50 %, upper left", resized(0.5, 0, 0)),
    Condition("size 50 %, upper right", resized(0.5, 1, 0)),
    Condition("size 50 %, lower left", resized(0.5, 0, 1)),
    Condition("size 50 %, lower right", resized(0.5, 1, 1)),
    Condition("turned 20° left", turned(-20)),
    Condition("turned 10° left", turned(-10)),
    Condition("turned 10° right", turned(10)),
    Condition("turned 20° right", turned(20)),
    Condition("sheared 0.4 left", sheared(-0.4)),
    Condition("sheared 0.2 left", sheared(-0.2)),
    Condition("sheared 0.2 right", sheared(0.2)),
    Condition("sheared 0.4 right", sheared(0.4)),
    Condition("pen x 0.1", with_pen(0.1)),
    Condition("pen x 0.5", with_pen(0.5)),
    Condition("pen x 2", with_pen(2)),
    Condition("pen x 3", with_pen(3)),
    Condition("every 2nd point", thinned(2)),
    Condition("every 3rd point", thinned(3)),
    Condition("jitter 1 %", shaken(0.01)),
    Condition("jitter 2 %", shaken(0.02)),
    Condition("gap of 10 %", interrupted),
)
