"""The script that leaves out one ingredient after the other: trains, measures and remembers each variant once."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import tomlkit

from scripts.ablation import COLUMNS, FIGURES, RECIPE, VARIANTS, WHOLE, main, read_figures, table, variant_of
from tests.tiny import DIGIT_READER
from training import config, data
from training.paths import asset
from training.recipe import read_recipe

README = Path(__file__).parents[1] / "README.md"
DRAWING = '{"strokes": [[[0, 0], [20, 40]]], "label": %d, "canvas": [40, 40], "writer": "tra26"}\n'


def test_each_variant_leaves_out_something_that_the_recipe_has() -> None:
    assert asset("recipes/ablation.toml") == RECIPE
    recipe = read_recipe(RECIPE)
    variants = {name: variant_of(recipe, name) for name in VARIANTS}
    assert variants.pop(WHOLE) == recipe
    assert len({dataclasses.astuple(each) for each in variants.values()} | {dataclasses.astuple(recipe)}) == len(
        VARIANTS
    )


def test_the_table_shows_the_whole_and_what_others_have_more_or_less() -> None:
    rows = {WHOLE: dict.fromkeys(COLUMNS.values(), 0.95), "no teacher": dict.fromkeys(COLUMNS.values(), 0.9412)}
    lines = table(rows)
    assert lines[2:] == [
        f"| {WHOLE} | 95.00 | 95.00 | 95.00 | 95.00 |",
        "| no teacher | -0.88 | -0.88 | -0.88 | -0.88 |",
    ]


def test_what_is_missing_is_trained_and_measured_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(config.PRESETS, "small", DIGIT_READER)
    monkeypatch.setattr(data, "NUM_VALIDATION", 100)
    recipe = tmp_path / "small.toml"
    settings = {"preset": "small", "epochs": 1, "images_per_class": 2, "batch_size": 8, "device": "cpu", "threads": 1}
    recipe.write_text(tomlkit.dumps(settings))
    strokes = tmp_path / "strokes.jsonl"
    strokes.write_text("".join(DRAWING % label for label in range(3)))
    words = ["--recipe", str(recipe), "--strokes", str(strokes), "--folder", str(tmp_path / "runs")]
    words += ["--figures", str(tmp_path / "figures.jsonl"), "--only", WHOLE, "no averaged weights"]
    main(words)
    assert list(read_figures(tmp_path / "figures.jsonl")) == [WHOLE, "no averaged weights"]
    printed = capsys.readouterr().out
    assert "| no averaged weights |" in printed
    before = (tmp_path / "figures.jsonl").read_bytes()
    main(words)
    assert (tmp_path / "figures.jsonl").read_bytes() == before  # nothing was left to do


def test_a_variant_that_is_none_is_named() -> None:
    with pytest.raises(SystemExit, match="no variant 'nonsense'"):
        main(["--strokes", "a.jsonl", "--only", "nonsense"])


def test_the_readme_shows_what_was_measured() -> None:
    if not FIGURES.is_file():
        pytest.skip("nothing was measured yet")
    assert "\n".join(table(read_figures(FIGURES))) in README.read_text(encoding="utf-8")
