"""What hands, pens and slow machines do to a drawing: pure changes of its strokes.

The box is the smallest rectangle round all points, line widths left out. Lengths are in the drawing's own units.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from training.strokes import Drawing, Stroke

Points = npt.NDArray[np.float64]


def turned(drawing: Drawing, degrees: float) -> Drawing:
    """Turn a drawing clockwise about the middle of its box."""
    angle = math.radians(degrees)
    return mapped(drawing, np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]))


def sheared(drawing: Drawing, shear: float) -> Drawing:
    """Slant a drawing: what is one unit higher goes `shear` units to the right."""
    return mapped(drawing, np.array([[1.0, -shear], [0.0, 1.0]]))


def mapped(drawing: Drawing, matrix: Points) -> Drawing:
    """Map all points by a matrix (2, 2), about the middle of the box."""
    low, high = box(drawing)
    middle = (low + high) / 2
    return _with_places(drawing, lambda places: (places - middle) @ matrix.T + middle)


def moved(drawing: Drawing, right: float, down: float) -> Drawing:
    """Move a drawing as a whole."""
    return _with_places(drawing, lambda places: places + np.array([right, down]))


def thinned(drawing: Drawing, keep_every: int) -> Drawing:
    """Keep every n-th point of each stroke, and its last: the pen was faster than the machine."""
    return _with_points(drawing, lambda points: points[sorted({*range(0, len(points), keep_every), len(points) - 1})])


def jittered(drawing: Drawing, sigma: float, generator: np.random.Generator) -> Drawing:
    """Move every point by a normal draw with that standard deviation, in both directions."""
    return _with_places(drawing, lambda places: places + generator.normal(0, sigma, places.shape))


def with_gap(drawing: Drawing, share: float, generator: np.random.Generator) -> Drawing:
    """Leave out a share of the whole length, all in one place: the pen lost touch. Strokes are cut there."""
    lengths = [_lengths(each.points) for each in drawing.strokes]
    total = sum(float(each[-1]) for each in lengths)
    begin = generator.uniform(0, (1 - share) * total)
    end = begin + share * total
    kept: list[Stroke] = []
    before = 0.0
    for stroke, along in zip(drawing.strokes, lengths, strict=True):
        parts = [(0.0, begin - before), (end - before, float(along[-1]))]
        if along[-1] == 0 or begin - before >= along[-1] or end - before <= 0:
            kept.append(stroke)
        else:
            kept += [Stroke(_part(stroke.points, along, low, high), stroke.width) for low, high in parts if low < high]
        before += float(along[-1])
    return _with_strokes(drawing, kept)


def box(drawing: Drawing) -> tuple[Points, Points]:
    """Give the corners (2,) of the smallest rectangle round all points; the drawing has at least one."""
    places = np.concatenate([each.points[:, :2] for each in drawing.strokes])
    return places.min(axis=0), places.max(axis=0)


def _lengths(points: Points) -> Points:
    """Give how long the line is up to each point, (n,)."""
    steps = np.hypot(*np.diff(points[:, :2], axis=0).T)
    return np.concatenate([[0.0], np.cumsum(steps)])


def _part(points: Points, along: Points, low: float, high: float) -> Points:
    """Give the part of a line between two places along it, its ends put in where no point is."""
    inner = points[(along > low) & (along < high)]
    ends = [[np.interp(place, along, column) for column in points.T] for place in (low, high)]
    return np.concatenate([[ends[0]], inner, [ends[1]]])


def _with_places(drawing: Drawing, change: Callable[[Points], Points]) -> Drawing:
    """Change x and y (n, 2) of each stroke; times and pressures stay."""
    return _with_points(drawing, lambda points: np.column_stack([change(points[:, :2]), points[:, 2:]]))


def _with_points(drawing: Drawing, change: Callable[[Points], Points]) -> Drawing:
    return _with_strokes(drawing, [Stroke(change(each.points), each.width) for each in drawing.strokes])


def _with_strokes(drawing: Drawing, strokes: Sequence[Stroke]) -> Drawing:
    for each in strokes:
        each.points.flags.writeable = False
    return dataclasses.replace(drawing, strokes=tuple(strokes))
