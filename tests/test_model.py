"""The Vision Transformer: sizes, two calls that agree, order, initialisation and dropout."""

from __future__ import annotations

import dataclasses
import math
from typing import cast

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.tiny import TINY, make_images, make_lively_model, make_model
from training.config import VIT_PRESETS, ModelConfig
from training.model import (
    Attention,
    Block,
    Dropout,
    VisionTransformer,
    count_parameters,
    set_dropout,
    set_dropout_generator,
    sincos_positions,
)

VARIANTS = {
    "learned": TINY,
    "sincos": dataclasses.replace(TINY, position="sincos"),
    "none": dataclasses.replace(TINY, position="none"),
    "without residuals": dataclasses.replace(TINY, residual=False),
    "distillation": dataclasses.replace(TINY, distillation=True),
    "colours, other classes": dataclasses.replace(TINY, in_channels=3, class_names=("cat", "dog", "owl")),
    "one head, narrow MLP": dataclasses.replace(TINY, num_heads=1, mlp_ratio=0.5),
}
every_variant = pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS.keys())


@pytest.mark.parametrize(("name", "count"), [("pad-8", 1_201_802), ("pad-4", 1_201_802), ("vit-tiny", 5_526_346)])
def test_presets_have_the_articles_number_of_parameters(name: str, count: int) -> None:
    with torch.device("meta"):
        assert count_parameters(VisionTransformer(VIT_PRESETS[name])) == count


def test_only_what_training_changes_is_counted() -> None:
    model = make_model()
    everything = count_parameters(model)
    model.cls_token.requires_grad_(False)
    assert count_parameters(model) == everything - TINY.embed_dim


@every_variant
def test_shapes_follow_the_config(config: ModelConfig) -> None:
    inspection = make_model(config).inspect(make_images(config))
    tokens = config.num_tokens
    assert inspection.logits.shape == (3, config.num_classes)
    assert inspection.features.shape == (3, config.embed_dim)
    assert [each.shape for each in inspection.attention] == [(3, config.num_heads, tokens, tokens)] * config.depth
    assert [each.shape for each in inspection.tokens] == [(3, tokens, config.embed_dim)] * (config.depth + 1)


@every_variant
def test_both_calls_give_the_same_logits(config: ModelConfig) -> None:
    model, images = make_lively_model(config), make_images(config)
    torch.testing.assert_close(model(images), model.inspect(images).logits, atol=1e-5, rtol=0)


def test_both_calls_drop_the_same_values_while_training() -> None:
    model = make_lively_model(dataclasses.replace(TINY, dropout=0.3)).train()
    logits = []
    for call in (model, lambda images: model.inspect(images).logits):
        set_dropout_generator(model, torch.Generator().manual_seed(1))
        logits.append(call(make_images()))
    torch.testing.assert_close(logits[0], logits[1], atol=1e-5, rtol=0)


@every_variant
def test_every_token_shares_out_all_of_its_attention(config: ModelConfig) -> None:
    for attention in make_lively_model(config).inspect(make_images(config)).attention:
        assert (attention >= 0).all()
        torch.testing.assert_close(attention.sum(dim=-1), torch.ones(attention.shape[:-1]))


def test_attention_stays_whole_while_its_dropout_acts() -> None:
    model = make_lively_model(dataclasses.replace(TINY, dropout=0.5)).train()
    for attention in model.inspect(make_images()).attention:
        torch.testing.assert_close(attention.sum(dim=-1), torch.ones(attention.shape[:-1]))


def test_kept_tokens_are_those_before_the_first_block_and_after_each() -> None:
    model, images = make_lively_model(), make_images()
    inspection = model.inspect(images)
    torch.testing.assert_close(inspection.tokens[0], model.embed(images))
    for block, before, after in zip(model.blocks, inspection.tokens, inspection.tokens[1:], strict=False):
        torch.testing.assert_close(block(before), after)
    torch.testing.assert_close(model.classify(inspection.tokens[-1]), inspection.logits)
    torch.testing.assert_close(model.classifier(inspection.features), inspection.logits)


def test_patches_are_read_row_by_row() -> None:
    model, images = make_lively_model(), make_images()
    kernel, bias = model.patch_embedding.weight.flatten(1), cast(Tensor, model.patch_embedding.bias)
    upper_right = images[:, :, :4, 4:].flatten(1) @ kernel.T + bias
    position = cast(Tensor, model.position_table)[:, 2]
    torch.testing.assert_close(model.embed(images)[:, 2], upper_right + position)


@pytest.mark.parametrize(("position", "is_blind"), [("none", True), ("learned", False), ("sincos", False)])
def test_only_positions_tell_the_order_of_patches(position: str, is_blind: bool) -> None:
    model = make_lively_model(dataclasses.replace(VARIANTS[position]))
    images = make_images()
    upper, lower = images[:, :, :4], images[:, :, 4:]
    moved = torch.cat([lower.roll(4, dims=-1), upper], dim=-2)  # all four patches change place
    difference = (model(images) - model(moved)).abs().max().item()
    assert difference < 1e-5 if is_blind else difference > 1e-2


@pytest.mark.parametrize("is_distilled", [False, True])
def test_fixed_positions_are_those_of_the_paper(is_distilled: bool) -> None:
    config = ModelConfig(image_size=12, patch_size=4, embed_dim=6, num_heads=2, distillation=is_distilled)
    table = sincos_positions(config)[0].numpy()
    assert not table[0].any()
    assert not table[10:].any()
    for place in range(9):
        for pair in range(3):
            angle = place * math.exp(-math.log(10_000) * 2 * pair / 6)
            np.testing.assert_allclose(table[1 + place, 2 * pair], math.sin(angle), atol=1e-6)
            np.testing.assert_allclose(table[1 + place, 2 * pair + 1], math.cos(angle), atol=1e-6)


def test_fixed_positions_are_added_and_never_trained() -> None:
    model = make_lively_model(VARIANTS["sincos"])
    table = cast(Tensor, model.position_table)
    assert "position_table" not in dict(model.named_parameters())
    assert "position_table" not in model.state_dict()  # the config gives it
    model.position_table = torch.zeros_like(table)
    without = model.embed(make_images())
    model.position_table = table
    torch.testing.assert_close(model.embed(make_images()) - without, table.expand(3, -1, -1))


def test_weights_start_as_the_article_has_them() -> None:
    model = VisionTransformer(
        dataclasses.replace(VIT_PRESETS["pad-4"], distillation=True), torch.Generator().manual_seed(0)
    )
    linear = [module for module in model.modules() if isinstance(module, nn.Linear)]
    assert len(linear) == 6 * 4 + 2
    tables = [model.cls_token, cast(Tensor, model.distillation_token), cast(Tensor, model.position_table)]
    for values in [*tables, *(module.weight for module in linear)]:
        spread = 4 * 0.02 / math.sqrt(2 * values.numel())  # four standard errors of a standard deviation
        assert abs(values.std().item() - 0.02) < spread
        assert abs(values.mean().item()) < 4 * 0.02 / math.sqrt(values.numel())
    assert not any(module.bias.any() for module in linear)
    for module in model.modules():
        if isinstance(module, nn.LayerNorm):
            assert (module.weight == 1).all()
            assert not module.bias.any()


def test_the_patch_kernel_starts_as_a_convolution_does() -> None:
    config = dataclasses.replace(TINY, embed_dim=512)
    weight = make_model(config).patch_embedding.weight
    usual = nn.Conv2d(1, 512, kernel_size=4).weight
    bound = 1 / math.sqrt(16)
    assert weight.abs().max() <= bound
    assert abs(weight.std() - usual.std()) < 0.01 * bound


def test_the_generator_alone_decides_the_weights() -> None:
    torch.rand(5)  # as another thread may
    one, same, other = make_model(seed=1).state_dict(), make_model(seed=1).state_dict(), make_model(seed=2).state_dict()
    assert all(torch.equal(one[name], same[name]) for name in one)
    for name in ("patch_embedding.weight", "cls_token", "position_table", "blocks.0.attention.qkv.weight"):
        assert not torch.equal(one[name], other[name]), name


def test_dropout_acts_where_the_article_has_it() -> None:
    model = make_lively_model(dataclasses.replace(TINY, dropout=0.25)).train()
    set_dropout_generator(model, torch.Generator().manual_seed(3))
    torch.testing.assert_close(
        model(make_images()), _article_forward(model, make_images(), 0.25, torch.Generator().manual_seed(3))
    )


def _article_forward(model: VisionTransformer, images: Tensor, p: float, generator: torch.Generator) -> Tensor:
    """Article B's listing, with each dropout written where it stands there."""

    def drop(x: Tensor) -> Tensor:
        return torch.where(torch.empty_like(x).bernoulli_(1 - p, generator=generator) == 1, x / (1 - p), 0.0)

    patches = model.patch_embedding(images).flatten(2).transpose(1, 2)
    x = torch.cat([model.cls_token.expand(len(images), -1, -1), patches], dim=1)
    x = drop(x + cast(Tensor, model.position_table))
    for block in cast(list[Block], model.blocks):
        size, count, dim = x.shape
        qkv = block.attention.qkv(block.attention_norm(x)).reshape(size, count, 3, model.config.num_heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        weights = drop((q @ k.transpose(-2, -1) * model.config.head_dim**-0.5).softmax(dim=-1))
        x = x + drop(block.attention.projection((weights @ v).transpose(1, 2).reshape(size, count, dim)))
        hidden = drop(functional.gelu(block.mlp.hidden(block.mlp_norm(x))))
        x = x + drop(block.mlp.output(hidden))
    return cast(Tensor, model.classifier(model.norm(x)[:, 0]))


def test_dropout_keeps_the_mean_and_drops_its_share() -> None:
    dropout = Dropout(0.3).train()
    dropout.generator = torch.Generator().manual_seed(0)
    dropped = dropout(torch.ones(100_000))
    assert abs((dropped == 0).float().mean().item() - 0.3) < 0.01
    torch.testing.assert_close(dropped[dropped != 0].unique(), torch.tensor([1 / 0.7]))
    assert torch.equal(dropout.eval()(torch.ones(5)), torch.ones(5))


def test_dropout_and_the_rest_of_the_process_draw_from_generators_of_their_own() -> None:
    model, images = make_lively_model(dataclasses.replace(TINY, dropout=0.5)).train(), make_images()
    set_dropout_generator(model, torch.Generator().manual_seed(1))
    expected = [model(images), model(images)]
    set_dropout_generator(model, torch.Generator().manual_seed(1))
    before = torch.get_rng_state()
    first = model(images)
    assert torch.equal(torch.get_rng_state(), before)
    torch.rand(17)  # as another thread may
    assert torch.equal(first, expected[0])
    assert torch.equal(model(images), expected[1])
    assert not torch.equal(expected[0], expected[1])


def test_dropout_can_be_changed_while_training() -> None:
    model, images = make_lively_model(dataclasses.replace(TINY, dropout=0.5)).train(), make_images()
    set_dropout(model, 0.0)
    torch.testing.assert_close(model(images), model.eval()(images))
    set_dropout(model.train(), 0.9)
    assert (model(images) - model.eval()(images)).abs().max() > 1e-3


def test_without_residuals_a_block_passes_on_nothing_but_its_changes() -> None:
    model = make_lively_model(VARIANTS["without residuals"])
    block = cast(Block, model.blocks[0])
    x = model.embed(make_images())
    expected = block.mlp(block.mlp_norm(block.attention(block.attention_norm(x))))
    torch.testing.assert_close(block(x), expected)


def test_scores_are_divided_by_the_root_of_the_head_dim() -> None:
    attention = Attention(TINY)
    nn.init.normal_(attention.qkv.weight)
    x = torch.randn(1, 3, TINY.embed_dim)
    q, k, _ = attention.qkv(x)[0].split(TINY.embed_dim, dim=-1)
    first_head = (q[:, :8] @ k[:, :8].T / math.sqrt(8)).softmax(dim=-1)
    torch.testing.assert_close(attention.inspect(x)[1][0, 0], first_head)


def test_the_distillation_token_is_last_and_both_classifiers_count_the_same() -> None:
    model, images = make_lively_model(VARIANTS["distillation"]), make_images()
    token, table = cast(Tensor, model.distillation_token), cast(Tensor, model.position_table)
    inspection = model.inspect(images)
    torch.testing.assert_close(inspection.tokens[0][:, -1], (token[:, 0] + table[:, -1]).expand(3, -1))
    last = model.norm(inspection.tokens[-1])
    by_class, by_teacher = model.classifier(last[:, 0]), cast(nn.Linear, model.distillation_classifier)(last[:, -1])
    torch.testing.assert_close(inspection.logits, (by_class + by_teacher) / 2)
    assert (by_class - by_teacher).abs().max() > 1e-3


@pytest.mark.parametrize("distillation", [False, True])
def test_what_is_read_is_the_same_without_the_tokens_that_nobody_reads(distillation: bool) -> None:
    model = make_lively_model(ModelConfig(distillation=distillation)).double()
    images = make_images(model.config).double()
    whole, read = model.inspect(images), model.inspect(images, with_unread=False)
    ends = [0, -1]
    assert read.tokens[-1].shape == (3, 2, model.config.embed_dim)
    torch.testing.assert_close(read.tokens[-1], whole.tokens[-1][:, ends])
    torch.testing.assert_close(read.tokens[:-1], whole.tokens[:-1])
    torch.testing.assert_close((read.logits, read.attention), (whole.logits, whole.attention))


def test_gradients_flow_through_all_that_is_inspected() -> None:
    model, images = make_lively_model(), make_images().requires_grad_()
    inspection = model.inspect(images)
    for value in (inspection.logits, inspection.features, *inspection.attention, *inspection.tokens):
        (gradient,) = torch.autograd.grad(value.square().sum(), images, retain_graph=True)
        assert gradient.isfinite().all()
        assert gradient.abs().max() > 0


def test_nothing_of_a_pass_is_kept_in_the_model() -> None:
    model = make_model()
    before = {name: sorted(vars(module)) for name, module in model.named_modules()}
    model(make_images())
    model.inspect(make_images())
    assert {name: sorted(vars(module)) for name, module in model.named_modules()} == before
