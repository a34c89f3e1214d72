"""Counting with a changed model: the numbers against a plain count, and what is told on the way."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from tests.test_layers import loaded_by
from tests.tiny import PLAIN, TINY, finish, make_data, make_model, make_set
from training.config import CnnConfig
from training.data import ImageSet
from training.edited_accuracy import NUM_IMAGES, edited_accuracy
from training.edited_count import EditedAccuracy
from training.edits import NO_EDITS, Edits
from training.model import VisionTransformer
from training.network import build_network
from training.train import train

MUTED = Edits(head_scales=((0.0, 1.0), (1.0, 0.0)), skipped_mlps=frozenset({0, 1}), attention_temperature=0.2)


@pytest.fixture(scope="module")
def model() -> VisionTransformer:
    """A model that has learned enough to be wrong in some and right in most."""
    model = make_model()
    finish(train(model, make_data(100), dataclasses.replace(PLAIN, epochs=6, learning_rate=3e-3)))
    return model.eval()


def plain_count(model: VisionTransformer, images: ImageSet, edits: Edits) -> int:
    """Count one image at a time."""
    pixels, labels = images.batch(torch.arange(len(images)), TINY.image_size, TINY.in_channels)
    answers = [int(model.inspect(each[None], edits).logits.argmax()) for each in pixels]
    return sum(answer == int(label) for answer, label in zip(answers, labels, strict=True))


@pytest.mark.parametrize("edits", [NO_EDITS, MUTED], ids=["as it is", "changed"])
def test_the_count_is_that_of_one_image_at_a_time(model: VisionTransformer, edits: Edits) -> None:
    images = make_set(60)
    *_, last = edited_accuracy(model, images, edits, batch_size=7)
    assert last == EditedAccuracy(num_right=plain_count(model, images, edits), num_done=60, num_images=60)
    assert 0 < last.num_right < 60  # else a wrong count could look the same


def test_a_change_is_counted(model: VisionTransformer) -> None:
    images = make_set(60)
    assert plain_count(model, images, MUTED) != plain_count(model, images, NO_EDITS)


def test_every_batch_is_told_and_counts_what_is_done(model: VisionTransformer) -> None:
    images = make_set(25)
    told = list(edited_accuracy(model, images, MUTED, batch_size=10))
    assert [each.num_done for each in told] == [10, 20, 25]
    assert [each.num_images for each in told] == [25, 25, 25]
    for each in told:
        assert each.num_right == plain_count(model, images.take(torch.arange(each.num_done)), MUTED)
    assert [each.is_done for each in told] == [False, False, True]


def test_it_reads_the_first_1000_in_hundreds(model: VisionTransformer) -> None:
    images = make_set(NUM_IMAGES + 30)
    told = list(edited_accuracy(model, images, MUTED))
    assert [each.num_done for each in told] == list(range(100, 1_001, 100))
    (at_once,) = edited_accuracy(model, images.take(torch.arange(1_000)), MUTED, batch_size=1_000)
    assert told[-1] == at_once


def test_classes_are_matched_by_name_and_unknown_ones_are_wrong(model: VisionTransformer) -> None:
    images = make_set(60)
    backwards = ImageSet(images.images, 9 - images.labels, images.class_names[::-1])
    assert list(edited_accuracy(model, backwards, NO_EDITS)) == list(edited_accuracy(model, images, NO_EDITS))
    foreign = dataclasses.replace(images, class_names=tuple("abcdefghij"))
    none = dataclasses.replace(images, labels=torch.full_like(images.labels, -1))
    for unread in (foreign, none):
        (last,) = edited_accuracy(model, unread, NO_EDITS)
        assert (last.num_right, last.num_done) == (0, 60)


def test_what_does_not_fit_is_left_out_and_a_cnn_counts_too(model: VisionTransformer) -> None:
    images = make_set(30)
    too_deep = Edits(skipped_mlps=frozenset({7}), head_scales=((0.0,) * 8,) * 6)
    assert list(edited_accuracy(model, images, too_deep)) == list(edited_accuracy(model, images, NO_EDITS))
    cnn = build_network(CnnConfig(image_size=8, widths=(4, 8)), torch.Generator().manual_seed(0)).eval()
    *_, last = edited_accuracy(cnn, images, MUTED)
    assert last.is_done


def test_no_gradients_are_kept_and_none_of_the_callers_modes_changed(model: VisionTransformer) -> None:
    counting = edited_accuracy(model, make_set(20), MUTED, batch_size=10)
    next(counting)
    assert not torch.is_inference_mode_enabled()  # between two values the thread may do something else
    assert torch.is_grad_enabled()


def test_an_empty_set_has_nothing_to_tell(model: VisionTransformer) -> None:
    empty = make_set(20).take(torch.arange(0))
    assert list(edited_accuracy(model, empty, MUTED)) == []


def test_shares() -> None:
    assert EditedAccuracy(num_right=3, num_done=4, num_images=8).share == 0.75
    assert EditedAccuracy(num_right=0, num_done=0, num_images=8).share == 0.0


def test_the_window_can_tell_the_count_without_torch() -> None:
    assert loaded_by("import training.edited_count, vit_pad.inside.mixing_desk", "torch", "PIL") == ""
