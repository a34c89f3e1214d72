"""A training run on a terminal: a progress bar, plain lines elsewhere, and Ctrl+C that loses nothing."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from training.config import TrainConfig
from training.errors import Message, UserError
from training.run import Run, resume_run, start_run
from training.train import TrainChange, TrainProgress, TrainResult


def train_on_terminal(config: TrainConfig, out: Path | None) -> None:
    """Train as `config` says and show it.

    Raises:
        UserError: as for `start_run` and `Run`, or the loss ran away.
        KeyboardInterrupt: the run was stopped; it says how to go on.
    """
    with start_run(config, out) as run:
        what = f"Training {config.preset} on {run.device}: {run.num_images:,} images, {config.epochs} epochs"
        _drive(run, f"{what}, to {run.checkpoint}")


def resume_on_terminal(path: Path, out: Path | None) -> None:
    """Go on with a stopped run and show it.

    Raises:
        UserError: as for `resume_run` and `Run`, or the loss ran away.
        KeyboardInterrupt: as for `train_on_terminal`.
    """
    with resume_run(path, out) as run:
        what = f"Going on with {run.config.preset} on {run.device} after step {run.resumed_step:,}"
        _drive(run, f"{what}, to {run.checkpoint}")


def _drive(run: Run, what: str) -> None:
    console = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
    try:
        with _patient_interrupt() as is_stopping:
            console.print(what)
            _follow(run, console, is_stopping)
    except KeyboardInterrupt:
        if not run.files.is_state_written:
            raise
        raise KeyboardInterrupt(
            Message('Stopped. To go on: vit-pad train --resume "{path}"', path=run.files.state_file)
        ) from None
    assert run.result is not None
    _check(run.result, run.checkpoint)
    console.print(
        f"Done: epoch {run.result.epoch} was best, validation accuracy {run.result.val_accuracy:.4f}: {run.checkpoint}"
    )


def _check(result: TrainResult, checkpoint: Path) -> None:
    if result.problem is None:
        return
    if result.epoch:
        raise UserError("{problem} {path} holds the best epoch.", problem=result.problem, path=checkpoint)
    raise UserError("{problem}", problem=result.problem)


def _follow(run: Run, console: Console, is_stopping: Callable[[], bool]) -> None:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("Training", total=None)
        progress = run.step()
        if run.note is not None:
            console.print(str(run.note))
        while progress is not None:
            bar.update(
                task,
                completed=progress.step,
                total=progress.num_steps,
                description=f"loss {progress.loss:.4f}, {progress.images_per_s:,.0f} images/s",
            )
            if progress.val_accuracy is not None:
                console.print(_epoch_line(progress, run.config))
            run.save(now=is_stopping())
            if progress.state is not None and is_stopping():
                raise KeyboardInterrupt
            progress = run.step(TrainChange(want_state=is_stopping()))


def _epoch_line(progress: TrainProgress, config: TrainConfig) -> str:
    return (
        f"epoch {progress.epoch}/{config.epochs}: loss {progress.loss:.4f}, validation loss {progress.val_loss:.4f}, "
        f"validation accuracy {progress.val_accuracy:.4f}, {progress.images_per_s:,.0f} images/s"
    )


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
