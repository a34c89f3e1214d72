"""Counting in the background how many test images a model reads rightly while it is changed by hand."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator

from PySide6.QtCore import QObject, QThread, QTimer, Signal

from training.edited_count import EditedAccuracy
from training.edits import NO_EDITS, Edits
from training.errors import UserError
from vit_pad.predictor import STACK_BYTES
from vit_pad.preload import import_torch

_COUNT_AFTER_MS = 400  # a pause in changing that is worth a count
_BATCH = 20  # images between two looks at whether it is still wanted


class AccuracyCounter(QObject):
    """Counts for the newest change alone; what a model reads without changes is counted once.

    Signals:
        counted(EditedAccuracy | None, EditedAccuracy | None): with the change and without it, as far as it is known.
    """

    counted = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model: str | None = None
        self._edits = NO_EDITS
        self._edited: EditedAccuracy | None = None  # what is counted
        self._unedited: EditedAccuracy | None = None
        self._thread: _CountThread | None = None
        self._timer = QTimer(self, singleShot=True, interval=_COUNT_AFTER_MS)
        self._timer.timeout.connect(self._start)

    def count(self, model: str | None, edits: Edits) -> None:
        """Count for a model, by name or path, changed so; None: there is nothing to count."""
        if (model, edits) == (self._model, self._edits):
            return
        if model != self._model:
            self._unedited = None
        self._model, self._edits = model, edits
        self._call_off()
        self.counted.emit(None, self._unedited)
        if model is not None and not edits.is_neutral:
            self._timer.start()

    def stop(self) -> None:
        """End the count and wait for it."""
        self._model = None
        self._call_off()
        if self._thread is not None:
            self._thread.wait()

    def _call_off(self) -> None:
        self._timer.stop()
        if self._thread is not None:
            self._thread.call_off()

    def _start(self) -> None:
        """Start the count, once the one before it has ended."""
        if self._thread is not None and self._thread.isRunning():
            self._timer.start()
            return
        if self._model is None:
            return
        self._thread = _CountThread(self._model, self._edits, is_unedited_wanted=self._unedited is None, parent=self)
        self._thread.counted.connect(self._on_counted)
        self._thread.counted_unedited.connect(self._on_unedited)
        self._thread.start()

    def _on_unedited(self, thread: _CountThread, count: EditedAccuracy) -> None:
        if thread is self._thread and not thread.is_called_off:
            self._unedited = count
            self.counted.emit(self._edited, count)

    def _on_counted(self, thread: _CountThread, count: EditedAccuracy) -> None:
        if thread is self._thread and not thread.is_called_off:
            self._edited = count
            self.counted.emit(count, self._unedited)


class _CountThread(QThread):
    """Counts once; the model is its own, as one model belongs to one thread."""

    counted = Signal(object, object)  # itself, EditedAccuracy
    counted_unedited = Signal(object, object)  # itself, EditedAccuracy at its end

    def __init__(self, model: str, edits: Edits, *, is_unedited_wanted: bool, parent: QObject) -> None:
        super().__init__(parent)
        self.setObjectName("accuracy")
        self.setStackSize(STACK_BYTES)
        self._model = model
        self._edits = edits
        self._is_unedited_wanted = is_unedited_wanted
        self._called_off = threading.Event()

    @property
    def is_called_off(self) -> bool:
        """Whether nobody wants to know any more."""
        return self._called_off.is_set()

    def call_off(self) -> None:
        """End after the images at hand, without a word."""
        self._called_off.set()

    def run(self) -> None:
        try:
            import_torch()
            for count in self._counts(self._edits):
                self.counted.emit(self, count)
            if self._is_unedited_wanted:
                for count in self._counts(NO_EDITS):
                    if count.is_done:
                        self.counted_unedited.emit(self, count)
        except UserError:
            return  # the window says what is wrong with a model when it loads it
        except Exception:
            sys.excepthook(*sys.exc_info())

    def _counts(self, edits: Edits) -> Generator[EditedAccuracy]:
        """Count until it is done or called off."""
        from training.edited_accuracy import count_for_model

        for count in count_for_model(self._model, edits, batch_size=_BATCH):
            if self.is_called_off:
                return
            yield count
