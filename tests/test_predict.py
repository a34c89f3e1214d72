"""From strokes to a prediction, what is told of a model, and which devices there are."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from tests.random_model import write_random_model
from tests.tiny import DIGIT_READER, make_lively_model
from training.checkpoint import save_checkpoint
from training.config import VIT_PRESETS, ModelConfig
from training.devices import list_devices, resolve_device
from training.errors import UserError
from training.explain import logit_lens
from training.facts import PlacementMode, Prediction, PredictionRequest
from training.info import describe
from training.ink import make_image
from training.models import ModelInfo
from training.pictures import read_picture
from training.predict import load_predictor
from training.source import read_source
from training.strokes import Stroke

SEVEN = (
    Stroke(np.array([[100.0, 80], [280, 90], [180, 330]])),
    Stroke(np.array([[130.0, 200], [260, 200]]), width=9.0),
)


def write_lively_model(path: Path, config: ModelConfig = DIGIT_READER, temperature: float = 1.0) -> Path:
    model = make_lively_model(config)
    info = ModelInfo(model=config, temperature=temperature, training={}, seen=(), metrics={"val_accuracy": 0.25})
    save_checkpoint(path, info, {name: value.numpy() for name, value in model.state_dict().items()})
    return path


def read_seven(path: Path, mode: PlacementMode = "like-mnist") -> Prediction:
    prediction = load_predictor(str(path), "cpu").predict(
        PredictionRequest(revision=41, strokes=SEVEN, placement_mode=mode)
    )
    assert prediction is not None
    return prediction


@pytest.mark.parametrize("mode", ["like-mnist", "as-drawn"])
def test_a_prediction_is_what_the_model_says_of_the_ink(tmp_path: Path, mode: PlacementMode) -> None:
    path = write_lively_model(tmp_path / "model", temperature=2.0)
    prediction = read_seven(path, mode)
    ink = make_image(SEVEN, None, mode, 32, 1)
    assert ink is not None
    np.testing.assert_array_equal(prediction.image, ink.image)
    assert (prediction.placement, prediction.box) == (ink.placement, ink.box)
    with torch.no_grad():
        inspection = make_lively_model(DIGIT_READER).inspect(torch.tensor(ink.image)[None])
    expected = (inspection.logits[0] / 2).softmax(dim=-1).numpy()
    np.testing.assert_allclose(prediction.probabilities, expected, atol=1e-6)
    assert prediction.probabilities.sum() == pytest.approx(1)
    assert prediction.top == prediction.class_names[int(expected.argmax())]
    np.testing.assert_allclose(prediction.attention, torch.cat(inspection.attention).numpy(), atol=1e-6)
    assert prediction.attention.shape == (2, 2, 17, 17)
    np.testing.assert_allclose(prediction.attention.sum(axis=-1), 1, atol=1e-5)
    assert prediction.lens.shape == (3, 10)
    np.testing.assert_array_equal(prediction.lens[-1], prediction.probabilities)
    assert (prediction.revision, prediction.model, prediction.device) == (41, str(path), "cpu")
    assert prediction.grid == 4
    assert prediction.elapsed_ms > 0
    assert prediction.unsure is False


def test_a_prediction_cannot_be_changed(tmp_path: Path) -> None:
    prediction = read_seven(write_lively_model(tmp_path / "model"))
    for array in (prediction.probabilities, prediction.attention, prediction.lens, prediction.image):
        assert array.dtype == np.float32
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        prediction.top = "7"  # type: ignore[misc]  # that it can't be assigned to is what is tested


def test_two_predictions_share_nothing(tmp_path: Path) -> None:
    predictor = load_predictor(str(write_lively_model(tmp_path / "model")), "cpu")
    first = predictor.predict(PredictionRequest(revision=1, strokes=SEVEN))
    assert first is not None
    kept = first.attention.copy()
    predictor.predict(PredictionRequest(revision=2, strokes=SEVEN[1:]))
    np.testing.assert_array_equal(first.attention, kept)


def test_an_empty_pad_gives_no_prediction(tmp_path: Path) -> None:
    predictor = load_predictor(str(write_random_model(tmp_path / "model")), "cpu")
    assert predictor.predict(PredictionRequest(revision=1, strokes=())) is None


def test_a_picture_is_read_by_a_model_with_colours(tmp_path: Path) -> None:
    config = dataclasses.replace(DIGIT_READER, in_channels=3, distillation=True, class_names=("cat", "dog"))
    predictor = load_predictor(str(write_lively_model(tmp_path / "model", config)), "cpu")
    Image.new("RGB", (40, 30), (200, 30, 30)).save(tmp_path / "red.png")
    picture = read_picture(tmp_path / "red.png")
    prediction = predictor.predict(PredictionRequest(revision=1, strokes=(), picture=picture))
    assert prediction is not None
    assert prediction.image.shape == (3, 32, 32)
    assert prediction.attention.shape == (2, 2, 18, 18)
    assert prediction.top in ("cat", "dog")


def test_a_predictor_leaves_the_other_cores_to_a_trainer(tmp_path: Path) -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        load_predictor(str(write_random_model(tmp_path / "model")), "cpu")
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_a_predictor_tells_of_a_missing_model_or_device(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no model 'nowhere'"):
        load_predictor("nowhere", "cpu")
    with pytest.raises(UserError, match="There is no device 'cuda:99' here; choose auto or one of cpu"):
        load_predictor(str(write_random_model(tmp_path / "model")), "cuda:99")


def test_the_lens_reads_every_block_by_the_models_own_classifier() -> None:
    model = make_lively_model(DIGIT_READER)
    images = torch.rand(5, 1, 32, 32, generator=torch.Generator().manual_seed(0))
    inspection = model.inspect(images)
    lens = logit_lens(model, inspection, temperature=0.5)
    assert lens.shape == (3, 5, 10)
    for each, tokens in zip(lens, inspection.tokens, strict=True):
        expected = (2 * model.classifier(model.norm(tokens[:, 0]))).softmax(dim=-1)
        torch.testing.assert_close(each, expected)
    torch.testing.assert_close(lens[-1], (inspection.logits / 0.5).softmax(dim=-1))


def test_the_processor_is_always_there() -> None:
    assert list_devices()[0] == "cpu"
    assert resolve_device("cpu") == torch.device("cpu")
    assert str(resolve_device("auto")) in list_devices()
    if not torch.cuda.is_available():
        assert not any(each.startswith("cuda") for each in list_devices())


@pytest.mark.parametrize("name", ["gpu", "cuda:x", "", "cpu:1", "meta"])
def test_a_device_that_is_not_there_is_a_sentence(name: str) -> None:
    with pytest.raises(UserError, match="There is no device"):
        resolve_device(name)


def test_a_model_is_described_with_its_shapes(tmp_path: Path) -> None:
    facts = describe(str(write_lively_model(tmp_path / "model")))
    assert facts["config"]["patch_size"] == 8
    assert facts["parameters"] == facts["trainable_parameters"]
    assert facts["parameters"] == sum(each.numel() for each in make_lively_model(DIGIT_READER).parameters())
    assert facts["shapes"] == {
        "images": [1, 1, 32, 32],
        "patch grid": [1, 16, 4, 4],
        "patches": [1, 16, 16],
        "tokens": [1, 17, 16],
        "attention": [1, 2, 17, 17],
        "after the last block": [1, 17, 16],
        "features": [1, 16],
        "logits": [1, 10],
    }
    assert facts["metrics"] == {"val_accuracy": 0.25}


@pytest.mark.parametrize(("name", "count", "tokens"), [("vit-tiny", 5_526_346, 197)])
def test_a_preset_is_described_without_a_checkpoint(name: str, count: int, tokens: int) -> None:
    facts = describe(name)
    assert facts["parameters"] == count
    assert facts["shapes"]["tokens"] == [1, tokens, VIT_PRESETS[name].embed_dim]
    assert "metrics" not in facts


def test_drawing_files_and_pictures_are_told_apart_by_their_content(tmp_path: Path) -> None:
    line = '{"strokes": [[[0, 0], [20, 40]]], "label": 1, "canvas": [40, 40]}\n'
    (tmp_path / "drawings.png").write_text("\ufeff" + line + "nonsense\n" + line, encoding="utf-8")
    source = read_source(tmp_path / "drawings.png")
    assert [item.name for item in source.items] == [f"{tmp_path / 'drawings.png'}:{number}" for number in (1, 3)]
    assert [item.label for item in source.items] == ["1", "1"]
    np.testing.assert_allclose(source.items[0].strokes[0].points, [[0, 0], [200, 400]])  # fitted to the pad
    assert len(source.problems) == 1
    assert source.problems[0].startswith(f"{tmp_path / 'drawings.png'}, line 2: ")
    Image.new("L", (30, 20), 255).save(tmp_path / "picture", format="PNG")
    (item,) = read_source(tmp_path / "picture").items
    assert item.picture is not None
    assert item.label is None


@pytest.mark.parametrize(("name", "words"), [("gone.png", "isn't there"), ("gone.jsonl", "isn't there")])
def test_a_source_that_is_not_there_is_a_sentence(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        read_source(tmp_path / name)


@pytest.mark.parametrize("mode", ["like-mnist", "as-drawn"])
def test_an_item_asks_for_itself_to_be_read(mode: Any, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"strokes": [[[0, 0], [20, 40]]]}\n')
    (item,) = read_source(tmp_path / "one.jsonl").items
    request = item.request(mode)
    assert request.strokes is item.strokes
    assert request.placement_mode == mode


def test_a_sped_up_predictor_answers_the_same(tmp_path: Path) -> None:
    path = write_lively_model(tmp_path / "model.safetensors")
    plain, fast = load_predictor(str(path), "cpu"), load_predictor(str(path), "cpu")
    fast.speed_up()
    assert isinstance(fast._answer, torch.jit.ScriptModule)  # else there would be nothing to compare
    for strokes in (SEVEN, (Stroke(np.array([[200.0, 200.0]])),)):
        request = PredictionRequest(revision=1, strokes=strokes)
        expected, answer = plain.predict(request), fast.predict(request)
        assert expected is not None
        assert answer is not None
        for name in ("probabilities", "lens", "attention"):
            np.testing.assert_allclose(getattr(answer, name), getattr(expected, name), atol=1e-6)
