"""A whole training run: data, model, loop and files. What is shown of it is the business of whoever drives it."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
import time
from collections.abc import Mapping
from pathlib import Path

import torch
from filelock import BaseFileLock
from torch import Tensor

from training.atomic import check_place, remove_leftovers
from training.calibrate import Calibration, calibrate
from training.checkpoint import load_checkpoint, save_checkpoint
from training.config import NetworkConfig, TrainConfig
from training.data import ImageSet, TrainingData
from training.devices import resolve_device
from training.errors import Message, UserError
from training.lock import lock_for_training
from training.mixture import training_data
from training.models import KIND, ModelInfo, find_model, is_own_checkpoint, new_model_path, state_path
from training.network import Network, build_network
from training.run_state import KIND as STATE_KIND
from training.run_state import RunFacts, check_data, load_run_state, md5_of, save_run_state
from training.train import (
    Arrays,
    RunState,
    TrainChange,
    TrainProgress,
    TrainResult,
    answer_set,
    load_arrays,
    score,
    train,
)
from training.transfer import start_from


class Run:
    """A run, done step by step. Its best epoch goes to `checkpoint`; until it is complete its state lies beside it.

    `step` and `save` take turns. What fails in `save` can be tried again; what was written before stays whole.
    Use it as a context manager: no other run can go on in the same folder until it is closed.
    """

    def __init__(
        self,
        model: Network,
        data: TrainingData,
        config: TrainConfig,
        files: RunFiles,
        lock: BaseFileLock,
        state: RunState | None = None,
    ) -> None:
        self.config = config
        self.files = files
        self.note: Message | None = None  # what was done otherwise than asked
        self.result: TrainResult | None = None  # once the run is complete
        self.kept_accuracy: float | None = None  # of the model that an early end has left
        self.resumed_step = 0 if state is None else state.step
        self._lock = lock
        self._asked_batch = config.batch_size
        self._device = resolve_device(files.facts.device)
        self._data = data
        self._state = state
        self._progress: TrainProgress | None = None
        self._begin(model)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self._steps.close()
        self._lock.release()

    @property
    def checkpoint(self) -> Path:
        """Where the best epoch goes."""
        return self.files.facts.checkpoint

    @property
    def device(self) -> str:
        """Where it trains."""
        return self.files.facts.device

    @property
    def model_config(self) -> NetworkConfig:
        """The shape of the model."""
        return self.files.facts.model

    @property
    def num_images(self) -> int:
        """Images to train on."""
        return len(self._data.train)

    def step(self, change: TrainChange | None = None) -> TrainProgress | None:
        """Do one step and tell what is known after it; None where the run is complete.

        What changes is in force from this step on, but for the first one. Where the memory doesn't hold the first
        batch, the run begins again with half of it and leaves a `note`.

        Raises:
            UserError: there is not enough memory.
        """
        wish = change or TrainChange()
        if self.files.is_due(self.config.state_every_s):
            wish = dataclasses.replace(wish, want_state=True)
        try:
            self._progress = self._steps.send(None if self._progress is None else wish)
        except StopIteration as stop:
            self.result = stop.value
            self.files.remove_state()
            return None
        except (RuntimeError, MemoryError) as error:  # torch's out-of-memory errors are RuntimeErrors
            if not _is_out_of_memory(error):
                raise
        else:
            return self._progress
        self._halve_batch()  # not before the error is gone, which holds on to all that the failed step had in memory
        return self.step()

    def save(self, *, now: bool = False) -> None:
        """Write the state that the last step brought, if it ended an epoch, the file is getting old, or `now`.

        Raises:
            UserError: it can't be written.
        """
        progress = self._progress
        is_time = now or self.files.is_due(self.config.state_every_s)
        if progress is not None and (is_time or progress.val_accuracy is not None):
            self.files.take(progress)

    def end_early(self) -> None:
        """Write the state, and judge the weights as they are: where no epoch so far was better, they are the model.

        The last step must have brought a state.

        Raises:
            UserError: it can't be written.
        """
        assert self._progress is not None
        state = self._progress.state
        assert state is not None
        self.files.take(self._progress)
        logits, labels = self.files.answers(state.shown_weights)
        judged = score(logits, labels)
        self.kept_accuracy = max(judged.accuracy, state.best_accuracy or 0.0)
        is_best = state.best_accuracy is None or judged.accuracy > state.best_accuracy
        if is_best and math.isfinite(judged.loss):
            epochs = state.step * state.config.batch_size / self.num_images
            metrics = {"epoch": round(epochs, 2), "val_accuracy": judged.accuracy, "val_loss": judged.loss}
            self.files.save_model(state.config, state.shown_weights, metrics, calibrate(logits, labels))

    def _begin(self, model: Network) -> None:
        data = TrainingData(self._data.train.to(self._device), self._data.validation.to(self._device))
        teacher = load_teacher(self.config, self.model_config)
        self._steps = train(
            model.to(self._device),
            data,
            self.config,
            teacher=None if teacher is None else teacher.to(self._device),
            state=self._state,
        )

    def _halve_batch(self) -> None:
        if self._progress is not None or self._state is not None or self.config.batch_size == 1:
            raise UserError("There is not enough memory to go on. Close other programs, then go on with the run.")
        self.config = dataclasses.replace(self.config, batch_size=self.config.batch_size // 2)
        self.note = Message(
            "There is not enough memory for {asked} images at a time; it goes on with {fitting}.",
            asked=self._asked_batch,
            fitting=self.config.batch_size,
        )
        model, _ = build_model(self.config, self._data.train.class_names)
        self._begin(model)


def start_run(config: TrainConfig, out: Path | None = None) -> Run:
    """Make ready to train as `config` says; the best epoch goes to `out`, without one to a new model of the person's.

    Sets the torch threads of the thread that calls it.

    Raises:
        UserError: data, model to start from, device or place to write to isn't there, or another run goes on there.
    """
    checkpoint = new_model_path(config.preset) if out is None else out
    _check_places(checkpoint)
    lock = lock_for_training(checkpoint.resolve().parent)
    with contextlib.ExitStack() as stack:
        stack.callback(lock.release)
        if config.threads is not None:
            torch.set_num_threads(config.threads)
        device = resolve_device(config.device)
        data, own_seen = training_data(config)
        model, seen = build_model(config, data.train.class_names)
        facts = RunFacts(
            model=model.config,
            checkpoint=checkpoint,
            device=str(device),
            threads=torch.get_num_threads(),
            data_md5=md5_of(data),
            seen=tuple(dict.fromkeys((*seen, *own_seen))),
        )
        files = RunFiles(
            facts, state_path(checkpoint), data.validation, new_name=config.preset if out is None else None
        )
        run = Run(model, data, config, files, lock)
        stack.pop_all()  # from here on the run releases it
        return run


def resume_run(path: Path, out: Path | None = None) -> Run:
    """Make ready to go on with a stopped run from the file of its state, as if it had not stopped.

    Sets the torch threads of the thread that calls it to the number that the run had.

    Args:
        path: the state; it is kept up to date, and removed when the run is complete.
        out: where the best epoch goes from now on; None leaves it where it was.

    Raises:
        UserError: as for `start_run`; or the file can't be read, or the data are others.
    """
    state, facts = load_run_state(path)
    facts = dataclasses.replace(facts, checkpoint=out or facts.checkpoint)
    _check_places(facts.checkpoint, path)
    lock = lock_for_training(path.resolve().parent)
    with contextlib.ExitStack() as stack:
        stack.callback(lock.release)
        remove_leftovers(path)
        torch.set_num_threads(facts.threads)
        data, _ = training_data(state.config)
        check_data(facts, md5_of(data))
        files = RunFiles(facts, path, data.validation, is_state_written=True)
        if state.best_epoch and not facts.checkpoint.exists():
            files.save_model(state.config, state.best, facts.metrics, calibrate(*files.answers(state.best)))
        run = Run(build_network(facts.model), data, state.config, files, lock, state)
        stack.pop_all()  # from here on the run releases it
        return run


def build_model(config: TrainConfig, class_names: tuple[str, ...]) -> tuple[Network, tuple[str, ...]]:
    """Make the model with its starting weights, on the CPU, and tell what those weights have seen."""
    model = build_network(config.model_config(class_names), torch.Generator().manual_seed(config.seed))
    if config.start_from is None:
        return model, ()
    source, info = load_checkpoint(find_model(config.start_from))
    start_from(model, source.state_dict(), info.model)
    return model, info.seen


def load_teacher(config: TrainConfig, model: NetworkConfig) -> Network | None:
    """Load the model that `config` names to learn from, on the CPU; None where it names none.

    Raises:
        UserError: there is no such model, or it answers with other classes or takes other images than `model`.
    """
    if config.teacher is None:
        return None
    teacher, info = load_checkpoint(find_model(config.teacher))
    for name in ("class_names", "image_size", "in_channels"):
        if getattr(info.model, name) != getattr(model, name):
            raise UserError(
                "The teacher {teacher} has {name} {theirs}, the model {ours}; these must be the same.",
                teacher=config.teacher,
                name=name,
                theirs=getattr(info.model, name),
                ours=getattr(model, name),
            )
    return teacher


def _check_places(checkpoint: Path, state_file: Path | None = None) -> None:
    """Refuse places for the two files of a run before the work; without one, the state's is beside the checkpoint.

    Raises:
        UserError: as for `check_place`.
    """
    check_place(checkpoint, functools.partial(is_own_checkpoint, kind=KIND), "a model of ViT Pad")
    state_file = state_path(checkpoint) if state_file is None else state_file
    check_place(state_file, functools.partial(is_own_checkpoint, kind=STATE_KIND), "the state of a run of ViT Pad")


class RunFiles:
    """The two files of a run: the checkpoint of its best epoch, and the state from which it can go on."""

    def __init__(
        self,
        facts: RunFacts,
        state_file: Path,
        validation: ImageSet,
        new_name: str | None = None,
        *,
        is_state_written: bool = False,
    ) -> None:
        self.facts = facts
        self.state_file = state_file
        self.is_state_written = is_state_written
        self._validation = validation
        self._new_name = new_name  # until something is written under it
        self._saved_s = time.monotonic()

    def is_due(self, every_s: float) -> bool:
        """Tell whether the state on the disk is getting old."""
        return time.monotonic() - self._saved_s >= every_s

    def take(self, progress: TrainProgress) -> None:
        """Write what a step brought: the checkpoint first, so that a state never knows of a best epoch that is lost.

        Raises:
            UserError: it can't be written.
        """
        state = progress.state
        if state is None:
            return
        self._claim()
        if progress.calibration is not None and state.best_epoch == progress.epoch:
            self.facts = dataclasses.replace(self.facts, metrics=_metrics_of(progress))
            self.save_model(state.config, state.best, self.facts.metrics, progress.calibration)
        save_run_state(self.state_file, state, self.facts)
        self.is_state_written = True
        self._saved_s = time.monotonic()

    def save_model(
        self, config: TrainConfig, weights: Arrays, metrics: Mapping[str, float], calibration: Calibration
    ) -> None:
        """Write weights in the place of the run's own earlier ones.

        Raises:
            UserError: they can't be written.
        """
        info = ModelInfo(
            model=self.facts.model,
            temperature=calibration.temperature,
            reject=calibration.reject,
            training=dataclasses.asdict(config),
            seen=self.facts.seen,
            metrics=metrics,
        )
        save_checkpoint(self.facts.checkpoint, info, weights)

    def answers(self, weights: Arrays) -> tuple[Tensor, Tensor]:
        """Give the logits (N, C) that weights give the validation images, and their labels (N,), on the CPU."""
        device = resolve_device(self.facts.device)
        model = build_network(self.facts.model).to(device).eval()
        load_arrays(model, weights)
        return answer_set(model, self._validation.to(device))

    def remove_state(self) -> None:
        """Remove the state: there is nothing left to go on with."""
        with contextlib.suppress(OSError):
            self.state_file.unlink()

    def _claim(self) -> None:
        """Take another new name if another run was there first."""
        if self._new_name is not None and (self.facts.checkpoint.exists() or self.state_file.exists()):
            self.facts = dataclasses.replace(self.facts, checkpoint=new_model_path(self._new_name))
            self.state_file = state_path(self.facts.checkpoint)
        self._new_name = None


def _metrics_of(progress: TrainProgress) -> dict[str, float]:
    metrics = {"epoch": progress.epoch, "val_accuracy": progress.val_accuracy, "val_loss": progress.val_loss}
    return {name: value for name, value in metrics.items() if value is not None}


def _is_out_of_memory(error: Exception) -> bool:
    return isinstance(error, (MemoryError, torch.OutOfMemoryError)) or "can't allocate memory" in str(error)
