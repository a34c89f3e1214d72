"""What every test stands on: no screen needed, and never a person's own folders."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before any test imports Qt

settings.register_profile("local", deadline=None)  # the first example may load torch; a busy machine is no failure
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(autouse=True, scope="session")
def shared_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Move a person's folders away for the whole session; what can be had again is shared by all tests."""
    with pytest.MonkeyPatch.context() as patch:
        root = tmp_path_factory.mktemp("person")
        patch.setenv("XDG_CACHE_HOME", str(root / "cache"))
        _move_own_folders(patch, root)
        yield


@pytest.fixture(autouse=True)
def own_folders(shared_folders: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give each test a person's data, choices and state of its own, empty at first."""
    with pytest.MonkeyPatch.context() as patch:
        root = tmp_path_factory.mktemp("person")
        _move_own_folders(patch, root)
        yield root


def _move_own_folders(patch: pytest.MonkeyPatch, root: Path) -> None:
    for name in ("DATA", "CONFIG", "STATE"):
        patch.setenv(f"XDG_{name}_HOME", str(root / name.lower()))
    for name in ("APPDATA", "LOCAL_APPDATA"):  # platformdirs' own names for Windows
        patch.setenv(f"WIN_PD_OVERRIDE_{name}", str(root / name.lower()))
