"""Which part may know of which: read off the syntax trees, and seen in child processes."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FORBIDDEN = {
    "training": {"PySide6", "shiboken6", "pyqtgraph", "vit_pad"},
    "vit_pad": {"torch", "torchvision"},
}
TORCH_FREE = ["training"] + [
    f"training.{name}"
    for name in (
        *("config", "errors", "facts", "ink", "metrics", "models", "paths", "pictures", "sheet", "stress", "strokes"),
    )
]
WINDOW_LATER = ("torch", "torchvision", "pyqtgraph", "tyro")


def imported_packages(source: str) -> Iterator[tuple[int, str]]:
    """Give line and top-level package of every import in a source, wherever it stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and _called_name(node) in ("import_module", "__import__", "importorskip"):
            for word in node.args[:1]:
                if isinstance(word, ast.Constant) and isinstance(word.value, str):
                    yield node.lineno, word.value.partition(".")[0]


def _called_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def trespasses(folder: Path, forbidden: set[str]) -> list[str]:
    """List every import of a forbidden package below a folder."""
    return [
        f"{path.relative_to(folder)}:{line} imports {package}"
        for path in sorted(folder.rglob("*.py"))
        for line, package in imported_packages(path.read_text(encoding="utf-8"))
        if package in forbidden
    ]


@pytest.mark.parametrize("package", FORBIDDEN)
def test_package_keeps_to_its_layer(package: str) -> None:
    folder = ROOT / package
    assert (folder / "__init__.py").is_file()
    assert trespasses(folder, FORBIDDEN[package]) == []


@pytest.mark.parametrize(
    "line",
    [
        "import torch",
        "import torch.nn as nn",
        "from torch import nn",
        "def late():\n    from torch.nn import functional",
        "if TYPE_CHECKING:\n    import torch",
        "importlib.import_module('torch')",
        "__import__('torch')",
    ],
)
def test_a_trespass_is_seen(line: str, tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text(f"import numpy\n{line}\n", encoding="utf-8")
    assert len(trespasses(tmp_path, {"torch"})) == 1


@pytest.mark.parametrize("module", TORCH_FREE)
def test_module_loads_without_torch_and_qt(module: str) -> None:
    assert loaded_by(f"import {module}", "torch", "torchvision", "PySide6") == ""


def test_reading_drawings_loads_no_torchvision() -> None:
    assert loaded_by("import training.predict", "torchvision", "PySide6") == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there torch has to be loaded before Qt")
def test_the_window_is_built_without_what_is_needed_later() -> None:
    program = "from vit_pad.app import create_window; window = create_window()"
    assert loaded_by(program, *WINDOW_LATER) == ""


def loaded_by(program: str, *packages: str) -> str:
    """Run a program in a fresh process and name those of the packages that it has loaded at its end."""
    report = f"import os, sys; print(*[each for each in {packages!r} if each in sys.modules], flush=True); os._exit(0)"
    child = subprocess.run(
        [sys.executable, "-c", f"{program}\n{report}"],  # left at once: what the program started isn't waited for
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return child.stdout.strip()
