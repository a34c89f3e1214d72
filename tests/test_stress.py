"""The conditions of real use: each does to a drawing what it says, measured by other means."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.facts import Box
from training.ink import ink_box, make_image
from training.stress import CONDITIONS, Condition
from training.strokes import PAD, Drawing, Stroke, on_pad

BY_NAME = {condition.name: condition for condition in CONDITIONS}
NAMES = list(BY_NAME)
PLACES = st.floats(0, 400).map(lambda value: round(value, 3))
LINES = st.lists(st.lists(st.tuples(PLACES, PLACES), min_size=1, max_size=12), min_size=1, max_size=4)


def drawing_of(*lines: list[tuple[float, ...]], width: float = 22.0, canvas: Box = PAD) -> Drawing:
    strokes = []
    for line in lines:
        points = np.array(line, dtype=np.float64)
        points.flags.writeable = False
        strokes.append(Stroke(points, width))
    return Drawing(strokes=tuple(strokes), canvas=canvas, label="7", extra={"writer": "ann"})


def points_of(drawing: Drawing) -> npt.NDArray[np.float64]:
    return np.concatenate([each.points for each in drawing.strokes])


def under(name: str, drawing: Drawing, number: int = 0) -> Drawing:
    return BY_NAME[name].apply_to(drawing, number)


def box_of(drawing: Drawing) -> Box:
    box = ink_box(drawing.strokes, None)
    assert box is not None
    return box


def length_of(drawing: Drawing) -> float:
    return sum(math.dist(a, b) for each in drawing.strokes for a, b in zip(each.points, each.points[1:], strict=False))


SEVEN = drawing_of([(100, 80), (220, 90), (150, 300)], [(120, 200), (200, 190)])


def test_every_condition_of_the_benchmark_is_there_once() -> None:
    assert len(set(NAMES)) == len(CONDITIONS) == 26
    starts = {"as they are": 1, "size": 8, "turned": 4, "sheared": 4, "pen": 4, "every": 2, "jitter": 2, "gap": 1}
    assert {start: sum(name.startswith(start) for name in NAMES) for start in starts} == starts


@pytest.mark.parametrize("name", NAMES)
def test_what_is_known_of_a_drawing_stays_and_the_drawing_itself_is_not_touched(name: str) -> None:
    before = points_of(SEVEN).copy()
    after = under(name, SEVEN)
    np.testing.assert_array_equal(points_of(SEVEN), before)
    assert (after.label, after.extra, after.canvas) == ("7", {"writer": "ann"}, PAD)
    assert all(not each.points.flags.writeable for each in after.strokes)
    is_same = len(points_of(after)) == len(before) and bool((points_of(after) == before).all())
    assert is_same == (name == "as they are" or name.startswith("pen"))


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_drawing_stays_empty_and_a_dot_stays_a_dot(name: str) -> None:
    assert under(name, Drawing(strokes=())).strokes == ()
    (dot,) = under(name, drawing_of([(30, 40)])).strokes
    assert dot.points.shape == (1, 2)
    assert np.isfinite(dot.points).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("length", [5e-324, 1e-310, 1e-150, 1e-100, 1e-30])
def test_a_drawing_of_almost_no_length_can_be_put_under_any_condition(name: str, length: float) -> None:
    line: list[tuple[float, ...]] = [(0.0, 0.0), (length, length), (2 * length, 0.0)]
    for canvas in (PAD, Box(0, 0, 1e9, 1e9)):
        after = under(name, drawing_of(line, width=1e-9, canvas=canvas))
        assert np.isfinite(points_of(after)).all()
        assert make_image(after.strokes, None, "like-mnist", 28, 1) is not None


def test_a_length_that_is_a_rounding_error_is_none() -> None:
    near = drawing_of([(100, 100), (np.nextafter(100, 101), 100)])
    np.testing.assert_allclose(points_of(under("size 100 %", near)), [(200, 200)] * 2)
    short = under("size 100 %", drawing_of([(100, 100), (100 + 1e-9, 100)]))
    assert length_of(short) == pytest.approx(400 - 22, rel=1e-4)


@given(LINES, st.sampled_from(NAMES), st.floats(1e-3, 1e3))
def test_any_drawing_can_be_put_under_any_condition(
    lines: list[list[tuple[float, ...]]], name: str, width: float
) -> None:
    after = under(name, drawing_of(*lines, width=width))
    assert len(after.strokes) >= 1
    assert all(len(each.points) and np.isfinite(each.points).all() for each in after.strokes)


def test_drawings_come_to_the_pad_first() -> None:
    small = drawing_of([(10, 8), (22, 9), (15, 30)], width=2, canvas=Box(0, 0, 40, 40))
    for name in NAMES:
        after, expected = under(name, small), under(name, on_pad(small))
        np.testing.assert_array_equal(points_of(after), points_of(expected))
        assert after.strokes[0].width == expected.strokes[0].width
    assert under("as they are", small).strokes[0].width == 20


@pytest.mark.parametrize(
    ("name", "left", "top", "right", "bottom"),
    [
        # The skeleton is 120 wide and 220 high; with the pen's 22 the ink is as high as said, and less wide.
        ("size 25 %", None, 150, None, 250),
        ("size 50 %, centre", None, 100, None, 300),
        ("size 75 %", None, 50, None, 350),
        ("size 100 %", None, 0, None, 400),
        ("size 50 %, upper left", 0, 0, None, 200),
        ("size 50 %, upper right", None, 0, 400, 200),
        ("size 50 %, lower left", 0, 200, None, 400),
        ("size 50 %, lower right", None, 200, 400, 400),
    ],
)
def test_sizes_and_places(name: str, left: float | None, top: float, right: float | None, bottom: float | None) -> None:
    after = under(name, SEVEN)
    x, y, width, height = box_of(after)
    assert (y, y + height) == pytest.approx((top, bottom))
    assert (width - 22) / (height - 22) == pytest.approx(120 / 220)
    if left is not None:
        assert x == pytest.approx(left)
    elif right is not None:
        assert x + width == pytest.approx(right)
    else:
        assert x + width / 2 == pytest.approx(200)
    assert {each.width for each in after.strokes} == {22}


def test_a_wide_drawing_is_sized_by_its_width() -> None:
    x, y, width, height = box_of(under("size 75 %", drawing_of([(0, 0), (100, 10)], width=10)))
    assert (x, width) == pytest.approx((50, 300))
    assert (y, height) == pytest.approx((200 - 39 / 2, 39))  # 290 / 100 * 10 and the pen


def test_a_pen_as_wide_as_the_drawing_leaves_room_to_draw() -> None:
    after = under("size 25 %", drawing_of([(0, 0), (0, 50)], width=150))
    assert length_of(after) == pytest.approx(50)


@pytest.mark.parametrize(
    ("name", "degrees"),
    [("turned 20° left", -20), ("turned 10° left", -10), ("turned 10° right", 10), ("turned 20° right", 20)],
)
def test_turns(name: str, degrees: float) -> None:
    after = under(name, drawing_of([(200, 300), (200, 100)], [(150, 200), (250, 200)]))
    (x0, y0), (x1, y1) = after.strokes[0].points
    # Clockwise from straight up, as a clock's hand; y grows downward.
    assert math.degrees(math.atan2(x1 - x0, y0 - y1)) == pytest.approx(degrees)
    assert ((x0 + x1) / 2, (y0 + y1) / 2) == pytest.approx((200, 200))
    assert length_of(after) == pytest.approx(300)
    across = after.strokes[1].points[1] - after.strokes[1].points[0]
    assert np.dot(across, (x1 - x0, y1 - y0)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "top_x"),
    [
        ("sheared 0.4 left", 160),
        ("sheared 0.2 left", 180),
        ("sheared 0.2 right", 220),
        ("sheared 0.4 right", 240),
    ],
)
def test_shears(name: str, top_x: float) -> None:
    after = under(name, drawing_of([(200, 100), (200, 300)], [(150, 200), (250, 200)]))
    np.testing.assert_allclose(after.strokes[0].points, [(top_x, 100), (400 - top_x, 300)])
    np.testing.assert_allclose(after.strokes[1].points, [(150, 200), (250, 200)])


@pytest.mark.parametrize(("name", "width"), [("pen x 0.1", 2.2), ("pen x 0.5", 11), ("pen x 2", 44), ("pen x 3", 66)])
def test_pen_widths(name: str, width: float) -> None:
    assert [each.width for each in under(name, SEVEN).strokes] == pytest.approx([width, width])


@pytest.mark.parametrize(
    ("name", "count", "kept"),
    [
        ("every 2nd point", 7, [0, 2, 4, 6]),
        ("every 2nd point", 6, [0, 2, 4, 5]),
        ("every 3rd point", 7, [0, 3, 6]),
        ("every 3rd point", 6, [0, 3, 5]),
        ("every 3rd point", 2, [0, 1]),
        ("every 3rd point", 1, [0]),
    ],
)
def test_fewer_points(name: str, count: int, kept: list[int]) -> None:
    line: list[tuple[float, ...]] = [(10.0 * place, 5.0 * place, 8.0 * place, 0.5) for place in range(count)]
    after = under(name, drawing_of([(1, 2, 0, 1)], line))
    np.testing.assert_array_equal(after.strokes[1].points, np.array(line)[kept])
    assert len(after.strokes[0].points) == 1


@pytest.mark.parametrize(("name", "share"), [("jitter 1 %", 0.01), ("jitter 2 %", 0.02)])
def test_jitter_is_normal_in_each_direction(name: str, share: float) -> None:
    # 200 wide and, with the pen, 220 long: sigma is a share of that. Time and pressure stay.
    turn = np.linspace(0, 2 * np.pi, 20_000)
    line = np.column_stack((200 + 100 * np.cos(turn), 200 + 50 * np.sin(turn), turn, np.ones_like(turn)))
    before = Drawing(strokes=(Stroke(line, 20.0),))
    moved = points_of(under(name, before)) - line
    assert not moved[:, 2:].any()
    for column in moved[:, :2].T:
        assert column.mean() == pytest.approx(0, abs=0.05 * 220 * share)
        assert column.std() == pytest.approx(220 * share, rel=0.03)
        assert (np.abs(column) < 220 * share).mean() == pytest.approx(0.6827, abs=0.015)
    assert np.corrcoef(moved[:, 0], moved[:, 1])[0, 1] == pytest.approx(0, abs=0.03)


@given(LINES, st.integers(0, 1000))
def test_a_gap_takes_a_tenth_of_the_line_and_nothing_else(lines: list[list[tuple[float, ...]]], number: int) -> None:
    before = drawing_of(*lines)
    after = under("gap of 10 %", before, number)
    assert length_of(after) == pytest.approx(0.9 * length_of(before), abs=1e-6)
    assert len(after.strokes) <= len(before.strokes) + 1
    old = {tuple(point) for point in points_of(before).tolist()}
    new = [tuple(point) for point in points_of(after).tolist() if tuple(point) not in old]
    assert len(new) <= 2  # where the pen loses touch, and where it finds it again


def test_a_gap_cuts_a_stroke_in_two_and_lies_anywhere_in_it() -> None:
    line = drawing_of([(0, 100, 0, 0.2), (400, 100, 800, 1.0)])
    begins = []
    for number in range(300):
        first, second = under("gap of 10 %", line, number).strokes
        begin, end = first.points[-1], second.points[0]
        assert end[0] - begin[0] == pytest.approx(40)
        np.testing.assert_allclose(begin, (begin[0], 100, 2 * begin[0], 0.2 + 0.002 * begin[0]))  # between the two
        begins.append(begin[0])
    assert min(begins) < 15
    assert max(begins) > 345
    assert np.mean(begins) == pytest.approx(180, abs=15)


def test_a_gap_may_go_from_one_stroke_into_the_next() -> None:
    two = drawing_of([(0, 0), (200, 0)], [(0, 300), (200, 300)])
    pairs = [under("gap of 10 %", two, number).strokes for number in range(200)]
    across = [pair for pair in pairs if len(pair) == 2 and pair[0].points[-1, 0] < 200 and pair[1].points[0, 0] > 0]
    assert across
    for first, second in across:
        assert 200 - first.points[-1, 0] + second.points[0, 0] == pytest.approx(40)


def test_a_dot_that_a_gap_passes_over_stays() -> None:
    dotted = drawing_of([(0, 0), (200, 0)], [(300, 300)], [(0, 300), (200, 300)])
    for number in range(200):
        dots = [each for each in under("gap of 10 %", dotted, number).strokes if len(each.points) == 1]
        assert [dot.points.tolist() for dot in dots] == [[[300, 300]]]


RANDOM = ["jitter 1 %", "jitter 2 %", "gap of 10 %"]


@pytest.mark.parametrize("name", RANDOM)
def test_what_is_random_depends_on_condition_and_number_alone(name: str) -> None:
    alone = points_of(under(name, SEVEN, 3))
    in_a_row = [points_of(each) for each in BY_NAME[name].apply([SEVEN] * 5)]
    np.testing.assert_array_equal(in_a_row[3], alone)
    assert not any(np.array_equal(in_a_row[3], in_a_row[other]) for other in (0, 1, 2, 4))
    other_name = Condition("another", BY_NAME[name].change)
    assert not np.array_equal(points_of(other_name.apply_to(SEVEN, 3)), alone)


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("jitter 1 %", [(1.512, -1.037), (-2.05, 100.289)]),
        ("jitter 2 %", [(0.453, -1.729), (-2.964, 97.999)]),
        ("gap of 10 %", [(0.0, 0.0), (0.0, 17.728), (0.0, 27.728), (0.0, 100.0)]),
    ],
)
def test_what_is_random_stays_the_same(name: str, points: list[tuple[float, float]]) -> None:
    """Figures can only be compared while the same seed gives the same drawings."""
    after = under(name, drawing_of([(0, 0), (0, 100)]), 1)
    np.testing.assert_allclose(points_of(after), points, atol=0.001)
