"""A program for tests of stopped runs: `vit-pad` with a preset `small`, few images to judge by, and other random draws.

`python -m tests.small_run train --preset small ...`; a person's folders are the environment's.
"""

from __future__ import annotations

import signal
import sys
import threading

import torch

from tests.tiny import DIGIT_READER
from training import config, data
from training.cli import main


def draw_until(end: threading.Event) -> None:
    """Draw from the process-wide generator, as a preview may while a run goes on."""
    while not end.wait(0.002):
        torch.rand(5)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs inherit that it is ignored
    config.PRESETS["small"] = DIGIT_READER
    data.NUM_VALIDATION = 500
    end = threading.Event()
    beside = threading.Thread(target=draw_until, args=(end,))
    beside.start()
    try:
        status = main(sys.argv[1:])
    finally:
        end.set()
        beside.join()
    sys.exit(status)
