"""What a person names on the command line or opens: a picture or a drawing file, told apart by content."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from training.facts import PlacementMode, PredictionRequest
from training.paths import is_endless
from training.pictures import Picture, read_picture
from training.strokes import Stroke, on_pad, read_drawings

_GZIP_MAGIC = b"\x1f\x8b"
_DRAWING_STARTS = (b"{", b"\xef\xbb\xbf")  # an object of JSON, or the mark that some editors put before it
_DRAWING_SUFFIXES = {".jsonl", ".json", ".gz"}


@dataclass(frozen=True, eq=False)
class SourceItem:
    """One thing to read. Strokes in pad units."""

    name: str  # the file, and for a drawing file the line
    label: str | None
    strokes: tuple[Stroke, ...] = ()
    picture: Picture | None = None

    def request(self, mode: PlacementMode) -> PredictionRequest:
        """Ask for it to be read."""
        return PredictionRequest(revision=0, strokes=self.strokes, picture=self.picture, placement_mode=mode)


@dataclass(frozen=True)
class Source:
    """What a file holds, and a sentence for each line that can't be used."""

    items: tuple[SourceItem, ...]
    problems: tuple[str, ...] = ()


def read_source(path: Path) -> Source:
    """Read a drawing file, every drawing in it, or a picture.

    Raises:
        UserError: there is no such file, or it is neither.
    """
    if not is_drawing_file(path):
        return Source((SourceItem(str(path), None, picture=read_picture(path)),))
    file = read_drawings(path)
    items = tuple(
        SourceItem(f"{path}:{number}", drawing.label, on_pad(drawing).strokes)
        for number, drawing in zip(file.line_numbers, file.drawings, strict=True)
    )
    return Source(items, tuple(f"{path}, line {each.number}: {each.message}" for each in file.problems))


def is_drawing_file(path: Path) -> bool:
    """Look at the first bytes, and where they can't be had at the name; who reads the file says what is wrong."""
    try:
        if is_endless(path):
            return False
        with path.open("rb") as file:
            start = file.read(64).lstrip()
    except OSError:
        start = b""
    return start.startswith((_GZIP_MAGIC, *_DRAWING_STARTS)) or path.suffix.lower() in _DRAWING_SUFFIXES
