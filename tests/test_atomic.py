"""Files are written whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from training.atomic import atomic_write, check_place, remove_leftovers
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


@pytest.mark.parametrize("letter", ["a", "é", "語"])
def test_a_name_as_long_as_can_be_is_no_hindrance(tmp_path: Path, letter: str) -> None:
    path = tmp_path / (letter * (250 // len(letter.encode())) + ".png")  # the system takes 255 bytes
    assert check_place(path, _is_ours, "ours") == path
    with atomic_write(path) as temporary:
        temporary.write_text("new")
        with atomic_write(path) as leftover:
            remove_leftovers(path)
            assert list(tmp_path.iterdir()) == []
            leftover.touch()
            temporary.touch()
    assert list(tmp_path.iterdir()) == [path]


def test_a_symbolic_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "model", tmp_path / "link"
    link.symlink_to(target)
    for content in ("new", "newer"):  # at first the link leads nowhere
        with atomic_write(check_place(link, _is_ours, "ours")) as temporary:
            assert temporary.parent == target.parent
            temporary.write_text(content)
        assert link.is_symlink()
        assert target.read_text() == content
    with atomic_write(link) as temporary:
        remove_leftovers(link)
        assert not temporary.exists()
        temporary.touch()
    assert list(target.parent.iterdir()) == [target]


def test_only_a_file_of_the_same_kind_is_replaced(tmp_path: Path) -> None:
    ours, other = tmp_path / "new model", tmp_path / "letter"
    ours.write_text("old")
    other.write_text("dear")
    assert check_place(ours, _is_ours, "a model") == ours
    link = tmp_path / "link to a new model"
    link.symlink_to(other)
    for path in (other, link):
        with pytest.raises(UserError, match=r"(letter|model) is there and isn't a model: it would be lost\."):
            check_place(path, lambda path: path.read_text() == "old", "a model")
    assert other.read_text() == "dear"


def test_what_is_no_file_is_refused_before_it_is_looked_into(tmp_path: Path) -> None:
    places = [tmp_path, Path("/"), Path(""), tmp_path / "gone" / "model"]
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        places += [tmp_path / "pipe", Path(os.devnull)]
    for place in places:
        with pytest.raises(UserError, match=r"can't be written; name a file in a folder that is there"):
            check_place(place, _refuse_to_look, "a model")


@POSIX_ONLY
def test_a_name_that_cannot_be_is_a_sentence(tmp_path: Path) -> None:
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    (tmp_path / "file").touch()
    for name, reason in (
        ("a" * 256, "File name too long"),
        ("circle", "Too many levels of symbolic links"),
        ("file/model", "Not a directory"),
        ("a\0b", "embedded null byte"),
    ):
        with pytest.raises(UserError, match=rf"can't be written \({reason}\)\. Choose another name\."):
            check_place(tmp_path / name, _refuse_to_look, "a model")


def _is_ours(path: Path) -> bool:
    return True


def _refuse_to_look(path: Path) -> bool:
    raise AssertionError(path)  # a pipe would never end


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
