"""The program as it is, but saying on stdout when its window was first painted and when it first answered.

python -m tests.observed [words of the command line]
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent, QShowEvent

import vit_pad.app
from vit_pad.__main__ import main
from vit_pad.main_window import MainWindow


class ObservedWindow(MainWindow):
    """A window that tells."""

    _told: frozenset[str] = frozenset()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.predicted.connect(lambda prediction: None if prediction is None else self._tell("answered"))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        QTimer.singleShot(0, lambda: self._tell("painted"))  # when its parts are painted too

    def _tell(self, word: str) -> None:
        if word not in self._told:
            self._told |= {word}
            print(word, flush=True)


if __name__ == "__main__":
    vars(vit_pad.app)["MainWindow"] = ObservedWindow  # the one place that builds windows
    sys.exit(main())
