"""The installed PySide6 doesn't lose references to None.

PySide6 6.12.0 drops about a dozen at every repaint of a Python widget: after some hundreds of repaints a small process
dies. From Python 3.12 on None isn't counted any more, and nothing can be lost.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

NUM_REPAINTS = 3000
PROGRAM = f"""
import sys
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget


class Plain(QWidget):
    num_repaints = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawLine(0, 0, self.width(), self.height())
        painter.end()
        self.num_repaints += 1


application = QApplication([])
widget = Plain()
widget.show()
application.processEvents()
holders = [None] * 1_000_000  # keeps the process alive while they are counted
before = sys.getrefcount(None)
for _ in range({NUM_REPAINTS}):
    widget.repaint()
print(widget.num_repaints, sys.getrefcount(None) - before)
"""


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None isn't counted from Python 3.12 on")
def test_repainting_keeps_the_references_to_none() -> None:
    child = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    num_repaints, change = map(int, child.stdout.split())
    assert num_repaints >= NUM_REPAINTS
    assert abs(change) < NUM_REPAINTS / 10
