"""Writing a model to one file that cannot run code, and reading it back."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.numpy import save
from safetensors.torch import load_file
from torch import Tensor

from training.atomic import atomic_write
from training.config import NetworkConfig
from training.errors import UserError
from training.models import FORMAT_VERSION, KIND, NORMALISATION, ModelInfo, read_info
from training.network import Network, build_network


def save_checkpoint(path: Path, info: ModelInfo, weights: Mapping[str, Any]) -> None:
    """Write weights, numpy arrays by name, and what is known of them; whole or not at all.

    Raises:
        UserError: the file can't be written.
    """
    facts = {
        "format_version": FORMAT_VERSION,
        "kind": KIND,
        "model": dataclasses.asdict(info.model),
        "class_names": info.model.class_names,
        "normalisation": NORMALISATION,
        "temperature": info.temperature,
        "reject": None if info.reject is None else dataclasses.asdict(info.reject),
        "training": info.training,
        "seen": info.seen,
        "metrics": info.metrics,
    }
    content = save(dict(weights), metadata={key: json.dumps(value) for key, value in facts.items()})
    with atomic_write(path) as temporary:
        temporary.write_bytes(content)


def load_checkpoint(path: Path, device: torch.device | str = "cpu") -> tuple[Network, ModelInfo]:
    """Read a model, in evaluation mode, on `device`.

    Raises:
        UserError: the file is missing, foreign, damaged, newer, or its weights don't fit its description.
    """
    info = read_info(path)
    weights = load_weights(path)
    _check_fit(weights, info.model, path)
    model = build_network(info.model)
    model.load_state_dict(weights)
    _check_answer(model.eval(), path)
    return model.to(device), info


def load_weights(path: Path) -> dict[str, Tensor]:
    """Read the weights of a checkpoint, by name.

    Raises:
        UserError: the file can't be read.
    """
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        raise UserError("{path} can't be read ({reason}). Get the file again.", path=path, reason=error) from error


@torch.no_grad()
def _check_answer(model: Network, path: Path) -> None:
    """Let a model read paper and ink: weights that are numbers, but too large, give answers that are none."""
    shape = (1, model.config.in_channels, model.config.image_size, model.config.image_size)
    if not all(bool(model(torch.full(shape, grey)).isfinite().all()) for grey in (0.0, 1.0)):
        raise UserError("{path} holds weights that give no answer. Get the file again.", path=path)


def _check_fit(weights: Mapping[str, Tensor], config: NetworkConfig, path: Path) -> None:
    with torch.device("meta"):  # shapes only: a description of a huge model takes no memory
        expected = build_network(config).state_dict()
    for name, tensor in weights.items():
        is_count = name in expected and not expected[name].is_floating_point()  # of batches, in batch normalisation
        if not (tensor.is_floating_point() or is_count) or not bool(tensor.float().isfinite().all()):
            raise UserError(
                "{path} holds weights that are no numbers ({name}). Get the file again.", path=path, name=name
            )
    for name in sorted(expected.keys() | weights.keys()):
        wanted = tuple(expected[name].shape) if name in expected else None
        found = tuple(weights[name].shape) if name in weights else None
        if wanted != found:
            raise UserError(
                "The weights in {path} don't fit its own description ({name}: {found} instead of {wanted}). "
                "Get the file again.",
                path=path,
                name=name,
                found=found or "nothing",
                wanted=wanted or "nothing",
            )
