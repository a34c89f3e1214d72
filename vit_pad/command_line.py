"""The words after `vit-pad`, read without Qt."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from training import __version__

LIBRARY_COMMANDS = ("train", "evaluate", "predict", "info")  # served by training.cli, with or without Qt
LANGUAGES = ("en",)
_DEVICE = re.compile(r"auto|cpu|cuda(:\d+)?|mps", re.ASCII)
_OTHER_COMMANDS = """\
other commands, each with a --help of its own:
  vit-pad train       train a model
  vit-pad evaluate    count right answers on MNIST, drawings or a folder of pictures
  vit-pad predict     read pictures or drawing files
  vit-pad info        print a model's config, parameters, shapes and figures
"""


@dataclass(frozen=True, kw_only=True)
class WindowOptions:
    """What was asked of the window on the command line; None leaves the choice to what the window remembers."""

    file: Path | None = None
    model: str | None = None
    device: str | None = None
    language: str | None = None


def parse_window_options(words: Sequence[str]) -> WindowOptions:
    """Read the words that open the window.

    Raises:
        SystemExit: status 2 with a usage line on words that make no sense, 0 after --help and --version.
    """
    words = list(words)
    if words[:1] == ["window"]:
        words = words[1:]
    return WindowOptions(**vars(_parser().parse_args(words)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vit-pad",
        usage="vit-pad [window [FILE]] [--model M] [--device D] [--lang en] [--version]",
        description="Draw a digit and see a Vision Transformer read it.",
        epilog=_OTHER_COMMANDS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="a picture or a drawing file to open")
    parser.add_argument("--model", metavar="M", help="a shipped model's name, one of yours, or a checkpoint file")
    parser.add_argument("--device", type=_device_argument, metavar="D", help="auto, cpu, cuda, cuda:N or mps")
    parser.add_argument("--lang", dest="language", choices=LANGUAGES, help="language of the window")
    parser.add_argument("--version", action="version", version=f"vit-pad {__version__}")
    return parser


def is_device(word: str) -> bool:
    """Tell whether a word can name a device, of this machine or another."""
    return _DEVICE.fullmatch(word) is not None


def _device_argument(word: str) -> str:
    if not is_device(word):
        raise argparse.ArgumentTypeError(f"{word!r} is no device; choose auto, cpu, cuda, cuda:N or mps")
    return word
