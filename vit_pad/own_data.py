"""What the program has written for a person, and how to be rid of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from training import paths
from training.errors import UserError

_CONFIG = ("window.ini", "recent.ini", "training.toml")
_STATE = ("last-drawing*", "history*", "*.log*", "training-*.lock")
_CACHE = ("datasets",)
_MODELS = ("*.safetensors",)


@dataclass(frozen=True)
class OwnData:
    """Files and folders in one folder of the program."""

    folder: Path
    items: tuple[Path, ...]

    @property
    def num_bytes(self) -> int:
        """What they take on the disk; what can't be looked at counts for nothing."""
        return sum(_size_of(file) for item in self.items for file in _files_in(item))


def find_own_data(*, with_models: bool) -> tuple[OwnData, ...]:
    """List what the program wrote: choices, drawings, log and what can be had again; models only where wished for.

    Raises:
        UserError: one of the folders can't be made.
    """
    found = [
        _in_folder(paths.config_folder(), _CONFIG),
        _in_folder(paths.state_folder(), _STATE),
        _in_folder(paths.cache_folder(), _CACHE),
    ]
    if with_models:
        found.append(_in_folder(paths.models_folder(), _MODELS))
    return tuple(each for each in found if each.items)


def delete(data: Iterable[OwnData]) -> None:
    """Delete it all, and folders that are empty then. Links are removed, not followed.

    Raises:
        UserError: something is left; the rest is deleted.
    """
    left: list[tuple[Path, OSError]] = []
    for each in data:
        for item in each.items:
            try:
                _remove(item)
            except OSError as error:
                left.append((item, error))
        _remove_if_empty(each.folder)
    if left:
        path, problem = left[0]
        raise UserError(
            "{count} files can't be deleted, among them {path} ({reason}). Close other windows, or do it by hand.",
            count=len(left),
            path=path,
            reason=problem.strerror or problem,
        )


def _in_folder(folder: Path, patterns: Iterable[str]) -> OwnData:
    return OwnData(folder, tuple(sorted({path for pattern in patterns for path in folder.glob(pattern)})))


def _remove(item: Path) -> None:
    if item.is_dir() and not item.is_symlink():
        shutil.rmtree(item)
    else:
        item.unlink(missing_ok=True)


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return


def _files_in(item: Path) -> Iterator[Path]:
    if item.is_dir() and not item.is_symlink():
        for parent, _folders, names in os.walk(item):
            yield from (Path(parent, name) for name in names)
    else:
        yield item


def _size_of(file: Path) -> int:
    try:
        return file.lstat().st_size
    except OSError:
        return 0
