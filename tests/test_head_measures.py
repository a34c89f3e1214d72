"""What the heads do, measured, against cases worked by hand."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from tests.test_predict import read_seven, write_lively_model
from training.facts import FloatArray
from training.head_measures import HeadMeasures, measure_heads, patches_with_ink


def measures_of(attention: FloatArray, tmp_path: Path, image: FloatArray | None = None) -> HeadMeasures:
    """Measure one head of one block over a 2 x 2 grid, whose right half has ink."""
    prediction = read_seven(write_lively_model(tmp_path / "model"))
    if image is None:
        image = np.zeros((1, 32, 32), np.float32)
        image[:, :, 20:24] = 1
    return measure_heads(dataclasses.replace(prediction, attention=attention[None, None], image=image, grid=2))


def test_a_head_that_looks_at_all_alike(tmp_path: Path) -> None:
    measures = measures_of(np.full((5, 5), 0.2, np.float32), tmp_path)
    assert {name: value.shape for name, value in measures._asdict().items()} == dict.fromkeys(measures._fields, (1, 1))
    assert measures.entropy.item() == pytest.approx(np.log2(5))
    assert measures.distance.item() == pytest.approx((0 + 1 + 1 + np.sqrt(2)) / 4)
    assert measures.ink.item() == pytest.approx(0.4)
    assert measures.blank.item() == pytest.approx(0.4)
    assert measures.itself.item() == pytest.approx(0.2)
    assert measures.class_token.item() == pytest.approx(0.2)


def test_a_head_in_which_each_looks_at_itself(tmp_path: Path) -> None:
    measures = measures_of(np.eye(5, dtype=np.float32), tmp_path)
    assert measures.entropy.item() == 0
    assert measures.distance.item() == 0
    assert measures.itself.item() == 1
    assert measures.class_token.item() == pytest.approx(0.2)


def test_a_head_that_looks_across(tmp_path: Path) -> None:
    attention = np.zeros((5, 5), np.float32)
    attention[[0, 1, 2, 3, 4], [2, 4, 3, 2, 1]] = 1  # patches look at the opposite corner, the class token at patch 1
    measures = measures_of(attention, tmp_path)
    assert measures.distance.item() == pytest.approx(np.sqrt(2))
    assert measures.ink.item() == pytest.approx(3 / 5)
    assert measures.blank.item() == pytest.approx(2 / 5)
    assert measures.class_token.item() == measures.itself.item() == 0


def test_patches_that_get_nothing_are_no_trouble(tmp_path: Path) -> None:
    attention = np.zeros((5, 5), np.float32)
    attention[:, 0] = 1
    measures = measures_of(attention, tmp_path)
    assert (measures.distance.item(), measures.class_token.item()) == (0, 1)


def test_a_patch_has_ink_if_a_pixel_of_it_has() -> None:
    image = np.zeros((1, 4, 4), np.float32)
    image[0, 3, 0] = 0.2
    image[0, 0, 3] = 0.05  # too faint to be seen
    assert patches_with_ink(image, 2).tolist() == [False, False, True, False]


def test_shares_are_of_the_whole(tmp_path: Path) -> None:
    measures = measure_heads(read_seven(write_lively_model(tmp_path / "model")))
    np.testing.assert_allclose(measures.ink + measures.blank + measures.class_token, 1, atol=1e-5)
