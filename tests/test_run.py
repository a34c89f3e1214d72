"""A run with its files: one at a time in a folder, stopped before its end, short of memory."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.random_model import write_random_model
from tests.tiny import DIGIT_READER
from training import config, data
from training.checkpoint import load_checkpoint
from training.config import TrainConfig
from training.data import load_mnist
from training.errors import UserError
from training.lock import lock_for_training
from training.models import read_info
from training.run import Run, resume_run, start_run
from training.run_state import load_run_state
from training.train import TrainChange, answer_set, score

PROJECT = Path(__file__).parent.parent
SHORT = TrainConfig(images_per_class=20, batch_size=20, epochs=2, device="cpu")


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(config.PRESETS, SHORT.preset, DIGIT_READER)
    monkeypatch.setattr(data, "NUM_VALIDATION", 200)


def finish(run: Run) -> None:
    while run.step() is not None:
        run.save()


def test_a_second_run_in_a_folder_has_to_wait_until_the_first_is_closed(tmp_path: Path) -> None:
    first, other = tmp_path / "first.safetensors", tmp_path / "other.safetensors"
    with start_run(SHORT, first):
        with pytest.raises(UserError, match=r"Another training is going on in .* Wait until it ends, or stop it\."):
            start_run(SHORT, other)
        (tmp_path / "elsewhere").mkdir()
        with start_run(SHORT, tmp_path / "elsewhere" / "model.safetensors"):
            pass
    with start_run(SHORT, other):
        pass


def test_files_of_another_kind_are_not_replaced_by_those_of_a_run(tmp_path: Path) -> None:
    model = write_random_model(tmp_path / "model.safetensors", DIGIT_READER)
    with start_run(SHORT, model) as run:
        run.step(TrainChange(want_state=True))
        run.step(TrainChange(want_state=True))
        run.save(now=True)
    state = run.files.state_file
    text = tmp_path / "text"
    text.write_text("dear")
    for out in (text, state):
        with pytest.raises(UserError, match=r"is there and isn't a model of ViT Pad: it would be lost"):
            start_run(SHORT, out)
        with pytest.raises(UserError, match=r"is there and isn't a model of ViT Pad: it would be lost"):
            resume_run(state, out)
    (tmp_path / "new.state.safetensors").write_text("dear")
    with pytest.raises(UserError, match=r"new\.state\.safetensors is there and isn't the state of a run of ViT Pad"):
        start_run(SHORT, tmp_path / "new.safetensors")
    with start_run(SHORT, model):  # both its files are of their kinds
        pass
    assert text.read_text() == "dear"


@pytest.mark.skipif(sys.platform == "win32", reason="names as long as POSIX systems take them")
def test_names_too_long_are_told_before_the_work(tmp_path: Path) -> None:
    for length in (250, 256):  # the longer one is too long itself, the other one's state would be
        with pytest.raises(UserError, match=r"can't be written \(File name too long\)"):
            start_run(SHORT, tmp_path / ("a" * (length - len(".safetensors")) + ".safetensors"))


def test_the_lock_of_a_killed_process_holds_nobody_back(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from training.lock import lock_for_training\n"
        f"lock = lock_for_training(Path({str(tmp_path)!r}))\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "locked\n"
    with pytest.raises(UserError, match="Another training"):
        lock_for_training(tmp_path)
    child.kill()
    child.communicate()
    lock_for_training(tmp_path).release()


def test_a_run_that_cannot_begin_leaves_no_lock(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no device 'cuda:77' here"):
        start_run(TrainConfig(device="cuda:77"), tmp_path / "model")
    lock_for_training(tmp_path).release()


def test_weights_of_a_run_that_is_ended_in_its_first_epoch_are_judged_and_kept(tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    with start_run(SHORT, out) as run:
        run.step()
        progress = run.step(TrainChange(want_state=True))
        run.end_early()
    assert progress is not None
    assert progress.state is not None
    model, info = load_checkpoint(out)
    assert info.metrics["epoch"] == 0.2  # two of ten steps
    judged = score(*answer_set(model, load_mnist("val")))
    assert (info.metrics["val_accuracy"], info.metrics["val_loss"]) == pytest.approx((judged.accuracy, judged.loss))
    for name, weight in progress.state.shown_weights.items():
        assert torch.equal(model.state_dict()[name], torch.tensor(weight))
    state, _ = load_run_state(run.files.state_file)
    assert state.step == 2


def test_a_run_that_was_ended_early_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    whole, stopped = tmp_path / "whole.safetensors", tmp_path / "stopped.safetensors"
    with start_run(SHORT, whole) as run:
        finish(run)
    with start_run(SHORT, stopped) as run:
        run.step()
        run.step(TrainChange(want_state=True))
        run.end_early()
    with resume_run(run.files.state_file) as run:
        assert run.resumed_step == 2
        finish(run)
    assert read_info(stopped) == read_info(whole)
    for name, weight in load_checkpoint(whole)[0].state_dict().items():
        assert torch.equal(load_checkpoint(stopped)[0].state_dict()[name], weight)
    assert sorted(tmp_path.iterdir()) == [stopped, whole]


def test_an_epoch_that_was_better_than_the_end_stays_the_model(tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    learning = dataclasses.replace(SHORT, images_per_class=400, learning_rate=5e-3, averaging=0.9, augmentation="none")
    with start_run(learning, out) as run:
        for _ in range(200):
            run.step()
        run.save()
        best = read_info(out)
        assert best.metrics["epoch"] == 1
        assert best.metrics["val_accuracy"] > 0.3  # ruined weights are right by chance, one time in ten
        run.step(TrainChange(learning_rate=10))  # ruins the weights
        for _ in range(3):
            run.step(TrainChange(want_state=True))
        run.end_early()
    assert read_info(out) == best


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited as on Linux")
def test_a_batch_that_memory_does_not_hold_is_halved_until_it_does(tmp_path: Path) -> None:
    code = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from training.config import TrainConfig\n"
        "from training.run import start_run\n"
        "config = TrainConfig(preset='pad-4', images_per_class=80, batch_size=800, device='cpu', threads=1)\n"
        f"with start_run(config, Path({str(tmp_path / 'model')!r})) as run:\n"
        "    pages = int(Path('/proc/self/statm').read_text().split()[0])\n"
        "    limit = pages * resource.getpagesize() + 1_500_000_000\n"
        "    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "    progress = run.step()\n"
        "    print(run.config.batch_size, progress.num_steps, run.note)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    size, num_steps, note = done.stdout.strip().split(" ", 2)
    assert int(size) in (400, 200, 100)
    assert int(num_steps) == 10 * 800 // int(size)
    assert note == f"There is not enough memory for 800 images at a time; it goes on with {size}."
