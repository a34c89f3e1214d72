"""Exceptions that nobody caught: into the log, into a dialog to copy them from, and on with the work."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

LOG_NAME = "vit-pad.log"
_log = logging.getLogger("vit_pad")


@dataclass(frozen=True)
class ErrorReport:
    """One uncaught exception. Two with the same `key` came from the same place."""

    key: tuple[str, str, int]
    text: str


def start_log(folder: Path) -> Path:
    """Send warnings and errors to a file in `folder`, at most two of 256 KiB, and give its path."""
    path = folder / LOG_NAME
    handler = RotatingFileHandler(path, maxBytes=2**18, backupCount=1, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(threadName)s %(name)s: %(message)s"))
    logging.getLogger().addHandler(handler)
    return path


def close_log() -> None:
    """Let go of the log's file, so that it can be deleted; the next warning begins a new one."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, RotatingFileHandler):
            handler.close()


def describe_exception(error: BaseException) -> ErrorReport:
    """Give what a person can send to whoever mends it."""
    frames = traceback.extract_tb(error.__traceback__)
    place = (frames[-1].filename, frames[-1].lineno or 0) if frames else ("", 0)
    return ErrorReport((type(error).__name__, *place), "".join(traceback.format_exception(error)))


class ExceptionHook(QObject):
    """Catches what nobody caught, on any thread; `caught` carries an ErrorReport to whichever thread listens."""

    caught = Signal(object)

    def install(self) -> None:
        """Take over Python's hooks for the main thread, for slots, and for threads."""
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception

    def _on_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        _log.error("Uncaught exception", exc_info=(kind, error, trace))
        self.caught.emit(describe_exception(error.with_traceback(trace)))

    def _on_thread_exception(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            self._on_exception(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)


class ErrorDialogs(QObject):
    """Shows one dialog for each distinct error, never two for the same one, and never stops the work."""

    def __init__(self, parent: QWidget, log_path: Path) -> None:
        super().__init__(parent)
        self._window = parent
        self._log_path = log_path
        self._shown: set[tuple[str, str, int]] = set()

    def show_report(self, report: ErrorReport) -> None:
        """Show the error, unless it was shown before."""
        if report.key not in self._shown:
            self._shown.add(report.key)
            ErrorDialog(report, self._log_path, self._window).show()


class ErrorDialog(QDialog):
    """A non-modal dialog: what happened, its full text, where the log is."""

    def __init__(self, report: ErrorReport, log_path: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("errorDialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("An error in ViT Pad"))
        self.setAccessibleName(self.windowTitle())
        self._text = report.text
        happened = QLabel(
            self.tr("Something went wrong inside the program. You can go on; your drawing is still there.")
        )
        happened.setWordWrap(True)
        details = QPlainTextEdit(report.text)
        details.setObjectName("errorText")
        details.setAccessibleName(self.tr("Error text"))
        details.setReadOnly(True)
        details.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        place = QLabel(self.tr("The log is in {path}").format(path=log_path))
        place.setWordWrap(True)
        place.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self.tr("Copy text"), QDialogButtonBox.ButtonRole.ActionRole).clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (happened, details, place, buttons):
            layout.addWidget(widget)
        self.resize(640, 360)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
