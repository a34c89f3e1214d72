"""Reading what is drawn, on a thread of its own: one drawing at hand, one waiting, the newest wins."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QThread, Signal, Slot

from training.config import NetworkConfig
from training.digits import digits_in
from training.edits import NO_EDITS, Edits
from training.errors import Message, UserError, first_line
from training.facts import Extra, Prediction, PredictionRequest, WeightPictures
from training.ink import InkImage, make_image
from training.strokes import Stroke
from vit_pad.preload import import_torch

if TYPE_CHECKING:
    from training.predict import Predictor
    from training.train import Arrays

STACK_BYTES = 16 * 2**20  # BLAS needs more than the 512 KiB that macOS gives a thread
# Seconds after which a thread hands the interpreter over to one that waits for it. Python's own 5 ms would let the
# worker hold up painting and mouse events for that long, again and again.
_SWITCH_S = 0.0005
_SEND = QEvent.Type(QEvent.registerEventType())
_AFTER_PAINTING = Qt.EventPriority.LowEventPriority.value - 1  # Qt paints in events of low priority
_QUICK_POINTS = 1000  # an image of more takes longer than anybody should wait for a line to follow the pen
T = TypeVar("T")


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
    config: NetworkConfig
    devices: tuple[str, ...]
    pictures: WeightPictures


@dataclass(frozen=True, kw_only=True, eq=False)
class LiveWeights:
    """The weights of a model that is being trained; all of one run come with the same wish."""

    wish: LoadRequest
    config: NetworkConfig
    weights: Arrays


class LivePredictor(QObject):
    """Hands wishes to a thread and its answers back.

    Painting and making an image of a drawing are Python; side by side in two threads each keeps the other waiting for
    the interpreter: an answer's paint took 4 ms rather than 1, an image 3 ms. So the image of a usual drawing is made
    here, once the window has painted; the thread runs the model, almost without Python, and takes the newest image as
    soon as it is free.

    What is drawn like MNIST may be a number: then each of its digits is read for itself, and read again only when it
    has changed.

    Signals: `predicted(tuple[Prediction, ...], PredictionRequest)`, a prediction a digit from left to right, none where
    there was no ink; `loaded(LoadedModel)`, again with all newer weights of a model that is being trained;
    `failed(Message, LoadRequest | PredictionRequest)`: what went wrong, and with what.
    """

    predicted = Signal(object, object)
    failed = Signal(object, object)
    loaded = Signal(object)
    _left = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = QThread()
        self._thread.setObjectName("predictor")
        self._thread.setStackSize(STACK_BYTES)
        self._wishes, self._drawings = _Newest[LoadRequest](), _Newest[_Drawing]()
        self._weights = _Newest[LiveWeights]()
        self._worker = _Worker(self._wishes, self._weights, self._drawings)
        self._worker.moveToThread(self._thread)
        self._left.connect(self._worker.work)
        self._worker.loaded.connect(self._on_loaded)
        self._worker.answered.connect(self._on_answered)
        self._worker.failed.connect(self._on_failed)
        self._config: NetworkConfig | None = None  # of the model that answers
        self._drawn: _Drawing | None = None  # the last one here
        self._waiting_request: PredictionRequest | None = None
        self._is_sending = False
        self._is_stopped = False

    @property
    def is_running(self) -> bool:
        """Whether the thread is there."""
        return self._thread.isRunning()

    @property
    def is_waiting(self) -> bool:
        """Whether a wish for a model waits for its turn, and could still be forgotten."""
        return not self._wishes.is_empty()

    def start(self) -> None:
        """Start the thread, which then imports torch; wishes made before wait for it."""
        if not (self._thread.isRunning() or self._is_stopped):
            sys.setswitchinterval(_SWITCH_S)
            self._thread.start()

    def load(self, model: str, device: str) -> LoadRequest:
        """Wish for a model. What is asked afterwards is answered by it, if it can be loaded.

        A wish that still waits is forgotten: only the newest is sure to end in `loaded` or `failed`.
        """
        wish = LoadRequest(model=model, device=device)
        self._weights.take()
        self._wishes.put(wish)
        self._left.emit()
        return wish

    def show(self, weights: LiveWeights) -> None:
        """Answer with weights that are being trained; those that still wait are replaced."""
        self._weights.put(weights)
        self._left.emit()

    def request(self, request: PredictionRequest) -> None:
        """Ask for an answer; a request that still waits is forgotten."""
        self._waiting_request = request
        if not self._is_sending:
            self._is_sending = True
            QCoreApplication.postEvent(self, QEvent(_SEND), _AFTER_PAINTING)

    def forget(self) -> None:
        """Drop the request that still waits, as there is nothing left to read."""
        self._waiting_request = None
        self._drawings.take()

    def stop(self) -> None:
        """End the thread and wait for it; nothing is answered any more."""
        self._is_stopped = True
        self.forget()
        self._wishes.take()
        self._weights.take()
        self._thread.quit()
        self._thread.wait()

    def customEvent(self, event: QEvent) -> None:
        if event.type() == _SEND:
            self._is_sending = False
            request, self._waiting_request = self._waiting_request, None
            if request is not None and not self._is_stopped:
                self._send(request)

    def _send(self, request: PredictionRequest) -> None:
        is_quick = request.picture is None and sum(len(each.points) for each in request.strokes) <= _QUICK_POINTS
        if self._config is None or not is_quick:
            self._drawings.put(_Drawing(request))
        else:
            self._drawn = _draw(request, self._config, self._drawn)
            self._drawings.put(self._drawn)
        self._left.emit()

    @Slot(object)
    def _on_loaded(self, model: LoadedModel) -> None:
        if not self._is_stopped:
            self._config = model.config
            self.loaded.emit(model)

    @Slot(object, object)
    def _on_answered(self, answers: tuple[Prediction, ...], request: PredictionRequest) -> None:
        if not self._is_stopped:
            self.predicted.emit(answers, request)

    @Slot(object, object)
    def _on_failed(self, problem: Message, wish: LoadRequest | PredictionRequest) -> None:
        if not self._is_stopped:
            self.failed.emit(problem, wish)


@dataclass(frozen=True, eq=False)
class _Digit:
    """The strokes of one digit, and their image, made in so many seconds."""

    strokes: tuple[Stroke, ...]
    ink: InkImage | None  # None where there is no ink
    elapsed_s: float


@dataclass(frozen=True)
class _Drawing:
    """A request, and its digits where their images were made for a model of this config."""

    request: PredictionRequest
    config: NetworkConfig | None = None
    digits: tuple[_Digit, ...] = ()


def _draw(request: PredictionRequest, config: NetworkConfig, before: _Drawing | None = None) -> _Drawing:
    """Make the image of each digit, but for those that are as they were in the drawing before."""
    start_s = time.perf_counter()
    known: dict[tuple[Stroke, ...], _Digit] = {}
    if before is not None and before.config == config and _is_as_placed(before.request, request):
        known = {digit.strokes: digit for digit in before.digits}
    digits = []
    for strokes in digits_in(request):
        digit = known.get(strokes)  # strokes are equal if they are the same
        if digit is None:
            size, channels = config.image_size, config.in_channels
            ink = make_image(strokes, request.picture, request.placement_mode, size, channels)
            digit = _Digit(strokes, ink, time.perf_counter() - start_s)
            start_s = time.perf_counter()
        digits.append(digit)
    return _Drawing(request, config, tuple(digits))


def _is_as_placed(one: PredictionRequest, other: PredictionRequest) -> bool:
    return one.placement_mode == other.placement_mode and one.picture is other.picture


class _Newest(Generic[T]):
    """Hands something from one thread to another. What wasn't taken yet is replaced by what is newer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._content: T | None = None

    def put(self, content: T) -> None:
        """Leave something to be taken."""
        with self._lock:
            self._content = content

    def take(self) -> T | None:
        """Take what is there, if anything is."""
        with self._lock:
            content, self._content = self._content, None
        return content

    def is_empty(self) -> bool:
        """Tell whether nothing is left to be taken."""
        with self._lock:
            return self._content is None


class _Worker(QObject):
    """Lives in the thread and owns the model; torch is imported with the first one."""

    loaded = Signal(object)
    answered = Signal(object, object)  # tuple[Prediction, ...], PredictionRequest
    failed = Signal(object, object)  # Message, LoadRequest | PredictionRequest
    _more_left = Signal()

    def __init__(
        self, wishes: _Newest[LoadRequest], weights: _Newest[LiveWeights], drawings: _Newest[_Drawing]
    ) -> None:
        super().__init__()
        self._wishes = wishes
        self._weights = weights
        self._drawings = drawings
        self._predictor: Predictor | None = None
        self._wish: LoadRequest | None = None  # that the predictor came from
        self._drawn: _Drawing | None = None  # the last one here
        self._answers: dict[_Digit, Prediction] = {}  # with the weights and what was asked last
        self._asked: tuple[Edits, frozenset[Extra]] = (NO_EDITS, frozenset())
        self._more_left.connect(self.work, Qt.ConnectionType.QueuedConnection)

    @Slot()
    def work(self) -> None:
        """Do what is most urgent of what is left, if anything is."""
        if (wish := self._wishes.take()) is not None:
            self._load(wish, lambda: self._loaded(wish))
        elif (weights := self._weights.take()) is not None:
            self._load(weights.wish, lambda: self._shown(weights))
        elif self._predictor is not None:
            self._read_or_speed_up(self._predictor)

    def _read_or_speed_up(self, predictor: Predictor) -> None:
        if (drawing := self._drawings.take()) is not None:
            self._read(drawing, predictor)
        if self._drawings.is_empty():
            predictor.speed_up()

    def _load(self, wish: LoadRequest, make: Callable[[], Predictor]) -> None:
        try:
            predictor = make()
            self._predictor, self._wish, self._answers = predictor, wish, {}
            self.loaded.emit(_loaded_model(wish, predictor))
        except UserError as error:
            self.failed.emit(error.message, wish)
        except Exception as error:  # the driver or the memory of a GPU, say; goes on to the exception hook
            self.failed.emit(_load_problem(wish, error), wish)
            raise
        finally:
            self._more_left.emit()  # what was drawn before there was a model, or a model's speeding up

    def _loaded(self, wish: LoadRequest) -> Predictor:
        import_torch()
        from training.predict import load_predictor

        return load_predictor(wish.model, wish.device)

    def _shown(self, weights: LiveWeights) -> Predictor:
        import_torch()
        from training.network import build_network
        from training.predict import Predictor

        predictor = self._predictor
        if predictor is None or weights.wish is not self._wish:
            predictor = Predictor(build_network(weights.config), weights.wish.model, weights.wish.device)
        predictor.use_weights(weights.weights)
        return predictor

    def _read(self, drawing: _Drawing, predictor: Predictor) -> None:
        request = drawing.request
        try:
            if drawing.config != predictor.config:
                drawing = self._drawn = _draw(request, predictor.config, self._drawn)
            if self._asked != (request.edits, request.wanted):
                self._asked, self._answers = (request.edits, request.wanted), {}
            self._answers = {
                digit: self._answer(predictor, digit, digit.ink, request)
                for digit in drawing.digits
                if digit.ink is not None
            }
            self.answered.emit(tuple(self._answers.values()), request)
        except UserError as error:
            self.failed.emit(error.message, request)

    def _answer(self, predictor: Predictor, digit: _Digit, ink: InkImage, request: PredictionRequest) -> Prediction:
        """Read a digit, or take what was said of it when the rest of the number was another."""
        known = self._answers.get(digit)
        if known is not None:
            return replace(known, revision=request.revision)
        return predictor.read(request.revision, ink, digit.elapsed_s, request.edits, request.wanted)


def _loaded_model(wish: LoadRequest, predictor: Predictor) -> LoadedModel:
    from training.devices import list_devices

    return LoadedModel(
        asked=wish,
        device=predictor.device,
        config=predictor.config,
        devices=tuple(list_devices()),
        pictures=predictor.weight_pictures(),
    )


def _load_problem(wish: LoadRequest, error: Exception) -> Message:
    return Message(
        "The model {model} can't be loaded on the device {device} ({reason}). Choose another model or device.",
        model=wish.model,
        device=wish.device,
        reason=first_line(error),
    )
