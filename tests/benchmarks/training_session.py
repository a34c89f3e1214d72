"""A training in the real window, with a person who draws beside it, and stopwatches on both."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QAbstractButton

from tests.benchmarks.live_session import Session, child, drawings, load_and_watch_gaps
from training.config import TrainConfig
from training.train import TrainProgress
from vit_pad.app import create_window
from vit_pad.main_window import MainWindow
from vit_pad.training_panel import TrainingPanel

LAG_TIMER_MS = 5


def measure(preset: str, num_events: int, strokes: Path | None, rate_s: float) -> dict[str, float]:
    """Train, first alone for `rate_s` seconds, then during so many mouse events, and give the figures."""
    window = create_window(["--model", preset])
    load_and_watch_gaps(window)
    child(window, QAbstractButton, "trainingPanelButton").click()
    panel = child(window, TrainingPanel, "trainingPanel")
    counter = _Counter(panel)
    panel.session.start(TrainConfig(preset=preset, device="cpu"))
    counter.wait_for_steps(3)
    counter.begin()
    _wait(rate_s)
    idle = counter.images_per_s()
    session, lag = Session(window, drawings(strokes), num_events), _Lag(window)
    counter.begin()
    session.run()
    drawing = counter.images_per_s()
    lags = lag.stop()
    window.close_without_asking()
    p50, p99 = np.percentile(session.times_ms, (50, 99))
    return {
        "events": float(len(session.times_ms)),
        "p50_ms": float(p50),
        "p99_ms": float(p99),
        "lag_p50_ms": float(np.percentile(lags, 50)),
        "lag_p99_ms": float(np.percentile(lags, 99)),
        "idle_images_per_s": idle,
        "drawing_images_per_s": drawing,
    }


class _Counter(QObject):
    """Counts the steps of the training."""

    def __init__(self, panel: TrainingPanel) -> None:
        super().__init__()
        self._steps = 0
        self._start_s = 0.0
        self._loop = QEventLoop()
        self._waits_for = 0
        panel.session.progressed.connect(self._on_progressed)

    def wait_for_steps(self, steps: int) -> None:
        """Wait until so many were done."""
        self._waits_for = steps
        self._loop.exec()

    def begin(self) -> None:
        """Count from now on."""
        self._steps, self._start_s = 0, time.perf_counter()

    def images_per_s(self) -> float:
        """Give the rate since the beginning."""
        return self._steps * TrainConfig().batch_size / (time.perf_counter() - self._start_s)

    def _on_progressed(self, steps: Sequence[TrainProgress]) -> None:
        self._steps += len(steps)
        if self._steps >= self._waits_for:
            self._loop.quit()


class _Lag(QObject):
    """Notes how late a timer comes."""

    def __init__(self, parent: MainWindow) -> None:
        super().__init__(parent)
        self._times = [time.perf_counter()]
        self._timer = QTimer(self, interval=LAG_TIMER_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(lambda: self._times.append(time.perf_counter()))
        self._timer.start()

    def stop(self) -> list[float]:
        """Give the lateness of every tick, in ms."""
        self._timer.stop()
        return [max(1000 * gap - LAG_TIMER_MS, 0.0) for gap in np.diff(self._times)]


def _wait(seconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop.quit)
    loop.exec()
