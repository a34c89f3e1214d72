"""Builds the window, and runs it as a program."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QSocketNotifier, Qt
from PySide6.QtWidgets import QApplication

from training import models, paths
from vit_pad.autosave import LastDrawing
from vit_pad.command_line import WindowOptions, parse_window_options
from vit_pad.exceptions import ErrorDialogs, ExceptionHook, start_log
from vit_pad.main_window import MainWindow
from vit_pad.open_file import load_file
from vit_pad.settings import Settings


def create_window(argv: Sequence[str] = ()) -> MainWindow:
    """Build the window as the words of the command line ask; show nothing and enter no event loop.

    Uses the QApplication that is there, or makes one.

    Raises:
        UserError: the file or the model that was asked for can't be had.
        SystemExit: the words make no sense.
    """
    return _build(parse_window_options(argv))


def run(options: WindowOptions) -> int:
    """Show the window until it is closed, or a signal asks the program to end, and give the exit status."""
    log_path = start_log(paths.state_folder())
    window = _build(options)
    hook = ExceptionHook()
    dialogs = ErrorDialogs(window, log_path)
    hook.caught.connect(dialogs.show_report)
    hook.install()
    endings = EndingSignals(window.close_without_asking)
    window.show()
    status = QApplication.exec()
    endings.restore()
    logging.shutdown()
    return status


def _build(options: WindowOptions) -> MainWindow:
    content = None if options.file is None else load_file(options.file)
    if options.model is not None:
        models.find_model(options.model)
    _application()
    wishes = {"model": options.model, "device": options.device}
    overrides = {name: wish for name, wish in wishes.items() if wish is not None}
    window = MainWindow(Settings(paths.config_folder()), LastDrawing(paths.state_folder()), overrides)
    if options.file is not None and content is not None:
        window.open_content(content)
        window.files.recent.add(options.file)
    return window


def _application() -> QApplication:
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
        app.setApplicationName(paths.APP_NAME)
        app.setDesktopFileName(paths.APP_NAME)
    # Qt would merge mouse moves that wait while torch loads, and corners of a fast stroke would be cut. On X11 it turns
    # this on by itself while the application is made, so it has to be turned off afterwards.
    app.setAttribute(Qt.ApplicationAttribute.AA_CompressHighFrequencyEvents, False)
    app.setAttribute(Qt.ApplicationAttribute.AA_CompressTabletEvents, False)
    return app


class EndingSignals(QObject):
    """Calls `end` in the event loop when the system or a terminal asks the program to end.

    Python's own handlers wait for the next Python code to run, which an idle Qt loop may not reach for hours. So the
    signal's number goes through a socket that Qt watches.
    """

    def __init__(self, end: Callable[[], object]) -> None:
        super().__init__()
        self._end = end
        self._reader, self._writer = socket.socketpair()
        for each in (self._reader, self._writer):
            each.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._on_signal)
        self._previous_fd = signal.set_wakeup_fd(self._writer.fileno())
        self._previous = {number: signal.signal(number, _ignore) for number in (signal.SIGTERM, signal.SIGINT)}

    def restore(self) -> None:
        """Give the signals back to who had them."""
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._previous_fd)
        self._notifier.setEnabled(False)
        self._reader.close()
        self._writer.close()

    def _on_signal(self) -> None:
        self._reader.recv(64)
        self._end()


def _ignore(_number: int, _frame: object) -> None:
    """Let the signal only wake the event loop."""
