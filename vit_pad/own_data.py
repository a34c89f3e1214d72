"""What the program has written for a person, and how to be rid of it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from training import paths
from training.errors import UserError
from training.lock import is_training_anywhere
from training.models import SUFFIX, is_own_checkpoint

# Whole names, and no folders: what else lies there is somebody else's.
_CONFIG = r"(window|recent)\.ini(\.lock|\.[A-Za-z]{6})?|training\.toml"  # Qt's own temporary file has six letters
_STATE = (
    r"last-drawing\.jsonl|last-picture\.png|history\.jsonl(\.lock)?|history-broken-\d+\.jsonl|vit-pad\.log(\.1)?"
    r"|training-[0-9a-f]{16}\.lock"
)
_MNIST = r"(train|t10k)-(images-idx3|labels-idx1)-ubyte(\.gz)?"
_MNIST_FOLDER = ("datasets", "MNIST", "raw")  # below the cache
_MODELS = rf".+{re.escape(SUFFIX)}"


@dataclass(frozen=True)
class OwnData:
    """Files in one folder of the program, or below it."""

    folder: Path
    items: tuple[Path, ...]

    @property
    def num_bytes(self) -> int:
        """What they take on the disk; what can't be looked at counts for nothing."""
        return sum(_size_of(item) for item in self.items)


def find_own_data(*, with_models: bool) -> tuple[OwnData, ...]:
    """List what the program wrote: choices, drawings, log and what can be had again; models only where wished for."""
    found = [
        _in_folder(paths.config_folder, _CONFIG),
        _in_folder(paths.state_folder, _STATE),
        _in_folder(paths.cache_folder, _MNIST, _MNIST_FOLDER),
    ]
    if with_models:
        found.append(_in_folder(paths.models_folder, _MODELS, is_own=is_own_checkpoint))
    return tuple(each for each in found if each is not None and each.items)


def check_no_training() -> None:
    """See that no training is going on, whichever program it was started from.

    Raises:
        UserError: one is.
    """
    if is_training_anywhere():
        raise UserError("A training is going on. Stop it, or wait until it ends; then delete your data.")


def delete(data: Iterable[OwnData]) -> None:
    """Delete it all. Links are removed, not followed; the folders themselves stay, as open windows write to them.

    Raises:
        UserError: something is left; the rest is deleted.
    """
    left: list[tuple[Path, OSError]] = []
    for each in data:
        for item in each.items:
            try:
                item.unlink(missing_ok=True)
            except OSError as error:
                left.append((item, error))
        _remove_empty_folders(each)
    if not left:
        return
    path, problem = left[0]
    reason = problem.strerror or problem
    if len(left) == 1:
        raise UserError(
            "{path} can't be deleted ({reason}). Close other windows, or delete it by hand.", path=path, reason=reason
        )
    raise UserError(
        "{count} files can't be deleted, among them {path} ({reason}). Close other windows, or delete them by hand.",
        count=len(left),
        path=path,
        reason=reason,
    )


def _in_folder(
    find_folder: Callable[[], Path],
    names: str,
    below: tuple[str, ...] = (),
    is_own: Callable[[Path], bool] = lambda _path: True,
) -> OwnData | None:
    """List files of these names and their temporary ones, in a folder of the program or one below it.

    None where that folder isn't there and can't be made: there is nothing in it.
    """
    temporary = re.compile(rf"\.({names})\.[0-9a-f]{{8}}\.tmp")  # see training.atomic
    own = re.compile(names)
    with contextlib.suppress(UserError, OSError):
        folder = place = find_folder()
        for name in below:
            place /= name
            if place.is_symlink():
                return None
        files = (path for path in place.iterdir() if path.is_symlink() or path.is_file())
        items = (
            path
            for path in files
            if temporary.fullmatch(path.name) or (own.fullmatch(path.name) and (path.is_symlink() or is_own(path)))
        )
        return OwnData(folder, tuple(sorted(items)))
    return None


def _remove_empty_folders(data: OwnData) -> None:
    """Remove the folders below `data.folder` that held its files, where nothing else is in them."""
    below = {parent for item in data.items for parent in _parents_below(item, data.folder)}
    for folder in sorted(below, key=lambda path: -len(path.parts)):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _parents_below(item: Path, folder: Path) -> Iterator[Path]:
    return (parent for parent in item.parents if folder in parent.parents)


def _size_of(file: Path) -> int:
    try:
        return file.lstat().st_size
    except OSError:
        return 0
