"""The training loop, as a generator of facts: it knows nothing of threads, files or printing."""

from __future__ import annotations

import copy
import dataclasses
import math
import time
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.augment import augment
from training.calibrate import Calibration, calibrate
from training.config import TrainConfig
from training.data import NO_CLASS, ImageSet, TrainingData
from training.devices import cpu_knows_bfloat16
from training.errors import Message
from training.model import set_dropout, set_dropout_generator
from training.network import Network

Arrays = Mapping[str, npt.NDArray[Any]]
WARM_UP = 0.3  # share of a one-cycle run in which the learning rate rises
FIRST_SHARE = 1 / 25  # of the highest learning rate, at the first step
LAST_SHARE = 1e-4  # of the highest learning rate, at the last step
EVALUATION_BATCH = 500
TEACHER_TEMPERATURE = 2.0  # softens what the teacher says, so that the lesser classes are learned from, too
RATE_WINDOW_S = 2.0


@dataclass(frozen=True, eq=False)
class RunState:
    """All that a run needs to go on as if it had not stopped; numpy, owned by whoever asked for it."""

    config: TrainConfig
    step: int  # steps done
    weights: Arrays
    averaged: Arrays  # empty without averaging
    best: Arrays  # weights of the best epoch so far; the starting weights before the first
    best_epoch: int
    best_accuracy: float | None
    optimizer: Arrays
    generators: Arrays  # states of the random generators
    order: npt.NDArray[np.int64]  # the images of this epoch, in their order
    changes: tuple[tuple[int, TrainChange], ...] = ()  # what was changed so far, each after how many steps

    @property
    def shown_weights(self) -> Arrays:
        """Give the weights to answer with: the averaged ones where there are any."""
        return self.averaged or self.weights


@dataclass(frozen=True)
class TrainProgress:
    """What is known after a step. Steps and epochs count from 1."""

    step: int
    num_steps: int
    epoch: int
    loss: float  # of this step's batch, as the accuracy is
    learning_rate: float
    images_per_s: float
    accuracy: float
    val_loss: float | None = None  # at the end of an epoch
    val_accuracy: float | None = None
    state: RunState | None = None  # at the end of an epoch, and when wanted
    calibration: Calibration | None = None  # of the weights that are best, at the end of their epoch


@dataclass(frozen=True)
class TrainChange:
    """What is to change from the next step on; None leaves it.

    Raises:
        UserError: a value is out of its range.
    """

    learning_rate: float | None = None
    weight_decay: float | None = None
    dropout: float | None = None
    augmentation: str | None = None
    epochs: int | None = None
    want_state: bool = False

    def __post_init__(self) -> None:
        self.applied_to(TrainConfig())

    def applied_to(self, config: TrainConfig) -> TrainConfig:
        """Give `config` with what changes in it."""
        settings = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        del settings["want_state"]
        return dataclasses.replace(config, **{name: value for name, value in settings.items() if value is not None})


@dataclass(frozen=True, eq=False)
class TrainResult:
    """How a run ended: the weights of its best epoch by validation."""

    weights: Arrays
    epoch: int  # 0: no epoch was finished, these are the starting weights
    val_accuracy: float | None
    problem: Message | None = None  # why the run stopped early


@dataclass(frozen=True)
class Score:
    """How a model does on a set."""

    loss: float
    accuracy: float


def train(
    model: Network,
    data: TrainingData,
    config: TrainConfig,
    *,
    teacher: Network | None = None,
    state: RunState | None = None,
) -> Generator[TrainProgress, TrainChange | None, TrainResult]:
    """Train `model` in place; yield what is known after every step, take a change by `send`, return the best weights.

    The run owns its random generators: with the same config, data and thread count the CPU gives the same numbers,
    whatever else draws random numbers. Going on from `state` gives what the uninterrupted run would have given. A loss
    that is not finite changes no weight and ends the run with its problem; the weights given back are the last good
    ones: those of the best epoch so far, before the first one those of the start. The caller owns the model between
    two steps but must not change it.

    Raises:
        UserError: the images don't suit the model.

    Args:
        model: the model, with its starting weights, on its device.
        data: the sets, on the same device.
        config: how to train; its `device`, `threads` and `teacher` are the caller's business.
        teacher: a model of the same classes on the same device, from whose answers `model` learns as well.
        state: where to go on, by the config it holds, whatever `config` says.
    """
    run = _Run(model, data, config if state is None else state.config, teacher)
    if state is not None:
        run.load(state)
    while run.step < run.num_steps:
        done = run.do_step()
        if not math.isfinite(done.loss):
            return run.result(
                Message(
                    "The loss is no longer a number at step {step}. Lower the learning rate and start again.",
                    step=run.step + 1,
                )
            )
        score = run.end_epoch() if run.step % run.steps_per_epoch == 0 else None
        change = yield TrainProgress(
            step=run.step,
            num_steps=run.num_steps,
            epoch=1 + (run.step - 1) // run.steps_per_epoch,
            loss=done.loss,
            learning_rate=run.learning_rate,
            accuracy=done.accuracy,
            images_per_s=run.pace.images_per_s,
            val_loss=score.loss if score else None,
            val_accuracy=score.accuracy if score else None,
            state=run.state() if score or run.is_state_wanted else None,
            calibration=run.calibration if score else None,
        )
        run.apply(change or TrainChange())
    return run.result()


def learning_rate_at(step: int, num_steps: int, config: TrainConfig) -> float:
    """Give the learning rate of `step`, from 0 to num_steps - 1.

    One-cycle (Smith and Topin, 2018): up along a half cosine, then down along another to almost nothing.
    """
    if config.schedule == "none":
        return config.learning_rate
    place = step / max(num_steps - 1, 1)
    if place < WARM_UP:
        low, share = FIRST_SHARE, place / WARM_UP
    else:
        low, share = LAST_SHARE, (1 - place) / (1 - WARM_UP)
    return config.learning_rate * (low + (1 - low) * (1 - math.cos(math.pi * share)) / 2)


def soft_targets(labels: Tensor, num_classes: int, label_smoothing: float) -> Tensor:
    """Give what the probabilities (B, C) should be; of what is no digit, all classes the same.

    Label smoothing: Szegedy et al., CVPR 2016. Learning to be unsure of what is none of the classes: Hendrycks,
    Mazeika and Dietterich, "Deep Anomaly Detection with Outlier Exposure", ICLR 2019.
    """
    is_class = (labels != NO_CLASS)[:, None]  # (B, 1)
    right = functional.one_hot(labels.clamp(min=0), num_classes)  # (B, C)
    return torch.where(is_class, (1 - label_smoothing) * right + label_smoothing / num_classes, 1 / num_classes)


def distillation_loss(logits: Tensor, taught: Tensor) -> Tensor:
    """Measure how far the answers of logits (B, C) are from a teacher's (Hinton, Vinyals and Dean, 2015)."""
    return TEACHER_TEMPERATURE**2 * functional.kl_div(
        (logits / TEACHER_TEMPERATURE).log_softmax(dim=-1),
        (taught / TEACHER_TEMPERATURE).log_softmax(dim=-1),
        reduction="batchmean",
        log_target=True,
    )


@torch.no_grad()
def answer_set(model: Network, images: ImageSet) -> tuple[Tensor, Tensor]:
    """Give the logits (N, C) of `model`, as it stands, on a set, and the set's labels (N,), both on the CPU."""
    config, logits, labels = model.config, [], []
    for start in range(0, len(images), EVALUATION_BATCH):
        indices = torch.arange(start, min(start + EVALUATION_BATCH, len(images)), device=images.labels.device)
        batch, batch_labels = images.batch(indices, config.image_size, config.in_channels)
        logits.append(model(batch))
        labels.append(batch_labels)
    return torch.cat(logits).float().cpu(), torch.cat(labels).cpu()


def score(logits: Tensor, labels: Tensor) -> Score:
    """Measure mean cross-entropy and accuracy of logits (N, C)."""
    accuracy = (logits.argmax(dim=-1) == labels).double().mean().item()
    return Score(functional.cross_entropy(logits, labels).item(), accuracy)


class _Run:
    """What changes while a run goes on."""

    def __init__(self, model: Network, data: TrainingData, config: TrainConfig, teacher: Network | None) -> None:
        device = next(model.parameters()).device
        self.model = model.train()
        # Weights laid out so decide how a CNN's convolutions work: on a CPU in two thirds of the time.
        self.teacher = None if teacher is None else teacher.eval().to(memory_format=torch.channels_last)
        self.data = data
        self.config = config
        self.step = 0
        self.is_state_wanted = False
        self.learning_rate = config.learning_rate
        self.pace = _Pace()
        self.optimizer = _make_optimizer(model, config)
        self.averaged = copy.deepcopy(model).eval().requires_grad_(False) if config.averaging else None
        self.best: Arrays = _weights_of(model)
        self.best_epoch = 0
        self.best_accuracy: float | None = None
        self.calibration: Calibration | None = None  # of the best weights, once an epoch brought them
        self.order_generator = torch.Generator().manual_seed(config.seed)
        self.augmentation_generator = torch.Generator(device).manual_seed(config.seed + 1)
        self.dropout_generator = torch.Generator(device).manual_seed(config.seed + 2)
        set_dropout_generator(model, self.dropout_generator)
        self.order = torch.empty(0, dtype=torch.int64)
        self.changes: tuple[tuple[int, TrainChange], ...] = ()

    @property
    def steps_per_epoch(self) -> int:
        return math.ceil(len(self.data.train) / self.config.batch_size)

    @property
    def num_steps(self) -> int:
        begun = math.ceil(self.step / self.steps_per_epoch)  # an epoch that has begun is finished and judged
        return max(self.config.epochs, begun) * self.steps_per_epoch

    def do_step(self) -> Score:
        """Do one step and score its batch; a loss or gradient that isn't finite changes no weight: its loss is NaN."""
        images, labels = self._next_batch()
        self._set_learning_rate()
        with self._precision(images.device):
            logits, loss = self._loss(images, labels)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        longest = self.config.clip_norm or math.inf
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), longest)
        if not (math.isfinite(loss.item()) and math.isfinite(norm.item())):
            return Score(math.nan, 0.0)
        self.optimizer.step()
        self.step += 1
        self._average()
        self.pace.count(len(labels))
        is_right = (logits.argmax(dim=-1) == labels)[labels != NO_CLASS]
        return Score(loss.item(), is_right.float().mean().item() if len(is_right) else 0.0)

    def _loss(self, images: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Give the logits (B, C) and what they cost, by the labels and by what the teacher says."""
        own, learned = (logits.float() for logits in self.model.logits_of_both(images))
        by_labels = functional.cross_entropy(own, soft_targets(labels, own.shape[-1], self.config.label_smoothing))
        if self.teacher is None:
            return own, by_labels
        with torch.no_grad():
            taught = self.teacher(images)
        share = self.config.teacher_share
        return own, (1 - share) * by_labels + share * distillation_loss(learned, taught.float())

    def end_epoch(self) -> Score:
        """Judge the weights by the validation images and keep the best."""
        model = (self.model if self.averaged is None else self.averaged).eval()
        logits, labels = answer_set(model, self.data.validation)
        result = score(logits, labels)
        self.model.train()
        self.pace.rest()
        if math.isfinite(result.loss) and (self.best_accuracy is None or result.accuracy > self.best_accuracy):
            self.best, self.best_accuracy = _weights_of(model), result.accuracy
            self.best_epoch = self.step // self.steps_per_epoch
            self.calibration = calibrate(logits, labels)
        return result

    def apply(self, change: TrainChange) -> None:
        """Take a change into the config, from which every step reads."""
        self.is_state_wanted = change.want_state
        config = change.applied_to(self.config)
        if config == self.config:
            return
        self.config = config
        self.changes += ((self.step, dataclasses.replace(change, want_state=False)),)
        self._set_dropout()
        for group in self.optimizer.param_groups:
            group["weight_decay"] = self.config.weight_decay if group["is_decayed"] else 0.0

    def result(self, problem: Message | None = None) -> TrainResult:
        return TrainResult(self.best, self.best_epoch, self.best_accuracy, problem)

    def state(self) -> RunState:
        return RunState(
            config=self.config,
            step=self.step,
            weights=_weights_of(self.model),
            averaged=_weights_of(self.averaged) if self.averaged is not None else {},
            best=self.best,
            best_epoch=self.best_epoch,
            best_accuracy=self.best_accuracy,
            optimizer={
                f"{name}.{key}": _to_numpy(value)
                for name, parameter in self.model.named_parameters()
                for key, value in self.optimizer.state[parameter].items()
            },
            generators={name: _to_numpy(generator.get_state()) for name, generator in self._generators().items()},
            order=_to_numpy(self.order),
            changes=self.changes,
        )

    def load(self, state: RunState) -> None:
        self.step = state.step
        self._set_dropout()
        self.best, self.best_epoch, self.best_accuracy = state.best, state.best_epoch, state.best_accuracy
        load_arrays(self.model, state.weights)
        if self.averaged is not None:
            load_arrays(self.averaged, state.averaged)
        for name, parameter in self.model.named_parameters():
            prefix = f"{name}."
            moments = {key.removeprefix(prefix): value for key, value in state.optimizer.items()}
            self.optimizer.state[parameter] = {
                key: torch.tensor(value, device=parameter.device) for key, value in moments.items() if "." not in key
            }
        for name, generator in self._generators().items():
            generator.set_state(torch.tensor(state.generators[name]))
        self.order = torch.tensor(state.order)
        self.changes = state.changes

    def _generators(self) -> dict[str, torch.Generator]:
        return {
            "order": self.order_generator,
            "augmentation": self.augmentation_generator,
            "dropout": self.dropout_generator,
        }

    def _next_batch(self) -> tuple[Tensor, Tensor]:
        place = self.step % self.steps_per_epoch
        if place == 0:
            self.order = torch.randperm(len(self.data.train), generator=self.order_generator)
        size = self.config.batch_size
        indices = self.order[place * size : (place + 1) * size].to(self.data.train.labels.device)
        shape = self.model.config
        images, labels = self.data.train.batch(indices, shape.image_size, shape.in_channels)
        return augment(images, self.config.augmentations, self.augmentation_generator), labels

    def _set_dropout(self) -> None:
        if self.config.dropout is not None:
            set_dropout(self.model, self.config.dropout)

    def _set_learning_rate(self) -> None:
        self.learning_rate = learning_rate_at(self.step, self.num_steps, self.config)
        for group in self.optimizer.param_groups:
            group["lr"] = self.learning_rate

    def _precision(self, device: torch.device) -> AbstractContextManager[Any]:
        on_cuda, on_cpu = self.config.mixed_precision, self.config.cpu_bfloat16 and cpu_knows_bfloat16()
        is_mixed = {"cuda": on_cuda, "cpu": on_cpu}.get(device.type, False)
        return torch.autocast(device.type, torch.bfloat16) if is_mixed else nullcontext()

    @torch.no_grad()
    def _average(self) -> None:
        """Move the averaged weights (Polyak and Juditsky, 1992); at first faster, so that the start is forgotten."""
        if self.averaged is None:
            return
        kept = min(self.config.averaging, self.step / (self.step + 9))
        torch._foreach_lerp_(list(self.averaged.parameters()), list(self.model.parameters()), 1 - kept)
        for mean, newest in zip(self.averaged.buffers(), self.model.buffers(), strict=True):
            if mean.is_floating_point():  # the statistics of batch normalisation
                mean.lerp_(newest, 1 - kept)
            else:
                mean.copy_(newest)


class _Pace:
    """Images per second over the last two seconds of work."""

    def __init__(self) -> None:
        self.images_per_s = 0.0
        self.rest()

    def count(self, images: int) -> None:
        self.images += images
        elapsed_s = time.perf_counter() - self.start_s
        if elapsed_s >= RATE_WINDOW_S or not self.images_per_s:
            self.images_per_s = self.images / elapsed_s
        if elapsed_s >= RATE_WINDOW_S:
            self.rest()

    def rest(self) -> None:
        self.start_s, self.images = time.perf_counter(), 0


def _make_optimizer(model: nn.Module, config: TrainConfig) -> torch.optim.Optimizer:
    """Make AdamW (Loshchilov and Hutter, ICLR 2019) or Adam; only weight matrices decay."""
    matrices: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        (matrices if name.endswith("weight") and parameter.ndim > 1 else others).append(parameter)
    groups = [
        {"params": matrices, "weight_decay": config.weight_decay, "is_decayed": True},
        {"params": others, "weight_decay": 0.0, "is_decayed": False},
    ]
    make = torch.optim.AdamW if config.optimizer == "adamw" else torch.optim.Adam
    second_moment = 0.99 if config.schedule == "one-cycle" else 0.999  # a short run can't wait for 0.999 to settle
    return make(groups, lr=config.learning_rate, betas=(0.9, second_moment), fused=True)


def load_arrays(model: nn.Module, weights: Arrays) -> None:
    """Put `weights`, by name, into a model."""
    model.load_state_dict({name: torch.tensor(value) for name, value in weights.items()})


def _weights_of(model: nn.Module) -> dict[str, npt.NDArray[Any]]:
    return {name: _to_numpy(value) for name, value in model.state_dict().items()}


def _to_numpy(tensor: Tensor) -> npt.NDArray[Any]:
    return np.array(tensor.detach().cpu().numpy())
