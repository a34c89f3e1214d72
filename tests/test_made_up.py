"""Digits and other drawings that were made up: as many as asked, whole, different, and always the same."""

from __future__ import annotations

import numpy as np
import pytest

from training import styles
from training.checkpoint import load_checkpoint
from training.config import DIGITS
from training.curves import Line, arc, hand, smooth, transformed, warped
from training.evaluate import batches_of_drawings, evaluate
from training.ink import make_image
from training.models import find_model
from training.non_digits import make_non_digits, make_pictures
from training.strokes import Drawing, drawing_from_json, drawing_to_json
from training.styles import make_digits


def draw(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def same(one: list[Drawing], other: list[Drawing]) -> bool:
    return [drawing_to_json(each) for each in one] == [drawing_to_json(each) for each in other]


def test_a_smooth_line_goes_through_its_points_without_corners() -> None:
    points = np.array([[0.0, 0.0], [0.3, 0.4], [0.7, 0.3], [1.0, 1.0]])
    line = smooth(points)
    for point in points:
        assert np.hypot(*(line - point).T).min() < 1e-12
    steps = np.diff(line, axis=0)
    angles = np.degrees(np.unwrap(np.arctan2(steps[:, 1], steps[:, 0])))
    assert np.abs(np.diff(angles)).max() < 35  # the corner at the third point is one of 79 degrees
    np.testing.assert_array_equal(smooth(points[:2]), points[:2])


def test_an_arc_is_part_of_an_ellipse() -> None:
    quarter = arc((0.5, 0.5), (0.4, 0.2), 0, 90)
    np.testing.assert_allclose(quarter[0], (0.9, 0.5))
    np.testing.assert_allclose(quarter[-1], (0.5, 0.7))
    np.testing.assert_allclose((((quarter - 0.5) / (0.4, 0.2)) ** 2).sum(axis=1), 1)


def test_a_warp_bends_all_lines_by_one_smooth_field() -> None:
    line: Line = np.column_stack([np.linspace(0, 1, 50), np.full(50, 0.5)])
    shifts = np.concatenate([warped([line], draw(seed), 0.03)[0] - line for seed in range(200)])
    assert 0.015 < shifts.std() < 0.045
    one, other = warped([line, line[10:20]], draw(1), 0.03)
    np.testing.assert_allclose(one[10:20], other)
    assert np.abs(np.diff(one - line, axis=0)).max() < 0.02


def test_hands_turn_slant_and_narrow_within_their_limits() -> None:
    matrices = [hand(draw(seed), 10, 0.3, 0.7) for seed in range(300)]
    upright = transformed([np.array([[0.5, 0.0], [0.5, 1.0]])], matrices[0])[0]
    assert np.allclose(upright.mean(axis=0), 0.5)
    widths = [abs(float(np.linalg.det(matrix))) for matrix in matrices]
    assert min(widths) == pytest.approx(0.7, abs=0.02)
    assert max(widths) == pytest.approx(0.7**-0.5, abs=0.02)


def test_digits_come_in_turn_and_the_generator_alone_decides() -> None:
    drawings = make_digits(25, DIGITS, draw())
    assert [each.label for each in drawings] == [str(number % 10) for number in range(25)]
    assert same(drawings, make_digits(25, DIGITS, draw()))
    assert not same(drawings, make_digits(25, DIGITS, draw(1)))
    assert len({drawing_to_json(each) for each in drawings}) == 25


def test_classes_without_a_style_get_none() -> None:
    assert {each.label for each in make_digits(20, ("7", "cat", "3"), draw())} == {"7", "3"}
    assert make_digits(20, ("cat", "dog"), draw()) == []


def test_made_up_digits_are_read_as_what_they_are() -> None:
    """A model that has seen MNIST alone reads most of them; the styles that it lacks are the rest."""
    model, _ = load_checkpoint(find_model("pad-8"))
    result = evaluate(model, batches_of_drawings(make_digits(500, DIGITS, draw()), model.config, "like-mnist"))
    assert result.accuracy > 0.8
    assert min(accuracy for accuracy in result.per_class if accuracy is not None) > 0.5


@pytest.mark.parametrize("name", DIGITS)
def test_every_style_is_drawable_again_and_again(name: str) -> None:
    for style, _ in styles._STYLES[name]:
        for seed in range(200):
            lines = style(draw(seed))
            assert all(len(line) >= 2 and np.isfinite(line).all() for line in lines)
            assert np.abs(np.concatenate(lines) - 0.5).max() < 1.2


def test_non_digits_have_no_label_and_survive_the_drawing_file() -> None:
    drawings = make_non_digits(200, draw())
    assert {each.label for each in drawings} == {None}
    assert same(drawings, make_non_digits(200, draw()))
    for each in drawings:
        assert make_image(each.strokes, None, "like-mnist", 32, 1) is not None
        assert len(drawing_from_json(drawing_to_json(each)).strokes) == len(each.strokes)


def test_pictures_are_cut_up_digits_and_filled_shapes() -> None:
    digits = np.zeros((3, 1, 32, 32), np.uint8)
    digits[:, :, :16, :16] = 200  # ink in the upper left quarter alone
    pictures = make_pictures(30, 32, digits, draw())
    assert pictures.shape == (30, 1, 32, 32)
    assert pictures.dtype == np.uint8
    for jigsaw in pictures[:10, 0]:
        assert jigsaw[:16, :16].max() == 0  # what was there went elsewhere
        assert (jigsaw == 200).sum() == 16 * 16
    assert (pictures[10:] > 100).mean() > 0.1
    np.testing.assert_array_equal(pictures, make_pictures(30, 32, digits, draw()))
    assert make_pictures(0, 32, digits, draw()).shape == (0, 1, 32, 32)


def test_what_is_made_up_fills_the_image() -> None:
    for drawings in (make_digits(100, DIGITS, draw()), make_non_digits(100, draw())):
        for each in drawings:
            ink = make_image(each.strokes, None, "like-mnist", 32, 1)
            assert ink is not None
            shown = np.argwhere(ink.image[0] > 0.2)
            assert 18 <= np.ptp(shown, axis=0).max() <= 27
