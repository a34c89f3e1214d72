"""Networks of either kind, the Vision Transformer and the baseline."""

from __future__ import annotations

import torch

from training.cnn import ConvNet
from training.config import CnnConfig, NetworkConfig
from training.model import VisionTransformer

Network = VisionTransformer | ConvNet


def build_network(config: NetworkConfig, generator: torch.Generator | None = None) -> Network:
    """Build the network of a config, its weights drawn from `generator`; None means the process-wide one."""
    return ConvNet(config, generator) if isinstance(config, CnnConfig) else VisionTransformer(config, generator)
