"""The state of a run on the disk: what was written is what is read, and a killed run ends as one that wasn't.

VIT_PAD_KILLS=20 kills a run that many times instead of 3.
"""

from __future__ import annotations

import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from tests.random_model import write_random_model
from tests.tiny import DIGIT_READER, TINY, assert_same_weights, finish, make_data, make_model, numbers
from training import config, data
from training.atomic import atomic_write, remove_leftovers
from training.checkpoint import load_checkpoint, load_weights
from training.cli import main
from training.config import TrainConfig
from training.errors import UserError
from training.models import new_model_path, read_info, state_path, unfinished_runs, user_models
from training.paths import models_folder
from training.run_state import RunFacts, check_data, load_run_state, md5_of, save_run_state
from training.train import RunState, TrainChange, train

FULL = TrainConfig(epochs=3, batch_size=8, dropout=0.2, averaging=0.9, label_smoothing=0.05, learning_rate=3e-3, seed=7)
MODEL = dataclasses.replace(TINY, dropout=0.2)
FACTS = RunFacts(
    model=MODEL,
    checkpoint=Path("model.safetensors").absolute(),
    device="cpu",
    threads=1,
    data_md5=md5_of(make_data()),
    seen=("a set",),
    metrics={"val_accuracy": 0.1},
)
CHANGES = {1: TrainChange(dropout=0.4, learning_rate=5e-3), 2: TrainChange(augmentation="none", want_state=True)}
PROJECT = Path(__file__).parent.parent
NUM_KILLS = int(os.environ.get("VIT_PAD_KILLS", "3"))
WORDS = ["--preset", "small", "--images-per-class", "200", "--batch-size", "20", "--dropout", "0.1", "--seed", "3"]
PLACE = ["--device", "cpu", "--threads", "1", "--state-every-s", "0.5"]
EPOCHS = ["--epochs", str(max(6, 2 * NUM_KILLS))]


@pytest.fixture(autouse=True)
def _small_preset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(config.PRESETS, "small", DIGIT_READER)


def state_after_three_steps() -> RunState:
    progress, _ = finish(train(make_model(MODEL), make_data(), FULL), CHANGES)
    state = progress[2].state
    assert state is not None
    return state


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The state of a run that was changed twice and stands at its fourth step."""
    path = tmp_path / "run.state.safetensors"
    save_run_state(path, state_after_three_steps(), FACTS)
    return path


def rewrite(path: Path, drop: str = "", **values: Any) -> None:
    """Change a file's description, or leave an array out."""
    with safe_open(path, framework="np") as file:
        arrays = {name: file.get_tensor(name) for name in file.keys() if name != drop}  # noqa: SIM118
        metadata = file.metadata()
    save_file(arrays, path, metadata=metadata | {key: json.dumps(value) for key, value in values.items()})


def problem_with(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        load_run_state(path)
    return str(caught.value)


def test_what_is_read_is_what_was_written(path: Path) -> None:
    state, facts = load_run_state(path)
    written = state_after_three_steps()
    assert facts == FACTS
    for name in ("weights", "averaged", "best", "optimizer", "generators"):
        assert_same_weights(getattr(state, name), getattr(written, name))
    assert state.order.tolist() == written.order.tolist()
    for name in ("config", "step", "best_epoch", "best_accuracy"):
        assert getattr(state, name) == getattr(written, name)
    assert state.changes == ((1, CHANGES[1]), (2, TrainChange(augmentation="none")))


def test_a_run_goes_on_from_the_disk_as_if_it_had_not_stopped(path: Path) -> None:
    whole, whole_result = finish(train(make_model(MODEL), make_data(), FULL), CHANGES)
    state, _ = load_run_state(path)
    rest, result = finish(train(make_model(MODEL, seed=9), make_data(), TrainConfig(), state=state))
    assert numbers(rest) == numbers(whole[3:])
    assert_same_weights(result.weights, whole_result.weights)


@pytest.mark.parametrize("keep", [0, 7, 1_000, -1], ids=["empty", "in the length", "in the header", "all but a byte"])
def test_a_cut_file_is_a_sentence(path: Path, keep: int) -> None:
    path.write_bytes(path.read_bytes()[:keep])
    assert problem_with(path).startswith(f"{path} can't be read as the state of a run (")


def test_a_file_of_something_else_is_a_sentence(path: Path, tmp_path: Path) -> None:
    assert "can't be read" in problem_with(tmp_path / "gone.state.safetensors")
    model = write_random_model(tmp_path / "model.safetensors")
    assert problem_with(model).startswith(f"{model} is a model, not the state of a run.")
    save_file({"order": state_after_three_steps().order}, path)
    assert problem_with(path).startswith(f"{path} is no state of a run.")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"format_version": 2}, "was written by a newer ViT Pad (format 2). Update ViT Pad"),
        ({"format_version": "1"}, "is no state of a run"),
        ({"kind": "film"}, "is no state of a run"),
        ({"step": "3"}, "is no state of a run"),
        ({"threads": 0}, "is no state of a run"),
        ({"changes": [{"step": 1, "tempo": 3}]}, "is no state of a run"),
        ({"config": {"epochs": 0}}, "describes a run that can't be: epochs is 0"),
        ({"model": {"depth": 99}}, "describes a run that can't be: depth is 99"),
        ({"model": dataclasses.asdict(dataclasses.replace(TINY, embed_dim=32))}, "don't fit its own description ("),
        (
            {"drop": "optimizer/classifier.bias.exp_avg"},
            "(optimizer/classifier.bias.exp_avg: nothing instead of (10,))",
        ),
        ({"drop": "generators/dropout"}, "don't fit its own description (generators/dropout: nothing"),
    ],
    ids=str,
)
def test_a_description_that_cannot_be_is_a_sentence(path: Path, values: dict[str, Any], sentence: str) -> None:
    rewrite(path, **values)
    assert sentence in problem_with(path)


def test_other_images_or_labels_are_a_sentence() -> None:
    same, other = make_data(), make_data()
    check_data(FACTS, md5_of(same))
    other.validation.labels[0] = 5
    with pytest.raises(UserError, match="The images of the validation set are not those"):
        check_data(FACTS, md5_of(other))
    same.train.images[3, 0, 0, 0] ^= 1
    with pytest.raises(UserError, match="The images of the train set are not those"):
        check_data(FACTS, md5_of(same))


def test_a_state_lies_beside_its_checkpoint_and_keeps_the_name() -> None:
    for name, state in (("a.safetensors", "a.state.safetensors"), ("v1.5", "v1.5.state.safetensors")):
        assert state_path(Path("folder") / name) == Path("folder") / state
    first = new_model_path("fresh")
    save_run_state(state_path(first), state_after_three_steps(), FACTS)
    assert unfinished_runs() == (models_folder() / "fresh.state.safetensors",)
    assert user_models() == ()
    assert new_model_path("fresh") == models_folder() / "fresh-2.safetensors"


def test_leftovers_of_a_killed_write_are_removed_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "other.tmp").touch()
    with atomic_write(tmp_path / "[a]") as leftover, atomic_write(tmp_path / "b") as others:
        remove_leftovers(tmp_path / "[a]")
        assert sorted(tmp_path.iterdir()) == sorted([tmp_path / "other.tmp", others])
        leftover.touch()


class Child:
    """A run in a process of its own."""

    def __init__(self, words: list[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.small_run", "train", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=PROJECT,
        )
        assert self.process.stdout is not None
        self.first_line = self.process.stdout.readline()  # when it comes, the work begins

    def end(self) -> str:
        """Wait for the end and give what was complained of."""
        return self.process.communicate()[1]

    def lives(self, for_s: float) -> bool:
        """Tell whether it is still at work after a while."""
        try:
            self.process.wait(for_s)
        except subprocess.TimeoutExpired:
            return True
        return False


def begin(out: Path) -> Child:
    return Child([*WORDS, *PLACE, *EPOCHS, "--out", str(out)])


def begin_or_resume(out: Path) -> Child:
    state = state_path(out)
    return Child(["--resume", str(state)]) if state.exists() else begin(out)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """The checkpoint of a run that nobody stopped, and how long it took."""
    out = tmp_path_factory.mktemp("whole") / "model.safetensors"
    child = begin(out)
    start_s = time.monotonic()
    assert child.end() == ""
    assert child.process.returncode == 0
    return out, time.monotonic() - start_s


def assert_same_model(one: Path, other: Path) -> None:
    assert_same_weights(load_weights(one), load_weights(other))
    assert read_info(one) == read_info(other)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX systems")
def test_a_run_killed_at_random_moments_ends_with_the_weights_of_one_that_was_not(
    whole_run: tuple[Path, float], tmp_path: Path
) -> None:
    whole, duration_s = whole_run
    out = tmp_path / "model.safetensors"
    moments = random.Random(11)
    kills = resumed = 0
    while kills < NUM_KILLS:
        child = begin_or_resume(out)
        resumed += child.first_line.startswith("Going on with small on cpu after step ")
        assert child.lives(moments.uniform(0, duration_s / NUM_KILLS)), child.end()
        child.process.kill()
        child.end()
        kills += 1
        if state_path(out).exists():
            load_run_state(state_path(out))
        if out.exists():
            load_checkpoint(out)
    last = begin_or_resume(out)
    assert last.end() == ""
    assert last.process.returncode == 0
    assert resumed >= NUM_KILLS // 2
    assert_same_model(out, whole)
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX systems")
def test_ctrl_c_keeps_the_run_and_says_how_to_go_on(whole_run: tuple[Path, float], tmp_path: Path) -> None:
    whole, _ = whole_run
    out = tmp_path / "model.safetensors"
    child = begin(out)
    child.process.send_signal(signal.SIGINT)
    state = state_path(out)
    assert child.end() == f'vit-pad: Stopped. To go on: vit-pad train --resume "{state}"\n'
    assert child.process.returncode == 130
    assert list(tmp_path.iterdir()) == [state]
    step = load_run_state(state)[0].step
    resumed = Child(["--resume", str(state)])
    assert resumed.first_line == f"Going on with small on cpu after step {step}, to {out}\n"
    assert resumed.end() == ""
    assert_same_model(out, whole)


@pytest.mark.parametrize("words", [["--epochs", "3"], ["--recipe", "x.toml"]], ids=" ".join)
def test_a_run_goes_on_with_its_own_settings_only(
    path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "--resume", str(path), *words]) == 2
    assert "give --resume FILE without any setting" in capsys.readouterr().err


def test_a_run_that_cannot_go_on_is_one_sentence_and_keeps_its_file(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(data, "NUM_VALIDATION", 50)
    content = path.read_bytes()
    assert main(["train", "--resume", str(path), "--out", str(tmp_path / "gone" / "model")]) == 1
    assert main(["train", "--resume", str(path), "--out", str(tmp_path / "model")]) == 1
    one, other = capsys.readouterr().err.splitlines()
    assert "can't be written; name a file in a folder" in one
    assert "The images of the train set are not those of the run's start" in other
    is_same = path.read_bytes() == content
    assert is_same
