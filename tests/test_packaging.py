"""The wheel works where there is no checkout: built by way of the source archive, and used from another folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from training import __version__

ROOT = Path(__file__).resolve().parent.parent
SEVEN = {"strokes": [[[120, 90], [200, 88], [280, 90], [240, 190], [205, 320]]], "label": 7, "canvas": [400, 400]}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source archive that is built from this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT), folder=folder)
    assert [path.name for path in folder.glob("*.tar.gz")] == [f"vit_pad-{__version__}.tar.gz"]
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def bare_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment with the wheel in it, which sees this environment's packages but no checkout."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=sys.platform != "win32")
    scripts, suffix = ("Scripts", ".exe") if sys.platform == "win32" else ("bin", "")
    python = folder / scripts / f"python{suffix}"
    install = ["install", "--no-deps", "--no-index", "--quiet", str(wheel)]
    run(sys.executable, "-m", "pip", "--python", str(python), *install, folder=folder)
    # Only now, lest pip take the checkout's own installation for this one. Path files of a folder that is named in a
    # path file aren't read, so that an editable installation of the checkout stays out of sight.
    site_packages = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=folder).strip()
    )
    outer = dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    (site_packages / "outer.pth").write_text("\n".join(outer), encoding="utf-8")
    return python


def test_wheel_carries_the_assets_inside_training(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    shipped = [path.relative_to(ROOT) for path in (ROOT / "assets").rglob("*") if path.is_file()]
    assert {f"training/{path.as_posix()}" for path in shipped} <= names
    for folder in ("checkpoints", "recipes", "mnist", "icons"):
        assert any(name.startswith(f"training/assets/{folder}/") for name in names), folder


def test_wheel_carries_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.partition("/")[0] for name in archive.namelist()}
    assert tops == {"training", "vit_pad", f"vit_pad-{__version__}.dist-info"}


def test_installed_wheel_is_the_one_that_is_used(bare_python: Path, tmp_path: Path) -> None:
    answer = run(
        bare_python, "-c", "import training, vit_pad; print(training.__file__, vit_pad.__file__)", folder=tmp_path
    )
    for place in answer.split():
        assert Path(place).is_relative_to(bare_python.parent.parent)


def test_installed_program_reads_a_drawing_from_another_folder(bare_python: Path, tmp_path: Path) -> None:
    (tmp_path / "seven.jsonl").write_text(json.dumps(SEVEN) + "\n", encoding="utf-8")
    program = bare_python.with_name(f"vit-pad{bare_python.suffix}")
    answer = json.loads(run(program, "predict", "seven.jsonl", "--json", folder=tmp_path))
    assert answer["label"] == "7"
    assert answer["top"] == "7"
    assert sum(answer["probabilities"]) == pytest.approx(1, abs=1e-3)


def run(*command: str | Path, folder: Path) -> str:
    """Run a command in a folder, as far from this checkout as an environment allows, and give what it prints."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    child = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert child.returncode == 0, f"{command}\n{child.stdout}\n{child.stderr}"
    return child.stdout
