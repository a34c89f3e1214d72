"""How the program starts and ends, each case in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAM = (sys.executable, "-m", "vit_pad")
posix_only = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and paths")
linux_only = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="about the displays and libraries of Linux"
)


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """Give an environment with user folders of its own and no screen."""
    hidden = ("XDG_", "DISPLAY", "WAYLAND_DISPLAY", "QT_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    folder = str(tmp_path / "home")
    return {**kept, "HOME": folder, "USERPROFILE": folder, "LOCALAPPDATA": folder, "APPDATA": folder}


def run(environment: dict[str, str], *words: str, code: str | None = None) -> subprocess.CompletedProcess[str]:
    command = (*PROGRAM, *words) if code is None else (sys.executable, "-c", code)
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=120)


def assert_one_sentence(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith("vit-pad: ")
    assert done.stderr.count("\n") == 1
    for word in words:
        assert word in done.stderr


@linux_only
def test_without_a_display_one_sentence_says_what_to_do(home: dict[str, str]) -> None:
    assert_one_sentence(run(home), "no display", "vit-pad predict")


@linux_only
@pytest.mark.parametrize(
    "extra",
    [{"DISPLAY": ":987"}, {"DISPLAY": ":987", "QT_QPA_PLATFORM": "xcb"}, {"WAYLAND_DISPLAY": "nowhere-0"}],
    ids=["dead X server", "dead X server, asked for", "dead Wayland"],
)
def test_a_display_that_does_not_answer_is_no_display(home: dict[str, str], extra: dict[str, str]) -> None:
    assert_one_sentence(run({**home, **extra}), "no display")


@linux_only
@pytest.mark.parametrize(
    ("library", "platform"),
    [("libxcb-cursor.so.0", "xcb"), ("libEGL.so.1", "offscreen")],
    ids=["xcb plugin", "Qt itself"],
)
def test_a_missing_library_of_qt_is_named(home: dict[str, str], tmp_path: Path, library: str, platform: str) -> None:
    (tmp_path / library).touch()  # the loader finds this empty file first, and can't use it
    code = "from vit_pad import requirements; requirements.check_qt()"
    environment = {**home, "QT_QPA_PLATFORM": platform, "LD_LIBRARY_PATH": str(tmp_path)}
    done = run(environment, code=_as_program(code))
    assert_one_sentence(done, library, "apt-get install")


def test_without_pyside_one_sentence_says_what_to_install(home: dict[str, str], tmp_path: Path) -> None:
    package = tmp_path / "PySide6"
    package.mkdir()
    (package / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'PySide6'\")")
    environment = {**home, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(tmp_path)}
    assert_one_sentence(run(environment), "PySide6", "pip install")


def test_without_torch_one_sentence_says_what_to_install(home: dict[str, str]) -> None:
    code = "import sys; sys.modules['torch'] = None; from vit_pad.__main__ import main; sys.exit(main([]))"
    done = run({**home, "QT_QPA_PLATFORM": "offscreen"}, code=code)
    assert_one_sentence(done, "PyTorch", "pip install torch")


@posix_only
def test_a_user_folder_that_cannot_be_made_is_named(home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    environment = {**home, "HOME": str(tmp_path / "file"), "QT_QPA_PLATFORM": "offscreen"}
    assert_one_sentence(run(environment), str(tmp_path / "file"), "writable")


@posix_only
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can start a child as another user"
)
def test_a_user_folder_that_cannot_be_written_to_is_named(home: dict[str, str]) -> None:
    Path(home["HOME"], ".config/vit-pad").mkdir(parents=True)
    Path(home["HOME"], ".local/state/vit-pad").mkdir(parents=True)
    for each in (Path(home["HOME"]), *Path(home["HOME"]).rglob("*"), Path(home["HOME"]).parent):
        each.chmod(0o755)
    code = "import os; from vit_pad import requirements; os.setuid(65534); requirements.check_folders()"
    open_to_all = {**home, "HOME": _reachable(home["HOME"])}
    assert_one_sentence(run(open_to_all, code=_as_program(code)), "can't be written to", "vit-pad")


def test_a_file_that_is_not_there_and_one_that_is_no_drawing(home: dict[str, str], tmp_path: Path) -> None:
    offscreen = {**home, "QT_QPA_PLATFORM": "offscreen"}
    assert_one_sentence(run(offscreen, str(tmp_path / "none.png")), "none.png")
    (tmp_path / "text.png").write_text("no picture")
    assert_one_sentence(run(offscreen, "window", str(tmp_path / "text.png")), "text.png")


def test_a_model_that_is_not_there(home: dict[str, str]) -> None:
    assert_one_sentence(run({**home, "QT_QPA_PLATFORM": "offscreen"}, "--model", "pad-99"), "pad-99")


@pytest.mark.parametrize("words", [["--device", "abacus"], ["--lang", "xx"], ["--nonsense"], ["a.png", "b.png"]])
def test_words_that_make_no_sense_end_with_2(home: dict[str, str], words: list[str]) -> None:
    done = run(home, *words)
    assert done.returncode == 2
    assert "usage: vit-pad" in done.stderr
    assert "Traceback" not in done.stderr


def test_version_and_help_need_no_display(home: dict[str, str]) -> None:
    version = run(home, "--version")
    assert (version.returncode, version.stdout) == (0, "vit-pad 0.1.0\n")
    text = run(home, "--help")
    assert text.returncode == 0
    for word in ("train", "evaluate", "predict", "info", "--model", "--device", "--lang"):
        assert word in text.stdout


def test_the_command_line_is_read_without_qt_and_the_window_built_without_torch(home: dict[str, str]) -> None:
    code = (
        "import sys\n"
        "import vit_pad.__main__, vit_pad.requirements\n"
        "assert not [name for name in sys.modules if name.startswith('PySide6')]\n"
        "from vit_pad.app import create_window\n"
        "window = create_window()\n"
        "heavy = {'torch', 'torchvision', 'pyqtgraph', 'tyro', 'PIL'} & set(sys.modules)\n"
        "window.close()\n"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)\n"
    )
    done = run({**home, "QT_QPA_PLATFORM": "offscreen"}, code=code)
    assert done.returncode == 0, done.stderr


@posix_only
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_program_with_0_and_keeps_the_drawing(
    home: dict[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    drawing = tmp_path / "seven.jsonl"
    drawing.write_text('{"strokes": [[[100, 100], [300, 100], [180, 330]]], "canvas": [400, 400]}\n')
    command = (sys.executable, "-m", "tests.observed", str(drawing))
    environment = {**home, "QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen(
        command,
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "painted\n"
        process.send_signal(number)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert list(Path(home["HOME"]).rglob("last-drawing.jsonl"))


def _as_program(code: str) -> str:
    """Run some code as the program runs it: errors for a person become one sentence and status 1."""
    return (
        "import sys\n"
        "from training.errors import UserError\n"
        "try:\n"
        f"    {code}\n"
        "except UserError as error:\n"
        "    sys.exit(f'vit-pad: {error}')\n"
    )


def _reachable(home: str) -> str:
    """Let others pass through the folders above, which pytest makes for their owner alone."""
    for folder in Path(home).parents:
        if folder.stat().st_uid == os.geteuid() and folder.name.startswith("pytest"):
            folder.chmod(0o755)
    return home


@posix_only
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_during_the_start_raises_nothing_in_what_is_imported(
    home: dict[str, str], number: signal.Signals, status: int
) -> None:
    code = (
        "import os, signal, sys; from vit_pad import __main__, requirements\n"
        f"requirements.check_all = lambda: os.kill(os.getpid(), {int(number)})\n"
        "try:\n    __main__.main([])\nexcept BaseException: print('raised')\nsys.exit(9)"
    )
    done = run({**home, "QT_QPA_PLATFORM": "offscreen"}, code=code)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "")
