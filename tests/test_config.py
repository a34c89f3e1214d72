"""Configs check themselves, and survive the way through plain values."""

from __future__ import annotations

import dataclasses
import datetime
import json
from typing import Any

import pytest

from training.config import (
    DIGITS,
    PRESETS,
    VIT_PRESETS,
    ModelConfig,
    NetworkConfig,
    TrainConfig,
    config_from_dict,
    network_config_from_dict,
    preset,
)
from training.errors import UserError


@pytest.mark.parametrize(
    ("name", "grid", "num_tokens", "head_dim", "mlp_dim"),
    [("pad-8", 4, 17, 16, 512), ("pad-4", 8, 65, 16, 512), ("vit-tiny", 14, 197, 64, 768)],
)
def test_preset_has_the_sizes_of_the_articles(
    name: str, grid: int, num_tokens: int, head_dim: int, mlp_dim: int
) -> None:
    config = VIT_PRESETS[name]
    assert (config.grid, config.num_tokens, config.head_dim, config.mlp_dim) == (grid, num_tokens, head_dim, mlp_dim)
    assert config.num_patches == grid**2


def test_distillation_adds_a_token() -> None:
    assert ModelConfig(distillation=True).num_tokens == ModelConfig().num_tokens + 1


def test_classes_come_from_the_config() -> None:
    assert ModelConfig().class_names == DIGITS
    assert ModelConfig(class_names=("cat", "dog", "owl")).num_classes == 3


def test_unknown_preset_is_a_sentence_that_names_the_known() -> None:
    with pytest.raises(UserError, match=r"no preset 'pad-9'.*pad-8, pad-4, vit-tiny"):
        preset("pad-9")


@pytest.mark.parametrize("config", [*PRESETS.values(), TrainConfig()], ids=[*PRESETS, "train"])
def test_configs_cannot_be_changed(config: ModelConfig | TrainConfig) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.dropout = 0.5  # type: ignore[misc]  # that it can't be assigned to is what is tested


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"patch_size": 5}, "An image of 32 pixels can't be cut into patches of 5"),
        ({"num_heads": 7}, "128 features can't be shared out among 7 heads"),
        ({"depth": 0}, "depth is 0; it must be at least 1"),
        ({"in_channels": -1}, "in_channels is -1"),
        ({"position": "sincos", "embed_dim": 7, "num_heads": 7}, "need an even embed_dim, not 7"),
        ({"position": "rotary"}, "position is 'rotary'"),
        ({"dropout": 1.0}, "dropout is 1.0; it must be a number from 0 to 0.9"),
        ({"dropout": float("nan")}, "dropout is nan"),
        ({"mlp_ratio": 0.0}, "mlp_ratio is"),
        ({"layer_norm_eps": 0.0}, "layer_norm_eps is"),
        ({"class_names": ["7"]}, "at least two classes"),
        ({"class_names": ["7", "7"]}, "a name of its own"),
        ({"num_layers": 6}, "'num_layers' is no setting; the settings are image_size,"),
        ({"depth": "six"}, "depth is 'six'; it must be a whole number from 1 to 64"),
        ({"class_names": None}, "class_names is nothing; it must be a list of names"),
    ],
)
def test_a_model_that_cannot_be_is_a_sentence(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        config_from_dict(ModelConfig, values)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"preset": "pad-9"}, "There is no preset 'pad-9'"),
        ({"epochs": 0}, "epochs is 0"),
        ({"epochs": True}, "epochs is true; it must be a whole number"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"learning_rate": 0}, "learning_rate is 0"),
        ({"learning_rate": float("inf")}, "learning_rate is inf"),
        ({"weight_decay": -0.1}, "weight_decay is -0.1"),
        ({"dropout": 0.95}, "dropout is 0.95"),
        ({"label_smoothing": 1}, "label_smoothing is 1"),
        ({"clip_norm": -1}, "clip_norm is -1"),
        ({"averaging": 1}, "averaging is 1"),
        ({"seed": -1}, "seed is -1"),
        ({"images_per_class": 0}, "images_per_class is 0"),
        ({"threads": 0}, "threads is 0"),
        ({"position": "rotary"}, "position is 'rotary'; choose one of learned, sincos, none"),
        ({"optimizer": "sgd"}, "optimizer is 'sgd'; choose one of adamw, adam"),
        ({"schedule": "cosine"}, "schedule is 'cosine'"),
        ({"augmentation": "mixup"}, "augmentation is 'mixup'"),
        ({"momentum": 0.9}, "'momentum' is no setting"),
        ({"epochs": "ten"}, "epochs is 'ten'"),
        ({"epochs": datetime.date(2020, 1, 1)}, "epochs is 2020-01-01; it must be"),
        ({"optimizer": ["adam", True, {"a": 1}]}, "optimizer is ['adam', true, {a = 1}]; choose"),
        ({"preset": {"a": 1}}, "preset is {a = 1}; it must be a text"),
        ({"strokes": ""}, "strokes is empty; leave it out where there is none."),
        ({"strokes_md5": " "}, "strokes_md5 is empty"),
        ({"teacher": ""}, "teacher is empty"),
        ({"start_from": ""}, "start_from is empty"),
        ({"preset": "cnn", "position": "none"}, "A CNN has no tokens whose position could be encoded: leave position"),
        ({"preset": "cnn", "distillation": True, "teacher": "cnn"}, "leave distillation out; it learns without."),
    ],
)
def test_a_training_that_cannot_be_is_a_sentence(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        config_from_dict(TrainConfig, values)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    "config",
    [
        *PRESETS.values(),
        ModelConfig(position="sincos", class_names=("cat", "dog"), distillation=True),
        TrainConfig(),
        TrainConfig(preset="pad-4", start_from="pad-8", images_per_class=30, threads=1, position="none"),
    ],
)
def test_configs_survive_json(config: NetworkConfig | TrainConfig) -> None:
    values = json.loads(json.dumps(dataclasses.asdict(config)))
    if isinstance(config, TrainConfig):
        assert config_from_dict(TrainConfig, values) == config
    else:
        assert network_config_from_dict(values) == config


def test_every_training_setting_has_a_line_of_help() -> None:
    for each in dataclasses.fields(TrainConfig):
        assert each.metadata["help"].endswith("."), each.name


def test_training_config_gives_the_model_it_trains() -> None:
    config = TrainConfig(preset="pad-8", position="sincos", dropout=0.1).model_config(("cat", "dog"))
    assert config == ModelConfig(patch_size=8, position="sincos", dropout=0.1, class_names=("cat", "dog"))


def test_without_a_position_the_presets_own_is_kept() -> None:
    assert TrainConfig(preset="pad-4").model_config() == PRESETS["pad-4"]
