"""The last drawing, kept in the person's state folder, so that it is there again after a crash."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from training.atomic import atomic_write
from training.errors import UserError
from training.pictures import Picture, read_picture
from training.strokes import Drawing, Stroke, read_drawings, write_drawings

DRAWING_NAME = "last-drawing.jsonl"
PICTURE_NAME = "last-picture.png"
_log = logging.getLogger(__name__)
T = TypeVar("T")


class LastDrawing:
    """The strokes and the picture that were on the pad, as two files in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._drawing_path = folder / DRAWING_NAME
        self._picture_path = folder / PICTURE_NAME
        self._saved_picture: Picture | None = None

    def save(self, drawing: Drawing, picture: Picture | None) -> None:
        """Write both files; what isn't on the pad has no file. A picture that lies there already is left alone.

        Raises:
            UserError: the disk is full or the folder can't be written to.
        """
        if drawing.strokes:
            write_drawings(self._drawing_path, (drawing,))
        else:
            _remove(self._drawing_path)
        if picture is None:
            _remove(self._picture_path)
        elif picture is not self._saved_picture or not self._picture_path.exists():  # another window may have cleared
            with atomic_write(self._picture_path) as temporary:
                temporary.write_bytes(picture.to_png())
        self._saved_picture = picture

    def load(self) -> tuple[tuple[Stroke, ...], Picture | None]:
        """Read both files; a broken one is noted in the log and counts as nothing drawn."""
        drawn = _read(self._drawing_path, lambda path: read_drawings(path, limit=1).drawings[0])
        self._saved_picture = _read(self._picture_path, read_picture)
        return () if drawn is None else drawn.strokes, self._saved_picture


def _read(path: Path, read: Callable[[Path], T]) -> T | None:
    """Read one of the files, by itself: what is wrong with it is no reason to lose the other."""
    try:
        return read(path) if path.exists() else None
    except UserError as error:
        _log.warning("What was on the pad couldn't be read: %s", error)
        return None


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(
            "{path} can't be removed ({reason}). Make its folder writable.", path=path, reason=error.strerror or error
        ) from error
