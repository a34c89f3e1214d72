"""What a model's answers are worth: accuracy, confusions and calibration. Loads no torch.

Shapes: N answers, K bins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

NUM_BINS = 15


class Confusion(NamedTuple):
    """How often one class was taken for another; `truth` is None where it is no class of the model."""

    truth: str | None
    answer: str
    times: int


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a model answered and what was true; at least one answer. Classes are places in `class_names`."""

    truths: npt.NDArray[np.int64]  # (N,), -1 where it is no class of the model: such an answer is always wrong
    answers: npt.NDArray[np.int64]  # (N,)
    confidences: npt.NDArray[np.float32]  # (N,), the probability of each answer, 0 .. 1
    class_names: tuple[str, ...]

    @property
    def count(self) -> int:
        """Give the number of answers."""
        return len(self.truths)

    @property
    def correct(self) -> int:
        """Give the number of right answers."""
        return int((self.answers == self.truths).sum())

    @property
    def accuracy(self) -> float:
        """Give the share of right answers."""
        return self.correct / self.count

    @property
    def per_class(self) -> tuple[float | None, ...]:
        """Give the accuracy of each class, None where a class has no truth."""
        chosen = (self.answers[self.truths == label] == label for label in range(len(self.class_names)))
        return tuple(float(each.mean()) if len(each) else None for each in chosen)

    @property
    def ece(self) -> float:
        """Give the expected calibration error, 0 .. 1."""
        return expected_calibration_error(self.confidences, self.answers == self.truths)

    @property
    def confusions(self) -> tuple[Confusion, ...]:
        """Give what was taken for what, most frequent first."""
        is_wrong = self.answers != self.truths
        pairs = zip(self.truths[is_wrong].tolist(), self.answers[is_wrong].tolist(), strict=True)
        counts = sorted(Counter(pairs).items(), key=lambda item: (-item[1], item[0]))
        names = self.class_names
        return tuple(
            Confusion(None if truth < 0 else names[truth], names[answer], times) for (truth, answer), times in counts
        )

    def facts(self) -> dict[str, Any]:
        """Give counts and accuracies by name."""
        names = ("count", "correct", "accuracy", "per_class")
        return {name: getattr(self, name) for name in names}


def pooled(parts: Sequence[Evaluation]) -> Evaluation:
    """Give all answers of several evaluations of one model as one."""
    return Evaluation(
        np.concatenate([each.truths for each in parts]),
        np.concatenate([each.answers for each in parts]),
        np.concatenate([each.confidences for each in parts]),
        parts[0].class_names,
    )


def expected_calibration_error(
    confidences: npt.NDArray[np.floating], is_right: npt.NDArray[np.bool_], num_bins: int = NUM_BINS
) -> float:
    """Give how far confidence and accuracy are apart on average, over bins of equal width in 0 .. 1.

    Guo et al., On Calibration of Modern Neural Networks, 2017, equation 3: bin k of K holds what is above (k - 1) / K
    and at most k / K; each bin counts by the number of answers in it.
    """
    numbers = np.nan_to_num(confidences)  # what is no number is in no bin, and makes the whole none
    bins = np.clip(np.ceil(numbers * num_bins).astype(int) - 1, 0, num_bins - 1)  # (N,)
    gaps = np.bincount(bins, confidences - is_right, num_bins)  # (K,), each times the number of answers in the bin
    return float(np.abs(gaps).sum() / len(confidences))
