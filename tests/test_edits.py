"""What is changed inside a model while it reads, against models whose weights or images were changed by hand."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, cast

import pytest
import torch
from torch import nn

from tests.test_model import every_variant
from tests.tiny import TINY, make_images, make_lively_model
from training.config import VIT_PRESETS, CnnConfig, ModelConfig
from training.edits import NO_EDITS, Edits
from training.errors import UserError
from training.model import Block, VisionTransformer
from training.network import build_network

NO_POSITIONS = dataclasses.replace(TINY, position="none")
SHUFFLED = (2, 0, 3, 1)


def neutral(config: ModelConfig) -> Edits:
    return Edits(
        head_scales=((1.0,) * config.num_heads,) * config.depth,
        attention_temperature=1.0,
        softmax_temperature=1.0,
        skipped_attention=frozenset(),
        skipped_mlps=frozenset(),
        skipped_residuals=frozenset(),
        blanked_patches=frozenset(),
        patch_order=tuple(range(config.num_patches)),
    )


def with_block(model: VisionTransformer, block: int, **zeroed: Any) -> VisionTransformer:
    """Copy a model and set parts of a block's weights to 0: by the name of a layer, which of its columns."""
    changed = copy.deepcopy(model)
    for name, columns in zeroed.items():
        layer = cast(nn.Linear, cast(Block, changed.blocks[block]).get_submodule(name.replace("__", ".")))
        with torch.no_grad():
            layer.weight[:, columns] = 0
            if columns == slice(None):
                layer.bias.zero_()
    return changed


def assert_reads_as(model: VisionTransformer, edits: Edits, other: VisionTransformer) -> None:
    images = make_images(model.config)
    edited = model.inspect(images, edits).logits
    torch.testing.assert_close(edited, other(images), atol=1e-5, rtol=0)
    assert not torch.allclose(edited, model(images), atol=1e-3)  # the edit was one


@every_variant
def test_neutral_values_change_no_bit(config: ModelConfig) -> None:
    model, images = make_lively_model(config), make_images(config)
    plain, edited = model.inspect(images), model.inspect(images, neutral(config))
    assert torch.equal(plain.logits, edited.logits)
    for one, other in zip(plain.attention + plain.tokens, edited.attention + edited.tokens, strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("head", [0, 1])
def test_a_muted_head_is_one_whose_columns_of_the_projection_are_0(head: int) -> None:
    model = make_lively_model()
    size = TINY.head_dim
    scales = ((1.0, 1.0), tuple(float(each != head) for each in range(2)))
    columns = slice(head * size, (head + 1) * size)
    assert_reads_as(model, Edits(head_scales=scales), with_block(model, 1, attention__projection=columns))


def test_a_head_turned_down_says_as_much_less() -> None:
    model = make_lively_model()
    other = copy.deepcopy(model)
    with torch.no_grad():
        cast(Block, other.blocks[0]).attention.projection.weight[:, : TINY.head_dim] *= 0.25
    assert_reads_as(model, Edits(head_scales=((0.25, 1.0), (1.0, 1.0))), other)


def test_a_temperature_of_attention_divides_every_score() -> None:
    model = make_lively_model()
    other = copy.deepcopy(model)
    with torch.no_grad():
        for block in other.blocks:
            qkv = cast(Block, block).attention.qkv
            qkv.weight[: TINY.embed_dim] /= 3
            qkv.bias[: TINY.embed_dim] /= 3
    assert_reads_as(model, Edits(attention_temperature=3.0), other)


def test_a_path_left_out_adds_nothing() -> None:
    model, everything = make_lively_model(), slice(None)
    without_mlp = with_block(model, 0, mlp__output=everything)
    assert_reads_as(model, Edits(skipped_mlps=frozenset({0})), without_mlp)
    without_attention = with_block(model, 1, attention__projection=everything)
    assert_reads_as(model, Edits(skipped_attention=frozenset({1})), without_attention)


def test_without_any_residual_path_it_is_a_model_that_has_none() -> None:
    model = make_lively_model()
    other = VisionTransformer(dataclasses.replace(TINY, residual=False)).eval()
    other.load_state_dict(model.state_dict())
    assert_reads_as(model, Edits(skipped_residuals=frozenset({0, 1})), other)


def test_a_blanked_patch_is_paper() -> None:
    model, images = make_lively_model(), make_images()
    blanked = images.clone()
    blanked[:, :, 4:, :4] = 0
    torch.testing.assert_close(model.inspect(images, Edits(blanked_patches=frozenset({2}))).logits, model(blanked))
    assert images[:, :, 4:, :4].min() > 0  # the caller's own images stay as they are


def test_moved_patches_are_a_picture_cut_up() -> None:
    model, images = make_lively_model(), make_images()
    pieces = [images[:, :, top : top + 4, left : left + 4] for top in (0, 4) for left in (0, 4)]
    upper, lower = (torch.cat([pieces[SHUFFLED[at]], pieces[SHUFFLED[at + 1]]], dim=-1) for at in (0, 2))
    cut_up = torch.cat([upper, lower], dim=-2)
    torch.testing.assert_close(model.inspect(images, Edits(patch_order=SHUFFLED)).logits, model(cut_up))


@pytest.mark.parametrize("position", ["learned", "sincos"])
def test_order_matters_only_to_a_model_with_positions(position: Any) -> None:
    images = make_images()
    without = make_lively_model(NO_POSITIONS)
    moved = without.inspect(images, Edits(patch_order=SHUFFLED)).logits
    torch.testing.assert_close(moved, without(images), atol=1e-5, rtol=0)
    with_positions = make_lively_model(dataclasses.replace(TINY, position=position))
    moved = with_positions.inspect(images, Edits(patch_order=SHUFFLED)).logits
    assert not torch.allclose(moved, with_positions(images), atol=1e-3)


def test_what_another_model_can_not_take_becomes_neutral() -> None:
    edits = dataclasses.replace(
        neutral(VIT_PRESETS["pad-4"]),
        skipped_mlps=frozenset({0, 1, 5}),
        blanked_patches=frozenset({3, 63}),
        attention_temperature=2.0,
    )
    assert edits.fitted_to(VIT_PRESETS["pad-4"]).head_scales == edits.head_scales
    assert edits.fitted_to(TINY) == Edits(
        attention_temperature=2.0,
        softmax_temperature=1.0,
        skipped_mlps=frozenset({0, 1}),
        blanked_patches=frozenset({3}),
    )
    make_lively_model().inspect(make_images(), edits.fitted_to(TINY))


def test_a_cnn_reads_as_ever() -> None:
    config = CnnConfig(image_size=8, widths=(4, 8))
    network, images = build_network(config, torch.Generator().manual_seed(0)).eval(), make_images()
    edits = neutral(TINY).fitted_to(config)
    assert torch.equal(network.inspect(images, edits).logits, network.inspect(images, NO_EDITS).logits)


@pytest.mark.parametrize(
    "values",
    [
        {"attention_temperature": 0.0},
        {"softmax_temperature": -1.0},
        {"softmax_temperature": float("nan")},
        {"attention_temperature": float("inf")},
        {"patch_order": (0, 0, 1)},
        {"patch_order": (1, 2, 3)},
    ],
)
def test_what_makes_no_sense_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        Edits(**values)
