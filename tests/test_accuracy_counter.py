"""Counting test images in the background while a model is changed by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.random_model import SMALL, write_random_model
from training.checkpoint import load_checkpoint
from training.data import load_mnist
from training.edited_accuracy import NUM_IMAGES, edited_accuracy
from training.edited_count import EditedAccuracy
from training.edits import NO_EDITS, Edits
from vit_pad.inside.accuracy_counter import AccuracyCounter

LIMIT_MS = 120_000
WITHOUT_MLPS = Edits(skipped_mlps=frozenset(range(SMALL.depth)))
Counts = list[tuple[EditedAccuracy | None, EditedAccuracy | None]]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_random_model(tmp_path / "small.safetensors")


@pytest.fixture
def counter(qtbot: QtBot) -> Iterator[AccuracyCounter]:
    made = AccuracyCounter()
    yield made
    made.stop()


def listen(counter: AccuracyCounter) -> Counts:
    told: Counts = []
    counter.counted.connect(lambda edited, unedited: told.append((edited, unedited)))
    return told


def expected(model: Path, edits: Edits) -> EditedAccuracy:
    network, _ = load_checkpoint(model)
    *_, last = edited_accuracy(network.eval(), load_mnist("test"), edits)
    return last


def test_it_counts_with_the_change_and_without(counter: AccuracyCounter, model: Path, qtbot: QtBot) -> None:
    told = listen(counter)
    counter.count(str(model), WITHOUT_MLPS)
    qtbot.waitUntil(lambda: bool(told) and told[-1][1] is not None, timeout=LIMIT_MS)
    assert told[-1] == (expected(model, WITHOUT_MLPS), expected(model, NO_EDITS))
    done = [edited.num_done for edited, _ in told if edited is not None]
    assert done == sorted(done)
    assert len(set(done)) > 10  # it can be watched
    assert done[-1] == NUM_IMAGES


def test_only_the_newest_change_is_counted_to_its_end(counter: AccuracyCounter, model: Path, qtbot: QtBot) -> None:
    told = listen(counter)
    counter.count(str(model), WITHOUT_MLPS)
    qtbot.waitUntil(lambda: bool(told) and told[-1][0] is not None, timeout=LIMIT_MS)
    newest = Edits(attention_temperature=7.0)
    counter.count(str(model), newest)
    assert told[-1][0] is None
    qtbot.waitUntil(lambda: told[-1][1] is not None, timeout=LIMIT_MS)
    assert told[-1][0] == expected(model, newest)


def test_what_is_known_without_a_change_is_not_counted_again(
    counter: AccuracyCounter, model: Path, qtbot: QtBot
) -> None:
    told = listen(counter)
    counter.count(str(model), WITHOUT_MLPS)
    qtbot.waitUntil(lambda: bool(told) and told[-1][1] is not None, timeout=LIMIT_MS)
    unedited = told[-1][1]
    counter.count(str(model), NO_EDITS)
    assert told[-1] == (None, unedited)
    counter.count(None, NO_EDITS)  # a model that is being trained
    assert told[-1] == (None, None)


def test_a_model_that_is_gone_is_no_trouble(counter: AccuracyCounter, tmp_path: Path, qtbot: QtBot) -> None:
    counter.count(str(tmp_path / "nowhere.safetensors"), WITHOUT_MLPS)
    qtbot.waitUntil(lambda: counter._thread is not None and counter._thread.isFinished(), timeout=LIMIT_MS)
