"""How long the program takes to show its window, and to answer a file given on the command line.

    python -m tests.benchmarks.startup [--model pad-4] [--runs 7] [--json]

The window is compared with an empty PySide6 window, the first answer with importing torch. All run
in turn, each in a process of its own, from its start; medians are given.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.live_session import OWN_DRAWINGS

_BARE_WINDOW = """
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
class Window(QWidget):
    def paintEvent(self, event):
        QTimer.singleShot(0, lambda: print("painted", flush=True))
app = QApplication([])
window = Window()
window.resize(1280, 800)
window.show()
app.exec()
"""


def main() -> None:
    """Measure, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="pad-4")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        drawing = Path(folder, "seven.jsonl")
        drawing.write_text(OWN_DRAWINGS[0] + "\n", encoding="utf-8")
        figures = _measure(Path(folder), drawing, options.model, options.runs)
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:24} {value:.3f}")


def _measure(folder: Path, drawing: Path, model: str, runs: int) -> dict[str, float]:
    program = ("-m", "tests.observed", "--model", model)
    cases = {
        "bare_window_s": (("-c", _BARE_WINDOW), "painted"),
        "window_s": (program, "painted"),
        "import_torch_s": (("-c", "import torch; print('imported', flush=True)"), "imported"),
        "first_answer_s": ((*program, str(drawing)), "answered"),
    }
    times: dict[str, list[float]] = {name: [] for name in cases}
    for run in range(runs + 1):
        for name, (words, wanted) in cases.items():
            taken_s = _time_until(wanted, words, folder / f"{name}-{run}")
            if run > 0:  # the first round fills the disk's cache
                times[name].append(taken_s)
    figures = {name: statistics.median(taken) for name, taken in times.items()}
    figures["window_behind_bare_s"] = figures["window_s"] - figures["bare_window_s"]
    figures["answer_by_torch"] = figures["first_answer_s"] / figures["import_torch_s"]
    return figures


def _time_until(wanted: str, words: tuple[str, ...], home: Path) -> float:
    """Start a Python process and give the seconds until it prints the wanted line; then it is ended."""
    environment = {**os.environ, "XDG_CONFIG_HOME": str(home), "XDG_STATE_HOME": str(home)}
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    start_s = time.perf_counter()
    with subprocess.Popen(
        (sys.executable, *words), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip() == wanted:
                taken_s = time.perf_counter() - start_s
                process.kill()
                return taken_s
        _, errors = process.communicate()
    raise SystemExit(f"{' '.join(words)} ended without saying {wanted!r}: {errors.strip()}")


if __name__ == "__main__":
    main()
