"""One run at a time in a folder, whichever program it was started from."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

from filelock import FileLock, Timeout

from training.errors import UserError
from training.paths import state_folder

_NAME = "training-{}.lock"


def lock_for_training(folder: Path) -> FileLock:
    """Keep `folder` for one run until the lock is released, or its process ends, however that comes about.

    The lock lies among what the program remembers: nothing is left in the folder itself.

    Raises:
        UserError: another run has it, or the lock can't be written.
    """
    name = hashlib.sha256(str(folder.resolve()).encode(errors="surrogateescape")).hexdigest()[:16]
    path = state_folder() / _NAME.format(name)
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise UserError(
            "Another training is going on in {folder}. Wait until it ends, or stop it.", folder=folder
        ) from error
    except OSError as error:
        raise UserError(
            "{path} can't be written ({reason}). Free some space, or make its folder writable.",
            path=path,
            reason=error.strerror or str(error),
        ) from error
    return lock


def is_training_anywhere() -> bool:
    """Tell whether a run of this person goes on, in whatever folder and program."""
    for path in state_folder().glob(_NAME.format("*")):
        with contextlib.suppress(OSError):
            try:
                FileLock(path).acquire(timeout=0).lock.release()
            except Timeout:
                return True
    return False
