"""Writing files whole or not at all."""

from __future__ import annotations

import contextlib
import glob
import os
import stat
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

from training.errors import UserError

_MARK = 8  # letters that tell one temporary file from another
_TAIL = 60  # letters of a name, its last ones, that a temporary one has: at most 240 bytes, where names may have 255


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Give a temporary path in the folder of `path`; when the block ends well, it takes the place of `path`.

    Whatever goes wrong, `path` holds either what it held before or the whole new content. A symbolic link stays one:
    what it leads to is replaced.

    Raises:
        UserError: the disk is full, the folder can't be written to, or isn't there.
    """
    target = _target(path)
    temporary = target.with_name(f".{target.name[-_TAIL:]}.{uuid.uuid4().hex[:_MARK]}.tmp")
    try:
        temporary.touch(exist_ok=False)
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        raise UserError(
            "{path} can't be written ({reason}). Free some space, or choose another folder.",
            path=path,
            reason=error.strerror or str(error),
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def check_place(out: Path, is_own: Callable[[Path], bool], kind: str) -> Path:
    """Refuse a place that can't or mustn't be written to before the work, not after it; give it back.

    Args:
        out: the place.
        is_own: tells whether a file is of the kind that is written; only such a one may be replaced.
        kind: that kind in words, as in "a picture".

    Raises:
        UserError: it is no file, holds something else, has a name that can't be, or its folder isn't there or writable.
    """
    try:
        mode = out.stat().st_mode
    except FileNotFoundError:
        mode = None
    except (OSError, ValueError) as error:  # a name too long or no name at all, links in a circle
        reason = getattr(error, "strerror", None) or error
        raise UserError("{out} can't be written ({reason}). Choose another name.", out=out, reason=reason) from error
    folder = _target(out).parent
    is_file = mode is None or stat.S_ISREG(mode)
    if not (is_file and folder.is_dir() and os.access(folder, os.W_OK)):
        raise UserError("{out} can't be written; name a file in a folder that is there and writable.", out=out)
    if mode is not None and not is_own(out):
        raise UserError(
            "{out} is there and isn't {kind}: it would be lost. Choose another name, or remove it.", out=out, kind=kind
        )
    return out


def remove_leftovers(path: Path) -> None:
    """Remove the temporary files of a process that was killed while it wrote `path`; nobody may be writing it now."""
    target = _target(path)
    for temporary in target.parent.glob(f".{glob.escape(target.name[-_TAIL:])}.{'?' * _MARK}.tmp"):
        with contextlib.suppress(OSError):
            temporary.unlink()


def _target(path: Path) -> Path:
    """Give the file that is written: where a symbolic link leads, or the path itself."""
    return Path(os.path.realpath(path))
