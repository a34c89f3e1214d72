"""How large and how fast a training would be, found out by trying."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from training.config import DIGITS, TrainConfig
from training.data import ImageSet, TrainingData
from training.devices import resolve_device
from training.model import count_parameters
from training.network import build_network
from training.run import load_teacher
from training.train import train

TRIAL_S = 2.0
_SIDE = 28  # of the made-up images, as MNIST's


@dataclass(frozen=True)
class Trial:
    """What a trial found out."""

    num_parameters: int
    num_tokens: int
    images_per_s: float


def try_training(config: TrainConfig, is_stopped: Callable[[], bool] = lambda: False) -> Trial:
    """Train on made-up images for two seconds, or one step where that takes longer; sooner where `is_stopped` says so.

    Sets the torch threads of the thread that calls it, where `config` names a number.

    Raises:
        UserError: the device isn't there.
    """
    if config.threads is not None:
        torch.set_num_threads(config.threads)
    device = resolve_device(config.device)
    model = build_network(config.model_config(), torch.Generator().manual_seed(0)).to(device)
    teacher = load_teacher(config, model.config)
    steps = train(
        model,
        _made_up(config.batch_size, device),
        config,
        teacher=None if teacher is None else teacher.to(device),
    )
    next(steps)  # the first step sets things up, and isn't counted
    start_s, num_images, elapsed_s = time.perf_counter(), 0, 0.0
    while elapsed_s < TRIAL_S and not is_stopped():
        next(steps)
        num_images += config.batch_size
        elapsed_s = time.perf_counter() - start_s
    return Trial(count_parameters(model), model.config.num_tokens, num_images / elapsed_s if elapsed_s else 0.0)


def _made_up(batch_size: int, device: torch.device) -> TrainingData:
    """Make more images than a trial gets through, all in the memory of one."""
    count = max(50 * batch_size, 200_000)
    images = torch.zeros(1, 1, _SIDE, _SIDE, dtype=torch.uint8, device=device).expand(count, -1, -1, -1)
    labels = torch.zeros(1, dtype=torch.int64, device=device).expand(count)
    many = ImageSet(images, labels, DIGITS)
    return TrainingData(many, many)
