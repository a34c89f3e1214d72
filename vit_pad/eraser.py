"""Cutting strokes where the eraser passes: plain geometry, no Qt."""

from __future__ import annotations

import itertools
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from training.facts import Box
from training.strokes import Stroke, line_widths

FloatArray = npt.NDArray[np.float64]
Point = tuple[float, float]

TOUCH = 1e-6  # pad units a point may lie inside before it counts: its own cut lies on the edge, give or take a rounding
SHORTEST_CUT = 1e-4  # pad units of line the eraser must cover to cut a segment whose ends lie outside

_bounds: WeakKeyDictionary[Stroke, Box] = WeakKeyDictionary()


def stroke_bounds(stroke: Stroke) -> Box:
    """Give the box of a stroke's points, its width left out. It is found once a stroke."""
    box = _bounds.get(stroke)
    if box is None:
        left, top = stroke.points[:, :2].min(axis=0).tolist()
        right, bottom = stroke.points[:, :2].max(axis=0).tolist()
        box = _bounds[stroke] = Box(left, top, right - left, bottom - top)
    return box


def boxes_meet(first: Box, second: Box, margin: float) -> bool:
    """Tell whether two boxes overlap once one of them is grown by `margin` on every side."""
    return (
        first.x - margin <= second.x + second.width
        and second.x - margin <= first.x + first.width
        and first.y - margin <= second.y + second.height
        and second.y - margin <= first.y + first.height
    )


def box_around(first: Box, second: Box) -> Box:
    """Give the smallest box that holds both."""
    left, top = min(first.x, second.x), min(first.y, second.y)
    right = max(first.x + first.width, second.x + second.width)
    bottom = max(first.y + first.height, second.y + second.height)
    return Box(left, top, right - left, bottom - top)


def path_box(start: Point, end: Point, margin: float = 0.0) -> Box:
    """Give the box of a straight line, grown by `margin` on every side."""
    left, right = sorted((start[0], end[0]))
    top, bottom = sorted((start[1], end[1]))
    return Box(left - margin, top - margin, right - left + 2 * margin, bottom - top + 2 * margin)


def erase(strokes: tuple[Stroke, ...], start: Point, end: Point, radius: float) -> tuple[Stroke, ...]:
    """Take away the ink that an eraser of `radius` meets on its straight way from `start` to `end`, in pad units.

    A stroke is cut where its middle line comes nearer than `radius` plus half its width, so that no ink is left under
    the eraser, round ends included. Times and pressures at the cuts lie between those of the neighbouring points.
    Strokes that aren't met are the same objects as before, and so is the tuple if none is.
    """
    way = path_box(start, end)
    near = [stroke for stroke in strokes if boxes_meet(stroke_bounds(stroke), way, radius + stroke.width / 2)]
    pieces = _cut(near, start, end, radius) if near else {}
    if not pieces:
        return strokes
    return tuple(itertools.chain.from_iterable(pieces.get(stroke, (stroke,)) for stroke in strokes))


def _cut(strokes: list[Stroke], start: Point, end: Point, radius: float) -> dict[Stroke, tuple[Stroke, ...]]:
    """Give what remains of each stroke that the eraser meets.

    The points of all strokes, N, are looked at as one line: numpy takes as long for two hundred points as for ten. What
    lies between the last point of a stroke and the first of the next counts for nothing.
    """
    sizes = [len(stroke.points) for stroke in strokes]
    reach = radius + np.concatenate([line_widths(stroke) for stroke in strokes]) / 2  # (N,)
    along, across, length = _seen_from_the_way(np.concatenate([each.points[:, :2] for each in strokes]), start, end)
    is_inside = np.hypot(along - np.clip(along, 0.0, length), across) < reach - TOUCH  # (N,)
    low, high = _covered_spans(along, across, length, np.maximum(reach[:-1], reach[1:]))  # (N - 1,) each
    covered = np.maximum(high - low, 0.0) * np.hypot(np.diff(along), np.diff(across))  # (N - 1,), pad units
    is_cut = (covered > SHORTEST_CUT) | is_inside[:-1] | is_inside[1:]  # (N - 1,)
    pieces: dict[Stroke, tuple[Stroke, ...]] = {}
    first = 0
    for stroke, size in zip(strokes, sizes, strict=True):
        points, lines = slice(first, first + size), slice(first, first + size - 1)
        first += size
        if is_inside[points].any() or is_cut[lines].any():
            pieces[stroke] = tuple(
                Stroke(_piece(stroke.points, run, low[lines], high[lines]), stroke.width)
                for run in _outside_runs(is_inside[points], is_cut[lines])
            )
    return pieces


def _seen_from_the_way(places: FloatArray, start: Point, end: Point) -> tuple[FloatArray, FloatArray, float]:
    """Give how far each place, (N, 2), lies along the way and beside it, (N,) each, and the length of the way."""
    way = np.subtract(end, start)
    length = float(np.hypot(way[0], way[1]))
    if length < SHORTEST_CUT:
        length, way = 0.0, np.array((1.0, 0.0))
    else:
        way = way / length
    offsets = places - np.array(start)  # (N, 2)
    return offsets @ way, offsets @ np.array((-way[1], way[0])), length


def _covered_spans(
    along: FloatArray, across: FloatArray, length: float, reach: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Give which part of each segment the eraser covers, as shares of it: low and high, (N - 1,), low > high for none.

    The eraser on its way covers two discs and the rectangle between them. That is convex, so it covers one span of a
    segment: the hull of the three spans.
    """
    steps = np.diff(along), np.diff(across)  # (N - 1,) each
    spans = [_disc_spans(along[:-1], across[:-1], *steps, reach)]
    if length > 0:
        spans.append(_disc_spans(along[:-1] - length, across[:-1], *steps, reach))
        low_1, high_1 = _slab_spans(along[:-1], steps[0], 0.0, length)
        low_2, high_2 = _slab_spans(across[:-1], steps[1], -reach, reach)
        low, high = np.maximum(low_1, low_2), np.minimum(high_1, high_2)
        spans.append((np.where(low < high, low, np.inf), np.where(low < high, high, -np.inf)))
    lows, highs = zip(*spans, strict=True)
    return np.maximum(np.min(lows, axis=0), 0.0), np.minimum(np.max(highs, axis=0), 1.0)


def _disc_spans(
    x: FloatArray, y: FloatArray, step_x: FloatArray, step_y: FloatArray, reach: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Solve |(x, y) + t * step| = reach for t: low and high, or (inf, -inf) where the disc round 0 isn't met."""
    a = step_x * step_x + step_y * step_y
    half_b = x * step_x + y * step_y
    discriminant = half_b * half_b - a * (x * x + y * y - reach * reach)
    is_met = (discriminant > 0) & (a > 0)
    root = np.sqrt(np.where(is_met, discriminant, 0.0))
    divisor = np.where(is_met, a, 1.0)
    return (
        np.where(is_met, (-half_b - root) / divisor, np.inf),
        np.where(is_met, (-half_b + root) / divisor, -np.inf),
    )


def _slab_spans(
    place: FloatArray, step: FloatArray, least: FloatArray | float, most: FloatArray | float
) -> tuple[FloatArray, FloatArray]:
    """Find for which t `place + t * step` lies between `least` and `most`."""
    is_moving = step != 0
    divisor = np.where(is_moving, step, 1.0)
    enter, leave = (least - place) / divisor, (most - place) / divisor
    is_between = (least <= place) & (place <= most)
    low = np.where(is_moving, np.minimum(enter, leave), np.where(is_between, -np.inf, np.inf))
    high = np.where(is_moving, np.maximum(enter, leave), np.where(is_between, np.inf, -np.inf))
    return low, high


def _outside_runs(is_inside: npt.NDArray[np.bool_], is_cut: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Give first and last index of each run of a stroke's points that lie outside, with no cut between them.

    Every piece that remains holds such a point, because a segment is covered in one span.
    """
    begins = ~is_inside
    ends = begins.copy()
    begins[1:] &= is_cut
    ends[:-1] &= is_cut
    return list(zip(begins.nonzero()[0].tolist(), ends.nonzero()[0].tolist(), strict=True))


def _piece(points: FloatArray, run: tuple[int, int], low: FloatArray, high: FloatArray) -> FloatArray:
    """Give the points of a run, and the cut points before and after them."""
    first, last = run
    parts = [points[first : last + 1]]
    if first > 0 and 0.0 <= high[first - 1] < 1.0:
        parts.insert(0, _between(points, first - 1, float(high[first - 1])))
    if last < len(points) - 1 and 0.0 < low[last] <= 1.0:
        parts.append(_between(points, last, float(low[last])))
    piece = np.concatenate(parts)
    piece.flags.writeable = False
    return piece


def _between(points: FloatArray, index: int, share: float) -> FloatArray:
    """Give the point at a share of the way from one point to the next, all columns alike: (1, columns)."""
    between: FloatArray = points[index] + share * (points[index + 1] - points[index])
    return between[None]
