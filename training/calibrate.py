"""What a trained model still needs: probabilities that mean what they say, and a line between sure and unsure.

Both come from the validation images, which no weight was made by. Shapes: N images, C classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import Tensor
from torch.nn import functional

from training.reject import METHODS, RejectRule

REJECT_METHOD = "logit"  # of `METHODS`, the one that tests/benchmarks/reject.py finds best
REFUSED_SHARE = 0.005  # of the validation images are called unsure
# What a model's temperature may be: 1.2 % from one to the next.
TEMPERATURES: tuple[float, ...] = tuple(np.geomspace(0.1, 10, 401).tolist())


@dataclass(frozen=True)
class Calibration:
    """What makes logits into probabilities, and probabilities into an answer that may be unsure."""

    temperature: float
    reject: RejectRule


def calibrate(logits: Tensor, labels: Tensor, method: str = REJECT_METHOD) -> Calibration:
    """Fit temperature and threshold to the logits (N, C) of images with these labels (N,), both on the CPU."""
    temperature = best_temperature(logits, labels)
    scores = METHODS[method]((logits.double() / temperature).numpy())  # (N,)
    threshold = float(np.quantile(scores, 1 - REFUSED_SHARE, method="higher"))
    return Calibration(temperature, RejectRule(method=method, threshold=threshold))


def best_temperature(logits: Tensor, labels: Tensor) -> float:
    """Give the temperature that makes the labels (N,) likeliest (Guo et al., ICML 2017, section 4.2)."""
    logits = logits.double()
    losses = [functional.cross_entropy(logits / each, labels).item() for each in TEMPERATURES]
    return TEMPERATURES[int(np.argmin(losses))]
