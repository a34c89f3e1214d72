"""Starting a model from the weights of one with other patches, another size or other classes."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch

from tests.tiny import TINY, make_images, make_lively_model, make_model
from training.config import ModelConfig
from training.errors import UserError
from training.model import VisionTransformer
from training.transfer import resize_kernel, resize_positions, start_from

PAD_8 = ModelConfig(patch_size=8, embed_dim=16, depth=2, num_heads=2)


def started(target: ModelConfig, source: VisionTransformer) -> VisionTransformer:
    model = make_model(target, seed=9)
    start_from(model, source.state_dict(), source.config)
    return model


@pytest.mark.parametrize("patch_size", [1, 2, 4, 8, 16, 32])
def test_an_even_image_keeps_its_embedding(patch_size: int) -> None:
    source = make_lively_model(PAD_8)
    model = started(dataclasses.replace(PAD_8, patch_size=patch_size), source)
    for level in (0.0, 0.3, 1.0):
        even = torch.full((1, 1, 32, 32), level)
        before, after = source.patch_embedding(even), model.patch_embedding(even)
        torch.testing.assert_close(after, before[:, :, :1, :1].expand_as(after), atol=1e-4, rtol=0)


@pytest.mark.parametrize("patch_size", [3, 5, 6, 12])
def test_a_kernel_of_any_size_keeps_its_sum(patch_size: int) -> None:
    kernel = torch.randn(4, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    resized = resize_kernel(kernel, patch_size)
    assert resized.shape == (4, 3, patch_size, patch_size)
    torch.testing.assert_close(resized.sum(dim=(-2, -1)), kernel.sum(dim=(-2, -1)), atol=1e-4, rtol=0)


def test_a_kernel_keeps_its_shape_up_to_scale() -> None:
    ramp = torch.arange(8.0).expand(1, 1, 8, 8)  # grows to the right
    resized = resize_kernel(ramp, 4)[0, 0]
    torch.testing.assert_close(resized, resized[:1].expand(4, -1))
    assert (resized[0].diff() > 0).all()


def test_the_same_shape_gives_the_same_answers() -> None:
    source = make_lively_model(TINY)
    assert torch.equal(started(TINY, source)(make_images()), source(make_images()))


@pytest.mark.parametrize("is_distilled", [False, True])
def test_class_and_distillation_tokens_keep_their_positions(is_distilled: bool) -> None:
    source = dataclasses.replace(PAD_8, distillation=is_distilled)
    target = dataclasses.replace(source, patch_size=4)
    table = torch.randn(1, source.num_tokens, 16)
    resized = resize_positions(table, source, target)
    assert resized.shape == (1, target.num_tokens, 16)
    assert torch.equal(resized[:, 0], table[:, 0])
    if is_distilled:
        assert torch.equal(resized[:, -1], table[:, -1])


def test_positions_of_patches_are_resized_as_a_picture() -> None:
    source, target = PAD_8, dataclasses.replace(PAD_8, patch_size=4)
    table = torch.zeros(1, source.num_tokens, 2)
    rows, columns = torch.meshgrid(torch.arange(4.0), torch.arange(4.0), indexing="ij")
    table[0, 1:, 0], table[0, 1:, 1] = columns.flatten() + 0.5, rows.flatten() + 0.5
    resized = resize_positions(table, source, target)[0, 1:].reshape(8, 8, 2)
    middle = slice(2, 6)  # away from the border, where nothing has to be made up
    expected = (torch.arange(8.0) + 0.5) / 2
    torch.testing.assert_close(resized[0, middle, 0], expected[middle], atol=0.1, rtol=0)
    torch.testing.assert_close(resized[middle, 0, 1], expected[middle], atol=0.1, rtol=0)
    assert (resized[0, :, 0].diff() > 0).all()
    assert (resized[:, 0, 1].diff() > 0).all()


def test_a_larger_image_gets_a_larger_table() -> None:
    model = started(dataclasses.replace(PAD_8, image_size=64), make_lively_model(PAD_8))
    assert model(torch.rand(1, 1, 64, 64)).shape == (1, 10)


def test_fixed_positions_stay_those_of_the_new_model() -> None:
    config = dataclasses.replace(PAD_8, position="sincos")
    target = dataclasses.replace(config, patch_size=4)
    model = started(target, make_lively_model(config))
    assert torch.equal(model.position_table, make_model(target).position_table)  # type: ignore[arg-type]  # a tensor


def test_other_classes_start_with_a_classifier_of_their_own() -> None:
    source = make_lively_model(TINY)
    target = dataclasses.replace(TINY, class_names=("cat", "dog", "owl"))
    model, untouched = started(target, source), make_model(target, seed=9)
    assert torch.equal(model.classifier.weight, untouched.classifier.weight)
    assert torch.equal(model.inspect(make_images()).features, source.inspect(make_images()).features)


@pytest.mark.parametrize(
    "difference",
    [
        {"embed_dim": 32},
        {"depth": 3},
        {"num_heads": 4},
        {"mlp_ratio": 2.0},
        {"in_channels": 3},
        {"position": "none"},
        {"distillation": True},
        {"residual": False},
    ],
    ids=lambda difference: next(iter(difference)),
)
def test_any_other_difference_is_a_sentence(difference: dict[str, Any]) -> None:
    source, name = make_model(TINY), next(iter(difference))
    with pytest.raises(
        UserError, match=f"The model to start from has {name} .*only patch size, image size and classes"
    ):
        started(dataclasses.replace(TINY, **difference), source)
