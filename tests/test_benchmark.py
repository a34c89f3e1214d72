"""What is said of a model that was measured under every condition."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from training.benchmark import StressReport
from training.metrics import Evaluation

CLASSES = ("cat", "dog", "owl")


def made(answers: list[int], confidence: float, class_names: tuple[str, ...] = CLASSES) -> Evaluation:
    truths = np.array([0, 0, 1, 1])
    return Evaluation(truths, np.array(answers), np.full(4, confidence, np.float32), class_names)


REPORT = StressReport(
    "as-drawn",
    {
        "as they are": made([0, 0, 1, 1], 0.9),
        "upside down": made([2, 2, 0, 1], 0.75),
        "torn": made([0, 2, 1, 1], 0.75),
    },
)


def printed(report: StressReport) -> list[str]:
    """Give the lines of the table, without its spaces."""
    console = Console(file=io.StringIO(), width=100)
    console.print(report.table())
    assert isinstance(console.file, io.StringIO)
    return [" ".join(line.split()) for line in console.file.getvalue().splitlines()]


def test_mean_and_worst_are_over_conditions() -> None:
    assert REPORT.mean == pytest.approx((1 + 0.25 + 0.75) / 3)
    assert REPORT.worst == "upside down"


def test_facts_end_with_those_of_all_conditions_together() -> None:
    *conditions, whole = REPORT.facts()
    assert [(each["condition"], each["accuracy"]) for each in conditions] == [
        ("as they are", 1.0),
        ("upside down", 0.25),
        ("torn", 0.75),
    ]
    assert conditions[2]["confusions"] == (("cat", "owl", 1),)
    assert whole == {
        "mode": "as-drawn",
        "conditions": 3,
        "mean": pytest.approx(2 / 3),
        "worst": 0.25,
        "worst_condition": "upside down",
        "per_class": (3 / 6, 5 / 6, None),
        # 4 answers at 0.9, all right; 8 at 0.75, half of them right.
        "ece": pytest.approx((4 * 0.1 + 8 * 0.25) / 12),
        "plain_ece": pytest.approx(0.1),
        "confusions": (("cat", "owl", 3), ("dog", "cat", 1)),
    }


def test_the_table_has_percent_by_condition_and_class() -> None:
    lines = printed(REPORT)
    assert "as drawn, 4 drawings, %" in lines
    assert "condition right ECE cat dog owl" in lines
    assert "as they are 100.0 10.0 100.0 100.0" in lines
    assert "upside down 25.0 50.0 0.0 50.0" in lines
    assert "mean 66.7 20.0 50.0 83.3" in lines


def test_a_table_has_no_room_for_a_thousand_classes() -> None:
    many = tuple(f"class {number}" for number in range(1000))
    assert "condition right ECE" in printed(StressReport("as-drawn", {"torn": made([0, 0, 1, 2], 0.5, many)}))


def test_a_class_may_be_called_like_a_colour() -> None:
    lines = printed(StressReport("as-drawn", {"torn": made([0, 0, 1, 2], 0.5, ("[red]", "dog", "owl"))}))
    assert "condition right ECE [red] dog owl" in lines


def test_the_summary_names_the_worst_condition_and_what_is_confused() -> None:
    worst, confused = REPORT.summary()
    assert worst == "worst: upside down, 25.00%; mean: 66.67%"
    assert confused == "most often: cat read as owl (3), dog read as cat (1)"
    (only,) = StressReport("as-drawn", {"torn": made([0, 0, 1, 1], 0.5)}).summary()
    assert only == "worst: torn, 100.00%; mean: 100.00%"
