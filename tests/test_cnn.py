"""The baseline: sizes, two calls that agree, nothing to look at, and files and training like any other network."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from tests.tiny import PLAIN, assert_same_weights, finish, make_data, make_images, numbers
from training.checkpoint import load_checkpoint, save_checkpoint
from training.cnn import ConvNet
from training.config import CnnConfig, ModelConfig, TrainConfig, network_config_from_dict, preset
from training.errors import UserError
from training.facts import PredictionRequest
from training.models import ModelInfo
from training.network import build_network
from training.predict import Predictor
from training.strokes import Stroke
from training.train import train
from training.transfer import start_from

SMALL = CnnConfig(image_size=8, widths=(4, 8), dropout=0.2)
LINE = Stroke(np.array([[100.0, 60.0], [120.0, 340.0]]))


def make_cnn(config: CnnConfig = SMALL, seed: int = 0) -> ConvNet:
    return ConvNet(config, torch.Generator().manual_seed(seed)).eval()


def images_for(config: CnnConfig, count: int = 3) -> torch.Tensor:
    shape = ModelConfig(image_size=config.image_size, in_channels=config.in_channels, patch_size=1)
    return make_images(shape, count)


def test_both_calls_and_both_classifiers_agree_and_there_is_no_attention() -> None:
    model, images = make_cnn(), images_for(SMALL)
    inspection = model.inspect(images)
    assert inspection.logits.shape == (3, 10)
    assert inspection.features.shape == (3, 8)
    assert (inspection.attention, inspection.tokens) == ((), ())
    assert torch.equal(model(images), inspection.logits)
    assert all(torch.equal(logits, inspection.logits) for logits in model.logits_of_both(images))
    torch.testing.assert_close(model.classifier(inspection.features), inspection.logits)


def test_it_is_the_plain_network_that_it_says_to_be() -> None:
    """The same layers, put together by hand, give the same answers."""
    model, images = make_cnn(), images_for(SMALL)
    convolutions = [layer for layer in model.modules() if isinstance(layer, nn.Conv2d)]
    norms = [layer for layer in model.modules() if isinstance(layer, nn.BatchNorm2d)]
    assert [(layer.in_channels, layer.out_channels) for layer in convolutions] == [(1, 4), (4, 4), (4, 8), (8, 8)]
    x = images
    for number, (convolution, norm) in enumerate(zip(convolutions, norms, strict=True)):
        if number == 2:
            x = x.unfold(2, 2, 2).unfold(3, 2, 2).amax(dim=(-2, -1))
        x = norm(convolution(x)).clamp(min=0)
    torch.testing.assert_close(model(images), x.flatten(2).mean(dim=-1) @ model.classifier.weight.T)


def test_the_generator_alone_decides_the_weights() -> None:
    assert_same_weights(numpy_weights(make_cnn()), numpy_weights(make_cnn()))
    assert not torch.equal(make_cnn().classifier.weight, make_cnn(seed=1).classifier.weight)


def numpy_weights(model: nn.Module) -> dict[str, np.ndarray]:
    return {name: value.numpy() for name, value in model.state_dict().items()}


def test_the_shipped_size_is_small() -> None:
    model = build_network(preset("cnn"))
    assert sum(4 * value.numel() for value in model.state_dict().values()) < 6e6


@pytest.mark.parametrize(
    "values", [{"widths": ()}, {"widths": (0,)}, {"image_size": 10, "widths": (2, 2, 2)}, {"dropout": 2}, {"widths": 3}]
)
def test_sizes_that_cannot_be_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(UserError):
        network_config_from_dict({"architecture": "cnn", **values})


def test_it_is_written_and_read_like_any_other(tmp_path: Path) -> None:
    model = make_cnn()
    model.layers[1].num_batches_tracked.fill_(7)  # type: ignore[operator]  # a count among the weights
    path = tmp_path / "cnn.safetensors"
    info = ModelInfo(model=SMALL, temperature=1.0, training={}, seen=(), metrics={})
    save_checkpoint(path, info, numpy_weights(model))
    read, read_info = load_checkpoint(path)
    assert read_info.model == SMALL
    assert_same_weights(numpy_weights(read), numpy_weights(model))


def test_a_count_in_the_place_of_weights_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cnn.safetensors"
    weights = numpy_weights(make_cnn())
    weights["classifier.weight"] = np.ones((10, 8), np.int64)
    save_checkpoint(path, ModelInfo(model=SMALL, temperature=1.0, training={}, seen=(), metrics={}), weights)
    with pytest.raises(UserError, match="no numbers"):
        load_checkpoint(path)


@pytest.fixture
def _small_preset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(preset.__globals__["PRESETS"], "cnn", SMALL)


@pytest.mark.usefixtures("_small_preset")
def test_it_learns_and_its_averaged_statistics_follow() -> None:
    config = dataclasses.replace(PLAIN, preset="cnn", epochs=40, averaging=0.5, learning_rate=1e-2, dropout=0.0)
    model = make_cnn()
    progress, result = finish(train(model, make_data(40), config))
    assert progress[-1].loss < 0.3 * progress[0].loss
    assert result.val_accuracy is not None
    assert result.val_accuracy > 0.8  # the averaged network is judged, with means and variances that it averaged, too
    best = result.weights
    assert not np.allclose(best["layers.1.running_mean"], 0, atol=1e-3)
    assert best["layers.1.num_batches_tracked"] == result.epoch * 5


@pytest.mark.usefixtures("_small_preset")
def test_it_goes_on_from_a_state_as_if_it_had_not_stopped() -> None:
    config = dataclasses.replace(PLAIN, preset="cnn", averaging=0.9, dropout=SMALL.dropout)
    whole, whole_result = finish(train(make_cnn(), make_data(), config))
    state = whole[2].state
    assert state is not None
    rest, result = finish(train(make_cnn(seed=4), make_data(), TrainConfig(), state=state))
    assert numbers(rest) == numbers(whole[3:])
    assert_same_weights(result.weights, whole_result.weights)


def test_it_starts_from_its_like_and_from_nothing_else() -> None:
    source, target = make_cnn(), make_cnn(seed=3)
    start_from(target, source.state_dict(), dataclasses.replace(SMALL, dropout=0.0))
    assert torch.equal(target.classifier.weight, source.classifier.weight)
    for other in (ModelConfig(), dataclasses.replace(SMALL, widths=(4, 4))):
        with pytest.raises(UserError, match="CNN"):
            start_from(target, source.state_dict(), other)


def test_a_drawing_is_read_without_attention() -> None:
    predictor = Predictor(make_cnn(CnnConfig(widths=(4, 4))), "cnn", "cpu")
    request = PredictionRequest(revision=1, strokes=(LINE,))
    plain = predictor.predict(request)
    predictor.speed_up()
    for prediction in (plain, predictor.predict(request)):
        assert prediction is not None
        assert prediction.attention.shape == (0, 0, 0, 0)
        assert prediction.lens.shape == (0, 10)
        assert prediction.grid == 0
        assert prediction.probabilities.sum() == pytest.approx(1, abs=1e-5)
        assert prediction.top == prediction.class_names[int(prediction.probabilities.argmax())]
