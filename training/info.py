"""What there is to know about a model, as plain facts."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch

from training.config import PRESETS, ModelConfig
from training.model import VisionTransformer, count_parameters
from training.models import ModelInfo, find_model, read_info, shipped_models, user_models


def describe(name: str) -> dict[str, Any]:
    """Describe a model by name or file, or a preset: config, parameters, shapes, training, what it saw, figures.

    Raises:
        UserError: there is no such model.
    """
    info = _info_of(name)
    config = info.model if info is not None else PRESETS[name]
    with torch.device("meta"):  # shapes without numbers
        model = VisionTransformer(config).eval()
        shapes = _shapes(model, config)
    facts: dict[str, Any] = {
        "model": name,
        "config": dataclasses.asdict(config),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "trainable_parameters": count_parameters(model),
        "shapes": {stage: list(shape) for stage, shape in shapes.items()},
    }
    if info is not None:
        facts |= {"training": dict(info.training), "seen": list(info.seen), "metrics": dict(info.metrics)}
    return facts


def _info_of(name: str) -> ModelInfo | None:
    """Read what a checkpoint says; None for a preset that has no checkpoint."""
    if name in PRESETS and name not in (*shipped_models(), *user_models()):
        return None
    return read_info(find_model(name))


def _shapes(model: VisionTransformer, config: ModelConfig) -> dict[str, torch.Size]:
    images = torch.zeros(1, config.in_channels, config.image_size, config.image_size)
    inspection = model.inspect(images)
    return {
        "images": images.shape,
        "patch grid": model.patch_embedding(images).shape,
        "patches": model.patch_embedding(images).flatten(2).transpose(1, 2).shape,
        "tokens": inspection.tokens[0].shape,
        "attention": inspection.attention[0].shape,
        "after the last block": inspection.tokens[-1].shape,
        "features": inspection.features.shape,
        "logits": inspection.logits.shape,
    }
