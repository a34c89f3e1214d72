"""Files are written whole or not at all."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from training.atomic import atomic_write
from training.errors import UserError

NOBODY = 65534
POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="limits and user ids of POSIX systems")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may enter; pytest's own let only their owner in."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_new_content_takes_the_place_of_the_old(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_text("old")
    with atomic_write(path) as temporary:
        temporary.write_text("new")
        assert temporary.parent == path.parent  # a rename within one file system
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_in_the_block_leaves_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), atomic_write(path) as temporary:
        _write_and_fail(temporary)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"can't be written \(No such file"), atomic_write(tmp_path / "gone" / "model"):
        pass


@POSIX_ONLY
def test_a_full_disk_is_a_sentence_and_leaves_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_text("old")
    answer = _write_in_child(path, "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))")
    assert answer.startswith(f"{path} can't be written (")
    assert "Free some space" in answer
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@POSIX_ONLY
def test_a_read_only_folder_is_a_sentence(open_folder: Path) -> None:
    path = open_folder / "model"
    path.write_text("old")
    open_folder.chmod(0o555)
    try:
        answer = _write_in_child(path, f"os.geteuid() == 0 and os.setuid({NOBODY})")  # permissions don't stop root
        assert answer.startswith(f"{path} can't be written (Permission denied)")
        assert path.read_text() == "old"
        assert list(open_folder.iterdir()) == [path]
    finally:
        open_folder.chmod(0o755)


def _write_and_fail(path: Path) -> None:
    path.write_text("half of the n")
    raise ZeroDivisionError


def _write_in_child(path: Path, hindrance: str) -> str:
    """Write 1 MB to `path` in a child process that is hindered first, and give the sentence it answers with."""
    program = f"""
import os, pathlib, resource
from training.atomic import atomic_write
from training.errors import UserError

{hindrance}
try:
    with atomic_write(pathlib.Path({str(path)!r})) as temporary:
        temporary.write_bytes(bytes(1_000_000))
except UserError as error:
    print(error)
"""
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return child.stdout
