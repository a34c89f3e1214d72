"""Models and sets so small that a test trains them in no time, and limits that a test works under."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
import torch

from training.config import DIGITS, ModelConfig, TrainConfig
from training.data import ImageSet, TrainingData
from training.model import VisionTransformer
from training.train import TrainChange, TrainProgress, TrainResult

TINY = ModelConfig(image_size=8, patch_size=4, embed_dim=16, depth=2, num_heads=2)
DIGIT_READER = ModelConfig(image_size=32, patch_size=8, embed_dim=16, depth=2, num_heads=2)  # for MNIST and drawings
PLAIN = TrainConfig(  # nothing but the optimizer
    epochs=2, batch_size=8, optimizer="adam", schedule="none", weight_decay=0.0, clip_norm=0.0, augmentation="none",
    averaging=0.0, seed=5,
)  # fmt: skip


def make_model(config: ModelConfig = TINY, seed: int = 0) -> VisionTransformer:
    """Make a model as training starts it, in evaluation mode."""
    return VisionTransformer(config, torch.Generator().manual_seed(seed)).eval()


def make_lively_model(config: ModelConfig = TINY, seed: int = 0) -> VisionTransformer:
    """Make a model whose every weight is far from 0, as none is at the start of training."""
    model = make_model(config, seed)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return model


def make_images(config: ModelConfig = TINY, count: int = 3, seed: int = 0) -> torch.Tensor:
    """Make random images (count, in_channels, S, S), 0 to 1."""
    shape = (count, config.in_channels, config.image_size, config.image_size)
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed))


def make_set(count: int, seed: int = 0) -> ImageSet:
    """Make images that a tiny model can learn: each class has a picture of its own, and noise lies over it."""
    pictures = torch.randint(0, 200, (10, 1, 8, 8), generator=torch.Generator().manual_seed(99))
    labels = torch.arange(count) % 10
    noise = torch.randint(0, 56, (count, 1, 8, 8), generator=torch.Generator().manual_seed(seed))
    return ImageSet((pictures[labels] + noise).to(torch.uint8), labels, DIGITS)


def make_data(count: int = 20) -> TrainingData:
    """Make a set to train on and another one, half as large, to judge by."""
    return TrainingData(make_set(count, seed=1), make_set(max(10, count // 2), seed=2))


def finish(
    run: Generator[TrainProgress, TrainChange | None, TrainResult], changes: Mapping[int, TrainChange] | None = None
) -> tuple[list[TrainProgress], TrainResult]:
    """Run to the end; `changes` are sent after the step that they are listed under."""
    progress: list[TrainProgress] = []
    try:
        progress.append(next(run))
        while True:
            progress.append(run.send((changes or {}).get(progress[-1].step)))
    except StopIteration as stop:
        return progress, stop.value


def numbers(progress: Iterable[TrainProgress]) -> list[tuple[float | None, ...]]:
    """Give what a run computed, without what depends on the clock."""
    return [(each.step, each.loss, each.learning_rate, each.val_loss, each.val_accuracy) for each in progress]


def assert_same_weights(one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Demand the same names and the same bytes."""
    assert one.keys() == other.keys()
    for name, value in one.items():
        is_same = np.asarray(value).tobytes() == np.asarray(other[name]).tobytes()
        assert is_same, name  # without the bytes, which pytest would compare for minutes


@contextlib.contextmanager
def full_disk(free_bytes: int) -> Iterator[None]:
    """Let no file grow beyond `free_bytes`."""
    resource = pytest.importorskip("resource", reason="limits of POSIX systems")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (free_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
