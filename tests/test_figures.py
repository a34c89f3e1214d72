"""The script that prints the README's figures: each in its place, rounded as the README shows it."""

from __future__ import annotations

import numpy as np

from scripts.figures import Figures, by_condition, overview
from training.benchmark import StressReport
from training.facts import PlacementMode
from training.metrics import Evaluation


def evaluation(right: int, wrong: int) -> Evaluation:
    """Answer 0 to all, `right` times rightly, always quite sure of it."""
    truths = np.repeat(np.array([0, 1]), [right, wrong])
    return Evaluation(truths, np.zeros_like(truths), np.ones(len(truths), dtype=np.float32), ("0", "1"))


def figures() -> Figures:
    like_mnist = StressReport("like-mnist", {"as they are": evaluation(98, 2), "small": evaluation(90, 10)})
    as_drawn = StressReport("as-drawn", {"as they are": evaluation(80, 20), "small": evaluation(30, 70)})
    reports: dict[PlacementMode, StressReport] = {"like-mnist": like_mnist, "as-drawn": as_drawn}
    return Figures(1234567, evaluation(999, 1), evaluation(995, 5), reports)


def test_a_model_has_its_row() -> None:
    head, _, row = (line.strip("| ").split(" | ") for line in overview({"pad-4": figures()}))
    assert dict(zip(head, row, strict=True)) == {
        "model": "`pad-4`",
        "parameters": "1,234,567",
        "MNIST validation": "0.9990",
        "MNIST test": "0.9950",
        "kept-out writers": "0.9800",
        "under stress, mean": "0.9400",
        "worst": "0.9000",
        "as drawn": "0.8000",
        "ECE, MNIST test": "0.0050",
        "ECE, kept-out writers": "0.0200",
    }


def test_a_condition_has_its_row() -> None:
    assert by_condition({"pad-4": figures()}) == [
        "|  | `pad-4`, like MNIST | `pad-4`, as drawn |",
        "| --- | --- | --- |",
        "| as they are | 98.0 | 80.0 |",
        "| small | 90.0 | 30.0 |",
        "| mean | 94.0 | 55.0 |",
    ]
