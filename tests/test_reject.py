"""When an answer is unsure, what is said of it, and how temperature and threshold are found."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch.nn import functional

from tests.shapes import dots
from tests.tiny import DIGIT_READER, make_lively_model
from training.calibrate import REFUSED_SHARE, best_temperature, calibrate
from training.checkpoint import save_checkpoint
from training.facts import PlacementMode, PredictionRequest
from training.ink import make_image
from training.metrics import expected_calibration_error
from training.models import ModelInfo
from training.pictures import picture_from_bytes
from training.predict import Predictor, load_predictor
from training.reject import LIKE_NOTHING, METHODS, TOO_LITTLE_INK, RejectRule, reason_for_doubt
from training.strokes import Drawing, Stroke

LINE = (Stroke(np.array([[100.0, 80], [180, 330]])),)
SURE_OF_4 = np.array([0, 0, 0, 0, 9, 0, 0, 0, 0, 2], np.float32)
FOUR_OR_9 = np.array([0, 0, 0, 0, 9, 0, 0, 0, 0, 8.8], np.float32)
NOTHING = np.zeros(10, np.float32)


@pytest.mark.parametrize("method", METHODS)
def test_every_way_finds_an_answer_without_a_favourite_stranger_than_a_sure_one(method: str) -> None:
    rule = RejectRule(method=method, threshold=0.0)
    assert rule.score(SURE_OF_4) < rule.score(NOTHING)
    both = METHODS[method](np.stack([SURE_OF_4, NOTHING]).astype(np.float64))
    np.testing.assert_allclose(both, [rule.score(SURE_OF_4), rule.score(NOTHING)], rtol=1e-6)


def test_scores_are_those_of_the_papers() -> None:
    logits = torch.randn(50, 10, generator=torch.Generator().manual_seed(0)).double()
    probabilities = logits.softmax(dim=-1).sort(dim=-1, descending=True).values
    scores = {name: score(logits.numpy()) for name, score in METHODS.items()}
    np.testing.assert_allclose(scores["probability"], 1 - probabilities[:, 0])
    np.testing.assert_allclose(scores["margin"], 1 - (probabilities[:, 0] - probabilities[:, 1]))
    np.testing.assert_allclose(scores["logit"], -logits.max(dim=-1).values)
    np.testing.assert_allclose(scores["energy"], -torch.logsumexp(logits, dim=-1))


@pytest.mark.parametrize(("method", "threshold"), [("guess", 0.5), ("energy", float("nan"))])
def test_a_rule_without_sense_is_none(method: str, threshold: float) -> None:
    with pytest.raises(ValueError, match="no rule"):
        RejectRule(method=method, threshold=threshold)


def test_the_reason_names_the_two_that_are_alike_or_says_that_none_fits() -> None:
    names = tuple("0123456789")
    shares = np.full(10, 0.2 / 8, np.float32)
    shares[[4, 9]] = 0.5, 0.3
    assert str(reason_for_doubt(shares, names)) == "Between 4 and 9."
    shares[[4, 9]] = 0.4, 0.3
    assert reason_for_doubt(shares, names) is LIKE_NOTHING


def overconfident(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Make logits three times as large as those by which the labels were drawn."""
    generator = torch.Generator().manual_seed(0)
    logits = 2 * torch.randn(count, 10, generator=generator)
    labels = torch.multinomial(logits.softmax(dim=-1), 1, generator=generator)[:, 0]
    return 3 * logits, labels


def test_the_temperature_undoes_overconfidence() -> None:
    logits, labels = overconfident(20_000)
    temperature = best_temperature(logits, labels)
    assert temperature == pytest.approx(3, rel=0.05)
    probabilities = (logits / temperature).softmax(dim=-1)
    confidences, answers = probabilities.max(dim=-1)
    assert expected_calibration_error(confidences.numpy(), (answers == labels).numpy()) < 0.02
    loss = functional.cross_entropy(logits / temperature, labels)
    for other in (0.9 * temperature, 1.1 * temperature):
        assert loss < functional.cross_entropy(logits / other, labels)


@pytest.mark.parametrize("method", METHODS)
def test_the_threshold_refuses_a_small_share_of_what_it_was_made_by(method: str) -> None:
    logits, labels = overconfident(2_000)
    calibration = calibrate(logits, labels, method)
    scores = METHODS[method]((logits.double() / calibration.temperature).numpy())
    refused = float((scores > calibration.reject.threshold).mean())
    assert REFUSED_SHARE / 2 < refused <= REFUSED_SHARE


def write_model(path: Path, threshold: float) -> Path:
    model = make_lively_model(DIGIT_READER)
    rule = RejectRule(method="margin", threshold=threshold)
    info = ModelInfo(model=DIGIT_READER, temperature=2.0, reject=rule, training={}, seen=(), metrics={})
    save_checkpoint(path, info, {name: value.numpy() for name, value in model.state_dict().items()})
    return path


def test_an_answer_is_unsure_above_the_threshold_of_its_checkpoint(tmp_path: Path) -> None:
    request = PredictionRequest(revision=1, strokes=LINE)
    strict = load_predictor(str(write_model(tmp_path / "strict", 0.0)), "cpu").predict(request)
    easy = load_predictor(str(write_model(tmp_path / "easy", 1.0)), "cpu").predict(request)
    assert strict is not None
    assert easy is not None
    largest = np.sort(strict.probabilities)[::-1]
    assert strict.reject_score == pytest.approx(1 - (largest[0] - largest[1]), abs=1e-6)  # at the temperature
    assert easy.reject_score == strict.reject_score
    assert (strict.unsure, easy.unsure) == (True, False)
    assert strict.reason is not None
    assert easy.reason is None
    assert strict.top == easy.top  # an unsure answer is still one


def test_a_model_without_a_rule_is_never_unsure_but_of_a_dot() -> None:
    predictor = Predictor(make_lively_model(DIGIT_READER), "model", "cpu")
    answer = predictor.predict(PredictionRequest(revision=1, strokes=LINE))
    assert answer is not None
    assert (answer.unsure, answer.reason, answer.reject_score) == (False, None, None)


@pytest.mark.parametrize("mode", ["like-mnist", "as-drawn"])
@pytest.mark.parametrize("dot", dots(), ids=str)
def test_a_dot_is_too_little_ink_whoever_reads_it(dot: Drawing, mode: PlacementMode) -> None:
    predictor = Predictor(make_lively_model(DIGIT_READER), "model", "cpu")
    answer = predictor.predict(PredictionRequest(revision=1, strokes=dot.strokes, placement_mode=mode))
    assert answer is not None
    assert answer.reason is TOO_LITTLE_INK
    assert answer.unsure


def test_what_is_more_than_a_dot() -> None:
    dot = Stroke(np.array([[100.0, 100], [104, 104]]))
    another = Stroke(np.array([[140.0, 100]]))
    buffer = io.BytesIO()
    image = Image.new("L", (40, 30))
    image.paste(255, (20, 15, 21, 16))
    image.save(buffer, "PNG")
    picture = picture_from_bytes(buffer.getvalue())
    cases = [(LINE, None), ((dot, another), None), ((dot,), picture), ((), picture)]
    for strokes, background in cases:
        ink = make_image(strokes, background, "like-mnist", 32, 1)
        assert ink is not None
        assert not ink.is_dot


def test_a_small_digit_by_a_thick_pen_is_more_than_a_dot() -> None:
    ink = make_image((Stroke(np.array([[100.0, 100], [110, 135]]), width=60.0),), None, "like-mnist", 32, 1)
    assert ink is not None
    assert not ink.is_dot
