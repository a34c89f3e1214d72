"""Checkpoints: the same model after a round trip, a sentence for a bad file, the old file when saving fails."""

from __future__ import annotations

import ast
import dataclasses
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import save_file

import training
from tests.random_model import write_random_model
from tests.tiny import TINY, full_disk, make_images, make_lively_model
from training import models
from training.checkpoint import load_checkpoint, save_checkpoint
from training.config import ModelConfig, TrainConfig
from training.errors import UserError
from training.model import VisionTransformer
from training.models import (
    ModelInfo,
    find_model,
    new_model_path,
    read_info,
    shipped_models,
    user_models,
)
from training.paths import models_folder

INFO = ModelInfo(
    model=TINY,
    temperature=1.5,
    training=dataclasses.asdict(TrainConfig(seed=3)),
    seen=("MNIST, the first 55,000 training images",),
    metrics={"val_accuracy": 0.5},
)
NOBODY = 65534


def weights_of(model: VisionTransformer) -> dict[str, Any]:
    return {name: value.numpy() for name, value in model.state_dict().items()}


def write(path: Path, config: ModelConfig = TINY) -> VisionTransformer:
    model = make_lively_model(config)
    save_checkpoint(path, dataclasses.replace(INFO, model=config), weights_of(model))
    return model


def write_metadata(path: Path, changes: Mapping[str, str | None]) -> None:
    """Write a good checkpoint whose metadata is changed; None takes a key away."""
    write(path)
    with safe_open(path, framework="np") as file:
        metadata: dict[str, str | None] = {**file.metadata(), **changes}
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # it is no dict
    save_file(weights, path, metadata={name: value for name, value in metadata.items() if value is not None})


def problem_with(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        load_checkpoint(path)
    sentence = str(caught.value)
    assert str(path) in sentence
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"position": "sincos"},
        {"position": "none"},
        {"distillation": True, "class_names": ("ä", "7"), "dropout": 0.1},
    ],
    ids=["learned", "sincos", "none", "distillation"],
)
def test_a_round_trip_gives_the_same_model(tmp_path: Path, changes: dict[str, Any]) -> None:
    config = dataclasses.replace(TINY, **changes)
    model = write(tmp_path / "model", config)
    loaded, info = load_checkpoint(tmp_path / "model")
    assert info == dataclasses.replace(INFO, model=config)
    assert loaded.config == config
    assert not loaded.training
    assert torch.equal(loaded(make_images()), model(make_images()))


def test_the_file_says_what_it_is(tmp_path: Path) -> None:
    write(tmp_path / "model.safetensors")
    with safe_open(tmp_path / "model.safetensors", framework="np") as file:
        facts = {name: json.loads(value) for name, value in file.metadata().items()}
    assert facts["format_version"] == 1
    assert facts["kind"] == "model"
    assert facts["model"]["patch_size"] == TINY.patch_size
    assert facts["class_names"] == list(TINY.class_names)
    assert facts["normalisation"] == {"mean": 0.0, "std": 1.0}
    assert facts["temperature"] == 1.5
    assert facts["training"]["seed"] == 3
    assert facts["seen"] == list(INFO.seen)
    assert facts["metrics"] == {"val_accuracy": 0.5}


def test_only_the_description_is_read_when_only_it_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "model")
    assert read_info(tmp_path / "model") == INFO


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    assert "No such file" in problem_with(tmp_path / "gone.safetensors")


def test_a_folder_is_a_sentence(tmp_path: Path) -> None:
    assert "can't be read as a checkpoint" in problem_with(tmp_path)


@pytest.mark.parametrize(
    "content",
    [b"", b"\x89PNG\r\n\x1a\n" + bytes(500), b"just text, and more of it than eight bytes", b"\xff" * 100],
    ids=["empty", "picture", "text", "noise"],
)
def test_a_file_that_is_something_else_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model").write_bytes(content)
    assert "can't be read as a checkpoint" in problem_with(tmp_path / "model")


@pytest.mark.parametrize("share", [0.001, 0.05, 0.5, 0.999])
def test_a_truncated_file_is_a_sentence(tmp_path: Path, share: float) -> None:
    path = tmp_path / "model"
    write(path)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    assert "can't be read as a checkpoint" in problem_with(path)


def test_weights_of_someone_else_are_a_sentence(tmp_path: Path) -> None:
    save_file({"weight": np.zeros(3, dtype=np.float32)}, tmp_path / "model")
    assert "is no checkpoint of ViT Pad" in problem_with(tmp_path / "model")
    save_file({"weight": np.zeros(3, dtype=np.float32)}, tmp_path / "model", metadata={"format": "pt"})
    assert "is no checkpoint of ViT Pad" in problem_with(tmp_path / "model")


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "not JSON"},
        {"model": "[" * 100_000},
        {"model": "[1, 2]"},
        {"model": None},
        {"kind": '"run-state"'},
        {"format_version": '"one"'},
        {"format_version": None},
        {"format_version": "NaN"},
        {"format_version": "-5"},
        {"format_version": "1.5"},
        {"temperature": "null"},
        {"temperature": "0"},
        {"temperature": "-1"},
        {"normalisation": '{"mean": 0.5, "std": 0.5}'},
        {"temperature": "NaN"},
        {"temperature": "1" + "0" * 400},
        {"seen": "3"},
        {"training": "7"},
        {"metrics": "true"},
    ],
    ids=lambda changes: " ".join(f"{name} {str(value)[:9]}" for name, value in changes.items()),
)
def test_metadata_without_sense_are_a_sentence(tmp_path: Path, changes: dict[str, str | None]) -> None:
    write_metadata(tmp_path / "model", changes)
    assert "is no checkpoint of ViT Pad" in problem_with(tmp_path / "model")


def test_a_newer_file_says_so_whatever_else_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "model"
    write_metadata(path, {"format_version": "2"})
    assert "was written by a newer ViT Pad (format 2)" in problem_with(path)
    save_file({"weight": np.zeros(3)}, path, metadata={"format_version": "2", "layout": '"another"'})
    assert "was written by a newer ViT Pad (format 2)" in problem_with(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"depth": 10**9},
        {"embed_dim": 2**40},
        {"image_size": 10**6, "patch_size": 1},
        {"image_size": 2_048, "patch_size": 2},
        {"mlp_ratio": 1e300},
        {"mlp_ratio": 1e-9},
        {"in_channels": 10**12},
        {"num_heads": 0},
        {"depth": 2.0},
        {"depth": "2"},
        {"patch_size": None},
        {"patch_size": True},
        {"layer_norm_eps": float("nan")},
        {"residual": "no"},
        {"class_names": "0123456789"},
        {"class_names": [0, 1]},
        {"class_names": ["7", "7"]},
        {"rotary": True},
    ],
    ids=str,
)
def test_a_description_without_sense_is_a_sentence(tmp_path: Path, changes: dict[str, Any]) -> None:
    model = json.dumps(dataclasses.asdict(TINY) | changes)
    write_metadata(tmp_path / "model", {"model": model})
    assert "describes a model that can't be built: " in problem_with(tmp_path / "model")


def test_a_description_of_a_huge_model_takes_no_memory(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="memory use of POSIX systems")
    huge = ModelConfig(embed_dim=2_048, depth=4, mlp_ratio=8.0)  # 1.3 GB of weights
    write_metadata(tmp_path / "model", {"model": json.dumps(dataclasses.asdict(huge))})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "don't fit its own description" in problem_with(tmp_path / "model")
    unit = 1 if sys.platform == "darwin" else 1_024
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit < 300_000_000


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda w: w.update({"norm.weight": np.zeros(7, np.float32)}), r"norm.weight: (7,) instead of (16,)"),
        (lambda w: w.pop("norm.weight"), "norm.weight: nothing instead of (16,)"),
        (lambda w: w.update({"extra": np.zeros(2, np.float32)}), "extra: (2,) instead of nothing"),
    ],
    ids=["wrong shape", "missing", "too many"],
)
def test_weights_that_do_not_fit_are_a_sentence(tmp_path: Path, change: Any, sentence: str) -> None:
    weights = weights_of(make_lively_model())
    change(weights)
    save_checkpoint(tmp_path / "model", INFO, weights)
    assert f"don't fit its own description ({sentence})" in problem_with(tmp_path / "model")


class _Trap:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (self.folder,)

    def __init__(self, folder: str) -> None:
        self.folder = folder


def test_a_pickle_is_refused_and_runs_nothing(tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    path = tmp_path / "model.safetensors"
    path.write_bytes(pickle.dumps(_Trap(str(trap))))
    assert "can't be read as a checkpoint" in problem_with(path)
    torch.save({"weight": torch.zeros(2)}, path)
    assert "can't be read as a checkpoint" in problem_with(path)
    assert not trap.exists()


def test_the_library_has_no_use_for_pickle() -> None:
    for path in Path(training.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
            assert not {"pickle", "shelve", "marshal", "joblib"} & set(names), path
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            assert called not in ("torch.load", "torch.save", "np.load", "numpy.load"), path


def test_saving_takes_the_place_of_the_old_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"old")
    model = write(path)
    assert torch.equal(load_checkpoint(path)[0](make_images()), model(make_images()))
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"old")
    with full_disk(10_000), pytest.raises(UserError) as caught:
        write(path)
    assert str(caught.value).startswith(f"{path} can't be written (")
    assert "Free some space, or choose another folder." in str(caught.value)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user may enter; pytest's own let only their owner in."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.skipif(sys.platform == "win32", reason="user ids of POSIX systems")
def test_a_read_only_folder_and_a_full_disk_leave_the_old_file_in_another_process(open_folder: Path) -> None:
    path = open_folder / "model.safetensors"
    path.write_bytes(b"old")
    open_folder.chmod(0o555)
    code = f"""
import os, resource, sys, pathlib
from tests.random_model import write_random_model
from training.errors import UserError
if os.geteuid() == 0:  # permissions don't stop root
    os.setuid({NOBODY})
try:
    write_random_model(pathlib.Path(sys.argv[1]))
except UserError as error:
    print(error)
"""
    try:
        child = subprocess.run(
            [sys.executable, "-c", code, str(path)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(training.__file__).parent.parent,
        )
        assert child.stdout.startswith(f"{path} can't be written (Permission denied)")
        assert path.read_bytes() == b"old"
        assert list(open_folder.iterdir()) == [path]
    finally:
        open_folder.chmod(0o755)


def test_models_are_listed_by_name_and_run_states_are_not() -> None:
    for name in ("mine", "another", "mine.state"):
        write_random_model(models_folder() / f"{name}.safetensors")
    (models_folder() / "notes.txt").write_text("not a model")
    assert user_models() == ("another", "mine")
    assert find_model("mine") == models_folder() / "mine.safetensors"
    assert list(shipped_models())[:1] in ([], ["pad-4"])  # the default comes first


def test_a_model_is_found_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_random_model(tmp_path / "somewhere.safetensors")
    assert find_model(str(path)) == path
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert find_model("~/somewhere.safetensors") == path


def test_a_shipped_model_needs_no_folder_of_the_persons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assets = tmp_path / "assets"
    for name in ("checkpoints/pad-4", "stages/pad-8-1"):
        (assets / name).parent.mkdir(parents=True)
        write_random_model(assets / f"{name}.safetensors")
    (tmp_path / "data").write_text("a file where the folder should be")
    monkeypatch.setattr(models, "asset", lambda name: assets / name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(tmp_path / "data"))
    assert find_model("pad-4") == assets / "checkpoints" / "pad-4.safetensors"
    assert find_model("pad-8-1") == assets / "stages" / "pad-8-1.safetensors"
    assert shipped_models() == ("pad-4",)  # a stage is listed nowhere
    with pytest.raises(UserError, match="can't be made"):
        find_model("mine")


@pytest.mark.parametrize("name", ["nowhere", "~nobody-of-that-name/model", "x" * 5_000, "a\0b", ""])
def test_a_model_that_is_not_there_is_a_sentence(name: str) -> None:
    with pytest.raises(UserError, match="There is no model"):
        find_model(name)


def test_a_new_model_takes_no_others_place() -> None:
    names = []
    for _ in range(3):
        path = new_model_path("fresh")
        names.append(path.name)
        write_random_model(path)
    assert names == ["fresh.safetensors", "fresh-2.safetensors", "fresh-3.safetensors"]
    for name in shipped_models():  # whose earlier stages are found by their names, too
        path = write_random_model(new_model_path(name))
        assert find_model(path.stem) == path


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_a_sentence(tmp_path: Path, value: float) -> None:
    path = write_random_model(tmp_path / "model.safetensors")
    with safe_open(path, framework="np") as file:
        weights, metadata = {name: file.get_tensor(name) for name in file.keys()}, file.metadata()  # noqa: SIM118
    weights["classifier.bias"][3] = value
    save_file(weights, path, metadata=metadata)
    assert "no numbers (classifier.bias)" in problem_with(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are a thing of POSIX systems")
def test_a_pipe_is_no_checkpoint_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.safetensors")
    assert "is no checkpoint of ViT Pad" in problem_with(tmp_path / "pipe.safetensors")


def test_weights_that_are_too_large_for_an_answer_are_a_sentence(tmp_path: Path) -> None:
    path = write_random_model(tmp_path / "model.safetensors")
    with safe_open(path, framework="np") as file:
        weights, metadata = {name: file.get_tensor(name) for name in file.keys()}, file.metadata()  # noqa: SIM118
    weights = {name: value * np.float32(1e30) for name, value in weights.items()}
    save_file(weights, path, metadata=metadata)
    assert "give no answer" in problem_with(path)
