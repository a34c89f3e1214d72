"""The README's file tree is the tree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def listed_files(package: str) -> dict[str, str]:
    """Give the files that the README lists below a package, each with its phrase."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    tree = re.search(rf"^{package}/ .*\n((?:  \S.*\n)+)", text, flags=re.MULTILINE)
    assert tree, package
    return {line.split()[0]: line.partition(".py")[2].strip() for line in tree[1].splitlines()}


@pytest.mark.parametrize("package", ["training", "vit_pad", "vit_pad/inside"])
def test_every_file_has_its_phrase(package: str) -> None:
    listed = listed_files(package)
    assert sorted(listed) == sorted(path.name for path in (ROOT / package).glob("*.py"))
    assert all(listed.values())
