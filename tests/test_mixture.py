"""What a run learns from besides MNIST."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from training import mixture
from training.config import TrainConfig
from training.data import NO_CLASS, ImageSet
from training.distort import box
from training.errors import UserError
from training.ink import make_image
from training.mixture import MNIST_SEEN, stroke_file, training_data
from training.strokes import Drawing, Stroke, write_drawings

FEW = TrainConfig(images_per_class=3)


def drawing(label: str | None, writer: str, x: float = 0.0) -> Drawing:
    line = np.column_stack([np.linspace(100, 150 + x, 20), np.linspace(60, 340, 20)])
    return Drawing(strokes=(Stroke(line),), label=label, extra={"writer": writer})


@pytest.fixture
def strokes(tmp_path: Path) -> Path:
    path = tmp_path / "strokes.jsonl.gz"
    write_drawings(path, [drawing("1", "ann"), drawing("7", "bob", 90), drawing(None, "ann"), drawing("x", "ann")])
    return path


def test_mnist_alone_stays_as_it_is() -> None:
    data, seen = training_data(FEW)
    assert data.train.images.shape == (30, 1, 28, 28)
    assert seen == (MNIST_SEEN,)


def test_every_part_is_there_with_its_labels_and_is_named(strokes: Path) -> None:
    config = dataclasses.replace(FEW, strokes=str(strokes), stroke_copies=3, styles=20, non_digits=10)
    data, seen = training_data(config)
    assert data.train.images.shape == (30 + 2 * 3 + 20 + 10, 1, 32, 32)
    assert data.train.images.dtype == torch.uint8
    labels = data.train.labels
    assert labels[30:36].tolist() == [1, 1, 1, 7, 7, 7]
    assert torch.bincount(labels[36:56], minlength=10).tolist() == [2] * 10
    assert labels[56:].tolist() == [NO_CLASS] * 10
    assert len(data.validation) == 5_000
    assert len(seen) == 4
    assert seen[1] == f"2 pen drawings of {strokes}"


def test_mnist_among_others_is_resized_as_a_batch_is() -> None:
    alone, _ = training_data(FEW)
    mixed, _ = training_data(dataclasses.replace(FEW, styles=1))
    assert isinstance(mixed.train, ImageSet)
    indices = torch.arange(30)
    expected, labels = alone.train.batch(indices, 32, 1)
    images, mixed_labels = mixed.train.batch(indices, 32, 1)
    assert (images - expected).abs().max() <= 0.5 / 255 + 1e-6
    assert torch.equal(labels, mixed_labels)


def test_a_pen_drawing_comes_first_as_it_was_and_then_changed(strokes: Path) -> None:
    config = dataclasses.replace(FEW, strokes=str(strokes), stroke_copies=6)
    images = training_data(config)[0].train.images[30:36, 0].numpy()
    ink = make_image(drawing("1", "ann").strokes, None, "like-mnist", 32, 1)
    assert ink is not None
    assert np.abs(images[0] / 255 - ink.image[0]).max() <= 0.5 / 255 + 1e-6
    assert len({image.tobytes() for image in images}) == 6


def test_copies_are_turned_slanted_thinned_and_shaken_within_limits() -> None:
    generator = np.random.default_rng(0)
    copies = [mixture._copy(drawing("1", "ann"), generator, number) for number in range(1, 400)]
    counts = {sum(len(stroke.points) for stroke in each.strokes) for each in copies}
    assert min(counts) == 8  # every third of 20 points, and the last
    assert max(counts) >= 20
    gaps = sum(len(each.strokes) == 2 for each in copies) / len(copies)
    assert gaps == pytest.approx(0.15, abs=0.06)
    widths = [float((box(each)[1] - box(each)[0])[0]) for each in copies]
    assert max(widths) > 2 * min(widths)


def test_the_seed_alone_decides(strokes: Path) -> None:
    config = dataclasses.replace(FEW, strokes=str(strokes), stroke_copies=2, styles=10, non_digits=6)
    one, other = (training_data(config)[0].train for _ in range(2))
    assert torch.equal(one.images, other.images)
    assert not torch.equal(one.images, training_data(dataclasses.replace(config, seed=1))[0].train.images)


def test_writers_can_be_left_out_and_the_model_says_so(strokes: Path) -> None:
    config = dataclasses.replace(FEW, strokes=str(strokes), stroke_copies=1, left_out_writers="bob,eve")
    data, seen = training_data(config)
    assert data.train.labels[30:].tolist() == [1]
    assert seen[1] == f"1 pen drawings of {strokes} without the writers bob, eve"
    with pytest.raises(UserError, match="holds no drawing to learn from"):
        training_data(dataclasses.replace(config, left_out_writers="ann,bob"))


def test_only_the_file_of_the_recipe_will_do(strokes: Path) -> None:
    md5 = hashlib.md5(strokes.read_bytes(), usedforsecurity=False).hexdigest()
    training_data(dataclasses.replace(FEW, strokes=str(strokes), strokes_md5=md5))
    with pytest.raises(UserError, match="its md5 must be 0123"):
        training_data(dataclasses.replace(FEW, strokes=str(strokes), strokes_md5="0123"))


def test_strokes_that_are_not_there_are_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(tmp_path))
    with pytest.raises(UserError, match=r"Put pendigits-train.jsonl.gz .* into .*datasets"):
        stroke_file("pendigits-train")
    with pytest.raises(UserError, match=r"nowhere.jsonl isn't there"):
        stroke_file(str(tmp_path / "nowhere.jsonl"))
    with pytest.raises(UserError, match=r"^~nosuchuser.x isn't there"):
        stroke_file("~nosuchuser/x")
    known = tmp_path / "vit-pad" / "datasets" / "pendigits-train.jsonl.gz"
    known.parent.mkdir(parents=True)
    known.write_bytes(b"")
    assert stroke_file("pendigits-train") == known


def test_strokes_that_are_no_file_are_called_what_they_are(tmp_path: Path) -> None:
    places = {str(tmp_path): "is a folder. Name a drawing file in it."}
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        places |= {
            str(tmp_path / "pipe"): "pipe is no file. Name a drawing file with pen strokes.",
            "a" * 300: "can't be read (File name too long).",
            "a\0b": "can't be read (embedded null byte).",
        }
    for name, sentence in places.items():
        with pytest.raises(UserError, match=re.escape(sentence)):
            stroke_file(name)
