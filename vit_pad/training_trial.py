"""How large and how fast the training in the form would be, found out beside the window."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, Signal

from training.config import TrainConfig
from training.errors import UserError
from vit_pad.predictor import STACK_BYTES
from vit_pad.preload import import_torch

if TYPE_CHECKING:
    from training.trial import Trial


class TrialThread(QThread):
    """Tries one training for about two seconds, and tells what was found out, or why that can't be."""

    found = Signal(object)  # Trial
    failed = Signal(object)  # Message

    def __init__(self, config: TrainConfig, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("trial")
        self.setStackSize(STACK_BYTES)
        self.config = config
        self._is_called_off = threading.Event()

    def call_off(self) -> None:
        """End after the next step, without a word."""
        self._is_called_off.set()

    def run(self) -> None:
        try:
            import_torch()
            trial = self._try()
        except UserError as error:
            if not self._is_called_off.is_set():
                self.failed.emit(error.message)
        except Exception:
            sys.excepthook(*sys.exc_info())
        else:
            if not self._is_called_off.is_set():
                self.found.emit(trial)

    def _try(self) -> Trial:
        from training.trial import try_training

        return try_training(self.config, self._is_called_off.is_set)
