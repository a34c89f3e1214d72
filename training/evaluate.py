"""Answers of a model, counted, on a set of images, drawings or pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.config import NetworkConfig
from training.data import ImageSet
from training.errors import UserError
from training.facts import PlacementMode
from training.ink import make_image
from training.metrics import Evaluation, pooled
from training.network import Network
from training.pictures import is_picture_name, read_picture
from training.sheet import FailureSample
from training.strokes import Drawing, on_pad

BATCH = 250
# Images (B, in_channels, S, S) in 0 .. 1 and labels (B,); a label of -1 is no class of the model.
Batch = tuple[Tensor, Tensor]


@torch.inference_mode()
def evaluate(
    model: Network,
    batches: Iterable[Batch],
    temperature: float = 1.0,
    failures: FailureSample | None = None,
) -> Evaluation:
    """Let `model` answer batches; a label of -1 counts and is always wrong.

    Args:
        model: the model, in evaluation mode.
        batches: what it is asked.
        temperature: divides the logits before the softmax, as the model's checkpoint has it.
        failures: gets the images that were read wrongly.

    Raises:
        UserError: there is nothing to count.
    """
    device = next(model.parameters()).device
    parts = []
    for images, labels in batches:
        probabilities = (model(images.to(device)) / temperature).softmax(dim=-1)  # (B, C)
        confidences, answers = probabilities.max(dim=-1)  # (B,) each
        part = Evaluation(
            labels.numpy(force=True),
            answers.numpy(force=True),
            confidences.float().numpy(force=True),
            model.config.class_names,
        )
        if failures is not None:
            failures.add(images.numpy(force=True), part)
        parts.append(part)
    if not parts:
        raise UserError("There is nothing to evaluate: nothing that can be read has a label.")
    return pooled(parts)


def batches_of_set(images: ImageSet, config: NetworkConfig) -> Iterator[Batch]:
    """Cut a set into batches; its classes are matched by name with the model's."""
    places = torch.tensor([_place(name, config) for name in images.class_names])
    for start in range(0, len(images), BATCH):
        indices = torch.arange(start, min(start + BATCH, len(images)))
        batch, labels = images.batch(indices, config.image_size, config.in_channels)
        yield batch, places[labels]


def batches_of_drawings(drawings: Iterable[Drawing], config: NetworkConfig, mode: PlacementMode) -> Iterator[Batch]:
    """Turn labelled drawings into batches; those without a label are left out, an empty drawing is blank paper."""
    shape = (config.in_channels, config.image_size, config.image_size)
    labelled = [drawing for drawing in drawings if drawing.label is not None]
    for start in range(0, len(labelled), BATCH):
        chosen = labelled[start : start + BATCH]
        inks = [make_image(on_pad(each).strokes, None, mode, config.image_size, config.in_channels) for each in chosen]
        images = np.stack([np.zeros(shape, np.float32) if ink is None else ink.image for ink in inks])
        yield torch.from_numpy(images), torch.tensor([_place(str(each.label), config) for each in chosen])


def batches_of_folder(folder: Path, config: NetworkConfig, mode: PlacementMode, problems: list[str]) -> Iterator[Batch]:
    """Turn pictures, one folder a class (torchvision's ImageFolder layout), into batches.

    What can't be read is left out and noted in `problems`, a sentence each.

    Raises:
        UserError: the folder has no pictures in folders named after classes of the model.
    """
    samples = _samples_in(folder, config)
    for start in range(0, len(samples), BATCH):
        images, labels = [], []
        for path, label in samples[start : start + BATCH]:
            try:
                picture = read_picture(path)
            except UserError as error:
                problems.append(str(error))
                continue
            ink = make_image((), picture, mode, config.image_size, config.in_channels)
            shape = (config.in_channels, config.image_size, config.image_size)
            images.append(np.zeros(shape, np.float32) if ink is None else ink.image)
            labels.append(label)
        if images:
            yield torch.from_numpy(np.stack(images)), torch.tensor(labels)


def _place(name: str, config: NetworkConfig) -> int:
    """Give the place of a class among the model's, -1 where it has no such class."""
    return config.class_names.index(name) if name in config.class_names else -1


def _samples_in(folder: Path, config: NetworkConfig) -> Sequence[tuple[Path, int]]:
    from torchvision.datasets import ImageFolder  # 2 s to import, and only this needs it

    try:
        found = ImageFolder(folder, is_valid_file=is_picture_name, allow_empty=True)
    except OSError as error:
        raise UserError(
            "{folder} holds no pictures in one folder a class ({reason}).", folder=folder, reason=error
        ) from error
    unknown = [name for name in found.classes if name not in config.class_names]
    if unknown or not found.samples:
        raise UserError(
            "{folder} must hold pictures in folders named after the model's classes ({classes}).",
            folder=folder,
            classes=", ".join(config.class_names),
        )
    return [(Path(path), config.class_names.index(found.classes[index])) for path, index in found.samples]
