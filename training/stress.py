"""What people, pens and mice do to a drawing, one thing at a time: the conditions a model is measured under.

A condition takes a drawing to the pad and changes it there. What is random in one depends on the condition and the
drawing's number alone, so that neither order nor choice of conditions matters.

Lengths in pad units, y grows downward.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from training import distort
from training.facts import Box
from training.ink import ink_box
from training.strokes import PAD_SIZE, Drawing, Stroke, line_widths, on_pad

SEED = 0
GAP_SHARE = 0.1

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
        places = np.concatenate([each.points[:, :2] for each in drawing.strokes])
        longest = float(np.ptp(places, axis=0).max())
        # What is no longer than a rounding error of its places is a dot, which has no size to bring to another one.
        is_dot = longest <= 1e-13 * max(1e-100, float(np.abs(places).max()))
        # A pen nearly as wide as the whole has no room to draw in: half of the side is always left to it.
        scale = 1.0 if is_dot else max(side - widest, side / 2) / longest
        drawn = distort.mapped(drawing, np.diag((scale, scale)))
        box = _box(drawn)
        return distort.moved(drawn, (PAD_SIZE - box.width) * right - box.x, (PAD_SIZE - box.height) * down - box.y)

    return change


def turned(degrees: float) -> Change:
    """Turn the drawing clockwise round the middle of its ink."""
    return lambda drawing, _: distort.turned(drawing, degrees)


def sheared(shear: float) -> Change:
    """Slant the drawing: what lies above its middle goes right by that share of its height above it."""
    return lambda drawing, _: distort.sheared(drawing, shear)


def with_pen(factor: float) -> Change:
    """Draw with a pen that many times as wide."""

    def change(drawing: Drawing, generator: np.random.Generator) -> Drawing:
        strokes = tuple(Stroke(each.points, each.width * factor) for each in drawing.strokes)
        return dataclasses.replace(drawing, strokes=strokes)

    return change


def thinned(keep_every: int) -> Change:
    """Keep every so-many-th point of each stroke, as a fast mouse does; the first and the last one always."""
    return lambda drawing, _: distort.thinned(drawing, keep_every)


def shaken(share: float) -> Change:
    """Move each point at random, normally distributed with that share of the ink's longer side."""

    def change(drawing: Drawing, generator: np.random.Generator) -> Drawing:
        box = _box(drawing)
        return distort.jittered(drawing, share * max(box.width, box.height), generator)

    return change


def interrupted(drawing: Drawing, generator: np.random.Generator) -> Drawing:
    """Leave out a tenth of the line, at a random place, as a pen that loses touch; it may begin and end in strokes."""
    return distort.with_gap(drawing, GAP_SHARE, generator)


def _box(drawing: Drawing) -> Box:
    box = ink_box(drawing.strokes, None)
    assert box is not None  # strokes have points, and coordinates of drawings are finite
    return box


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
