"""Counting what a model still reads rightly while it is changed, a few images at a time."""

from __future__ import annotations

from collections.abc import Generator

import torch
from torch import Tensor

from training.checkpoint import load_checkpoint
from training.data import NO_CLASS, ImageSet, load_mnist
from training.edited_count import EditedAccuracy
from training.edits import Edits
from training.models import find_model
from training.network import Network

NUM_IMAGES = 1_000


def edited_accuracy(
    network: Network, images: ImageSet, edits: Edits, *, batch_size: int = 100
) -> Generator[EditedAccuracy]:
    """Let `network` read the first 1,000 images of a set, changed by `edits`; tell the count after each batch.

    Of MNIST's test set these are its first 1,000, always the same: a sample of one tenth, so a count differs from the
    whole set's by some tenths of a per cent, but two counts can be compared. Stopping = not asking for the next value.

    Args:
        network: the model, in evaluation mode.
        images: what it reads; an image whose class it doesn't have counts and is always wrong.
        edits: how it is changed; what it can't take is left out.
        batch_size: images read at once, and between two values.
    """
    config = network.config
    edits = edits.fitted_to(config)
    places = {name: place for place, name in enumerate(config.class_names)}
    # By the number of a class in the set; the last one is where the label of no class, -1, points to.
    classes = torch.tensor([*(places.get(name, NO_CLASS) for name in images.class_names), NO_CLASS])
    num_images, num_right = min(NUM_IMAGES, len(images)), 0
    for start in range(0, num_images, batch_size):
        end = min(start + batch_size, num_images)
        batch, labels = images.batch(torch.arange(start, end), config.image_size, config.in_channels)
        num_right += _num_right(network, batch, classes[labels.cpu()], edits)
        yield EditedAccuracy(num_right=num_right, num_done=end, num_images=num_images)


def count_for_model(model: str, edits: Edits, *, batch_size: int) -> Generator[EditedAccuracy]:
    """Count on MNIST's test set for a model of its own, found by name or path, with one torch thread of this thread.

    Raises:
        UserError: there is no such model.
    """
    torch.set_num_threads(1)  # the other cores are for who draws
    network, _ = load_checkpoint(find_model(model))
    yield from edited_accuracy(network, load_mnist("test"), edits, batch_size=batch_size)


@torch.inference_mode()
def _num_right(network: Network, images: Tensor, labels: Tensor, edits: Edits) -> int:
    """Count the answers to images (B, in_channels, S, S) that are their labels (B,)."""
    device = next(network.parameters()).device
    logits = network.inspect(images.to(device), edits, with_unread=False).logits  # (B, C)
    return int((logits.argmax(dim=-1).cpu() == labels).sum())
