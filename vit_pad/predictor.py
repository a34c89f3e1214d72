"""Reading what is drawn, on a thread of its own: one request in flight, one waiting, the newest wins."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QThread, Signal, Slot

from training.config import ModelConfig
from training.errors import Message, UserError
from training.facts import Prediction, PredictionRequest
from vit_pad.preload import preload_torch

if TYPE_CHECKING:
    from training.predict import Predictor

_STACK_BYTES = 16 * 2**20  # BLAS needs more than the 512 KiB that macOS gives a thread
# Seconds after which a thread hands the interpreter over to one that waits for it. Python's own 5 ms would let the
# worker hold up painting and mouse events for that long, again and again.
_SWITCH_S = 0.0005
_NOTHING = object()  # the outcome of a job that ended in an exception without a sentence


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadRequest:
    """A wish for a model on a device; `model` is a name or a path. Two wishes for the same are still two."""

    model: str
    device: str


@dataclass(frozen=True, kw_only=True)
class LoadedModel:
    """The model that answers from now on. `devices` are those of this machine, without "auto"."""

    asked: LoadRequest
    device: str
    config: ModelConfig
    devices: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SpeedUp:
    """Time spent on making further answers faster."""


Job = LoadRequest | PredictionRequest | SpeedUp


class LivePredictor(QObject):
    """Hands requests to a worker thread and its answers back. All it knows of jobs lives in the thread that made it.

    Signals: `predicted(Prediction | None, PredictionRequest)`, None where there was no ink; `loaded(LoadedModel)`;
    `failed(Message, LoadRequest | PredictionRequest)`: what went wrong, and with what.
    """

    predicted = Signal(object, object)
    failed = Signal(object, object)
    loaded = Signal(object)
    _job_sent = Signal(object, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = QThread()
        self._thread.setObjectName("predictor")
        self._thread.setStackSize(_STACK_BYTES)
        self._worker = _Worker()
        self._worker.moveToThread(self._thread)
        self._job_sent.connect(self._worker.run)
        self._worker.job_ended.connect(self._on_job_ended)
        self._waiting_load: LoadRequest | None = None
        self._waiting_request: PredictionRequest | None = None
        self._has_model = False
        self._is_fast = False
        self._is_busy = False
        self._is_started = False
        self._is_stopped = False

    @property
    def is_running(self) -> bool:
        """Whether the thread is there."""
        return self._thread.isRunning()

    @property
    def is_busy(self) -> bool:
        """Whether the thread works on something; what is wished for now waits."""
        return self._is_busy

    def start(self) -> None:
        """Start the thread, which then imports torch; wishes made before wait for it."""
        if not (self._is_started or self._is_stopped):
            self._is_started = True
            sys.setswitchinterval(_SWITCH_S)
            self._thread.start()
            self._send_next()

    def load(self, model: str, device: str) -> LoadRequest:
        """Wish for a model. What is asked afterwards is answered by it, if it can be loaded.

        A wish that still waits is forgotten: only the newest is sure to end in `loaded` or `failed`.
        """
        wish = self._waiting_load = LoadRequest(model=model, device=device)
        self._send_next()
        return wish

    def request(self, request: PredictionRequest) -> None:
        """Ask for an answer; a request that still waits is forgotten."""
        self._waiting_request = request
        self._send_next()

    def forget(self) -> None:
        """Drop the request that still waits, as there is nothing left to read."""
        self._waiting_request = None

    def stop(self) -> None:
        """End the thread and wait for it; nothing is answered any more."""
        self._is_stopped = True
        self._waiting_load = self._waiting_request = None
        self._thread.quit()
        self._thread.wait()

    def _send_next(self) -> None:
        if self._is_busy or self._is_stopped or not self._is_started:
            return
        job: Job | None = None
        if self._waiting_load is not None:
            job, self._waiting_load = self._waiting_load, None
            self._is_fast = self._waiting_request is None  # what is drawn already is answered first
        elif self._has_model and self._waiting_request is not None:
            job, self._waiting_request = self._waiting_request, None
        elif self._has_model and not self._is_fast:
            job, self._is_fast = SpeedUp(), True
        if job is not None:
            self._is_busy = True
            self._job_sent.emit(job, self._is_fast)

    @Slot(object, object)
    def _on_job_ended(self, job: Job, outcome: object) -> None:
        if self._is_stopped:
            return
        self._is_busy = False
        if isinstance(outcome, LoadedModel):
            self._has_model = True
        self._send_next()  # before the views take their time
        if isinstance(outcome, Message):
            self.failed.emit(outcome, job)
        elif isinstance(outcome, LoadedModel):
            self.loaded.emit(outcome)
        elif isinstance(job, PredictionRequest) and outcome is not _NOTHING:
            self.predicted.emit(outcome, job)


class _Worker(QObject):
    """Lives in the worker thread and owns the model; torch is imported with its first job."""

    job_ended = Signal(object, object)  # the job; its LoadedModel, Prediction or None, or a Message of what went wrong

    def __init__(self) -> None:
        super().__init__()
        self._predictor: Predictor | None = None

    @Slot(object, bool)
    def run(self, job: Job, shall_be_fast: bool) -> None:
        outcome: Any = _NOTHING
        try:
            if isinstance(job, LoadRequest):
                outcome = self._load(job)
            elif not isinstance(job, SpeedUp):
                outcome = self._predict(job)
            if self._predictor is not None and shall_be_fast:
                self._predictor.speed_up()
        except UserError as error:
            outcome = error.message
        except Exception as error:
            if isinstance(job, LoadRequest):  # the driver or the memory of a GPU, say
                outcome = _load_problem(job, error)
            raise
        finally:  # an exception without a sentence goes on to the exception hook, and the next job gets its turn
            self.job_ended.emit(job, outcome)

    def _load(self, wish: LoadRequest) -> LoadedModel:
        from training import load_torch

        preload_torch()
        load_torch()
        from training.devices import list_devices
        from training.predict import Predictor

        self._predictor = Predictor(wish.model, wish.device)
        return LoadedModel(
            asked=wish, device=self._predictor.device, config=self._predictor.config, devices=tuple(list_devices())
        )

    def _predict(self, request: PredictionRequest) -> Prediction | None:
        assert self._predictor is not None  # no request is sent before a model is there
        return self._predictor.predict(request)


def _load_problem(wish: LoadRequest, error: Exception) -> Message:
    return Message(
        "The model {model} can't be loaded on the device {device} ({reason}). Choose another model or device.",
        model=wish.model,
        device=wish.device,
        reason=str(error).splitlines()[0] if str(error) else type(error).__name__,
    )
