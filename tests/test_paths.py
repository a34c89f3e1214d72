"""Where the shipped files and a person's own files lie."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from training import paths
from training.errors import UserError

FOLDERS = [paths.models_folder, paths.cache_folder, paths.config_folder, paths.state_folder]


def test_asset_finds_the_shipped_files() -> None:
    assert paths.asset("mnist/t10k-labels-idx1-ubyte.gz").is_file()


def test_asset_prefers_those_inside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "training"
    (package / "assets").mkdir(parents=True)
    monkeypatch.setattr(paths, "_PACKAGE", package)
    assert paths.asset("recipes") == package / "assets" / "recipes"


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_persons_folder_is_made_when_asked_for(folder: Callable[[], Path]) -> None:
    assert folder().is_dir()
    assert paths.APP_NAME in folder().parts


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_that_cannot_be_made_is_a_sentence(
    folder: Callable[[], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(in_the_way))
    for name in ("APPDATA", "LOCAL_APPDATA"):
        monkeypatch.setenv(f"WIN_PD_OVERRIDE_{name}", str(in_the_way))
    with pytest.raises(UserError, match=r"The folder .* can't be made .* Make it writable"):
        folder()
