"""The program `vit-pad`: reads the command line, then opens the window or hands over to the library's commands."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

from training.errors import UserError
from vit_pad.command_line import LIBRARY_COMMANDS, parse_window_options


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and give its exit status: 0 done, 1 the work failed, 2 words that make no sense."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] and words[0] in LIBRARY_COMMANDS:
        from training import cli

        return cli.main(words)
    try:
        return _open_window(words)
    except UserError as error:
        print(f"vit-pad: {error}", file=sys.stderr)
        return 1
    except SystemExit as stop:  # argparse's way of saying that it has answered already
        return stop.code if isinstance(stop.code, int) else 0


def _open_window(words: Sequence[str]) -> int:
    options = parse_window_options(words)
    for number in (signal.SIGTERM, signal.SIGINT):  # until the window has its own way of ending
        signal.signal(number, _end_at_once)
    if sys.platform == "win32":
        from training import load_torch

        load_torch()
    from vit_pad import requirements

    requirements.check_all()
    from vit_pad import app

    return app.run(options)


def _end_at_once(number: int, _frame: object) -> None:
    """End without raising anything: an exception would come out of whatever import goes on just then."""
    os._exit(0 if number == signal.SIGTERM else 130)


if __name__ == "__main__":
    sys.exit(main())
