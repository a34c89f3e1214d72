"""Set up what a `make` target needs: the system's libraries, a virtual environment, the project and its dependencies.

Called by the Makefile as `python3 scripts/set_up.py LEVEL`, where LEVEL is

    run     what the window needs
    test    and what the tests need
    dev     and what the checks of style and types need
    system  only the system's packages, for a person who may use sudo: sudo python3 scripts/set_up.py system

Needs nothing but the standard library. What is there already is left alone, and a set-up that was interrupted is
finished by the next call.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
STAMP = ENVIRONMENT / "set-up.json"  # written last: what is in the environment
INPUTS = ("pyproject.toml", "constraints.txt")  # a change in one of them installs again

LEVELS = ("run", "test", "dev")  # each holds what the one before it holds
TARGETS = {"run": ".", "test": ".[test]", "dev": ".[dev]"}

QT_PACKAGES = (  # what the wheels of Qt expect of the system, xcb plugin included, and a font to write with
    "libegl1",
    "libgl1",
    "libglib2.0-0",
    "libdbus-1-3",
    "libfontconfig1",
    "libx11-xcb1",
    "libxkbcommon-x11-0",
    "libxcb-cursor0",
    "libxcb-icccm4",
    "libxcb-image0",
    "libxcb-keysyms1",
    "libxcb-randr0",
    "libxcb-render-util0",
    "libxcb-shape0",
    "libxcb-xinerama0",
    "libxcb-xkb1",
    "fonts-dejavu-core",
)
TEST_PACKAGES = ("xvfb", "xauth", "xdotool", "imagemagick")  # a screen of our own, a hand and an eye


class SetUpError(Exception):
    """What stands in the way, and what to do about it, in one sentence."""


def main(words: Sequence[str]) -> int:
    """Set up the level named on the command line and give the exit status."""
    if len(words) != 1 or words[0] not in (*LEVELS, "system"):
        print(f"usage: set_up.py {'|'.join((*LEVELS, 'system'))}", file=sys.stderr)
        return 2
    try:
        set_up(words[0])
    except SetUpError as error:
        print(f"set-up: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nset-up: interrupted; the next call goes on from here.", file=sys.stderr)
        return 130
    return 0


def set_up(level: str) -> None:
    """Bring the machine to `level`, doing only what is missing.

    Raises:
        SetUpError: something has to be done by the person first.
    """
    if sys.version_info < (3, 10):  # noqa: UP036 - this file is read before any bound is checked
        raise SetUpError(
            f"this is Python {platform.python_version()}, and ViT Pad needs 3.10 to 3.14. "
            "Name another one: make run PYTHON=python3.12"
        )
    install_system_packages(level)
    if level == "system":
        return
    start = time.monotonic()
    if not environment_is_ours():
        make_environment()
    if not is_installed(level):
        install(level)
        say(f"ready after {time.monotonic() - start:.0f} s")


def say(text: str) -> None:
    """Tell the person what goes on, at once even where the output is a pipe."""
    print(f"set-up: {text}", flush=True)


def install_system_packages(level: str) -> None:
    """Install what is missing on Debian and its kin as root; tell anyone else the line to type."""
    if not (shutil.which("apt-get") and shutil.which("dpkg-query")):
        return
    missing = missing_packages(wanted_packages(level))
    if not missing:
        return
    if os.geteuid() != 0:
        raise SetUpError(
            "packages of the system are missing. Install them, then call make again:\n"
            f"sudo apt-get install {' '.join(missing)}"
        )
    say(f"installing packages of the system: {' '.join(missing)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    wait = ["-o", "DPkg::Lock::Timeout=300"]  # another apt-get may be at work
    call(["apt-get", *wait, "update"], environment)
    call(["apt-get", *wait, "install", "--yes", "--no-install-recommends", *missing], environment)


def wanted_packages(level: str) -> list[str]:
    """List the system's packages that a level needs."""
    packages = list(QT_PACKAGES)
    if level != "run":
        packages += TEST_PACKAGES
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        packages.insert(0, venv_package())
    return packages


def venv_package() -> str:
    """Name the package that holds venv and ensurepip for the Python that runs this; Debian packs them apart."""
    if os.path.realpath("/usr/bin/python3") == os.path.realpath(sys.executable):
        return "python3-venv"
    return f"python{sys.version_info.major}.{sys.version_info.minor}-venv"


def missing_packages(packages: Sequence[str]) -> list[str]:
    """Tell which of these packages aren't installed, in the order given."""
    names = [name for package in packages for name in (package, f"{package}t64")]  # 64-bit time renamed some of them
    answer = subprocess.run(
        ["dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\n", *names],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # a line for each name it has never heard of
        text=True,
        check=False,
    )
    installed = {line.split()[0] for line in answer.stdout.splitlines() if line.endswith(" installed")}
    return [package for package in packages if not {package, f"{package}t64"} & installed]


def environment_python() -> Path:
    """Give the path of the environment's Python."""
    return ENVIRONMENT / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def made_for() -> str:
    """Name what an environment is bound to: it serves no other Python, and can't be moved."""
    return f"Python {platform.python_version()} of {sys.base_prefix} in {ROOT}"


def packages_key() -> str:
    """Give a name to what is asked for now; it changes with every input."""
    digest = hashlib.sha256()
    for name in INPUTS:
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def read_stamp() -> dict[str, str]:
    """Read what is in the environment; nothing, where it isn't finished."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def environment_is_ours() -> bool:
    """Tell whether the environment is whole, and made for this Python and this place."""
    return read_stamp().get("made_for") == made_for() and environment_python().exists()


def is_installed(level: str) -> bool:
    """Tell whether the environment holds this level, as it is asked for now."""
    stamp = read_stamp()
    if stamp.get("packages") != packages_key() or stamp.get("level") not in LEVELS:
        return False
    return LEVELS.index(stamp["level"]) >= LEVELS.index(level)


def make_environment() -> None:
    """Make the environment, in the place of an older or unfinished one."""
    say(f"making a virtual environment in {ENVIRONMENT} for Python {platform.python_version()}")
    call([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)])
    STAMP.write_text(json.dumps({"made_for": made_for()}), encoding="utf-8")


def install(level: str) -> None:
    """Install the project, in place, and its dependencies of the tested versions."""
    say("installing the project and its dependencies; the first time this takes minutes, most of them for PyTorch")
    stamp = {"made_for": made_for()}
    STAMP.write_text(json.dumps(stamp), encoding="utf-8")  # until it is done, nothing counts as installed
    pip = [str(environment_python()), "-m", "pip", "--disable-pip-version-check"]
    call([*pip, "install", "--constraint", "constraints.txt", "--editable", TARGETS[level]])
    STAMP.write_text(json.dumps({**stamp, "packages": packages_key(), "level": level}), encoding="utf-8")


def call(command: list[str], environment: dict[str, str] | None = None) -> None:
    """Run a command, its output on the screen.

    Raises:
        SetUpError: it failed.
    """
    try:
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SetUpError(
            f"a step failed, and what it said stands above ({' '.join(command[:4])} ...). "
            "Put that right, then call make again; it goes on from here."
        ) from error


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
