"""Rollout, relevance and the lenses, against cases worked by hand and a second implementation."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from tests.tiny import TINY, make_images, make_lively_model
from training.config import ModelConfig
from training.edits import Edits
from training.explain import blank_each, class_relevance, logit_lens, patch_lens, residual_norms
from training.joins import join_heads, rollout
from training.model import Block, Inspection, VisionTransformer

CONFIGS = {"plain": TINY, "distillation": dataclasses.replace(TINY, distillation=True)}
every_config = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


def test_heads_are_joined_place_by_place() -> None:
    attention = np.array([[[0.2, 0.8], [0.5, 0.5]], [[0.6, 0.4], [0.1, 0.9]]])
    np.testing.assert_allclose(join_heads(attention, "mean"), [[0.4, 0.6], [0.3, 0.7]])
    np.testing.assert_allclose(join_heads(attention, "max"), [[0.6, 0.8], [0.5, 0.9]])
    np.testing.assert_allclose(join_heads(attention, "min"), [[0.2, 0.4], [0.1, 0.5]])


def test_rollout_of_three_tokens_by_hand() -> None:
    first = [[[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]] * 2
    second = [[[1.0, 0.0, 0.0]] * 3, [[0.0, 0.0, 1.0]] * 3]  # their mean looks at both ends, half and half
    attention = np.array([first, second])  # (2, 2, 3, 3)
    # Half of each row is the token itself: [[3/4, 1/4, 0], [0, 1, 0], [0, 0, 1]], then
    # [[3/4, 0, 1/4], [1/4, 1/2, 1/4], [1/4, 0, 3/4]] times it.
    expected = [[9 / 16, 3 / 16, 1 / 4], [3 / 16, 9 / 16, 1 / 4], [3 / 16, 1 / 16, 3 / 4]]
    np.testing.assert_allclose(rollout(attention), expected, atol=1e-12)


def test_rollout_shares_out_all_of_a_token() -> None:
    inspection = make_lively_model().inspect(make_images(count=1))
    attention = torch.cat(inspection.attention).detach().numpy()
    np.testing.assert_allclose(rollout(attention).sum(axis=-1), 1.0, atol=1e-6)


def test_relevance_of_three_tokens_by_hand() -> None:
    """One block with one head, whose logits are plain functions of the attention: y0 = a01 - a02, y1 = 2 a02."""
    model = make_lively_model(dataclasses.replace(TINY, image_size=8, patch_size=8, num_heads=1, depth=1))
    weights = torch.tensor([[[[0.2, 0.5, 0.3], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]]], requires_grad=True)
    logits = torch.stack([weights[:, 0, 0, 1] - weights[:, 0, 0, 2], 2 * weights[:, 0, 0, 2]], dim=1)
    model.config = dataclasses.replace(model.config, image_size=16, patch_size=8)  # has more patches than are asked
    relevance = class_relevance(model, Inspection(logits, logits, (weights,), ()))
    torch.testing.assert_close(relevance, torch.tensor([[[0.5, 0.0], [0.0, 0.6]]]))


@every_config
def test_relevance_is_what_finite_differences_say(config: ModelConfig) -> None:
    model = make_lively_model(config).double()
    images = make_images(count=2).double()
    relevance = class_relevance(model, model.inspect(images))
    for index in range(2):
        expected = relevance_by_differences(model, images[index : index + 1])
        torch.testing.assert_close(relevance[index], expected, atol=1e-6, rtol=1e-4)
    assert relevance.min() >= 0
    assert relevance.max() > 0.01


def relevance_by_differences(model: VisionTransformer, image: Tensor) -> Tensor:
    """Follow Chefer et al. with gradients measured by moving each share of attention a little: (C, N)."""
    config, step = model.config, 1e-5
    heads, tokens = config.num_heads, config.num_tokens
    nothing = torch.zeros(config.depth, heads, tokens, tokens, dtype=torch.float64)
    _, attention = read_with(model, image, nothing)
    gradients = torch.zeros(config.num_classes, *nothing.shape, dtype=torch.float64)
    for place in np.ndindex(*nothing.shape):
        moved = nothing.clone()
        moved[place] = step
        difference = read_with(model, image, moved)[0] - read_with(model, image, -moved)[0]
        gradients.movedim(0, -1)[place] = difference / (2 * step)
    rows = []
    for gradient in gradients:
        relevance = torch.eye(tokens, dtype=torch.float64)
        for block in range(config.depth):
            relevance = relevance + (gradient[block] * attention[block]).clamp(min=0).mean(dim=0) @ relevance
        rows.append(relevance[0, 1 : 1 + config.num_patches])
    return torch.stack(rows)


@torch.no_grad()
def read_with(model: VisionTransformer, image: Tensor, moved: Tensor) -> tuple[Tensor, Tensor]:
    """Read one image with something added to each share of attention: logits (C,), attention (depth, H, T, T)."""
    x, seen = model.embed(image)[0], []
    for block, added in zip(model.blocks, moved, strict=True):
        assert isinstance(block, Block)
        layer = block.attention
        per_head = layer.qkv(block.attention_norm(x)).reshape(len(x), 3, layer.num_heads, -1)  # (T, 3, H, K)
        heads = []
        for head in range(layer.num_heads):
            query, key, value = per_head[:, 0, head], per_head[:, 1, head], per_head[:, 2, head]
            seen.append(functional.softmax(query @ key.T / math.sqrt(query.shape[-1]), dim=-1))
            heads.append((seen[-1] + added[head]) @ value)
        x = x + layer.projection(torch.cat(heads, dim=-1))
        x = x + block.mlp(block.mlp_norm(x))
    return model.classify(x[None])[0], torch.stack(seen).reshape(moved.shape)


@every_config
def test_the_lens_behind_the_last_block_is_the_answer(config: ModelConfig) -> None:
    model, images = make_lively_model(config), make_images()
    inspection = model.inspect(images)
    lens = logit_lens(model, inspection, temperature=2.0)
    torch.testing.assert_close(lens[-1], (model(images) / 2).softmax(dim=-1), atol=1e-6, rtol=0)


@every_config
def test_the_lens_of_patches_reads_each_as_if_it_were_the_class_token(config: ModelConfig) -> None:
    model, images = make_lively_model(config), make_images()
    inspection = model.inspect(images)
    lens = patch_lens(model, inspection, temperature=2.0)
    assert lens.shape == (TINY.depth + 1, 3, TINY.num_patches, TINY.num_classes)
    token = inspection.tokens[1][2, 1 + 3]  # the last patch of the last image behind block 1
    torch.testing.assert_close(lens[1, 2, 3], (model.classifier(model.norm(token)) / 2).softmax(dim=-1))


def test_each_patch_is_blanked_once() -> None:
    config = dataclasses.replace(TINY, image_size=48)  # more patches than are read at once
    model, image = make_lively_model(config), make_images(config, count=1)
    logits = blank_each(model, image, Edits(blanked_patches=frozenset({0}), attention_temperature=2.0))
    assert logits.shape == (144, config.num_classes)
    for patch in (1, 31, 32, 143):
        edits = Edits(blanked_patches=frozenset({0, patch}), attention_temperature=2.0)
        torch.testing.assert_close(logits[patch], model.inspect(image, edits).logits[0], atol=1e-5, rtol=0)


def test_the_residual_stream_is_as_long_as_its_vectors() -> None:
    inspection = make_lively_model().inspect(make_images())
    norms = residual_norms(inspection)
    assert norms.shape == (TINY.depth + 1, 3, TINY.num_tokens)
    vector = inspection.tokens[2][1, 4].detach().numpy()
    np.testing.assert_allclose(norms[2, 1, 4].item(), np.sqrt((vector**2).sum()), rtol=1e-5)
