"""What a prediction tells beside the answer, when it is asked, and what edits change of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.test_predict import SEVEN, write_lively_model
from tests.tiny import DIGIT_READER, make_lively_model
from training.checkpoint import save_checkpoint
from training.config import CnnConfig
from training.edits import NO_EDITS, Edits
from training.explain import blank_each, class_relevance, patch_lens, residual_norms
from training.facts import Extra, Prediction, PredictionRequest
from training.models import ModelInfo
from training.network import build_network
from training.predict import Predictor, load_predictor

EVERYTHING: frozenset[Extra] = frozenset({"relevance", "patch_lens", "residual_norms", "blanked", "unedited"})
MUTED = Edits(head_scales=((0.0, 1.0), (1.0, 0.0)))


def ask(predictor: Predictor, edits: Edits = NO_EDITS, wanted: frozenset[Extra] = frozenset()) -> Prediction:
    answer = predictor.predict(PredictionRequest(revision=1, strokes=SEVEN, edits=edits, wanted=wanted))
    assert answer is not None
    return answer


@pytest.fixture
def predictor(tmp_path: Path) -> Predictor:
    return load_predictor(str(write_lively_model(tmp_path / "model", temperature=2.0)), "cpu")


def assert_same_answer(one: Prediction, other: Prediction) -> None:
    for name in ("probabilities", "lens", "attention"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-6)


def test_nothing_is_told_that_was_not_asked(predictor: Predictor) -> None:
    answer = ask(predictor)
    assert all(getattr(answer, name) is None for name in EVERYTHING)


def test_all_that_is_asked_is_told(predictor: Predictor) -> None:
    predictor.speed_up()
    answer = ask(predictor, MUTED, EVERYTHING)
    model = make_lively_model(DIGIT_READER)
    inspection = model.inspect(torch.tensor(answer.image)[None], MUTED)
    expected = {
        "relevance": class_relevance(model, inspection)[0].reshape(10, 4, 4),
        "patch_lens": patch_lens(model, inspection, 2.0)[:, 0].reshape(3, 4, 4, 10),
        "residual_norms": residual_norms(inspection)[:, 0],
        "blanked": (blank_each(model, torch.tensor(answer.image)[None], MUTED) / 2).softmax(dim=-1).reshape(4, 4, 10),
    }
    for name, tensor in expected.items():
        value = getattr(answer, name)
        np.testing.assert_allclose(value, tensor.detach().numpy(), rtol=1e-4, atol=1e-6)
        assert not value.flags.writeable
    assert answer.unedited is not None
    assert_same_answer(answer.unedited, ask(predictor))
    assert np.abs(answer.probabilities - answer.unedited.probabilities).max() > 0.01


@pytest.mark.parametrize("wanted", sorted(EVERYTHING))
def test_each_is_told_by_itself(predictor: Predictor, wanted: Extra) -> None:
    answer = ask(predictor, MUTED, frozenset({wanted}))
    assert {name for name in EVERYTHING if getattr(answer, name) is not None} == {wanted}


@pytest.mark.parametrize("is_fast", [False, True])
def test_edits_change_the_answer_and_its_attention(predictor: Predictor, is_fast: bool) -> None:
    if is_fast:
        predictor.speed_up()
    answer = ask(predictor, MUTED)
    inspection = make_lively_model(DIGIT_READER).inspect(torch.tensor(answer.image)[None], MUTED)
    np.testing.assert_allclose(
        answer.probabilities, (inspection.logits[0] / 2).softmax(dim=-1).detach().numpy(), atol=1e-6
    )
    np.testing.assert_allclose(answer.attention, torch.cat(inspection.attention).detach().numpy(), atol=1e-6)


def test_a_temperature_of_the_answer_is_on_top_of_the_models_own(predictor: Predictor) -> None:
    logits = make_lively_model(DIGIT_READER)(torch.tensor(ask(predictor).image)[None])[0]
    answer = ask(predictor, Edits(softmax_temperature=3.0), frozenset({"patch_lens"}))
    np.testing.assert_allclose(answer.probabilities, (logits / 6).softmax(dim=-1).detach().numpy(), atol=1e-6)
    np.testing.assert_array_equal(answer.lens[-1], answer.probabilities)


def test_neutral_edits_are_no_edits(predictor: Predictor) -> None:
    written_out = Edits(head_scales=((1.0, 1.0),) * 2, softmax_temperature=1.0, patch_order=tuple(range(16)))
    one, other = ask(predictor), ask(predictor, written_out)
    np.testing.assert_array_equal(one.probabilities, other.probabilities)


def test_edits_of_another_model_are_left_out(predictor: Predictor) -> None:
    of_another: Any = Edits(head_scales=((0.0,) * 8,) * 6, patch_order=tuple(reversed(range(64))))
    assert_same_answer(ask(predictor, of_another, EVERYTHING), ask(predictor))


def test_a_cnn_has_nothing_to_look_into(tmp_path: Path) -> None:
    config = CnnConfig(widths=(4, 8))
    network = build_network(config, torch.Generator().manual_seed(0))
    info = ModelInfo(model=config, temperature=1.0, training={}, seen=(), metrics={})
    save_checkpoint(tmp_path / "cnn", info, {name: value.numpy() for name, value in network.state_dict().items()})
    predictor = load_predictor(str(tmp_path / "cnn"), "cpu")
    answer = ask(predictor, Edits(softmax_temperature=2.0, blanked_patches=frozenset({1})), EVERYTHING)
    assert all(getattr(answer, name) is None for name in EVERYTHING - {"unedited"})
    assert answer.unedited is not None
    assert answer.unedited.probabilities.max() > answer.probabilities.max()
