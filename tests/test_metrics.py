"""What answers are worth, against cases worked by hand and against the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.metrics import Confusion, Evaluation, expected_calibration_error, pooled

CLASSES = ("cat", "dog", "owl")
ANSWERS = st.lists(st.tuples(st.floats(0, 1, width=32), st.booleans()), min_size=1, max_size=60)


def made(truths: list[int], answers: list[int], confidences: list[float] | None = None) -> Evaluation:
    return Evaluation(
        np.array(truths), np.array(answers), np.array(confidences or [0.5] * len(truths), np.float32), CLASSES
    )


def test_right_answers_in_all_and_by_class() -> None:
    result = made([0, 1, 1, 1, 0], [0, 1, 2, 1, 1])
    assert (result.count, result.correct, result.accuracy) == (5, 3, 0.6)
    assert result.per_class == (0.5, 2 / 3, None)
    assert result.facts() == {"count": 5, "correct": 3, "accuracy": 0.6, "per_class": result.per_class}


def test_confusions_come_most_frequent_first_then_in_class_order() -> None:
    truths = [0, 2, 2, 1, 0, -1, 1, 2, -1]
    answers = [1, 0, 0, 1, 1, 1, 0, 1, 1]
    assert made(truths, answers).confusions == (
        Confusion(None, "dog", 2),
        Confusion("cat", "dog", 2),
        Confusion("owl", "cat", 2),
        Confusion("dog", "cat", 1),
        Confusion("owl", "dog", 1),
    )
    assert made([0, 1], [0, 1]).confusions == ()


def test_pooled_evaluations_are_one() -> None:
    one, other = made([0, 1], [0, 2], [0.9, 0.8]), made([2], [2], [0.7])
    whole = pooled([one, other])
    assert (whole.count, whole.correct, whole.per_class) == (3, 2, (1.0, 0.0, 1.0))
    np.testing.assert_allclose(whole.confidences, [0.9, 0.8, 0.7])
    assert whole.class_names == CLASSES


def test_calibration_error_worked_by_hand() -> None:
    # Of 15 bins the 10th (0.600 to 0.667) has 0.62 and 0.66, both right: 2 * |0.64 - 1| = 0.72; the 11th has 0.68,
    # which is wrong: 0.68; the 15th has 0.97 and 0.99, one of them wrong: 2 * |0.98 - 0.5| = 0.96.
    confidences = np.array([0.62, 0.99, 0.66, 0.97, 0.68])
    is_right = np.array([True, True, True, False, False])
    expected = (0.72 + 0.68 + 0.96) / 5
    assert expected_calibration_error(confidences, is_right) == pytest.approx(expected)
    assert made([0, 1, 2, 0, 2], [0, 1, 2, 1, 1], confidences.tolist()).ece == pytest.approx(expected)


@pytest.mark.parametrize(
    ("confidences", "is_right", "expected"),
    [
        ([1.0, 1.0], [True, True], 0.0),
        ([1.0, 1.0], [False, False], 1.0),
        ([0.0], [True], 1.0),
        ([0.5, 0.5], [True, False], 0.0),
        # One bin's edge: 0.25 belongs to the first of four bins, anything above to the second.
        ([0.25, 0.2], [True, False], 0.275),
        ([0.26, 0.2], [True, False], 0.47),
    ],
)
def test_calibration_error_at_the_edges(confidences: list[float], is_right: list[bool], expected: float) -> None:
    assert expected_calibration_error(np.array(confidences), np.array(is_right), 4) == pytest.approx(expected)


@given(ANSWERS, st.sampled_from([1, 4, 16]))  # powers of two: their edges are exact in floats
def test_calibration_error_is_what_the_definition_says(answers: list[tuple[float, bool]], num_bins: int) -> None:
    expected = 0.0
    for k in range(num_bins):
        inside = [
            (confidence, is_right)
            for confidence, is_right in answers
            if k / num_bins < confidence <= (k + 1) / num_bins or (k == 0 and confidence == 0)
        ]
        if inside:
            mean_confidence = sum(each[0] for each in inside) / len(inside)
            accuracy = sum(each[1] for each in inside) / len(inside)
            expected += len(inside) / len(answers) * abs(accuracy - mean_confidence)
    confidences, is_right = (np.array(column) for column in zip(*answers, strict=True))
    found = expected_calibration_error(confidences, is_right, num_bins)
    assert found == pytest.approx(expected, abs=1e-9)
    assert 0 <= found <= 1


@given(ANSWERS)
def test_calibration_error_is_at_least_the_gap_of_the_whole(answers: list[tuple[float, bool]]) -> None:
    confidences, is_right = (np.array(column) for column in zip(*answers, strict=True))
    whole = abs(float(confidences.mean()) - float(is_right.mean()))
    assert expected_calibration_error(confidences, is_right) >= whole - 1e-9
