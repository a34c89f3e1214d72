"""The shipped models: small, made by their recipes, and right."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import torch

from training.checkpoint import load_checkpoint
from training.config import TrainConfig, config_from_dict, preset
from training.data import load_mnist
from training.evaluate import batches_of_set, evaluate
from training.mixture import MNIST_SEEN
from training.models import read_info
from training.paths import asset
from training.recipe import read_recipe

NAMES = ("pad-4", "pad-8", "cnn")
KEPT_OUT = "tra26,tra27,tra28,tra29,tra30"
STAGES = sorted(path.stem for path in asset("stages").glob("*.safetensors"))
LARGEST_FILE = 6_000_000


@pytest.fixture(params=NAMES)
def path(request: pytest.FixtureRequest) -> Path:
    found = asset(f"checkpoints/{request.param}.safetensors")
    if not found.is_file():
        pytest.skip(f"{request.param} isn't trained yet")
    return found


def test_a_shipped_model_is_small(path: Path) -> None:
    assert path.stat().st_size <= LARGEST_FILE


def test_a_shipped_model_has_the_shape_of_its_preset(path: Path) -> None:
    assert dataclasses.replace(read_info(path).model, dropout=0.0) == preset(path.stem)


@pytest.mark.parametrize("name", [*(f"checkpoints/{name}" for name in NAMES), *(f"stages/{name}" for name in STAGES)])
def test_a_shipped_model_was_made_by_its_recipe(name: str) -> None:
    made = config_from_dict(TrainConfig, dict(read_info(asset(f"{name}.safetensors")).training))
    recipe = read_recipe(asset(f"recipes/{Path(name).name}.toml"))
    assert dataclasses.replace(made, device=recipe.device, threads=recipe.threads) == recipe


def test_a_shipped_model_says_what_it_has_seen_and_how_good_it_is(path: Path) -> None:
    info = read_info(path)
    allowed = (
        MNIST_SEEN,
        f"6,246 pen drawings of pendigits-train without the writers {KEPT_OUT.replace(',', ', ')}",
        "digits made up in many styles",
        "signs, lines and pictures made up that are no digits",
    )
    assert info.seen in (allowed, allowed[:1])
    assert info.metrics["val_accuracy"] > 0.99


def test_a_shipped_model_reads_validation_images(path: Path) -> None:
    model, _ = load_checkpoint(path)
    images = load_mnist("val").take(torch.arange(500))
    assert evaluate(model, batches_of_set(images, model.config)).accuracy > 0.98
