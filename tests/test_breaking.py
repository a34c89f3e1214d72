"""A drawing changed more and more, one way or several at once."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from training.breaking import RANGES, Breaking, along
from training.strokes import Stroke

STROKES = (Stroke(np.array([[100.0, 100], [200, 100], [200, 300]])), Stroke(np.array([[100.0, 300]]), width=8.0))


def points_of(breaking: Breaking) -> np.ndarray:
    return np.concatenate([each.points for each in breaking.apply(STROKES)])


BEFORE = np.concatenate([each.points for each in STROKES])


def test_nothing_is_changed_at_rest() -> None:
    assert Breaking().apply(STROKES) == STROKES
    assert Breaking(turn_degrees=30).apply(()) == ()


def test_a_quarter_turn_about_the_middle_goes_clockwise() -> None:
    turned = points_of(Breaking(turn_degrees=90))
    np.testing.assert_allclose(turned, [[250, 150], [250, 250], [50, 250], [50, 150]], atol=1e-9)


def test_size_shift_and_pen() -> None:
    np.testing.assert_allclose(points_of(Breaking(size=0.5))[0], [125, 150])
    np.testing.assert_allclose(points_of(Breaking(shift_x=10, shift_y=-20)), BEFORE + np.array([10, -20]))
    assert [each.width for each in Breaking(pen=2.0).apply(STROKES)] == [2 * each.width for each in STROKES]


def test_noise_grows_and_is_the_same_each_time() -> None:
    little, much = (points_of(Breaking(noise=sigma)) - BEFORE for sigma in (1.0, 10.0))
    np.testing.assert_allclose(much, 10 * little, atol=1e-9)
    assert 0.1 < np.abs(little).mean() < 3


@pytest.mark.parametrize("field", RANGES)
def test_a_way_goes_from_one_end_to_the_other_and_leaves_the_rest(field: str) -> None:
    start = Breaking(turn_degrees=5.0, size=0.9)
    steps = along(start, field, 5)
    values = [getattr(step, field) for step in steps]
    low, high, rest = RANGES[field]
    assert (values[0], values[-1]) == (low, high)
    assert low <= rest <= high
    assert getattr(Breaking(), field) == rest
    np.testing.assert_allclose(np.diff(values), (high - low) / 4)
    assert {dataclasses.replace(step, **{field: rest}) for step in steps} == {
        dataclasses.replace(start, **{field: rest})
    }
