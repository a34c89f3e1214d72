"""A model that was never trained, for tests of everything but its answers."""

from __future__ import annotations

from pathlib import Path

import torch

from training.checkpoint import save_checkpoint
from training.config import ModelConfig
from training.model import VisionTransformer
from training.models import ModelInfo

SMALL = ModelConfig(patch_size=8, embed_dim=32, depth=3, num_heads=4)


def write_random_model(path: Path, config: ModelConfig = SMALL, temperature: float = 1.0) -> Path:
    """Write the checkpoint of a model with random weights, and give its path."""
    model = VisionTransformer(config, torch.Generator().manual_seed(0))
    info = ModelInfo(model=config, temperature=temperature, training={}, seen=(), metrics={})
    save_checkpoint(path, info, {name: weight.numpy() for name, weight in model.state_dict().items()})
    return path
