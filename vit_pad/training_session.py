"""Training in a thread of its own, which leaves the window its share of the machine."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, QTimer, Signal, Slot

from training.config import TrainConfig
from training.errors import Message, UserError, first_line
from vit_pad.predictor import STACK_BYTES, LiveWeights, LoadRequest
from vit_pad.preload import import_torch
from vit_pad.words import IN_TRAINING

if TYPE_CHECKING:
    from training.run import Run
    from training.train import RunState, TrainProgress

_SHOW_EVERY_MS = 50  # a screen shows no more that anybody could read
_WEIGHTS_EVERY_S = 2.0
_NICENESS = 5  # of the trainer, so that the pen comes first where both want the machine


@dataclass(frozen=True)
class Begun:
    """What is being trained."""

    model: str  # the name of the model to come
    config: TrainConfig
    note: Message | None  # what is done otherwise than asked


@dataclass(frozen=True)
class Ended:
    """How a training ended. `model` is the new one's name, None where nothing is worth keeping."""

    model: str | None
    accuracy: float | None
    is_complete: bool
    problem: Message | None = None


class TrainingSession(QObject):
    """Starts a training, hands on what is known of it, and ends it; one at a time.

    Signals: `begun(Begun)`; `progressed(list[TrainProgress])`, all steps since the last time, without their states;
    `weights_came(LiveWeights)`, every few seconds; `halted(Message | None)`: it stands still, because it was told to or
    because of a problem, and `go_on` takes it up again; `ended(Ended)`, always the last.
    """

    begun = Signal(object)
    progressed = Signal(object)
    weights_came = Signal(object)
    halted = Signal(object)
    ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: _TrainingThread | None = None
        self._timer = QTimer(self, interval=_SHOW_EVERY_MS)
        self._timer.timeout.connect(self._hand_on)

    @property
    def is_running(self) -> bool:
        """Whether a training goes on or stands still."""
        return self._thread is not None

    def start(self, config: TrainConfig) -> None:
        """Start a training. Without a number of threads in `config` it leaves a core free."""
        self._begin(lambda: _start(dataclasses.replace(config, threads=threads_for(config))))

    def resume(self, state: Path) -> None:
        """Go on with a training that was stopped, from the file of its state."""
        self._begin(lambda: _resume(state))

    def pause(self) -> None:
        """Stand still after the next step, with everything on the disk."""
        if self._thread is not None:
            self._thread.orders.pause()

    def go_on(self) -> None:
        """Go on after a pause; what failed then is tried again."""
        if self._thread is not None:
            self._thread.orders.go_on()

    def stop(self) -> None:
        """End after the next step and make a model of what was learned so far."""
        if self._thread is not None:
            self._thread.orders.stop()

    def leave(self) -> None:
        """End after the next step with everything on the disk, so that it can be resumed another time."""
        if self._thread is not None:
            self._thread.orders.leave()

    def leave_and_wait(self) -> None:
        """Do as `leave` does, and come back when the thread has ended; nothing is told any more."""
        thread, self._thread = self._thread, None
        self._timer.stop()
        if thread is not None:
            thread.orders.leave()
            thread.wait()

    def _begin(self, make: Callable[[], Run]) -> None:
        assert self._thread is None
        self._thread = _TrainingThread(make)
        self._thread.begun.connect(self.begun)
        self._thread.weights_came.connect(self.weights_came)
        self._thread.halted.connect(self._on_halted)
        self._thread.finished.connect(self._on_finished)
        self._thread.start()
        self._timer.start()

    def _hand_on(self) -> None:
        if self._thread is not None:
            steps = self._thread.take_steps()
            if steps:
                self.progressed.emit(steps)

    @Slot(object)
    def _on_halted(self, problem: Message | None) -> None:
        self._hand_on()
        self.halted.emit(problem)

    @Slot()
    def _on_finished(self) -> None:
        if self._thread is None:  # nobody waits for it any more
            return
        self._hand_on()
        self._timer.stop()
        thread, self._thread = self._thread, None
        thread.wait()
        self.ended.emit(thread.outcome)


def threads_for(config: TrainConfig) -> int:
    """Give the threads that a training in the window gets: those asked for, or all but one."""
    return config.threads or max((os.cpu_count() or 1) - 1, 1)


class _Orders:
    """What the window wants of the thread. Pausing holds until told otherwise, stopping and leaving for good."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.is_pausing = self.is_stopping = self.is_leaving = False

    @property
    def are_there(self) -> bool:
        """Whether anything is wanted for which the state is needed."""
        return self.is_pausing or self.is_ending

    @property
    def is_ending(self) -> bool:
        """Whether the run is to end, with a model or without."""
        return self.is_stopping or self.is_leaving

    def pause(self) -> None:
        self._set(is_pausing=True)

    def go_on(self) -> None:
        self._set(is_pausing=False)

    def stop(self) -> None:
        self._set(is_pausing=False, is_stopping=True)

    def leave(self) -> None:
        self._set(is_pausing=False, is_leaving=True)

    def hold(self) -> bool:
        """Pause and take a stop back, until one is told again; tell whether there was one."""
        was_stopping = self.is_stopping
        self._set(is_pausing=True, is_stopping=False)
        return was_stopping

    def wait(self) -> None:
        """Wait as long as a pause lasts."""
        with self._changed:
            self._changed.wait_for(lambda: not self.is_pausing)

    def _set(self, **values: bool) -> None:
        with self._changed:
            for name, value in values.items():
                setattr(self, name, value)
            self._changed.notify_all()


class _TrainingThread(QThread):
    """Drives one run."""

    begun = Signal(object)
    weights_came = Signal(object)
    halted = Signal(object)

    def __init__(self, make: Callable[[], Run]) -> None:
        super().__init__()
        self.setObjectName("training")
        self.setStackSize(STACK_BYTES)
        self.orders = _Orders()
        self.outcome = Ended(None, None, is_complete=False)
        self._make = make
        self._lock = threading.Lock()
        self._steps: list[TrainProgress] = []
        self._shown_s = 0.0

    def take_steps(self) -> list[TrainProgress]:
        """Give what came since the last time."""
        with self._lock:
            steps, self._steps = self._steps, []
        return steps

    def run(self) -> None:
        _be_nice()
        try:
            import_torch()
            with self._make() as run:
                self._drive(run)
        except UserError as error:
            self.outcome = dataclasses.replace(self.outcome, problem=error.message)
        except Exception as error:
            self.outcome = dataclasses.replace(self.outcome, problem=_unforeseen(error))
            sys.excepthook(*sys.exc_info())

    def _drive(self, run: Run) -> None:
        from training.train import TrainChange

        progress = run.step()
        name = run.checkpoint.stem
        self.begun.emit(Begun(name, run.config, run.note))
        wish = LoadRequest(model=IN_TRAINING, device=run.device)
        while progress is not None:
            self._note(progress)
            if progress.state is not None:
                self._show(run, progress.state, wish)
                if not self._deal_with_state(run):
                    return
            progress = run.step(TrainChange(want_state=self._is_state_wanted()))
        assert run.result is not None
        result = run.result
        kept = name if result.epoch else None
        self.outcome = Ended(kept, result.val_accuracy, is_complete=result.problem is None, problem=result.problem)

    def _is_state_wanted(self) -> bool:
        return self.orders.are_there or time.monotonic() - self._shown_s >= _WEIGHTS_EVERY_S

    def _deal_with_state(self, run: Run) -> bool:
        """Save what there is and do what is wanted; False when that is to end."""
        if not self.orders.is_stopping:  # ending early saves
            self._patiently(lambda: run.save(now=self.orders.are_there))
        if self.orders.is_pausing:
            self.halted.emit(None)
            self.orders.wait()
        if self.orders.is_leaving:
            self.outcome = Ended(None, None, is_complete=False)
            return False
        if self.orders.is_stopping:
            self._patiently(run.end_early)
            self.outcome = Ended(run.checkpoint.stem, run.kept_accuracy, is_complete=False)
            return False
        return True

    def _patiently(self, save: Callable[[], None]) -> None:
        """Save; where that fails say why, and try again when told to go on; when told to end, end without."""
        while True:
            try:
                save()
            except UserError as error:
                if self.orders.is_leaving:
                    raise
                was_stopping = self.orders.hold()
                self.halted.emit(error.message)
                self.orders.wait()
                if self.orders.is_ending:
                    raise
                if was_stopping:
                    self.orders.stop()
            else:
                return

    def _note(self, progress: TrainProgress) -> None:
        with self._lock:
            self._steps.append(dataclasses.replace(progress, state=None))

    def _show(self, run: Run, state: RunState, wish: LoadRequest) -> None:
        self._shown_s = time.monotonic()
        self.weights_came.emit(LiveWeights(wish=wish, config=run.model_config, weights=state.shown_weights))


def _start(config: TrainConfig) -> Run:
    from training.run import start_run

    return start_run(config)


def _resume(state: Path) -> Run:
    from training.run import resume_run

    return resume_run(state)


def _be_nice() -> None:
    """Let the window's threads go first. Only Linux knows a niceness of single threads."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


def _unforeseen(error: Exception) -> Message:
    return Message(
        "The training stopped by an error ({reason}). What was saved last can be gone on with.",
        reason=first_line(error),
    )
