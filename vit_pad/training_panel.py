"""The panel that retrains a model: settings, start, pause and stop, how far it is, and how well it goes."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QFile, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from training.config import TrainConfig
from training.errors import Message, UserError
from training.models import STATE_SUFFIX, unfinished_runs
from vit_pad.choosers import name_widget, say
from vit_pad.duration import duration
from vit_pad.percent import percent
from vit_pad.theme import UNIT, theme_of
from vit_pad.training_fields import TrainingFields
from vit_pad.training_session import Begun, Ended, TrainingSession, threads_for
from vit_pad.training_trial import TrialThread
from vit_pad.words import translated

if TYPE_CHECKING:
    from training.train import TrainProgress
    from training.trial import Trial
    from vit_pad.training_curves import TrainingCurves

_TRY_AFTER_MS = 600  # a pause in changing settings that is worth a trial
_MNIST_IMAGES = 55_000
_VALIDATION_IMAGES = 5_000
_JUDGING_SPEED = 3  # times as fast as training: no way back through the model
_WIDTH_PX = 44 * UNIT


class TrainingPanel(QDockWidget):
    """Opens on demand; what it starts goes on while it is closed.

    Signals:
        begun(Begun), weights_came(LiveWeights), ended(Ended): as those of the session.
        closed(): a person closed it.
    """

    begun = Signal(object)
    weights_came = Signal(object)
    ended = Signal(object)
    closed = Signal()

    def __init__(self, config: TrainConfig, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Training"))
        name_widget(self, "trainingPanel", self.tr("Training"))
        self.session = TrainingSession(self)
        self._fields = TrainingFields()
        self._scroll = _Form()
        self._size = QLabel()
        self._start = QPushButton(self.tr("Start"))
        self._pause = QPushButton(self.tr("Pause"))
        self._stop = QPushButton(self.tr("Stop"))
        self._progress = QProgressBar()
        self._status = QLabel()
        self._unfinished = _UnfinishedRow()
        self._curves: TrainingCurves | None = None  # pyqtgraph is loaded when there is something to draw
        self._column = QVBoxLayout()
        self._begun: Begun | None = None
        self._is_halted = False
        self._trial: Trial | None = None
        self._tried: TrainConfig | None = None  # what the trial was made with
        self._trial_thread: TrialThread | None = None
        self._trial_timer = QTimer(self, singleShot=True, interval=_TRY_AFTER_MS)
        self._lay_out()
        self._connect_parts()
        self._fields.show_config(config)
        self._show_state()

    def show_devices(self, devices: tuple[str, ...]) -> None:
        """List the devices there are."""
        self._fields.show_devices(devices)

    def close_down(self) -> None:
        """End all work with everything on the disk, and wait for it."""
        self._trial_timer.stop()
        if self._trial_thread is not None:
            self._trial_thread.call_off()
            self._trial_thread.wait()
        self.session.leave_and_wait()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_state()
        self._trial_timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._trial_timer.stop()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()

    def _lay_out(self) -> None:
        for button, name in (
            (self._start, "startTrainingButton"),
            (self._pause, "pauseTrainingButton"),
            (self._stop, "stopTrainingButton"),
        ):
            name_widget(button, name, button.text())
        self._start.setDefault(True)
        self._start.setToolTip(self.tr("Train a new model with these settings; the ones you have stay as they are"))
        self._pause.setToolTip(self.tr("Stand still after this step; everything is saved"))
        self._stop.setToolTip(self.tr("End after this step and keep what was learned as a model"))
        name_widget(self._size, "trainingSize", self.tr("Size of the training"))
        name_widget(self._progress, "trainingProgress", self.tr("How far the training is"))
        name_widget(self._status, "trainingStatus", self.tr("State of the training"))
        self._size.setWordWrap(True)
        self._status.setWordWrap(True)
        self._status.setTextFormat(Qt.TextFormat.PlainText)
        self._status.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        padded = QWidget()
        inner = QVBoxLayout(padded)
        inner.setContentsMargins(0, 0, UNIT, 0)
        inner.addWidget(self._fields)
        self._scroll.setWidget(padded)
        buttons = QHBoxLayout()
        buttons.setSpacing(UNIT)
        for button in (self._start, self._pause, self._stop):
            buttons.addWidget(button, 1)
        content = QWidget()
        content.setMinimumWidth(_WIDTH_PX)
        column = self._column
        content.setLayout(column)
        column.setContentsMargins(2 * UNIT, UNIT, UNIT, UNIT)
        column.setSpacing(UNIT)
        column.addWidget(self._unfinished)
        column.addWidget(self._scroll, 1)
        column.addWidget(self._size)
        column.addLayout(buttons)
        column.addWidget(self._progress)
        column.addWidget(self._status)
        self.setWidget(content)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH_PX, 80 * UNIT)

    def _connect_parts(self) -> None:
        self._start.clicked.connect(self._on_start)
        self._pause.clicked.connect(self._on_pause)
        self._stop.clicked.connect(self._on_stop)
        self._fields.changed.connect(self._on_settings_changed)
        self._trial_timer.timeout.connect(self._try)
        self._unfinished.go_on_wished.connect(self._on_resume)
        self._unfinished.problem.connect(self._say)
        session = self.session
        session.begun.connect(self._on_begun)
        session.progressed.connect(self._on_progressed)
        session.halted.connect(self._on_halted)
        session.ended.connect(self._on_ended)
        session.weights_came.connect(self.weights_came)

    # What a person does.

    def _on_start(self) -> None:
        try:
            config = self._fields.config
        except UserError as error:
            self._say(error.message)
            return
        self._get_ready()
        self.session.start(config)

    def _on_resume(self, state: Path) -> None:
        self._get_ready()
        self.session.resume(state)

    def _get_ready(self) -> None:
        self._call_trial_off()
        self._begun, self._is_halted = None, False
        self._progress.setRange(0, 0)
        say(self._status, self.tr("Getting ready …"))
        self._show_state(is_running=True)

    def _on_pause(self) -> None:
        if self._is_halted:
            self._is_halted = False
            self.session.go_on()
            say(self._status, self.tr("Going on …"))
        else:
            self.session.pause()
            say(self._status, self.tr("Pausing …"))
            self._pause.setEnabled(False)
        self._show_pause()

    def _on_stop(self) -> None:
        self._is_halted = False
        self.session.stop()
        for button in (self._pause, self._stop):
            button.setEnabled(False)
        say(self._status, self.tr("Stopping: what was learned is tested and saved …"))

    def _on_settings_changed(self) -> None:
        self._show_size()
        self._trial_timer.start()

    # What the session tells.

    def _on_begun(self, begun: Begun) -> None:
        self._begun = begun
        self._curves_shown().begin(begun.config.epochs)
        self._show_state()
        if begun.note is not None:
            say(self._size, translated(begun.note))
        self.begun.emit(begun)

    def _on_progressed(self, steps: Sequence[TrainProgress]) -> None:
        begun, last = self._begun, steps[-1]
        if begun is None:
            return
        config = begun.config
        self._progress.setRange(0, last.num_steps)
        self._progress.setValue(last.step)
        self._curves_shown().add(steps, last.num_steps / config.epochs)
        if self._pause.isEnabled() and not self._is_halted:
            left_s = _duration_s(last.num_steps - last.step, last.num_steps, config, last.images_per_s)
            say(
                self._status,
                self.tr("Epoch {epoch} of {epochs} · {rate} images a second · {time} left").format(
                    epoch=last.epoch,
                    epochs=config.epochs,
                    rate=self.locale().toString(round(last.images_per_s)),
                    time=duration(left_s, self.locale()),
                ),
            )

    def _on_halted(self, problem: Message | None) -> None:
        self._is_halted = True
        say(self._status, self.tr("Paused; everything is saved.") if problem is None else translated(problem))
        self._pause.setEnabled(True)
        self._stop.setEnabled(True)
        self._show_pause()

    def _on_ended(self, ended: Ended) -> None:
        self._is_halted = False
        self._progress.setRange(0, 1)
        self._progress.setValue(1 if ended.is_complete else 0)
        say(self._status, self._words_for(ended))
        self._show_state()
        self.ended.emit(ended)

    def _words_for(self, ended: Ended) -> str:
        words = [] if ended.problem is None else [translated(ended.problem)]
        if ended.model is not None and ended.accuracy is not None:
            said = self.tr("{model} reads {share} of the validation images.")
            words.append(said.format(model=ended.model, share=percent(ended.accuracy, self.locale(), 1)))
        elif ended.problem is None:
            words.append(self.tr("Ended. It can be gone on with later."))
        return " ".join(words)

    def _say(self, message: Message) -> None:
        say(self._status, translated(message))

    # What can be seen.

    def _show_state(self, *, is_running: bool | None = None) -> None:
        running = self.session.is_running if is_running is None else is_running
        self._scroll.setVisible(not running)
        self._size.setVisible(not running or (self._begun is not None and self._begun.note is not None))
        self._start.setEnabled(not running)
        self._pause.setEnabled(running and self._begun is not None)
        self._stop.setEnabled(running and self._begun is not None)
        self._progress.setVisible(running)
        self._unfinished.show_runs(() if running else unfinished_runs())
        if self._curves is not None:
            self._curves.setVisible(running)
        self._show_pause()
        if not running:
            self._show_size()

    def _show_pause(self) -> None:
        text = self.tr("Go on") if self._is_halted else self.tr("Pause")
        self._pause.setText(text)
        self._pause.setAccessibleName(text)

    def _curves_shown(self) -> TrainingCurves:
        if self._curves is None:
            from vit_pad.training_curves import TrainingCurves

            self._curves = TrainingCurves()
            self._column.insertWidget(self._column.indexOf(self._size), self._curves, 1)
        self._curves.show_theme(theme_of(self))
        return self._curves

    def _show_size(self) -> None:
        """Say what the training in the form would be, as far as it was tried."""
        with contextlib.suppress(UserError):
            config = self._fields.config
            if self._trial is None or self._tried is None or _what_matters(self._tried) != _what_matters(config):
                say(self._size, self.tr("Trying how fast it goes …"))
                return
            images = _num_images(config)
            steps = config.epochs * -(-images // config.batch_size)
            say(
                self._size,
                self.tr("{parameters} parameters, {tokens} tokens, about {time}").format(
                    parameters=self.locale().toString(self._trial.num_parameters),
                    tokens=self._trial.num_tokens,
                    time=duration(_duration_s(steps, steps, config, self._trial.images_per_s), self.locale()),
                ),
            )

    # The trial.

    def _try(self) -> None:
        if self.session.is_running or self._trial_thread is not None:
            return
        with contextlib.suppress(UserError):
            config = self._fields.config
            if self._tried is not None and _what_matters(self._tried) == _what_matters(config):
                return
            thread = TrialThread(dataclasses.replace(config, threads=threads_for(config)), self)
            self._trial_thread = thread
            thread.found.connect(lambda trial: self._on_tried(config, trial))
            thread.failed.connect(lambda problem: say(self._size, translated(problem)))
            thread.finished.connect(self._on_trial_ended)
            thread.start()

    def _on_tried(self, config: TrainConfig, trial: Trial) -> None:
        self._tried, self._trial = config, trial
        self._show_size()

    def _on_trial_ended(self) -> None:
        thread, self._trial_thread = self._trial_thread, None
        if thread is not None:
            thread.wait()
            thread.deleteLater()
            with contextlib.suppress(UserError):  # settings that don't go together are said beside them
                if self.isVisible() and _what_matters(thread.config) != _what_matters(self._fields.config):
                    self._trial_timer.start()

    def _call_trial_off(self) -> None:
        self._trial_timer.stop()
        if self._trial_thread is not None:
            self._trial_thread.call_off()


class _Form(QScrollArea):
    """Scrolls up and down only: it is as wide as what it holds needs, whatever the size of the text."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        content = self.widget()
        if content is not None and watched is content and event.type() == QEvent.Type.LayoutRequest:
            self.setMinimumWidth(content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width())
        return super().eventFilter(watched, event)


class _UnfinishedRow(QWidget):
    """Offers to go on with the newest run that was stopped, or to throw its state away."""

    go_on_wished = Signal(object)  # the file of the state
    problem = Signal(object)  # Message

    def __init__(self) -> None:
        super().__init__()
        self._state: Path | None = None
        self._words = QLabel()
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        name_widget(self._words, "unfinishedRun", self.tr("Training that was not finished"))
        go_on, remove = QPushButton(self.tr("Go on")), QPushButton(self.tr("Remove"))
        name_widget(go_on, "goOnTrainingButton", self.tr("Go on with the training that was not finished"))
        name_widget(remove, "removeTrainingButton", self.tr("Remove what is left of the training"))
        remove.setToolTip(self.tr("Move what is needed to go on to the waste bin; its model stays"))
        go_on.clicked.connect(self._on_go_on)
        remove.clicked.connect(self._on_remove)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(self._words, 1)
        row.addWidget(go_on)
        row.addWidget(remove)

    def show_runs(self, states: Sequence[Path]) -> None:
        """Offer the newest of these; nothing is shown where there is none."""
        there = [state for state in states if state.exists()]
        self._state = max(there, key=lambda state: state.stat().st_mtime, default=None)
        if self._state is not None:
            name = self._state.name.removesuffix(STATE_SUFFIX)
            say(self._words, self.tr("{model} is not finished.").format(model=name))
        self.setVisible(self._state is not None)

    def _on_go_on(self) -> None:
        if self._state is not None:
            self.go_on_wished.emit(self._state)

    def _on_remove(self) -> None:
        if self._state is not None and not QFile.moveToTrash(str(self._state)):
            self.problem.emit(Message("{path} can't be moved to the waste bin. Delete it by hand.", path=self._state))
        self.show_runs(unfinished_runs())


def _what_matters(config: TrainConfig) -> TrainConfig:
    """Give the settings with those made equal that change neither size nor speed."""
    return dataclasses.replace(
        config, epochs=1, images_per_class=None, learning_rate=1e-3, weight_decay=0.0, seed=0, start_from=None
    )


def _num_images(config: TrainConfig) -> int:
    return _MNIST_IMAGES if config.images_per_class is None else min(10 * config.images_per_class, _MNIST_IMAGES)


def _duration_s(steps: int, num_steps: int, config: TrainConfig, images_per_s: float) -> float:
    """Estimate how long some of all steps take, the validation images after each epoch included."""
    if images_per_s <= 0:
        return 0.0
    judged = _VALIDATION_IMAGES / _JUDGING_SPEED * config.epochs * steps / num_steps
    return (steps * config.batch_size + judged) / images_per_s
