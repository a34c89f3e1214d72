"""The training loop: repeatable, as its config says, changed while it runs, stopped and taken up again."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Generator
from itertools import chain
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.tiny import PLAIN, TINY, assert_same_weights, finish, make_data, make_model, make_set, numbers
from training import train as train_module
from training.config import TrainConfig
from training.data import ImageSet, TrainingData
from training.errors import UserError
from training.model import Dropout, VisionTransformer
from training.train import (
    Arrays,
    TrainChange,
    TrainProgress,
    TrainResult,
    answer_set,
    learning_rate_at,
    load_arrays,
    score,
    train,
)

# All that draws random numbers, and all that a run keeps, is on.
FULL = TrainConfig(epochs=3, batch_size=8, dropout=0.2, averaging=0.9, label_smoothing=0.05, learning_rate=3e-3, seed=7)
WANT_STATE = TrainChange(want_state=True)
Run = Generator[TrainProgress, TrainChange | None, TrainResult]


def start(config: TrainConfig, data: TrainingData | None = None) -> Run:
    model = make_model(dataclasses.replace(TINY, dropout=config.dropout or 0.0))
    return train(model, data or make_data(), config)


def plain_loop(config: TrainConfig, num_steps: int) -> tuple[VisionTransformer, list[float]]:
    """Train as `config` says, written out with torch's own parts, or by hand where ours uses torch's."""
    model, data = make_model().train(), make_data().train
    matrices = [each for name, each in model.named_parameters() if each.ndim > 1 and name.endswith("weight")]
    others = [each for each in model.parameters() if not any(each is matrix for matrix in matrices)]
    groups = [
        {"params": matrices, "weight_decay": config.weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
    kind = torch.optim.AdamW if config.optimizer == "adamw" else torch.optim.Adam
    optimizer = kind(groups, lr=config.learning_rate, betas=(0.9, 0.999), foreach=False)
    generator = torch.Generator().manual_seed(config.seed)
    losses: list[float] = []
    while True:
        for indices in torch.split(torch.randperm(len(data), generator=generator), config.batch_size):
            if len(losses) == num_steps:
                return model, losses
            log_p = model(data.images[indices] / 255).log_softmax(dim=-1)
            right = log_p[torch.arange(len(indices)), data.labels[indices]]
            smoothing = config.label_smoothing
            loss = -((1 - smoothing) * right + smoothing * log_p.mean(dim=-1)).mean()
            gradients = torch.autograd.grad(loss, list(model.parameters()))
            norm = math.sqrt(sum(each.square().sum().item() for each in gradients))
            shorter = min(1.0, config.clip_norm / norm) if config.clip_norm else 1.0
            for parameter, gradient in zip(model.parameters(), gradients, strict=True):
                parameter.grad = gradient * shorter
            optimizer.step()
            losses.append(loss.item())


@pytest.mark.parametrize(
    "config",
    [
        PLAIN,
        dataclasses.replace(PLAIN, optimizer="adamw", weight_decay=2.0),
        dataclasses.replace(PLAIN, weight_decay=0.5),  # Adam's own way: into the gradient
        dataclasses.replace(PLAIN, label_smoothing=0.3),
        dataclasses.replace(PLAIN, clip_norm=0.1, optimizer="adamw"),
    ],
    ids=["adam", "adamw", "adam with decay", "label smoothing", "clipping"],
)
def test_training_is_the_plain_loop(config: TrainConfig) -> None:
    progress, _ = finish(start(config))
    reference, losses = plain_loop(config, num_steps=6)
    np.testing.assert_allclose([each.loss for each in progress], losses, atol=1e-5)
    state = progress[-1].state
    assert state is not None
    for name, value in reference.state_dict().items():
        np.testing.assert_allclose(state.weights[name], value, atol=2e-4, err_msg=name)


def test_progress_counts_steps_and_epochs_and_judges_at_the_end_of_each() -> None:
    progress, _ = finish(start(PLAIN))
    assert [each.step for each in progress] == [1, 2, 3, 4, 5, 6]
    assert [each.epoch for each in progress] == [1, 1, 1, 2, 2, 2]
    assert {each.num_steps for each in progress} == {6}
    assert [each.val_accuracy is not None for each in progress] == [False, False, True] * 2
    assert [each.val_loss is not None for each in progress] == [False, False, True] * 2
    assert [each.state is not None for each in progress] == [False, False, True] * 2
    assert all(each.images_per_s > 0 for each in progress)
    with pytest.raises(dataclasses.FrozenInstanceError):
        progress[0].loss = 0.0  # type: ignore[misc]  # that it can't be assigned to is what is tested


def test_same_seed_same_numbers() -> None:
    one, one_result = finish(start(FULL))
    same, same_result = finish(start(FULL))
    assert numbers(one) == numbers(same)
    assert_same_weights(one_result.weights, same_result.weights)
    other, _ = finish(start(dataclasses.replace(FULL, seed=8)))
    assert numbers(one) != numbers(other)


def test_what_else_draws_random_numbers_changes_nothing() -> None:
    alone, _ = finish(start(FULL))
    beside = []
    for progress in start(FULL):
        beside.append(progress)
        torch.rand(progress.step)
        torch.manual_seed(progress.step)
    assert numbers(beside) == numbers(alone)


def test_a_run_draws_nothing_from_the_process_wide_generator() -> None:
    run = start(FULL)
    before = torch.get_rng_state()
    finish(run)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_tiny_set_is_learnt_by_heart() -> None:
    config = dataclasses.replace(PLAIN, epochs=150, learning_rate=1e-2, batch_size=20)
    data = TrainingData(make_set(20), make_set(20))
    progress, result = finish(start(config, data))
    assert progress[0].loss > 2.0
    assert progress[-1].loss < 0.1
    assert result.val_accuracy == 1.0


@pytest.mark.parametrize(
    ("step", "share"),
    [(0, 1 / 25), (3, (1 / 25 + 1) / 2), (6, 1.0), (13, (1 + 1e-4) / 2), (20, 1e-4)],
    ids=["start", "half up", "top", "half down", "end"],
)
def test_one_cycle_goes_up_and_down_along_half_cosines(step: int, share: float) -> None:
    config = TrainConfig(learning_rate=0.5)
    assert learning_rate_at(step, 21, config) == pytest.approx(0.5 * share)


def test_one_cycle_is_what_a_run_uses() -> None:
    progress, _ = finish(start(dataclasses.replace(PLAIN, schedule="one-cycle")))
    config = dataclasses.replace(PLAIN, schedule="one-cycle")
    assert [each.learning_rate for each in progress] == [learning_rate_at(step, 6, config) for step in range(6)]


def test_the_rate_that_is_told_is_the_rate_that_acts() -> None:
    # Adam's first step moves every weight whose gradient isn't tiny by the learning rate.
    config = dataclasses.replace(PLAIN, schedule="one-cycle", learning_rate=1e-2)
    run = start(config)
    before = make_model().state_dict()["classifier.bias"].numpy()
    first = next(run)
    state = run.send(WANT_STATE).state
    assert state is not None
    second_rate = learning_rate_at(1, 6, config)
    moved = np.abs(state.weights["classifier.bias"] - before).max()
    assert first.learning_rate < moved < 1.01 * (first.learning_rate + second_rate)


def test_averaged_weights_are_those_kept_by_hand() -> None:
    config = dataclasses.replace(FULL, averaging=0.3)
    run = start(config)
    kept = {name: value.double().numpy() for name, value in make_model().state_dict().items()}
    progress = next(run)
    for _ in range(6):
        progress = run.send(WANT_STATE)
        state = progress.state
        assert state is not None
        if progress.step == 2:  # the first step's weights were not asked for
            kept = {name: np.asarray(value, dtype=np.float64) for name, value in state.averaged.items()}
            continue
        share = min(0.3, progress.step / (progress.step + 9))
        kept = {name: share * kept[name] + (1 - share) * state.weights[name] for name in kept}
        for name, value in kept.items():
            np.testing.assert_allclose(state.averaged[name], value, atol=1e-6, err_msg=name)
        assert_same_weights(state.shown_weights, state.averaged)
        assert any(np.abs(state.weights[name] - value).max() > 1e-4 for name, value in kept.items())


def test_the_first_average_forgets_most_of_the_start() -> None:
    run = start(dataclasses.replace(PLAIN, averaging=0.998, batch_size=20))
    state = next(run).state
    assert state is not None
    begun = make_model().state_dict()
    for name, value in state.averaged.items():
        np.testing.assert_allclose(value, 0.1 * begun[name].numpy() + 0.9 * state.weights[name], atol=1e-6)


@pytest.mark.parametrize("averaging", [0.0, 0.9])
def test_the_best_epoch_is_kept(averaging: float) -> None:
    config = dataclasses.replace(PLAIN, epochs=6, averaging=averaging, learning_rate=0.02)
    data = make_data()
    progress, result = finish(start(config, data))
    ends = [each for each in progress if each.val_accuracy is not None]
    accuracies = [each.val_accuracy or 0.0 for each in ends]
    best = int(np.argmax(accuracies))  # the first of the best
    assert result.epoch == 1 + best
    assert result.val_accuracy == accuracies[best]
    state = ends[best].state
    assert state is not None
    assert_same_weights(result.weights, state.shown_weights)
    model = make_model()
    load_arrays(model, result.weights)
    measured = score(*answer_set(model, data.validation))
    assert measured.accuracy == result.val_accuracy
    assert measured.loss == pytest.approx(ends[best].val_loss)


def test_score_is_the_mean_over_all_images_whatever_the_batches() -> None:
    images, model = make_set(1_003), make_model()
    with torch.no_grad():
        logits = model(images.images / 255)
        expected = nn.functional.cross_entropy(logits, images.labels).item()
    measured = score(*answer_set(model, images))
    assert measured.loss == pytest.approx(expected, rel=1e-5)
    assert measured.accuracy == int((logits.argmax(dim=-1) == images.labels).sum()) / 1_003


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("averaging", [0.0, 0.9])
def test_a_loss_that_is_no_number_ends_the_run_with_the_best_weights(value: float, averaging: float) -> None:
    data = broken = make_data()
    broken = TrainingData(
        ImageSet(data.train.images.float(), data.train.labels, data.train.class_names), data.validation
    )
    model = make_model()
    run = train(model, broken, dataclasses.replace(PLAIN, epochs=4, averaging=averaging))
    progress = [next(run) for _ in range(4)]  # one step into the second epoch
    broken.train.images.fill_(value)
    rest, result = finish(run)
    assert rest == []
    assert str(result.problem) == ("The loss is no longer a number at step 5. Lower the learning rate and start again.")
    assert result.epoch == 1
    assert result.val_accuracy == progress[2].val_accuracy
    state = progress[2].state
    assert state is not None
    assert_same_weights(result.weights, state.best)
    assert all(parameter.isfinite().all() for parameter in model.parameters())


def test_without_a_whole_epoch_the_starting_weights_come_back() -> None:
    data = make_data()
    data = TrainingData(
        ImageSet(data.train.images * math.nan, data.train.labels, data.train.class_names), data.validation
    )
    progress, result = finish(start(PLAIN, data))
    assert progress == []
    assert result.problem is not None
    assert (result.epoch, result.val_accuracy) == (0, None)
    assert_same_weights(result.weights, make_model().state_dict())


def test_a_learning_rate_without_sense_does_no_harm_to_what_was_kept() -> None:
    config = dataclasses.replace(PLAIN, learning_rate=10.0, optimizer="adamw", weight_decay=10.0, epochs=20)
    _, result = finish(start(config))
    assert all(np.isfinite(value).all() for value in result.weights.values())


def test_changes_are_in_force_from_the_next_step() -> None:
    run = start(dataclasses.replace(PLAIN, epochs=5))
    assert next(run).learning_rate == PLAIN.learning_rate
    assert run.send(TrainChange(learning_rate=0.5)).learning_rate == 0.5
    assert run.send(TrainChange(epochs=1)).num_steps == 3
    with pytest.raises(StopIteration):
        next(run)


def test_more_epochs_can_be_asked_for_on_the_way() -> None:
    progress, _ = finish(start(PLAIN), {2: TrainChange(epochs=4)})
    assert [each.num_steps for each in progress] == [6, 6, *[12] * 10]


def test_an_epoch_that_has_begun_is_finished_and_judged() -> None:
    progress, result = finish(start(dataclasses.replace(PLAIN, epochs=5)), {4: TrainChange(epochs=1)})
    assert [each.num_steps for each in progress[-2:]] == [6, 6]
    assert progress[-1].val_accuracy is not None
    assert result.epoch in (1, 2)


def test_an_epoch_whose_validation_loss_is_no_number_is_never_the_best() -> None:
    data = make_data()
    blank = data.validation.images.float() * math.nan
    unjudged = TrainingData(data.train, ImageSet(blank, data.validation.labels, data.validation.class_names))
    progress, result = finish(start(PLAIN, unjudged))
    assert math.isnan(progress[-1].val_loss or 0.0)
    assert (result.epoch, result.val_accuracy) == (0, None)


def test_no_dropout_given_leaves_the_models_own() -> None:
    model = make_model(dataclasses.replace(TINY, dropout=0.3))
    run = train(model, make_data(), dataclasses.replace(PLAIN, dropout=None))
    next(run)
    run.send(TrainChange(learning_rate=0.5))
    assert {module.p for module in model.modules() if isinstance(module, Dropout)} == {0.3}


@pytest.mark.parametrize("change", [TrainChange(dropout=0.5), TrainChange(augmentation="affine")])
def test_dropout_and_augmentation_can_be_changed(change: TrainChange) -> None:
    usual, _ = finish(start(PLAIN))
    changed, _ = finish(start(PLAIN), {2: change})
    same = [one.loss == other.loss for one, other in zip(usual, changed, strict=True)]
    assert same == [True, True, False, False, False, False]


def test_a_change_of_dropout_reaches_every_place() -> None:
    model = make_model(dataclasses.replace(TINY, dropout=0.1))
    run = train(model, make_data(), dataclasses.replace(PLAIN, dropout=0.1))
    next(run)
    run.send(TrainChange(dropout=0.4))
    assert {module.p for module in model.modules() if isinstance(module, Dropout)} == {0.4}


def test_a_change_of_weight_decay_pulls_matrices_only() -> None:
    config = dataclasses.replace(PLAIN, optimizer="adamw", weight_decay=1.0, learning_rate=0.01)
    before: list[Arrays] = []
    usual: list[Arrays] = []
    pulled: list[Arrays] = []
    for kept, change in ((usual, WANT_STATE), (pulled, TrainChange(want_state=True, weight_decay=3.0))):
        run = start(config)
        next(run)
        for weights, asking in ((before, WANT_STATE), (kept, change)):
            state = run.send(asking).state
            assert state is not None
            weights.append(state.weights)
    for name, value in before[0].items():  # AdamW: w -= rate * decay * w, beside the gradient's step
        pull = 0.01 * 2.0 * value if name.endswith("weight") and value.ndim > 1 else 0 * value
        np.testing.assert_allclose(usual[0][name] - pulled[0][name], pull, atol=1e-6, err_msg=name)


def test_a_change_that_cannot_be_is_refused_before_it_reaches_the_run() -> None:
    changes: tuple[dict[str, Any], ...] = (
        {"learning_rate": -1.0}, {"epochs": 0}, {"dropout": 2.0}, {"augmentation": "mixup"},
    )  # fmt: skip
    for change in changes:
        with pytest.raises(UserError):
            TrainChange(**change)


@pytest.mark.parametrize("step", [1, 3, 4, 7], ids=["first", "end of an epoch", "first of the second", "late"])
def test_a_wanted_state_takes_a_run_up_where_it_was(step: int) -> None:
    changes = {
        1: TrainChange(dropout=0.4, weight_decay=0.5, learning_rate=5e-3),
        6: TrainChange(augmentation="none", epochs=4),
    }
    whole, whole_result = finish(start(FULL), changes)
    asking = changes | {step: dataclasses.replace(changes.get(step, TrainChange()), want_state=True)}
    watched, _ = finish(start(FULL), asking)
    assert numbers(watched) == numbers(whole), "to ask for a state changes nothing"
    state = watched[step].state  # that of the step after
    assert state is not None
    assert state.step == step + 1
    torch.rand(3)
    fresh = make_model(dataclasses.replace(TINY, dropout=FULL.dropout or 0.0), seed=4)
    rest, result = finish(train(fresh, make_data(), TrainConfig(optimizer="adam"), state=state), changes)
    assert numbers(rest) == numbers(whole[step + 1 :])
    assert_same_weights(result.weights, whole_result.weights)
    assert (result.epoch, result.val_accuracy) == (whole_result.epoch, whole_result.val_accuracy)
    last, last_whole = rest[-1].state, whole[-1].state
    assert last is not None
    assert last_whole is not None
    for name in ("weights", "averaged", "best", "optimizer", "generators"):
        assert_same_weights(getattr(last, name), getattr(last_whole, name))


def test_a_state_belongs_to_whoever_asked_for_it() -> None:
    run = start(FULL)
    next(run)
    state = run.send(WANT_STATE).state
    assert state is not None
    kept = {name: value.copy() for name, value in state.weights.items()}
    averaged = {name: value.copy() for name, value in state.averaged.items()}
    finish(run)
    assert_same_weights(state.weights, kept)
    assert_same_weights(state.averaged, averaged)


def test_without_averaging_a_run_is_taken_up_as_well() -> None:
    whole, whole_result = finish(start(PLAIN), {1: WANT_STATE})
    state = whole[1].state
    assert state is not None
    assert state.averaged == {}
    assert state.shown_weights is state.weights
    rest, result = finish(train(make_model(seed=1), make_data(), PLAIN, state=state))
    assert numbers(rest) == numbers(whole[2:])
    assert_same_weights(result.weights, whole_result.weights)


def test_a_model_can_be_trained_again() -> None:
    model = make_model(dataclasses.replace(TINY, dropout=0.1))
    for _ in range(2):
        progress, _ = finish(train(model, make_data(), FULL))
        assert math.isfinite(progress[-1].loss)


def test_batches_cover_every_image_once_an_epoch() -> None:
    class Watched(ImageSet):
        def batch(self, indices: Tensor, image_size: int, in_channels: int) -> tuple[Tensor, Tensor]:
            seen.append(indices.tolist())
            return super().batch(indices, image_size, in_channels)

    seen: list[list[int]] = []
    data = make_data()
    finish(
        start(
            PLAIN, TrainingData(Watched(data.train.images, data.train.labels, data.train.class_names), data.validation)
        )
    )
    assert [len(each) for each in seen] == [8, 8, 4] * 2
    first, second = (list(chain.from_iterable(part)) for part in (seen[:3], seen[3:]))
    assert sorted(first) == sorted(second) == list(range(20))
    assert first != second


@pytest.mark.parametrize("is_known", [True, False])
def test_a_cpu_computes_in_bfloat16_only_where_it_knows_that(is_known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that imitates it takes twenty times as long as in float32."""
    monkeypatch.setattr(train_module, "cpu_knows_bfloat16", lambda: is_known)
    kinds = set()
    model = make_model()
    model.classifier.register_forward_hook(lambda _module, _images, logits: kinds.add(logits.dtype))
    run = train(model, make_data(), dataclasses.replace(PLAIN, cpu_bfloat16=True))
    progress = next(run)
    assert kinds == {torch.bfloat16 if is_known else torch.float32}
    assert math.isfinite(progress.loss)
