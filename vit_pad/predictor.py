"""Reading what is drawn, on a thread of its own: one request in flight, one waiting, the newest wins."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QThread, Signal, Slot

from training.config import ModelConfig
from training.errors import Message, UserError
from training.facts import Prediction, PredictionRequest
from vit_pad.preload import import_torch

if TYPE_CHECKING:
    from training.predict import Predictor

_STACK_BYTES = 16 * 2**20  # BLAS needs more than the 512 KiB that macOS gives a thread
# Seconds after which a thread hands the interpreter over to one that waits for it. Python's own 5 ms would let the
# worker hold up painting and mouse events for that long, again and again.
_SWITCH_S = 0.0005
_SEND = QEvent.Type(QEvent.registerEventType())
_AFTER_PAINTING = Qt.EventPriority.LowEventPriority.value - 1  # Qt paints in events of low priority
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

    A prediction begins with the drawing's image, in Python; then the model works without. Painting is Python, too, and
    side by side with the image each keeps the other waiting for the interpreter: an answer's paint took 4 ms rather
    than 1, an image 3 ms. So a request goes to the worker once the window has painted, and while the next one waits, an
    answer is handed over when that one's image is made.

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
        self._worker.image_made.connect(self._hand_over)
        self._waiting_load: LoadRequest | None = None
        self._waiting_request: PredictionRequest | None = None
        self._has_model = False
        self._is_fast = False
        self._job: Job | None = None  # what the thread works on
        self._is_sending = False
        self._answer: tuple[Any, PredictionRequest] | None = None  # came, and is not handed over yet
        self._is_started = False
        self._is_stopped = False

    @property
    def is_running(self) -> bool:
        """Whether the thread is there."""
        return self._thread.isRunning()

    @property
    def is_busy(self) -> bool:
        """Whether the thread works on something; what is wished for now waits."""
        return self._job is not None or self._is_sending

    def start(self) -> None:
        """Start the thread, which then imports torch; wishes made before wait for it."""
        if not (self._is_started or self._is_stopped):
            self._is_started = True
            sys.setswitchinterval(_SWITCH_S)
            self._thread.start()
            self._send_soon()

    def load(self, model: str, device: str) -> LoadRequest:
        """Wish for a model. What is asked afterwards is answered by it, if it can be loaded.

        A wish that still waits is forgotten: only the newest is sure to end in `loaded` or `failed`.
        """
        wish = self._waiting_load = LoadRequest(model=model, device=device)
        self._send_soon()
        return wish

    def request(self, request: PredictionRequest) -> None:
        """Ask for an answer; a request that still waits is forgotten."""
        self._waiting_request = request
        self._send_soon()

    def forget(self) -> None:
        """Drop the request that still waits, as there is nothing left to read."""
        self._waiting_request = None

    def stop(self) -> None:
        """End the thread and wait for it; nothing is answered any more."""
        self._is_stopped = True
        self._waiting_load = self._waiting_request = self._answer = None
        self._thread.quit()
        self._thread.wait()

    def customEvent(self, event: QEvent) -> None:
        if event.type() == _SEND:
            self._is_sending = False
            self._send_next()

    def _send_soon(self) -> None:
        """Send the next job as soon as the window has painted what it has to."""
        if not self._is_sending:
            self._is_sending = True
            QCoreApplication.postEvent(self, QEvent(_SEND), _AFTER_PAINTING)

    def _send_next(self) -> None:
        if self._job is not None or self._is_stopped or not self._is_started:
            return
        if self._waiting_load is not None:
            self._job, self._waiting_load = self._waiting_load, None
            self._is_fast = self._waiting_request is None  # what is drawn already is answered first
        elif self._has_model and self._waiting_request is not None:
            self._job, self._waiting_request = self._waiting_request, None
        elif self._has_model and not self._is_fast:
            self._job, self._is_fast = SpeedUp(), True
        if self._job is not None:
            self._job_sent.emit(self._job, self._is_fast)

    @Slot(object, object)
    def _on_job_ended(self, job: Job, outcome: object) -> None:
        if self._is_stopped:
            return
        if isinstance(outcome, LoadedModel):
            self._has_model = True
        self._hand_over()
        self._job = None
        self._send_next()  # what comes after it is shown while it works
        if isinstance(outcome, Message):
            self.failed.emit(outcome, job)
        elif isinstance(outcome, LoadedModel):
            self.loaded.emit(outcome)
        elif isinstance(job, PredictionRequest) and outcome is not _NOTHING:
            self._answer = outcome, job
            if not isinstance(self._job, PredictionRequest):
                self._hand_over()

    @Slot()
    def _hand_over(self) -> None:
        """Give an answer that came to the views, which then paint."""
        if self._answer is not None:
            answer, self._answer = self._answer, None
            self.predicted.emit(*answer)


class _Worker(QObject):
    """Lives in the worker thread and owns the model; torch is imported with its first job."""

    job_ended = Signal(object, object)  # the job; its LoadedModel, Prediction or None, or a Message of what went wrong
    image_made = Signal()  # with each prediction, before the model's turn, which needs no Python

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
        import_torch()
        from training.devices import list_devices
        from training.predict import Predictor

        self._predictor = Predictor(wish.model, wish.device)
        return LoadedModel(
            asked=wish, device=self._predictor.device, config=self._predictor.config, devices=tuple(list_devices())
        )

    def _predict(self, request: PredictionRequest) -> Prediction | None:
        assert self._predictor is not None  # no request is sent before a model is there
        return self._predictor.predict(request, self.image_made.emit)


def _load_problem(wish: LoadRequest, error: Exception) -> Message:
    return Message(
        "The model {model} can't be loaded on the device {device} ({reason}). Choose another model or device.",
        model=wish.model,
        device=wish.device,
        reason=str(error).splitlines()[0] if str(error) else type(error).__name__,
    )
