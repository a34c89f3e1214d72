"""Cutting strokes where the eraser passes: plain geometry, no Qt."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from training.facts import Box
from training.strokes import Stroke

FloatArray = npt.NDArray[np.float64]
Point = tuple[float, float]

TOUCH = 1e-6  # pad units a point may lie inside before it counts: its own cut lies on the edge, give or take a rounding
SHORTEST_CUT = 1e-4  # pad units of line the eraser must cover to cut a segment whose ends lie outside

_bounds: WeakKeyDictionary[Stroke, Box] = WeakKeyDictionary()


class Capsule(NamedTuple):
    """All places nearer than `reach` to the line from `start` to `end`: where a disc passes on its way."""

    start: Point
    end: Point
    reach: float


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
    kept: list[Stroke] = []
    is_changed = False
    for stroke in strokes:
        reach = radius + stroke.width / 2
        pieces: tuple[Stroke, ...] | None = None
        if boxes_meet(stroke_bounds(stroke), way, reach):
            pieces = _cut(stroke, Capsule(start, end, reach))
        if pieces is None:
            kept.append(stroke)
        else:
            kept.extend(pieces)
            is_changed = True
    return tuple(kept) if is_changed else strokes


def distances(places: FloatArray, capsule: Capsule) -> FloatArray:
    """Give the distance of each place, (n, 2), to the middle line of the capsule: (n,)."""
    start, way = np.array(capsule.start), np.subtract(capsule.end, capsule.start)
    length_squared = float(way @ way)
    offsets = places - start  # (n, 2)
    if length_squared > 0:
        shares = np.clip(offsets @ way / length_squared, 0.0, 1.0)  # (n,)
        offsets = offsets - shares[:, None] * way  # (n, 2)
    gaps: FloatArray = np.hypot(offsets[:, 0], offsets[:, 1])
    return gaps


def covered_spans(places: FloatArray, capsule: Capsule) -> tuple[FloatArray, FloatArray]:
    """Give where the capsule covers each segment of a polyline, (n, 2), as two arrays (n - 1,) of shares of its length.

    A capsule is convex, so it covers one span, low to high; low > high where it covers none. The span is the hull of
    those of its two discs and of the rectangle between them.
    """
    first, steps = places[:-1], np.diff(places, axis=0)  # (n - 1, 2) each
    discs = [_disc_spans(first, steps, centre, capsule.reach) for centre in {capsule.start, capsule.end}]
    spans = discs if len(discs) == 1 else [*discs, _rectangle_spans(first, steps, capsule)]
    low = np.min([each[0] for each in spans], axis=0)  # (n - 1,)
    high = np.max([each[1] for each in spans], axis=0)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def _disc_spans(first: FloatArray, steps: FloatArray, centre: Point, reach: float) -> tuple[FloatArray, FloatArray]:
    """Solve |first + t * step - centre| = reach for each segment; (inf, -inf) where the disc isn't met."""
    offsets = first - np.array(centre)  # (n, 2)
    a = np.einsum("ij,ij->i", steps, steps)  # (n,)
    half_b = np.einsum("ij,ij->i", steps, offsets)
    c = np.einsum("ij,ij->i", offsets, offsets) - reach * reach
    discriminant = half_b * half_b - a * c
    is_met = (discriminant > 0) & (a > 0)
    root = np.sqrt(np.where(is_met, discriminant, 0.0))
    divisor = np.where(is_met, a, 1.0)
    return (
        np.where(is_met, (-half_b - root) / divisor, np.inf),
        np.where(is_met, (-half_b + root) / divisor, -np.inf),
    )


def _rectangle_spans(first: FloatArray, steps: FloatArray, capsule: Capsule) -> tuple[FloatArray, FloatArray]:
    """Find where each segment runs between the two discs of the capsule; (inf, -inf) where it doesn't."""
    way = np.subtract(capsule.end, capsule.start)
    length = float(np.hypot(way[0], way[1]))
    along = way / length
    across = np.array((-along[1], along[0]))
    offsets = first - np.array(capsule.start)
    low_1, high_1 = _slab_spans(offsets @ along, steps @ along, 0.0, length)
    low_2, high_2 = _slab_spans(offsets @ across, steps @ across, -capsule.reach, capsule.reach)
    low, high = np.maximum(low_1, low_2), np.minimum(high_1, high_2)
    is_met = low < high
    return np.where(is_met, low, np.inf), np.where(is_met, high, -np.inf)


def _slab_spans(places: FloatArray, speeds: FloatArray, least: float, most: float) -> tuple[FloatArray, FloatArray]:
    """Find for which t `places + t * speeds` lies between `least` and `most`."""
    is_moving = speeds != 0
    divisor = np.where(is_moving, speeds, 1.0)
    enter, leave = (least - places) / divisor, (most - places) / divisor
    is_between = (least <= places) & (places <= most)
    low = np.where(is_moving, np.minimum(enter, leave), np.where(is_between, -np.inf, np.inf))
    high = np.where(is_moving, np.maximum(enter, leave), np.where(is_between, np.inf, -np.inf))
    return low, high


def _cut(stroke: Stroke, capsule: Capsule) -> tuple[Stroke, ...] | None:
    """Give the pieces of a stroke that lie outside the capsule, or None if the capsule doesn't meet it."""
    places = stroke.points[:, :2]
    is_inside = distances(places, capsule) < capsule.reach - TOUCH  # (n,)
    low, high = covered_spans(places, capsule)  # (n - 1,) each
    lengths = np.hypot(*np.diff(places, axis=0).T)
    is_cut = (np.maximum(high - low, 0.0) * lengths > SHORTEST_CUT) | is_inside[:-1] | is_inside[1:]  # (n - 1,)
    if not is_cut.any() and not is_inside.any():
        return None
    return tuple(
        Stroke(_piece(stroke.points, first, last, low, high, is_cut), stroke.width)
        for first, last in _outside_runs(is_inside, is_cut)
    )


def _outside_runs(is_inside: npt.NDArray[np.bool_], is_cut: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Give first and last index of each run of points that lie outside, with no cut between them.

    Every piece that remains holds such a point, because a segment is covered in one span.
    """
    is_outside = ~is_inside
    begins = is_outside & np.concatenate(([True], is_cut))
    ends = is_outside & np.concatenate((is_cut, [True]))
    return list(zip(np.flatnonzero(begins).tolist(), np.flatnonzero(ends).tolist(), strict=True))


def _piece(
    points: FloatArray, first: int, last: int, low: FloatArray, high: FloatArray, is_cut: npt.NDArray[np.bool_]
) -> FloatArray:
    """Give the points from `first` to `last`, and the cut points before and after them."""
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
