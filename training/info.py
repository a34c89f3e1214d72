"""What there is to know about a model, as plain facts."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch
from torch import nn

from training.cnn import ConvNet
from training.config import PRESETS
from training.model import VisionTransformer, count_parameters
from training.models import ModelInfo, find_model, read_info, shipped_models, user_models
from training.network import Network, build_network


def describe(name: str) -> dict[str, Any]:
    """Describe a model by name or file, or a preset: config, parameters, shapes, training, what it saw, figures.

    Raises:
        UserError: there is no such model.
    """
    info = _info_of(name)
    config = info.model if info is not None else PRESETS[name]
    with torch.device("meta"):  # shapes without numbers
        model = build_network(config).eval()
        shapes = _shapes(model)
    facts: dict[str, Any] = {
        "model": name,
        "config": dataclasses.asdict(config),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "trainable_parameters": count_parameters(model),
        "shapes": {stage: list(shape) for stage, shape in shapes.items()},
    }
    if info is not None:
        facts |= {
            "temperature": info.temperature,
            "reject": None if info.reject is None else dataclasses.asdict(info.reject),
            "training": dict(info.training),
            "seen": list(info.seen),
            "metrics": dict(info.metrics),
        }
    return facts


def _info_of(name: str) -> ModelInfo | None:
    """Read what a checkpoint says; None for a preset that has no checkpoint."""
    if name in PRESETS and name not in (*shipped_models(), *user_models()):
        return None
    return read_info(find_model(name))


def _shapes(model: Network) -> dict[str, torch.Size]:
    config = model.config
    images = torch.zeros(1, config.in_channels, config.image_size, config.image_size)
    inspection = model.inspect(images)
    inner = _shapes_of_cnn(model, images) if isinstance(model, ConvNet) else _shapes_of_vit(model, images)
    ends = {"features": inspection.features.shape, "logits": inspection.logits.shape}
    return {"images": images.shape, **inner, **ends}


def _shapes_of_vit(model: VisionTransformer, images: torch.Tensor) -> dict[str, torch.Size]:
    inspection = model.inspect(images)
    return {
        "patch grid": model.patch_embedding(images).shape,
        "patches": model.patch_embedding(images).flatten(2).transpose(1, 2).shape,
        "tokens": inspection.tokens[0].shape,
        "attention": inspection.attention[0].shape,
        "after the last block": inspection.tokens[-1].shape,
    }


def _shapes_of_cnn(model: ConvNet, images: torch.Tensor) -> dict[str, torch.Size]:
    """Give the shape of what each pair of convolutions makes, before it is halved."""
    shapes: dict[str, torch.Size] = {}
    x = images
    for layer in model.layers:
        if isinstance(layer, nn.MaxPool2d):
            shapes[f"after pair {len(shapes) + 1}"] = x.shape
        x = layer(x)
    return {**shapes, f"after pair {len(shapes) + 1}": x.shape}
