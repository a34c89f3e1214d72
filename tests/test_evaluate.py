"""Counting right answers on sets, drawings and folders of pictures."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

from tests.tiny import DIGIT_READER, make_model, make_set
from training.config import ModelConfig
from training.data import ImageSet
from training.errors import UserError
from training.evaluate import (
    Batch,
    batches_of_drawings,
    batches_of_folder,
    batches_of_set,
    evaluate,
)
from training.ink import make_image
from training.metrics import Confusion
from training.model import VisionTransformer
from training.sheet import FailureSample
from training.strokes import Drawing, drawing_from_json

THREE = ModelConfig(image_size=32, patch_size=8, embed_dim=16, depth=1, num_heads=2, class_names=("cat", "dog", "owl"))


def always(answer: int) -> VisionTransformer:
    """Make a model that answers the same whatever it sees."""
    model = make_model(THREE)
    nn.init.zeros_(model.classifier.weight)
    with torch.no_grad():
        model.classifier.bias[answer] = 1.0
    return model


def batch_of(labels: list[int]) -> Batch:
    return torch.rand(len(labels), 1, 32, 32), torch.tensor(labels)


def test_right_answers_are_counted_in_all_and_by_class() -> None:
    result = evaluate(always(1), [batch_of([0, 1, 1]), batch_of([1, 0])])
    assert (result.count, result.correct, result.accuracy) == (5, 3, 0.6)
    assert result.per_class == (0.0, 1.0, None)


def test_a_label_that_is_no_class_counts_as_wrong() -> None:
    result = evaluate(always(2), [batch_of([-1, 2])])
    assert (result.count, result.correct, result.per_class) == (2, 1, (None, None, 1.0))
    assert result.confusions == (Confusion(None, "owl", 1),)


def test_confidence_is_the_probability_at_the_temperature() -> None:
    model = always(1)  # its logits are 0, 1 and 0
    for temperature in (0.5, 1.0, 3.0):
        result = evaluate(model, [batch_of([1, 0])], temperature)
        expected = math.exp(1 / temperature) / (math.exp(1 / temperature) + 2)
        np.testing.assert_allclose(result.confidences, [expected, expected], rtol=1e-5)
        assert result.ece == pytest.approx(abs(expected - 0.5), rel=1e-4)


def test_images_that_are_read_wrongly_are_collected_across_batches() -> None:
    batches = [batch_of([1, 0]), batch_of([2, 1])]
    sample = FailureSample("as drawn")
    evaluate(always(1), batches, failures=sample)
    assert [(each.truth, each.answer) for each in sample.chosen] == [("cat", "dog"), ("owl", "dog")]
    np.testing.assert_array_equal(sample.chosen[0].image, batches[0][0][1].numpy())
    np.testing.assert_array_equal(sample.chosen[1].image, batches[1][0][0].numpy())


def test_nothing_to_count_is_a_sentence() -> None:
    with pytest.raises(UserError, match="There is nothing to evaluate"):
        evaluate(always(0), [])


def test_a_set_is_cut_into_batches_and_loses_nothing() -> None:
    images = make_set(601)
    batches = list(batches_of_set(images, DIGIT_READER))
    assert [len(labels) for _, labels in batches] == [250, 250, 101]
    assert torch.equal(torch.cat([labels for _, labels in batches]), images.labels)
    assert batches[0][0].shape == (250, 1, 32, 32)


def test_classes_of_a_set_are_matched_by_name() -> None:
    images = ImageSet(torch.zeros(4, 1, 28, 28, dtype=torch.uint8), torch.arange(4), ("owl", "cow", "cat", "dog"))
    ((_, labels),) = batches_of_set(images, THREE)
    assert labels.tolist() == [2, -1, 0, 1]


def drawing(label: object = None, canvas: str = "") -> Drawing:
    text = f'"{label}"' if isinstance(label, str) else str(label)
    given = "" if label is None else f', "label": {text}'
    return drawing_from_json('{"strokes": [[[10, 10], [10, 30], [30, 30]]]' + canvas + given + "}")


def test_drawings_without_a_label_are_left_out_and_labels_are_compared_as_text() -> None:
    config = ModelConfig(image_size=32, patch_size=8, class_names=("7", "cat"))
    drawings = [drawing(), drawing("cat"), drawing(7), drawing("7"), drawing("dog"), drawing(7.0)]
    ((images, labels),) = batches_of_drawings(drawings, config, "like-mnist")
    assert labels.tolist() == [1, 0, 0, -1, 0]
    assert images.shape == (5, 1, 32, 32)
    assert images.amax(dim=(1, 2, 3)).min() > 0.5
    assert list(batches_of_drawings([drawing()], config, "like-mnist")) == []


def test_an_empty_drawing_with_a_label_is_blank_paper() -> None:
    empty = drawing_from_json('{"strokes": [], "label": "cat"}')
    ((images, labels),) = batches_of_drawings([empty], THREE, "like-mnist")
    assert labels.tolist() == [0]
    assert not images.any()


def test_drawings_as_drawn_are_fitted_to_the_pad_by_their_canvas() -> None:
    small = drawing("cat", ', "canvas": [40, 40], "width": 3')
    ((images, _),) = batches_of_drawings([small], THREE, "as-drawn")
    large = drawing_from_json(
        '{"strokes": [[[100, 100], [100, 300], [300, 300]]], "canvas": [400, 400], "width": 30, "label": "cat"}'
    )
    expected = make_image(large.strokes, None, "as-drawn", 32, 1)
    assert expected is not None
    np.testing.assert_allclose(images[0].numpy(), expected.image, atol=1e-6)


def test_pictures_lie_in_folders_named_after_their_classes(tmp_path: Path) -> None:
    for name, level in (("owl", 0), ("cat", 0), ("cat", 255)):
        (tmp_path / name).mkdir(exist_ok=True)
        picture = Image.new("L", (28, 28), 255)
        if level == 0:
            picture.paste(0, (10, 5, 18, 23))
        picture.save(tmp_path / name / f"{level}.{'gif' if name == 'owl' else 'png'}")
    (tmp_path / "cat" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nand nothing more")
    Image.new("L", (5, 5)).save(tmp_path / "owl" / "notes.tif")  # a format that isn't read here
    problems: list[str] = []
    ((images, labels),) = batches_of_folder(tmp_path, THREE, "like-mnist", problems)
    assert labels.tolist() == [0, 0, 2]  # cat/0.png, cat/255.png, owl/0.gif
    assert [bool(image.any()) for image in images] == [True, False, True]
    assert len(problems) == 1
    assert "broken.png" in problems[0]


def test_a_folder_of_pictures_that_cannot_be_used_is_a_sentence(tmp_path: Path) -> None:
    def use(folder: Path) -> list[Batch]:
        return list(batches_of_folder(folder, THREE, "like-mnist", []))

    with pytest.raises(UserError, match="holds no pictures in one folder a class"):
        use(tmp_path / "gone")
    with pytest.raises(UserError, match="holds no pictures in one folder a class"):
        use(tmp_path)
    (tmp_path / "cat").mkdir()
    with pytest.raises(UserError, match=r"folders named after the model's classes \(cat, dog, owl\)"):
        use(tmp_path)
    (tmp_path / "cow").mkdir()
    Image.new("L", (5, 5)).save(tmp_path / "cow" / "1.png")
    with pytest.raises(UserError, match="folders named after the model's classes"):
        use(tmp_path)
