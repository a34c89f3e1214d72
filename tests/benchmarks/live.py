"""How long the answer takes to follow the pen.

    python -m tests.benchmarks.live [--model pad-4] [--events 1500] [--strokes FILE] [--json]

Sends mouse events to the real window, offscreen, 125 a second in real time, from real strokes. The time of an event
runs from when it was due, whatever kept the event loop busy then, to the end of the first paint of both bars and
overlay that shows an answer which contains it. Every event that adds a point counts. Drawings are separated by clear,
once the last event of each was answered.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path

SHARED_STROKES = Path(__file__).parents[3] / "shared/data/strokes/pendigits-train.jsonl.gz"


def main() -> None:
    """Measure, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="pad-4")
    parser.add_argument("--events", type=int, default=1500)
    parser.add_argument("--strokes", type=Path, default=SHARED_STROKES if SHARED_STROKES.exists() else None)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:  # nobody's own choices, nobody's last drawing
        os.environ.update({f"XDG_{name}_HOME": folder for name in ("CONFIG", "STATE")})
        from tests.benchmarks.live_session import measure

        figures = measure(options.model, options.events, options.strokes)
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:24} {value:.1f}" if isinstance(value, float) else f"{name:24} {value}")


if __name__ == "__main__":
    main()
