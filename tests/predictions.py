"""Made-up predictions for tests of what shows them."""

from __future__ import annotations

import numpy as np

from training.config import DIGITS
from training.errors import Message
from training.facts import Box, FloatArray, Placement, Prediction

AS_DRAWN = Placement(32 / 400, 0.0, 0.0)
LIKE_MNIST = Placement(0.11, -5.5, -8.0)


def make_prediction(
    *,
    grid: int = 8,
    num_heads: int = 8,
    depth: int = 6,
    extra_tokens: int = 0,
    in_channels: int = 1,
    image_size: int | None = None,
    class_names: tuple[str, ...] = DIGITS,
    placement: Placement = AS_DRAWN,
    attention: FloatArray | None = None,
    image: FloatArray | None = None,
    probabilities: FloatArray | None = None,
    revision: int = 1,
    reason: Message | None = None,
) -> Prediction:
    """Make a prediction of random numbers, except for what is given. No heads and no blocks: a CNN."""
    generator = np.random.default_rng(7)
    size = image_size or 4 * grid
    if attention is None:
        num_tokens = 1 + grid**2 + extra_tokens if num_heads else 0
        scores = generator.random((depth, num_heads, num_tokens, num_tokens), np.float32)
        attention = scores / scores.sum(axis=-1, keepdims=True) if num_heads else scores
    if image is None:
        image = generator.random((in_channels, size, size), np.float32)
    if probabilities is None:
        scores = generator.random(len(class_names), np.float32)
        probabilities = scores / scores.sum()
    for array in (attention, image, probabilities):
        array.setflags(write=False)
    return Prediction(
        revision=revision,
        class_names=class_names,
        probabilities=probabilities,
        top=class_names[int(probabilities.argmax())],
        unsure=reason is not None,
        reason=reason,
        reject_score=None,
        box=Box(100.0, 100.0, 200.0, 200.0),
        attention=attention,
        lens=np.zeros((depth + 1 if num_heads else 0, len(class_names)), np.float32),
        image=image,
        placement=placement,
        grid=grid,
        model="pad-4",
        device="cpu",
        elapsed_ms=3.0,
    )
