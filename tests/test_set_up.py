"""The set-up script, run on a small project of its own, with stand-ins for the system's package tools."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vit_pad import requirements

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "set_up.py"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")

PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
# Builds an empty package without a network, unless a file called `broken` is there.
BACKEND = """
import pathlib, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    if pathlib.Path("broken").exists():
        raise SystemExit("broken")
    name, info = "small-1-py3-none-any.whl", "small-1.dist-info"
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w") as wheel:
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: small\\nVersion: 1\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", f"{info}/METADATA,,\\n{info}/WHEEL,,\\n{info}/RECORD,,\\n")
    return name
"""


class Machine:
    """A folder with a project and the set-up script in it, and the system's tools as we want them."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.tools = folder / "tools"
        (self.project / "scripts").mkdir(parents=True)
        self.tools.mkdir()
        shutil.copy(SCRIPT, self.project / "scripts")
        (self.project / "pyproject.toml").write_text(PYPROJECT)
        (self.project / "constraints.txt").write_text("")
        (self.project / "backend.py").write_text(BACKEND)

    def be_debian(self, *installed: str, apt_get: str = "exit 0") -> None:
        """Give the machine dpkg-query, which knows these packages, and an apt-get that notes what it is asked."""
        known = "|".join(installed) or "none"
        self._tool("dpkg-query", f'for name; do case "$name" in {known}) echo "$name installed";; esac; done')
        self._tool("apt-get", f'echo "$@" >> {self.tools}/asked\n{apt_get}')

    def _tool(self, name: str, text: str) -> None:
        path = self.tools / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def set_up(self, level: str, *, user_id: int = 0) -> subprocess.CompletedProcess[str]:
        """Run the script as one who sees only our tools."""
        program = (
            f"import os, runpy, sys; os.geteuid = lambda: {user_id}; sys.argv = ['set_up.py', {level!r}]; "
            "runpy.run_path('scripts/set_up.py', run_name='__main__')"
        )
        return subprocess.run(
            [sys.executable, "-c", program],
            cwd=self.project,
            env={**os.environ, "PATH": str(self.tools), "PIP_NO_INDEX": "1"},
            capture_output=True,
            text=True,
            check=False,
        )

    def asked(self) -> list[str]:
        """Give the lines that apt-get was called with."""
        notes = self.tools / "asked"
        return notes.read_text().splitlines() if notes.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def missing_on(machine: Machine, level: str) -> list[str]:
    """Give the packages that the script tells an ordinary user to install."""
    answer = machine.set_up(level, user_id=1000)
    assert answer.returncode == 1
    assert machine.asked() == []
    (line,) = [line for line in answer.stderr.splitlines() if line.startswith("sudo ")]
    return line.removeprefix("sudo apt-get install ").split()


def test_without_root_it_prints_the_one_line_to_type(machine: Machine) -> None:
    machine.be_debian()
    for_window, for_tests = missing_on(machine, "run"), missing_on(machine, "test")
    assert "libxcb-cursor0" in for_window
    assert "xvfb" not in for_window
    assert set(for_tests) - set(for_window) == {"xvfb", "xauth", "xdotool", "imagemagick"}


def test_what_is_installed_is_not_asked_for(machine: Machine) -> None:
    machine.be_debian("libegl1", "libglib2.0-0t64", "xvfb")
    missing = missing_on(machine, "test")
    assert not {"libegl1", "libglib2.0-0", "xvfb"} & set(missing)
    assert {"libgl1", "xdotool"} <= set(missing)


def test_as_root_it_installs_what_is_missing(machine: Machine) -> None:
    machine.be_debian("xauth")
    missing = missing_on(machine, "test")
    assert machine.set_up("system").returncode == 0
    update, install = machine.asked()
    assert update.endswith(" update")
    assert install.endswith(" ".join(missing))


def test_with_all_there_it_asks_for_nothing(machine: Machine) -> None:
    machine.be_debian()
    machine.be_debian(*missing_on(machine, "test"))
    answer = machine.set_up("system", user_id=1000)
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


def test_a_failing_apt_get_is_a_sentence(machine: Machine) -> None:
    machine.be_debian(apt_get="exit 100")
    answer = machine.set_up("test")
    assert answer.returncode == 1
    assert "a step failed" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_set_up_that_failed_is_finished_by_the_next_and_then_left_alone(machine: Machine) -> None:
    (machine.project / "broken").touch()
    assert machine.set_up("test").returncode == 1
    (machine.project / "broken").unlink()
    second = machine.set_up("test")
    assert second.returncode == 0, second.stderr
    assert "installing the project" in second.stdout
    assert "making a virtual environment" not in second.stdout  # what was done isn't done again
    for level in ("test", "run"):
        assert machine.set_up(level).stdout == ""
    (machine.project / "constraints.txt").write_text("# another set\n")
    assert "installing the project" in machine.set_up("run").stdout


def test_words_it_does_not_know_end_with_status_2(machine: Machine) -> None:
    answer = machine.set_up("everything")
    assert answer.returncode == 2
    assert "usage" in answer.stderr


def test_the_window_names_the_same_packages() -> None:
    packages = runpy.run_path(str(SCRIPT))["QT_PACKAGES"]
    assert requirements._APT_LINE.split() == ["sudo", "apt-get", "install", *packages]
