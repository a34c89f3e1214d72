"""Learning from a teacher's answers, and from what is none of the classes."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional

from tests.tiny import (
    PLAIN,
    TINY,
    assert_same_weights,
    finish,
    make_data,
    make_lively_model,
    make_model,
    make_set,
    numbers,
)
from training.checkpoint import save_checkpoint
from training.config import ModelConfig, TrainConfig
from training.data import NO_CLASS, ImageSet, TrainingData
from training.errors import UserError
from training.models import ModelInfo
from training.run import load_teacher
from training.train import TEACHER_TEMPERATURE, TrainResult, distillation_loss, soft_targets, train

TAUGHT = dataclasses.replace(PLAIN, teacher="given", epochs=40, learning_rate=3e-3)


def learn(config: TrainConfig, data: TrainingData, model: ModelConfig = TINY) -> tuple[TrainResult, torch.Tensor]:
    """Train beside a teacher; give the result and the class logits of what was learned on the training images."""
    student = make_model(model)
    _, result = finish(train(student, data, config, teacher=make_lively_model(seed=1)))
    images = data.train.images.float() / 255
    return result, student.eval()(images)


def test_soft_targets_share_out_what_smoothing_takes() -> None:
    targets = soft_targets(torch.tensor([1, NO_CLASS, 0]), 4, 0.2)
    expected = [[0.05, 0.85, 0.05, 0.05], [0.25] * 4, [0.85, 0.05, 0.05, 0.05]]
    torch.testing.assert_close(targets, torch.tensor(expected))


def test_soft_targets_cost_what_torchs_own_smoothing_costs() -> None:
    logits, labels = torch.randn(6, 10), torch.tensor([3, 1, 4, 1, 5, 9])
    for smoothing in (0.0, 0.1):
        torch.testing.assert_close(
            functional.cross_entropy(logits, soft_targets(labels, 10, smoothing)),
            functional.cross_entropy(logits, labels, label_smoothing=smoothing),
        )


def test_distillation_loss_is_the_divergence_written_out() -> None:
    logits, taught = torch.randn(5, 10, dtype=torch.float64), torch.randn(5, 10, dtype=torch.float64)
    p, q = ((each / TEACHER_TEMPERATURE).exp() for each in (taught, logits))
    p, q = p / p.sum(dim=-1, keepdim=True), q / q.sum(dim=-1, keepdim=True)
    expected = TEACHER_TEMPERATURE**2 * (p * (p / q).log()).sum() / 5
    torch.testing.assert_close(distillation_loss(logits, taught), expected)
    assert distillation_loss(taught, taught + 3).item() == pytest.approx(0, abs=1e-12)


def test_a_student_comes_to_answer_as_its_teacher_does() -> None:
    data = make_data(40)
    wrong = TrainingData(dataclasses.replace(data.train, labels=data.train.labels.flip(0)), data.validation)
    taught = make_lively_model(seed=1)(wrong.train.images.float() / 255)
    _, alone = learn(dataclasses.replace(TAUGHT, teacher_share=0.0), wrong)
    _, learned = learn(dataclasses.replace(TAUGHT, teacher_share=1.0), wrong)
    assert distillation_loss(learned, taught) < 0.1 * distillation_loss(alone, taught)


def test_the_teacher_itself_stays_as_it_is() -> None:
    teacher = make_lively_model(seed=1).train()
    before = {name: value.clone() for name, value in teacher.state_dict().items()}
    finish(train(make_model(), make_data(), PLAIN, teacher=teacher))
    assert all(torch.equal(value, before[name]) for name, value in teacher.state_dict().items())
    assert not any(parameter.grad is not None for parameter in teacher.parameters())


def test_a_distillation_token_learns_from_the_teacher_and_the_class_token_from_the_labels() -> None:
    model = dataclasses.replace(TINY, distillation=True)
    data = make_data(40)
    images = data.train.images.float() / 255
    student = make_model(model)
    config = dataclasses.replace(TAUGHT, teacher_share=0.5, distillation=True)
    finish(train(student, data, config, teacher=make_lively_model(seed=1)))
    own, learned = student.eval().logits_of_both(images)
    taught = make_lively_model(seed=1)(images)
    assert (own.argmax(dim=-1) == data.train.labels).float().mean() > 0.9
    assert (learned.argmax(dim=-1) == taught.argmax(dim=-1)).float().mean() > 0.8
    assert distillation_loss(learned, taught) < 0.2 * distillation_loss(own, taught)
    torch.testing.assert_close(student(images), (own + learned) / 2)


def test_a_run_with_a_teacher_goes_on_as_if_it_had_not_stopped() -> None:
    config = dataclasses.replace(PLAIN, teacher="given", averaging=0.9)
    teacher = make_lively_model(seed=1)
    whole, whole_result = finish(train(make_model(), make_data(), config, teacher=teacher))
    state = whole[2].state
    assert state is not None
    rest, result = finish(train(make_model(seed=4), make_data(), TrainConfig(), teacher=teacher, state=state))
    assert numbers(rest) == numbers(whole[3:])
    assert_same_weights(result.weights, whole_result.weights)


def test_of_what_is_no_class_a_model_learns_to_be_unsure() -> None:
    known, other = make_set(40, seed=1), make_set(40, seed=5)
    strange = ImageSet(255 - other.images, torch.full((40,), NO_CLASS), known.class_names)
    both = ImageSet(
        torch.cat([known.images, strange.images]), torch.cat([known.labels, strange.labels]), known.class_names
    )
    model = make_model()
    progress, _ = finish(
        train(model, TrainingData(both, known), dataclasses.replace(PLAIN, epochs=60, learning_rate=3e-3))
    )
    model.eval()
    sure = model(known.images.float() / 255).softmax(dim=-1).max(dim=-1).values
    unsure = model(strange.images.float() / 255).softmax(dim=-1).max(dim=-1).values
    assert sure.mean() > 0.9
    assert unsure.mean() < 0.3
    assert progress[-1].accuracy == 1  # of the known ones in the batch: the others have no right answer


def test_a_batch_of_nothing_but_no_class_has_no_accuracy() -> None:
    strange = ImageSet(make_set(16).images, torch.full((16,), NO_CLASS), make_set(1).class_names)
    progress, _ = finish(train(make_model(), TrainingData(strange, make_set(10)), PLAIN))
    assert {each.accuracy for each in progress} == {0.0}
    assert all(np.isfinite(each.loss) for each in progress)


def save_model(path: Path, config: ModelConfig) -> Path:
    weights = {name: value.numpy() for name, value in make_model(config).state_dict().items()}
    save_checkpoint(path, ModelInfo(model=config, temperature=1.0, training={}, seen=(), metrics={}), weights)
    return path


def test_a_teacher_of_other_images_or_classes_is_refused(tmp_path: Path) -> None:
    path = save_model(tmp_path / "teacher.safetensors", TINY)
    config = dataclasses.replace(PLAIN, teacher=str(path))
    assert load_teacher(config, TINY) is not None
    assert load_teacher(PLAIN, TINY) is None
    with pytest.raises(UserError, match="has image_size 8, the model 32"):
        load_teacher(config, ModelConfig())
    with pytest.raises(UserError, match="class_names"):
        load_teacher(config, dataclasses.replace(TINY, class_names=("a", "b")))


def test_a_distillation_token_without_a_teacher_is_refused() -> None:
    with pytest.raises(UserError, match="needs a teacher"):
        TrainConfig(distillation=True)
