"""The eraser's geometry, checked against a distance worked out here in another way."""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.facts import Box
from training.strokes import Stroke, line_widths
from vit_pad.eraser import Point, boxes_meet, erase, stroke_bounds

FloatArray = npt.NDArray[np.float64]

NEAR = 1e-5  # pad units
coordinates = st.one_of(st.integers(0, 40).map(lambda n: 10.0 * n), st.floats(-50, 450))
places = st.tuples(coordinates, coordinates)


@st.composite
def drawn_strokes(draw: st.DrawFn) -> Stroke:
    """Make a stroke with 2 to 4 columns; points often fall on top of each other and on a grid."""
    columns = draw(st.integers(2, 4))
    values = [coordinates, coordinates, coordinates, st.floats(0, 1)][:columns]
    rows = draw(st.lists(st.tuples(*values), min_size=1, max_size=8))
    return stroke_of(rows, draw(st.floats(1, 40)))


def stroke_of(rows: object, width: float = 20.0) -> Stroke:
    points = np.array(rows, np.float64)
    points.flags.writeable = False
    return Stroke(points, width)


def distance(place: Point, start: Point, end: Point) -> float:
    """Give the distance of a place from a line by complex numbers, unlike the code under test."""
    p, a, way = complex(*place), complex(*start), complex(*end) - complex(*start)
    if abs(way) < 1e-150:
        return abs(p - a)
    along = ((p - a) * way.conjugate()).real / abs(way)
    return abs(p - a - way / abs(way) * min(max(along, 0.0), abs(way)))


def samples(stroke: Stroke) -> list[Point]:
    """Give places along the middle line of a stroke, its points among them."""
    corners = [(x, y) for x, y in stroke.points[:, :2].tolist()]
    between = [
        (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]))
        for a, b in itertools.pairwise(corners)
        for share in np.linspace(0, 1, 23)[1:-1].tolist()
    ]
    return corners + between


def is_on(place: Point, stroke: Stroke) -> bool:
    corners = [(x, y) for x, y in stroke.points[:, :2].tolist()]
    lines = list(itertools.pairwise(corners)) or [(corners[0], corners[0])]
    return any(distance(place, start, end) < NEAR for start, end in lines)


@given(drawn_strokes(), places, places, st.floats(1, 60))
def test_no_ink_remains_under_the_eraser(stroke: Stroke, start: Point, end: Point, radius: float) -> None:
    for piece in erase((stroke,), start, end, radius):
        widths = samples(Stroke(np.column_stack([line_widths(piece)] * 2)))
        for place, (width, _) in zip(samples(piece), widths, strict=True):
            assert distance(place, start, end) >= radius + width / 2 - NEAR


@given(drawn_strokes(), places, places, st.floats(1, 60))
def test_nothing_outside_the_eraser_is_lost(stroke: Stroke, start: Point, end: Point, radius: float) -> None:
    pieces = erase((stroke,), start, end, radius)
    for place in samples(stroke):
        if distance(place, start, end) > radius + stroke.width / 2 + NEAR:
            assert any(is_on(place, piece) for piece in pieces)


@given(drawn_strokes(), places, places, st.floats(1, 60))
def test_cuts_lie_on_the_edge_and_on_the_stroke(stroke: Stroke, start: Point, end: Point, radius: float) -> None:
    old_rows = {tuple(row) for row in stroke.points.tolist()}
    for piece in erase((stroke,), start, end, radius):
        assert piece.width == stroke.width
        assert not piece.points.flags.writeable
        rows = piece.points.tolist()
        assert all(tuple(row) in old_rows for row in rows[1:-1])
        for row in (rows[0], rows[-1]):
            if tuple(row) not in old_rows:
                gap = distance((row[0], row[1]), start, end) - radius
                assert any(gap == pytest.approx(width / 2, abs=NEAR) for width in line_widths(stroke))
                assert is_on((row[0], row[1]), stroke)


@given(st.lists(drawn_strokes(), max_size=4), places, places, st.floats(1, 60))
def test_what_was_erased_once_is_not_cut_again(strokes: list[Stroke], start: Point, end: Point, radius: float) -> None:
    once = erase(tuple(strokes), start, end, radius)
    assert erase(once, start, end, radius) is once
    assert erase(once, end, end, radius) is once


def test_a_line_is_split_in_two() -> None:
    pieces = erase((stroke_of([[0, 100], [200, 100]]),), (100, 100), (100, 100), 20)
    assert [piece.points.round(6).tolist() for piece in pieces] == [[[0, 100], [70, 100]], [[130, 100], [200, 100]]]


def test_a_zigzag_is_split_at_each_crossing() -> None:
    zigzag = stroke_of([[0, 0], [100, 0], [100, 200], [200, 200], [200, 0], [300, 0]], width=10)
    pieces = erase((zigzag,), (0, 100), (300, 100), 5)
    assert [piece.points.round(6).tolist() for piece in pieces] == [
        [[0, 0], [100, 0], [100, 90]],
        [[100, 110], [100, 200], [200, 200], [200, 110]],
        [[200, 90], [200, 0], [300, 0]],
    ]


def test_the_fast_eraser_leaves_no_ink_between_two_places() -> None:
    line = stroke_of([[100, 0], [100, 200]], width=2)
    pieces = erase((line,), (0, 100), (200, 100), 9)
    assert [piece.points.round(6).tolist() for piece in pieces] == [[[100, 0], [100, 90]], [[100, 110], [100, 200]]]


def test_time_and_pressure_are_those_between_the_neighbours() -> None:
    line = stroke_of([[0, 0, 1000, 0.2], [100, 0, 2000, 0.6]], width=10)
    first, second = erase((line,), (50, 0), (50, 0), 21.6)  # the line is 6.8 wide at its right end
    assert first.points[-1] == pytest.approx([25, 0, 1250, 0.3])
    assert second.points[0] == pytest.approx([75, 0, 1750, 0.5])


def test_a_dot_goes_whole_or_stays() -> None:
    near, far = stroke_of([[100, 100]]), stroke_of([[140.1, 100]])
    repeated = stroke_of([[100, 100], [100, 100], [100, 100]])
    assert erase((near, far, repeated), (110, 100), (110, 100), 20) == (far,)


def test_strokes_that_are_not_met_stay_the_same_objects_in_order() -> None:
    first, met, last = stroke_of([[0, 0], [50, 0]]), stroke_of([[0, 200], [400, 200]]), stroke_of([[0, 390], [50, 390]])
    strokes = (first, met, last)
    kept = erase(strokes, (200, 180), (200, 220), 10)
    assert (kept[0], kept[-1], len(kept)) == (first, last, 4)
    assert erase(strokes, (200, 100), (210, 100), 10) is strokes


def test_a_box_is_that_of_the_points() -> None:
    assert stroke_bounds(stroke_of([[3, 9], [1, 4], [2, 30]])) == Box(1, 4, 2, 26)


@pytest.mark.parametrize(("gap", "meets"), [(4.9, True), (5.1, False)])
@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_boxes_meet_within_the_margin(gap: float, meets: bool, angle: int) -> None:
    shift_x, shift_y = round(math.cos(math.radians(angle))), round(math.sin(math.radians(angle)))
    other = Box((10 + gap) * shift_x, (10 + gap) * shift_y, 10, 10)
    assert boxes_meet(Box(0, 0, 10, 10), other, 5) == meets
