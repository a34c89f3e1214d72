"""What hands and slow machines do to a drawing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.distort import box, jittered, mapped, moved, sheared, thinned, turned, with_gap
from training.strokes import Drawing, Stroke

CORNER = Drawing(
    strokes=(
        Stroke(np.array([[100.0, 100.0], [100.0, 300.0], [200.0, 300.0]]), 15.0),
        Stroke(np.array([[150.0, 100.0, 5.0, 0.5], [200.0, 200.0, 9.0, 1.0]])),
    ),
    label="4",
    extra={"writer": "w"},
)
MIDDLE = np.array([150.0, 200.0])


def places(drawing: Drawing) -> np.ndarray:
    return np.concatenate([each.points[:, :2] for each in drawing.strokes])


def length(drawing: Drawing) -> float:
    return sum(float(np.hypot(*np.diff(each.points[:, :2], axis=0).T).sum()) for each in drawing.strokes)


@pytest.mark.parametrize("degrees", [-20.0, 10.0, 90.0])
def test_a_turn_is_clockwise_about_the_middle_of_the_box(degrees: float) -> None:
    before, after = places(CORNER) - MIDDLE, places(turned(CORNER, degrees)) - MIDDLE
    # y grows downward: seen on the screen, clockwise is from right to below.
    angles = np.degrees(np.arctan2(after[:, 1], after[:, 0]) - np.arctan2(before[:, 1], before[:, 0]))
    np.testing.assert_allclose((angles - degrees + 180) % 360 - 180, 0, atol=1e-9)
    np.testing.assert_allclose(np.hypot(*after.T), np.hypot(*before.T))


def test_a_shear_moves_what_is_higher_to_the_right() -> None:
    after = places(sheared(CORNER, 0.4))
    np.testing.assert_allclose(after[0], (100 + 0.4 * 100, 100))
    np.testing.assert_allclose(after[1], (100 - 0.4 * 100, 300))


def test_all_but_places_is_kept() -> None:
    for changed in (turned(CORNER, 5), thinned(CORNER, 2), jittered(CORNER, 2.0, np.random.default_rng(0))):
        assert (changed.label, changed.extra, changed.canvas) == (CORNER.label, CORNER.extra, CORNER.canvas)
        assert [each.width for each in changed.strokes] == [15.0, 22.0]
        np.testing.assert_array_equal(changed.strokes[1].points[:, 2:], CORNER.strokes[1].points[:, 2:])
        assert not any(each.points.flags.writeable for each in changed.strokes)
    assert places(CORNER)[0].tolist() == [100, 100]


def test_the_unit_matrix_changes_nothing() -> None:
    np.testing.assert_allclose(places(mapped(CORNER, np.eye(2))), places(CORNER))


@pytest.mark.parametrize(
    ("keep_every", "kept"), [(1, [0, 1, 2, 3, 4, 5, 6]), (2, [0, 2, 4, 6]), (3, [0, 3, 6]), (4, [0, 4, 6]), (9, [0, 6])]
)
def test_thinning_keeps_both_ends(keep_every: int, kept: list[int]) -> None:
    line = Stroke(np.column_stack([np.arange(7.0), np.zeros(7)]))
    dot = Stroke(np.zeros((1, 2)))
    thin = thinned(Drawing(strokes=(line, dot)), keep_every)
    assert thin.strokes[0].points[:, 0].tolist() == kept
    assert len(thin.strokes[1].points) == 1


def test_a_drawing_moves_as_a_whole() -> None:
    np.testing.assert_allclose(places(moved(CORNER, 3, -4)), places(CORNER) + np.array([3, -4]))


def test_jitter_has_its_standard_deviation_in_both_directions() -> None:
    line = Drawing(strokes=(Stroke(np.column_stack([np.linspace(0, 50, 5_000), np.linspace(0, 300, 5_000)])),))
    steps = places(jittered(line, 6.0, np.random.default_rng(0))) - places(line)
    assert steps.std(axis=0) == pytest.approx([6, 6], rel=0.05)
    assert abs(steps.mean()) < 0.2


@given(st.floats(0.01, 0.9), st.integers(0, 10_000))
def test_a_gap_takes_its_share_of_the_length_in_one_place(share: float, seed: int) -> None:
    cut = with_gap(CORNER, share, np.random.default_rng(seed))
    assert length(cut) == pytest.approx((1 - share) * length(CORNER))
    assert len(cut.strokes) <= len(CORNER.strokes) + 1
    low, high = box(cut)
    assert (low >= box(CORNER)[0] - 1e-9).all()
    assert (high <= box(CORNER)[1] + 1e-9).all()


def test_a_gap_ends_where_the_line_goes_on() -> None:
    line = Drawing(strokes=(Stroke(np.array([[0.0, 0.0, 0.0], [100.0, 0.0, 1000.0]])),))
    left, right = with_gap(line, 0.1, np.random.default_rng(3)).strokes
    assert right.points[0, 0] - left.points[-1, 0] == pytest.approx(10)
    np.testing.assert_allclose(left.points[-1, 2], 10 * left.points[-1, 0])  # the time goes with the place


def test_dots_survive_a_gap() -> None:
    dot = Drawing(strokes=(Stroke(np.array([[3.0, 4.0]])),))
    assert len(with_gap(dot, 0.1, np.random.default_rng(0)).strokes) == 1
    assert math.isclose(places(with_gap(dot, 0.1, np.random.default_rng(0)))[0, 0], 3)
