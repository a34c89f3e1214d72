"""Which strokes make which digit of a number."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.digits import KEPT_OUT, num_split, share_split_rightly
from training.digits import split_digits
from training.ink import DOT_SIDE
from training.strokes import Stroke, read_drawings

SHARED_STROKES = Path(__file__).parents[2] / "shared/data/strokes/pendigits-train.jsonl.gz"


def line(*points: tuple[float, float]) -> Stroke:
    return Stroke(np.array(points, dtype=np.float64))


ONE = line((300, 50), (300, 250))
BODY_OF_5 = line((60, 60), (60, 150), (120, 200), (60, 250))
BAR_OF_5 = line((85, 50), (150, 52))
OPEN_4 = line((60, 50), (40, 150), (130, 150))
LEG_OF_4 = line((150, 130), (140, 250))


def test_nothing_makes_no_digit_and_a_stroke_makes_one() -> None:
    assert split_digits(()) == ()
    assert split_digits((ONE,)) == ((ONE,),)


def test_digits_come_from_left_to_right_and_their_strokes_as_they_were_drawn() -> None:
    assert split_digits((ONE, BODY_OF_5, BAR_OF_5)) == ((BODY_OF_5, BAR_OF_5), (ONE,))
    assert split_digits((BAR_OF_5, ONE, BODY_OF_5)) == ((BAR_OF_5, BODY_OF_5), (ONE,))


@pytest.mark.parametrize("strokes", [(BODY_OF_5, BAR_OF_5), (OPEN_4, LEG_OF_4), (LEG_OF_4, OPEN_4)], ids=str)
def test_a_bar_and_a_leg_belong_to_their_digit(strokes: tuple[Stroke, ...]) -> None:
    assert split_digits(strokes) == (strokes,)


def test_two_ones_are_two_digits_and_a_cross_is_one() -> None:
    another = line((340, 60), (340, 240))
    assert split_digits((another, ONE)) == ((ONE,), (another,))
    across = line((280, 150), (350, 150))
    assert split_digits((another, ONE, across)) == ((another, ONE, across),)


def test_a_dot_belongs_to_the_digit_that_it_is_close_to_and_else_to_none() -> None:
    near, far = line((320, 250), (324, 252)), line((200, 250), (204, 252))
    assert split_digits((near, ONE, BODY_OF_5)) == ((BODY_OF_5,), (near, ONE))
    assert split_digits((far, ONE, BODY_OF_5)) == ((BODY_OF_5,), (ONE,))
    assert split_digits((far, near)) == ((far, near),)  # there is nothing else


def test_a_digit_is_one_however_small_it_is_beside_others() -> None:
    small = [line((x, 200), (x + 12, 200), (x + 6, 220)) for x in (40, 80, 120)]
    assert split_digits((ONE, *small)) == (*((each,) for each in small), (ONE,))
    assert split_digits(small) == tuple((each,) for each in small)


def test_lines_that_touch_are_one_digit_however_far_apart_their_middles_are() -> None:
    retraced = line((315, 55), (315, 245))
    assert split_digits((ONE, retraced)) == ((ONE, retraced),)
    thin = tuple(Stroke(each.points, width=4.0) for each in (ONE, retraced))
    assert split_digits(thin) == ((thin[0],), (thin[1],))


_POINTS = st.lists(st.tuples(*[st.floats(-500, 900)] * 2), min_size=1, max_size=4)


@given(st.lists(_POINTS, max_size=8))
def test_every_stroke_but_a_dot_is_in_one_digit_in_whatever_order_they_came(
    lines: list[list[tuple[float, float]]],
) -> None:
    strokes = tuple(line(*points) for points in lines)
    digits = split_digits(strokes)
    shared_out = [stroke for digit in digits for stroke in digit]
    assert len(shared_out) == len(set(shared_out))
    left_out = set(strokes) - set(shared_out)
    assert all(np.ptp(stroke.points, axis=0).max() <= DOT_SIDE / 2 for stroke in left_out)
    assert bool(digits) == bool(strokes)
    lefts = [min(float(stroke.points[:, 0].min()) for stroke in digit) for digit in digits]
    assert lefts == sorted(lefts)
    backwards = split_digits(strokes[::-1])
    assert [set(digit) for digit in backwards] == [set(digit) for digit in digits]


def test_peoples_digits_are_not_taken_apart_and_their_numbers_are() -> None:
    if not SHARED_STROKES.is_file():
        pytest.skip("the pen strokes of 30 writers lie beside the project only")
    by_writer = defaultdict(list)
    for each in read_drawings(SHARED_STROKES).drawings:
        by_writer[str(each.extra["writer"])].append(each)
    kept_out = [each for writer in KEPT_OUT for each in by_writer[writer]]
    assert num_split(kept_out) <= 0.002 * len(kept_out)
    for num_digits, gap, least in ((2, 0.15, 0.98), (3, 0.25, 0.99)):
        assert share_split_rightly({writer: by_writer[writer] for writer in KEPT_OUT}, num_digits, gap) >= least
