"""Which map of a prediction is looked at: of which head, asked from which token, joined how."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.predictions import make_prediction
from training.joins import rollout
from vit_pad.look import MEAN_HEAD, Look, all_maps, block_maps, heat_map


@pytest.mark.parametrize("extra_tokens", [0, 1], ids=["plain", "with a distillation token"])
def test_heat_map_is_the_class_tokens_row_over_the_patches(extra_tokens: int) -> None:
    prediction = make_prediction(grid=3, num_heads=2, depth=2, extra_tokens=extra_tokens)
    heat = heat_map(prediction, Look(block=1, head=0))
    assert heat is not None
    assert heat.shape == (3, 3)
    assert heat.dtype == np.float32
    assert heat[0, 0] == prediction.attention[1, 0, 0, 1]
    assert heat[0, 1] == prediction.attention[1, 0, 0, 2]
    assert heat[2, 2] == prediction.attention[1, 0, 0, 9]


def test_head_minus_one_is_the_mean_of_all() -> None:
    prediction = make_prediction(grid=4, num_heads=3, depth=1)
    heads = [heat_map(prediction, Look(block=0, head=head)) for head in range(3)]
    mean = heat_map(prediction, Look(block=0, head=-1))
    assert mean is not None
    np.testing.assert_allclose(mean, np.mean(np.stack([each for each in heads if each is not None]), axis=0), rtol=1e-5)
    maps = block_maps(prediction, Look(block=0))
    assert maps is not None
    np.testing.assert_array_equal(maps[0], mean)


@pytest.mark.parametrize(("block", "head"), [(2, 0), (-1, 0), (0, 3), (0, -4)])
def test_no_map_for_a_block_or_head_the_model_lacks(block: int, head: int) -> None:
    assert heat_map(make_prediction(num_heads=3, depth=2), Look(block=block, head=head)) is None


def test_no_map_for_a_model_without_attention() -> None:
    prediction = make_prediction(num_heads=0, depth=0)
    assert heat_map(prediction, Look(block=0, head=-1)) is None
    assert block_maps(prediction, Look(block=0)) is None


def test_a_patch_asks_and_is_looked_at() -> None:
    prediction = make_prediction(grid=3, num_heads=2, depth=2, extra_tokens=1)
    asked = heat_map(prediction, Look(block=1, head=1, token=5))
    looked_at = heat_map(prediction, Look(block=1, head=1, token=5, is_reversed=True))
    assert asked is not None
    assert looked_at is not None
    np.testing.assert_array_equal(asked.ravel(), prediction.attention[1, 1, 5, 1:10])
    np.testing.assert_array_equal(looked_at.ravel(), prediction.attention[1, 1, 1:10, 5])


@pytest.mark.parametrize("token", [-1, 10])
def test_no_map_for_a_token_the_model_lacks(token: int) -> None:
    assert heat_map(make_prediction(grid=3), Look(token=token)) is None


def test_heads_are_joined_patch_by_patch() -> None:
    prediction = make_prediction(grid=2, num_heads=3, depth=1)
    rows = prediction.attention[0, :, 0, 1:]
    looks = (Look(head=MEAN_HEAD), Look(way="max", head=1), Look(way="min", head=1))
    for look, expected in zip(looks, (rows.mean(0), rows.max(0), rows.min(0)), strict=True):
        heat = heat_map(prediction, look)
        assert heat is not None
        np.testing.assert_allclose(heat.ravel(), expected, rtol=1e-6)


def test_rollout_goes_up_to_the_chosen_block() -> None:
    prediction = make_prediction(grid=2, num_heads=3, depth=3)
    heat = heat_map(prediction, Look(way="rollout", block=1, head=2, token=3))
    assert heat is not None
    np.testing.assert_allclose(heat.ravel(), rollout(prediction.attention[:2])[3, 1:], rtol=1e-6)


def test_relevance_is_shared_out_among_the_patches_of_a_class() -> None:
    probabilities = np.array([0.1, 0.7, 0.2], np.float32)
    prediction = make_prediction(grid=2, class_names=("a", "b", "c"), probabilities=probabilities)
    assert heat_map(prediction, Look(way="relevance")) is None  # nobody asked for it
    relevance = np.array([[[1, 1], [2, 0]], [[3, 0], [0, 0]], [[0, 0], [0, 0]]], np.float32)
    prediction = dataclasses.replace(prediction, relevance=relevance)
    of_first, of_answer, of_last = (
        heat_map(prediction, Look(way="relevance", class_index=index)) for index in (0, None, 2)
    )
    np.testing.assert_array_equal(of_first, [[0.25, 0.25], [0.5, 0]])
    np.testing.assert_array_equal(of_answer, [[1, 0], [0, 0]])
    np.testing.assert_array_equal(of_last, np.zeros((2, 2)))
    assert heat_map(prediction, Look(way="relevance", class_index=3)) is None


def test_all_maps_are_those_of_each_head() -> None:
    prediction = make_prediction(grid=2, num_heads=3, depth=2)
    maps = all_maps(prediction, Look(token=2))
    assert maps is not None
    assert maps.shape == (2, 3, 2, 2)
    np.testing.assert_array_equal(maps[1, 2], heat_map(prediction, Look(block=1, head=2, token=2)))
    assert all_maps(make_prediction(num_heads=0, depth=0), Look()) is None
