"""The script that compares ink with MNIST: it measures right, and prints both side by side."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "compare_ink.py"
ROW = '{"strokes": [[[10, 8], [28, 9], [18, 33]]], "label": 7}\n'


def measured(image: npt.NDArray[np.float64]) -> dict[str, float]:
    values = runpy.run_path(str(SCRIPT))["measure"](image[None])
    return {name: float(value) for name, (value,) in values.items()}


def test_box_centre_and_mass_of_a_rectangle() -> None:
    image = np.zeros((32, 32))
    image[3:10, 5:20] = 0.8
    image[30, 30] = 0.001  # too faint for a box
    found = measured(image)
    assert (found["box width"], found["box height"], found["longer side"]) == (15, 7, 15)
    assert found["centre, x"] == pytest.approx(-3.5, abs=0.01)
    assert found["centre, y"] == pytest.approx(-9.5, abs=0.01)
    assert found["centre, off by"] == pytest.approx(np.hypot(3.5, 9.5), abs=0.01)
    assert found["sum of ink"] == pytest.approx(84, abs=0.01)
    assert found["peak"] == 0.8


@pytest.mark.parametrize("turned", [False, True])
def test_width_and_softness_of_a_line(turned: bool) -> None:
    image = np.zeros((400, 400))  # long, so that its ends count for little
    image[:, 10:14] = (0.5, 1, 1, 0.5)
    found = measured(image.T if turned else image)
    assert found["line width"] == pytest.approx(3, rel=0.02)
    assert found["softness"] == pytest.approx(2, rel=0.02)


def test_both_stand_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "drawings.jsonl"
    file.write_text(ROW * 3)
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), str(file)])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    rows = {
        line.split("│")[1].strip(): line.split("│")[2:-1]
        for line in capsys.readouterr().out.splitlines()
        if "│" in line
    }
    mnist, pen = np.split(np.array(rows["line width"], dtype=float), 2)
    np.testing.assert_allclose(mnist, [2.642, 2.999, 3.469, 3.124], atol=0.01)
    assert pen.min() == pen.max()
    assert pen[0] == pytest.approx(3, abs=0.3)
