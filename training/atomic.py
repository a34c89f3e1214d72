"""Writing files whole or not at all."""

from __future__ import annotations

import contextlib
import glob
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

from training.errors import UserError

_MARK = 8  # letters that tell one temporary file from another


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Give a temporary path in the folder of `path`; when the block ends well, it takes the place of `path`.

    Whatever goes wrong, `path` holds either what it held before or the whole new content.

    Raises:
        UserError: the disk is full, the folder can't be written to, or isn't there.
    """
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:_MARK]}.tmp")
    try:
        temporary.touch(exist_ok=False)
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise UserError(
            "{path} can't be written ({reason}). Free some space, or choose another folder.",
            path=path,
            reason=error.strerror or str(error),
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def check_place(out: Path) -> Path:
    """Refuse a place that can't be written to before the work, not after it; give it back.

    Raises:
        UserError: it is a folder, or in one that isn't there or writable.
    """
    folder = out.resolve().parent
    if out.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise UserError("{out} can't be written; name a file in a folder that is there and writable.", out=out)
    return out


def remove_leftovers(path: Path) -> None:
    """Remove the temporary files of a process that was killed while it wrote `path`; nobody may be writing it now."""
    for temporary in path.parent.glob(f".{glob.escape(path.name)}.{'?' * _MARK}.tmp"):
        with contextlib.suppress(OSError):
            temporary.unlink()
