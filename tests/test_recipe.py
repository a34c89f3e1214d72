"""Recipes: what was written is what is read, and a sentence for what can't be."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
import tomlkit

from tests.random_model import write_random_model
from training.config import TrainConfig, config_from_dict
from training.errors import UserError
from training.models import named_model
from training.paths import asset, models_folder
from training.recipe import read_recipe, write_recipe


@pytest.mark.parametrize(
    "config",
    [
        TrainConfig(),
        TrainConfig(preset="pad-4", position="none", images_per_class=30, threads=1, learning_rate=3e-4, seed=2**62),
    ],
)
def test_a_recipe_gives_back_what_was_written(tmp_path: Path, config: TrainConfig) -> None:
    write_recipe(tmp_path / "recipe.toml", config)
    assert read_recipe(tmp_path / "recipe.toml") == config


def test_what_is_not_given_keeps_its_default(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text("epochs = 3\nlearning_rate = 1  # a whole number will do\n")
    assert read_recipe(tmp_path / "recipe.toml") == TrainConfig(epochs=3, learning_rate=1)


def test_the_mark_that_some_editors_put_first_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text("epochs = 3\n", encoding="utf-8-sig")
    assert read_recipe(tmp_path / "recipe.toml") == TrainConfig(epochs=3)


def test_the_articles_recipe_has_nothing_that_helps_against_over_fitting() -> None:
    config = read_recipe(asset("recipes/article.toml"))
    assert dataclasses.replace(config, device="auto", threads=None) == TrainConfig(
        preset="pad-8", position="sincos", epochs=5, batch_size=128, learning_rate=1e-3, weight_decay=0.0, dropout=0.0,
        optimizer="adam", schedule="none", clip_norm=0.0, augmentation="none", averaging=0.0, seed=0,
    )  # fmt: skip


@pytest.mark.parametrize("path", sorted(asset("recipes").glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_recipes_can_be_used(path: Path) -> None:
    start = config_from_dict(TrainConfig, tomlkit.parse(path.read_text(encoding="utf-8")).unwrap()).start_from
    if start is not None and named_model(start) is None:
        pytest.skip(f"{start}, which {path.stem} starts from, isn't shipped yet")
    assert read_recipe(path).start_from == start


def test_a_model_to_start_from_lies_relative_to_the_recipe(tmp_path: Path) -> None:
    folder = tmp_path / "recipes"
    folder.mkdir()
    model = write_random_model(tmp_path / "start.safetensors")
    (folder / "recipe.toml").write_text('start_from = "../start.safetensors"\n')
    start = read_recipe(folder / "recipe.toml").start_from
    assert start is not None
    assert os.path.samefile(start, model)
    (folder / "recipe.toml").write_text(f"start_from = '{model}'\n")
    assert read_recipe(folder / "recipe.toml").start_from == str(model)


def test_a_model_to_start_from_can_be_named(tmp_path: Path) -> None:
    write_random_model(models_folder() / "mine.safetensors")
    (tmp_path / "recipe.toml").write_text('start_from = "mine"\n')
    assert read_recipe(tmp_path / "recipe.toml").start_from == "mine"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"epochs = ", "can't be read ("),
        (b"\xff\xfe\x00", "can't be read ("),
        (b"epoch = 3", "'epoch' is no setting; the settings are preset,"),
        (b"[train]\nepochs = 3", "'train' is no setting"),
        (b"epochs = 1.5", "epochs is 1.5; it must be a whole number from 1 to 10,000"),
        (b"epochs = 0", "epochs is 0; it must be a whole number"),
        (b'epochs = "3"', "epochs is '3'"),
        (b"learning_rate = nan", "learning_rate is nan; it must be a number"),
        (b'optimizer = "sgd"', "optimizer is 'sgd'; choose one of adamw, adam"),
        (b'preset = ["pad-8"]', "preset is ['pad-8']; it must be a text"),
        (b"preset = {a = 1}", "preset is {a = 1}; it must be a text"),
        (b"epochs = 2020-01-01", "epochs is 2020-01-01; it must be a whole number"),
        (b'teacher = ""', "teacher is empty"),
        (b"start_from = 5", "start_from is 5; it must be a text"),
        (b"device = 5", "device is 5; it must be a text"),
        (b'mixed_precision = "yes"', "mixed_precision is 'yes'; it must be true or false"),
        (b"threads = 1.5", "threads is 1.5"),
        (b'start_from = "gone.safetensors"', "There is no model"),
    ],
    ids=lambda value: value.decode(errors="replace")[:20] if isinstance(value, bytes) else "",
)
def test_a_recipe_that_cannot_be_used_is_a_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "recipe.toml").write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_recipe(tmp_path / "recipe.toml")
    assert sentence in str(caught.value)


def test_a_recipe_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"can't be read \(No such file or directory\)"):
        read_recipe(tmp_path / "gone.toml")
    with pytest.raises(UserError, match="can't be read"):
        read_recipe(tmp_path)


def test_a_recipe_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="can't be written"):
        write_recipe(tmp_path / "gone" / "recipe.toml", TrainConfig())
