"""Knowing when not to be sure: how strange an answer is, and what a person is told of it. Loads no torch.

Shapes: C classes, (...) any number of answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from training.errors import Message
from training.facts import FloatArray

Floats = npt.NDArray[np.floating]
Score = Callable[[Floats], Floats]  # logits (..., C), divided by the temperature -> (...), more is stranger
TOO_LITTLE_INK = Message("Too little ink.")
LIKE_NOTHING = Message("Like nothing I know.")
_BOTH_SHARE = 0.75  # what the two likeliest classes hold together where the doubt is only between these two


def _probability(logits: Floats) -> Floats:
    """Give what is missing in the largest probability (Hendrycks and Gimpel, ICLR 2017)."""
    scores: Floats = 1 - np.exp(logits.max(axis=-1) - np.logaddexp.reduce(logits, axis=-1))
    return scores


def _margin(logits: Floats) -> Floats:
    """Give what the largest probability lacks to be 1 ahead of the second one."""
    probabilities = np.exp(logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True))
    largest = np.partition(probabilities, -2, axis=-1)
    scores: Floats = 1 - (largest[..., -1] - largest[..., -2])
    return scores


def _logit(logits: Floats) -> Floats:
    """Give how low even the largest logit is (Hendrycks et al., ICML 2022)."""
    scores: Floats = -logits.max(axis=-1)
    return scores


def _energy(logits: Floats) -> Floats:
    """Give the energy (Liu, Wang, Owens and Li, NeurIPS 2020)."""
    scores: Floats = -np.logaddexp.reduce(logits, axis=-1)
    return scores


METHODS: Mapping[str, Score] = {"probability": _probability, "margin": _margin, "logit": _logit, "energy": _energy}


@dataclass(frozen=True, kw_only=True)
class RejectRule:
    """When an answer is called unsure: its score by `method`, one of `METHODS`, is above `threshold`.

    Raises:
        ValueError: there is no such method, or the threshold is no number.
    """

    method: str
    threshold: float

    def __post_init__(self) -> None:
        if self.method not in METHODS or not math.isfinite(self.threshold):
            raise ValueError(f"no rule: {self.method} {self.threshold}")

    def score(self, logits: FloatArray) -> float:
        """Give how strange an answer is, from its logits (C,) divided by the temperature."""
        return float(METHODS[self.method](logits.astype(np.float64)))


def reason_for_doubt(probabilities: FloatArray, class_names: tuple[str, ...]) -> Message:
    """Say why an answer with these probabilities (C,) is unsure: two classes alike, or none that fits."""
    likeliest = np.argsort(probabilities)[-2:]
    if probabilities[likeliest].sum() < _BOTH_SHARE:
        return LIKE_NOTHING
    one, other = (class_names[index] for index in sorted(likeliest.tolist()))
    return Message("Between {one} and {other}.", one=one, other=other)
