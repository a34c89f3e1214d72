"""Doing something less often than it is asked for, where nobody could see it change as fast."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


class Pace(QTimer):
    """Acts once for all that was asked within `interval_ms` of the first wish; the last wish is never lost."""

    def __init__(self, interval_ms: int, act: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent, singleShot=True, interval=interval_ms)
        self._act = act
        self.timeout.connect(act)

    def ask(self) -> None:
        """Act before the interval is over."""
        if not self.isActive():
            self.start()

    def act_now(self) -> None:
        """Act at once; what was asked is done with it."""
        self.stop()
        self._act()
