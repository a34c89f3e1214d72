"""A whole training run from the command line: data, model, loop, checkpoint, progress."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Generator
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from training.checkpoint import load_checkpoint, save_checkpoint
from training.config import TrainConfig
from training.data import TrainingData, mnist_training_data
from training.devices import resolve_device
from training.errors import UserError
from training.model import VisionTransformer
from training.models import ModelInfo, find_model, new_model_path
from training.train import Arrays, TrainChange, TrainProgress, TrainResult, train
from training.transfer import start_from

MNIST_SEEN = "MNIST, the first 55,000 training images"


def run_training(config: TrainConfig, out: Path | None) -> None:
    """Train as `config` says, show progress, keep the best epoch in `out`; without one, as a new model of the person's.

    Raises:
        UserError: data, model to start from, device or place to write to isn't there, or the loss ran away.
    """
    kept = _Kept(config.preset, out)
    if config.threads is not None:
        torch.set_num_threads(config.threads)
    device = resolve_device(config.device)
    data = mnist_training_data(config.images_per_class, config.seed)
    model, seen = build_model(config, data.train.class_names)
    data = TrainingData(data.train.to(device), data.validation.to(device))
    console = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
    console.print(
        f"Training {config.preset} on {device}: {len(data.train):,} images, {config.epochs} epochs, to {kept.path}"
    )
    result = _run(train(model.to(device), data, config), kept, config, model, seen, console)
    if result.problem is not None:
        if result.epoch:
            raise UserError("{problem} {path} holds the best epoch.", problem=result.problem, path=kept.path)
        raise UserError("{problem}", problem=result.problem)
    console.print(f"Done: epoch {result.epoch} was best, validation accuracy {result.val_accuracy:.4f}: {kept.path}")


def build_model(config: TrainConfig, class_names: tuple[str, ...]) -> tuple[VisionTransformer, tuple[str, ...]]:
    """Make the model with its starting weights, on the CPU, and tell what those weights have seen."""
    model = VisionTransformer(config.model_config(class_names), torch.Generator().manual_seed(config.seed))
    if config.start_from is None:
        return model, ()
    source, info = load_checkpoint(find_model(config.start_from))
    start_from(model, source.state_dict(), info.model)
    return model, info.seen


def make_info(
    model: VisionTransformer, config: TrainConfig, seen: tuple[str, ...], progress: TrainProgress
) -> ModelInfo:
    """Give what a checkpoint is to say of weights judged at the end of an epoch."""
    metrics = {"epoch": progress.epoch, "val_accuracy": progress.val_accuracy, "val_loss": progress.val_loss}
    return ModelInfo(
        model=model.config,
        temperature=1.0,
        training=dataclasses.asdict(config),
        seen=tuple(dict.fromkeys((*seen, MNIST_SEEN))),
        metrics={name: value for name, value in metrics.items() if value is not None},
    )


class _Kept:
    """The checkpoint of a run: the one that was named, or a new one that takes no other's place.

    Raises:
        UserError: the place can't be written to.
    """

    def __init__(self, name: str, out: Path | None) -> None:
        self._new_name = name if out is None else None
        self.path = new_model_path(name) if out is None else _checked(out)

    def save(self, info: ModelInfo, weights: Arrays) -> None:
        """Write the weights in the place of the run's own earlier ones."""
        if self._new_name is not None and self.path.exists():  # another run was there first
            self.path = new_model_path(self._new_name)
        self._new_name = None
        save_checkpoint(self.path, info, weights)


def _run(
    steps: Generator[TrainProgress, TrainChange | None, TrainResult],
    kept: _Kept,
    config: TrainConfig,
    model: VisionTransformer,
    seen: tuple[str, ...],
    console: Console,
) -> TrainResult:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("Training", total=None)
        while True:
            try:
                progress = next(steps)
            except StopIteration as stop:
                result: TrainResult = stop.value
                return result
            bar.update(
                task,
                completed=progress.step,
                total=progress.num_steps,
                description=f"loss {progress.loss:.4f}, {progress.images_per_s:,.0f} images/s",
            )
            if progress.val_accuracy is None or progress.state is None:
                continue
            console.print(
                f"epoch {progress.epoch}/{config.epochs}: loss {progress.loss:.4f}, validation loss "
                f"{progress.val_loss:.4f}, validation accuracy {progress.val_accuracy:.4f}, "
                f"{progress.images_per_s:,.0f} images/s"
            )
            if progress.state.best_epoch == progress.epoch:
                kept.save(make_info(model, config, seen, progress), progress.state.best)


def _checked(out: Path) -> Path:
    """Refuse a place that can't be written to before the work, not after it."""
    folder = out.resolve().parent
    if out.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise UserError("{out} can't be written; name a file in a folder that is there and writable.", out=out)
    return out
