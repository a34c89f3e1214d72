"""How much a training and a person who draws hold each other up.

    python -m tests.benchmarks.training [--model pad-4] [--events 1500] [--json]

Trains in the window, batches of 128, while nobody draws and then during continuous drawing, whose events are timed as
in `live`. Beside it stands what the same training reaches from the command line, with as many threads and nothing else
on the machine, before and after. The lag of the event loop is how late a timer of 5 ms comes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.live import SHARED_STROKES

RATE_S = 20


def main() -> None:
    """Measure, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="pad-4", help="preset that is trained")
    parser.add_argument("--events", type=int, default=1500)
    parser.add_argument("--strokes", type=Path, default=SHARED_STROKES if SHARED_STROKES.exists() else None)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({f"XDG_{name}_HOME": folder for name in ("CONFIG", "STATE", "DATA")})
        from tests.benchmarks.training_session import measure

        before = _command_line_rate(options.model)
        figures = measure(options.model, options.events, options.strokes, RATE_S)
        alone = (before + _command_line_rate(options.model)) / 2
    for name in ("idle", "drawing"):
        figures[f"{name}_share"] = figures[f"{name}_images_per_s"] / alone
    figures["command_line_images_per_s"] = alone
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:26} {value:.2f}")


def _command_line_rate(preset: str) -> float:
    """Train in a process of its own, as the command line does, and give the images per second."""
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from training.config import TrainConfig\n"
        "from training.run import start_run\n"
        "from vit_pad.training_session import threads_for\n"
        f"config = TrainConfig(preset={preset!r}, device='cpu', threads=threads_for(TrainConfig()))\n"
        "with start_run(config, Path(sys.argv[1])) as run:\n"
        "    run.step()\n"
        "    start_s, steps = time.perf_counter(), 0\n"
        f"    while time.perf_counter() - start_s < {RATE_S}:\n"
        "        run.step()\n"
        "        steps += 1\n"
        "    print(steps * config.batch_size / (time.perf_counter() - start_s))\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder, "model"))
        done = subprocess.run([sys.executable, "-c", code, out], capture_output=True, text=True, check=True)
    return float(done.stdout)


if __name__ == "__main__":
    main()
