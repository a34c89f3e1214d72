"""One session of drawing in the real window, with a stopwatch."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from PySide6.QtCore import QEvent, QEventLoop, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from training.facts import Prediction
from training.strokes import Drawing, drawing_from_json, on_pad, read_drawings
from vit_pad.app import create_window
from vit_pad.attention_overlay import AttentionOverlay
from vit_pad.main_window import MainWindow
from vit_pad.probability_bars import ProbabilityBars

EVENT_S = 1 / 125
LONGEST_S = 600
WidgetT = TypeVar("WidgetT", bound=QWidget)
# A seven and a two, for where no file of real strokes is at hand.
OWN_DRAWINGS = (
    '{"strokes": [[[60, 80], [180, 74], [300, 70], [250, 160], [200, 250], [160, 340]], [[130, 210], [270, 205]]]}',
    '{"strokes": [[[90, 120], [150, 60], [240, 60], [280, 130], [230, 220], [90, 330], [200, 325], [310, 330]]]}',
)


class PenEvent(NamedTuple):
    """One thing the mouse does, in pad units."""

    kind: QEvent.Type
    x: float
    y: float


class Pending(NamedTuple):
    """An event that waits for its answer."""

    revision: int
    due_s: float


def measure(model: str, num_events: int, strokes: Path | None) -> dict[str, float | int | str]:
    """Draw `num_events` events or a few more, and give the figures: times in ms."""
    window = create_window(["--model", model])
    gap_ms = load_and_watch_gaps(window)
    session = Session(window, drawings(strokes), num_events)
    session.run()
    window.close()
    times = np.array(session.times_ms)
    p50, p90, p99 = np.percentile(times, (50, 90, 99))
    return {
        "model": model,
        "events": len(times),
        "p50_ms": float(p50),
        "p90_ms": float(p90),
        "p99_ms": float(p99),
        "max_ms": float(times.max()),
        "prediction_p50_ms": float(np.median(session.prediction_ms)),
        "predictions": len(session.prediction_ms),
        "gap_while_loading_ms": gap_ms,
    }


def load_and_watch_gaps(window: MainWindow) -> float:
    """Show the window, wait for the model, and give the longest time that the event loop was away meanwhile."""
    loop, ticks = QEventLoop(), [time.perf_counter()]
    timer = QTimer(timerType=Qt.TimerType.PreciseTimer, interval=1)
    timer.timeout.connect(lambda: ticks.append(time.perf_counter()))
    problems: list[object] = []
    window.predictor.loaded.connect(loop.quit)
    window.predictor.failed.connect(lambda problem, _job: problems.append(problem))
    window.predictor.failed.connect(loop.quit)
    window.show()
    QApplication.processEvents()
    ticks[:] = [time.perf_counter()]
    timer.start()
    loop.exec()
    if problems:
        raise SystemExit(str(problems[0]))
    return 1000 * float(np.diff(ticks).max())


class Session(QObject):
    """Draws one drawing after the other and notes when each event is answered on the screen."""

    def __init__(self, window: MainWindow, drawings: Iterator[Drawing], num_events: int) -> None:
        super().__init__()
        self.times_ms: list[float] = []
        self.prediction_ms: list[float] = []
        self._window = window
        self._canvas = child(window, QWidget, "canvas")
        self._views = (
            child(window, ProbabilityBars, "probabilityBars"),
            child(window, AttentionOverlay, "attentionOverlay"),
        )
        self._drawings = drawings
        self._num_events = num_events
        self._coming: deque[PenEvent] = deque()
        self._pending: deque[Pending] = deque()
        self._start_s = 0.0
        self._num_sent = 0
        self._loop = QEventLoop()
        self._timer = QTimer(self, timerType=Qt.TimerType.PreciseTimer, singleShot=True)
        self._timer.timeout.connect(self._send_what_is_due)
        window.predicted.connect(self._on_predicted)
        window.installEventFilter(self)

    def run(self) -> None:
        """Draw until there are events enough."""
        QTimer.singleShot(LONGEST_S * 1000, self._loop.quit)
        self._begin_drawing()
        self._loop.exec()
        self._timer.stop()
        self._window.removeEventFilter(self)
        if self._pending:
            raise SystemExit(f"{len(self._pending)} events were never answered.")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Do the window's painting here, to see when it has ended."""
        if watched is not self._window or event.type() != QEvent.Type.UpdateRequest:
            return False
        self._window.event(event)
        self._on_painted(time.perf_counter())
        return True

    def _begin_drawing(self) -> None:
        self._coming.extend(_events(next(self._drawings)))
        self._start_s = time.perf_counter()
        self._num_sent = 0
        self._send_what_is_due()

    def _send_what_is_due(self) -> None:
        now = time.perf_counter()
        while self._coming and self._start_s + self._num_sent * EVENT_S <= now:
            due_s = self._start_s + self._num_sent * EVENT_S
            event = self._coming.popleft()
            self._num_sent += 1
            self._send(event)
            if event.kind != QEvent.Type.MouseButtonRelease:  # lifting the pen adds nothing to be read
                self._pending.append(Pending(self._window.document.revision, due_s))
        if self._coming:
            wait_s = self._start_s + self._num_sent * EVENT_S - time.perf_counter()
            self._timer.start(max(math.ceil(1000 * wait_s), 0))
        else:
            self._go_on_if_answered()  # a lift of the pen may come after the last paint

    def _send(self, event: PenEvent) -> None:
        place = QPointF(event.x, event.y) * (self._canvas.width() / 400)
        is_move = event.kind == QEvent.Type.MouseMove
        button = Qt.MouseButton.NoButton if is_move else Qt.MouseButton.LeftButton
        is_up = event.kind == QEvent.Type.MouseButtonRelease
        held = Qt.MouseButton.NoButton if is_up else Qt.MouseButton.LeftButton
        everywhere = self._canvas.mapToGlobal(place)
        mouse = QMouseEvent(event.kind, place, everywhere, button, held, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(self._canvas, mouse)

    def _on_predicted(self, prediction: Prediction | None) -> None:
        if prediction is not None:
            self.prediction_ms.append(prediction.elapsed_ms)

    def _on_painted(self, now: float) -> None:
        shown = min(-1 if view.shown_revision is None else view.shown_revision for view in self._views)
        while self._pending and self._pending[0].revision <= shown:
            self.times_ms.append(1000 * (now - self._pending.popleft().due_s))
        self._go_on_if_answered()

    def _go_on_if_answered(self) -> None:
        if not (self._coming or self._pending):
            QTimer.singleShot(0, self._next_drawing)

    def _next_drawing(self) -> None:
        if self._coming or self._pending:
            return
        if len(self.times_ms) >= self._num_events:
            self._loop.quit()
        else:
            self._window.document.clear()
            self._begin_drawing()


def drawings(path: Path | None) -> Iterator[Drawing]:
    """Give drawings without end: the first 500 of a file, or our own two, again and again."""
    own = tuple(drawing_from_json(line) for line in OWN_DRAWINGS)
    real = own if path is None else read_drawings(path).drawings
    while True:
        yield from (on_pad(drawing) for drawing in islice(real, 500))


def _events(drawing: Drawing) -> Iterator[PenEvent]:
    for stroke in drawing.strokes:
        places = [(float(x), float(y)) for x, y in stroke.points[:, :2]]
        yield PenEvent(QEvent.Type.MouseButtonPress, *places[0])
        for place in places[1:]:
            yield PenEvent(QEvent.Type.MouseMove, *place)
        yield PenEvent(QEvent.Type.MouseButtonRelease, *places[-1])


def child(window: QWidget, kind: type[WidgetT], name: str) -> WidgetT:
    """Give a widget of the window by its name."""
    widget = window.findChild(kind, name)
    assert widget is not None, name
    return widget
