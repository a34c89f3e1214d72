"""A whole training run from the command line: data, model, loop, files, progress."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from types import FrameType

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from training.atomic import remove_leftovers
from training.checkpoint import load_checkpoint, save_checkpoint
from training.config import ModelConfig, TrainConfig
from training.data import TrainingData, mnist_training_data
from training.devices import resolve_device
from training.errors import Message, UserError
from training.model import VisionTransformer
from training.models import ModelInfo, find_model, new_model_path, state_path
from training.run_state import RunFacts, check_data, load_run_state, md5_of, save_run_state
from training.train import RunState, TrainChange, TrainProgress, TrainResult, train
from training.transfer import start_from

MNIST_SEEN = "MNIST, the first 55,000 training images"
_WANT_STATE = TrainChange(want_state=True)


def run_training(config: TrainConfig, out: Path | None) -> None:
    """Train as `config` says, show progress, keep the best epoch in `out`; without one, as a new model of the person's.

    Until the run is complete its state lies beside the checkpoint.

    Raises:
        UserError: data, model to start from, device or place to write to isn't there, or the loss ran away.
        KeyboardInterrupt: the run was stopped; it says how to go on.
    """
    checkpoint = new_model_path(config.preset) if out is None else _checked(out)
    if config.threads is not None:
        torch.set_num_threads(config.threads)
    device = resolve_device(config.device)
    data = mnist_training_data(config.images_per_class, config.seed)
    model, seen = build_model(config, data.train.class_names)
    facts = RunFacts(
        model=model.config,
        checkpoint=checkpoint,
        device=str(device),
        threads=torch.get_num_threads(),
        data_md5=md5_of(data),
        seen=seen,
    )
    files = _Files(facts, state_path(checkpoint), new_name=config.preset if out is None else None)
    what = f"Training {config.preset} on {device}: {len(data.train):,} images, {config.epochs} epochs, to {checkpoint}"
    _run(model.to(device), data, config, None, files, what)


def resume_training(path: Path, out: Path | None = None) -> None:
    """Go on with a stopped run from the file of its state, as if it had not stopped.

    Args:
        path: the state; it is kept up to date, and removed when the run is complete.
        out: where the best epoch goes from now on; None leaves it where it was.

    Raises:
        UserError: as for `run_training`; or the file can't be read, or the data are others.
        KeyboardInterrupt: as for `run_training`.
    """
    state, facts = load_run_state(path)
    config = state.config
    facts = dataclasses.replace(facts, checkpoint=_checked(out or facts.checkpoint))
    remove_leftovers(path)
    torch.set_num_threads(facts.threads)
    device = resolve_device(facts.device)
    data = mnist_training_data(config.images_per_class, config.seed)
    check_data(facts, md5_of(data))
    files = _Files(facts, path)
    files.is_state_written = True
    if state.best_epoch and not facts.checkpoint.exists():
        files.save_best(state)
    what = f"Going on with {config.preset} on {device} after step {state.step:,}, to {facts.checkpoint}"
    _run(VisionTransformer(facts.model).to(device), data, config, state, files, what)


def build_model(config: TrainConfig, class_names: tuple[str, ...]) -> tuple[VisionTransformer, tuple[str, ...]]:
    """Make the model with its starting weights, on the CPU, and tell what those weights have seen."""
    model = VisionTransformer(config.model_config(class_names), torch.Generator().manual_seed(config.seed))
    if config.start_from is None:
        return model, ()
    source, info = load_checkpoint(find_model(config.start_from))
    start_from(model, source.state_dict(), info.model)
    return model, info.seen


def make_info(
    model: ModelConfig, config: TrainConfig, seen: tuple[str, ...], metrics: Mapping[str, float]
) -> ModelInfo:
    """Give what a checkpoint is to say of weights judged at the end of an epoch."""
    return ModelInfo(
        model=model,
        temperature=1.0,
        training=dataclasses.asdict(config),
        seen=tuple(dict.fromkeys((*seen, MNIST_SEEN))),
        metrics=metrics,
    )


def metrics_of(progress: TrainProgress) -> dict[str, float]:
    """Give the figures of the epoch that has just ended."""
    metrics = {"epoch": progress.epoch, "val_accuracy": progress.val_accuracy, "val_loss": progress.val_loss}
    return {name: value for name, value in metrics.items() if value is not None}


class _Files:
    """The two files of a run: the checkpoint of its best epoch, and the state from which it can go on."""

    def __init__(self, facts: RunFacts, state_file: Path, new_name: str | None = None) -> None:
        self.facts = facts
        self.state_file = state_file
        self._new_name = new_name  # until something is written under it
        self._saved_s = time.monotonic()
        self.is_state_written = False

    @property
    def checkpoint(self) -> Path:
        return self.facts.checkpoint

    def is_due(self, config: TrainConfig) -> bool:
        """Tell whether the state on the disk is getting old."""
        return time.monotonic() - self._saved_s >= config.state_every_s

    def take(self, progress: TrainProgress) -> None:
        """Write what a step brought: the checkpoint first, so that a state never knows of a best epoch that is lost."""
        state = progress.state
        if state is None:
            return
        self._claim()
        if progress.val_accuracy is not None and state.best_epoch == progress.epoch:
            self.facts = dataclasses.replace(self.facts, metrics=metrics_of(progress))
            self.save_best(state)
        save_run_state(self.state_file, state, self.facts)
        self.is_state_written = True
        self._saved_s = time.monotonic()

    def save_best(self, state: RunState) -> None:
        """Write the weights of the best epoch in the place of the run's own earlier ones."""
        info = make_info(self.facts.model, state.config, self.facts.seen, self.facts.metrics)
        save_checkpoint(self.checkpoint, info, state.best)

    def finish(self) -> None:
        """Remove the state: there is nothing left to go on with."""
        with contextlib.suppress(OSError):
            self.state_file.unlink()

    def _claim(self) -> None:
        """Take another new name if another run was there first."""
        if self._new_name is not None and (self.checkpoint.exists() or self.state_file.exists()):
            self.facts = dataclasses.replace(self.facts, checkpoint=new_model_path(self._new_name))
            self.state_file = state_path(self.checkpoint)
        self._new_name = None


def _run(
    model: VisionTransformer,
    data: TrainingData,
    config: TrainConfig,
    state: RunState | None,
    files: _Files,
    what: str,
) -> None:
    device = next(model.parameters()).device
    data = TrainingData(data.train.to(device), data.validation.to(device))
    console = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
    try:
        with _patient_interrupt() as is_stopping:
            console.print(what)
            result = _follow(train(model, data, config, state=state), config, files, console, is_stopping)
    except KeyboardInterrupt:
        if not files.is_state_written:
            raise
        raise KeyboardInterrupt(
            Message('Stopped. To go on: vit-pad train --resume "{path}"', path=files.state_file)
        ) from None
    files.finish()
    if result.problem is not None:
        if result.epoch:
            raise UserError("{problem} {path} holds the best epoch.", problem=result.problem, path=files.checkpoint)
        raise UserError("{problem}", problem=result.problem)
    console.print(
        f"Done: epoch {result.epoch} was best, validation accuracy {result.val_accuracy:.4f}: {files.checkpoint}"
    )


def _follow(
    steps: Generator[TrainProgress, TrainChange | None, TrainResult],
    config: TrainConfig,
    files: _Files,
    console: Console,
    is_stopping: Callable[[], bool],
) -> TrainResult:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("Training", total=None)
        wish: TrainChange | None = None
        while True:
            try:
                progress = steps.send(wish)
            except StopIteration as stop:
                result: TrainResult = stop.value
                return result
            bar.update(
                task,
                completed=progress.step,
                total=progress.num_steps,
                description=f"loss {progress.loss:.4f}, {progress.images_per_s:,.0f} images/s",
            )
            if progress.val_accuracy is not None:
                console.print(
                    f"epoch {progress.epoch}/{config.epochs}: loss {progress.loss:.4f}, validation loss "
                    f"{progress.val_loss:.4f}, validation accuracy {progress.val_accuracy:.4f}, "
                    f"{progress.images_per_s:,.0f} images/s"
                )
            files.take(progress)
            if progress.state is not None and is_stopping():
                raise KeyboardInterrupt
            wish = _WANT_STATE if is_stopping() or files.is_due(config) else None


@contextlib.contextmanager
def _patient_interrupt() -> Iterator[Callable[[], bool]]:
    """Let the first Ctrl+C wait until the state is written; the second one acts at once.

    Where Ctrl+C means something else, or another thread waits for it, nothing changes.
    """
    asked = threading.Event()
    usual = signal.getsignal(signal.SIGINT)
    if usual is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return

    def remember(number: int, frame: FrameType | None) -> None:
        asked.set()
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, remember)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, usual)


def _checked(out: Path) -> Path:
    """Refuse a place that can't be written to before the work, not after it."""
    folder = out.resolve().parent
    if out.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise UserError("{out} can't be written; name a file in a folder that is there and writable.", out=out)
    return out
