"""A model measured under every condition of real use, one at a time, and what comes out of it as table and facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

from training.evaluate import batches_of_drawings, evaluate
from training.facts import PlacementMode
from training.metrics import Evaluation, pooled
from training.network import Network
from training.sheet import SHEET_LIMIT, Failure, FailureSample
from training.stress import CONDITIONS
from training.strokes import Drawing

MODE_NAMES: Mapping[PlacementMode, str] = {"like-mnist": "like MNIST", "as-drawn": "as drawn"}
SHARE_OF_SHEET = SHEET_LIMIT // (len(MODE_NAMES) * len(CONDITIONS))  # cells for each condition
_MOST_COLUMNS = 12  # classes that a table has room for
_MOST_CONFUSIONS = 10


@dataclass(frozen=True, eq=False)
class StressReport:
    """What a model answered to the same drawings, made into images in one way, under each condition."""

    mode: PlacementMode
    evaluations: Mapping[str, Evaluation]  # by condition; the first is that of the drawings as they are

    @property
    def mean(self) -> float:
        """Give the accuracy, averaged over conditions."""
        return sum(each.accuracy for each in self.evaluations.values()) / len(self.evaluations)

    @property
    def worst(self) -> str:
        """Give the condition with the least accuracy."""
        return min(self.evaluations, key=lambda name: self.evaluations[name].accuracy)

    def facts(self) -> Iterator[dict[str, Any]]:
        """Give a line of facts for each condition, then one for all of them together."""
        for condition, evaluation in self.evaluations.items():
            yield {
                "mode": self.mode,
                "condition": condition,
                **evaluation.facts(),
                "ece": evaluation.ece,
                "confusions": evaluation.confusions,
            }
        parts = list(self.evaluations.values())
        whole = pooled(parts)
        yield {
            "mode": self.mode,
            "conditions": len(parts),
            "mean": self.mean,
            "worst": self.evaluations[self.worst].accuracy,
            "worst_condition": self.worst,
            "per_class": whole.per_class,
            "ece": whole.ece,
            "plain_ece": parts[0].ece,
            "confusions": whole.confusions,
        }

    def table(self) -> Table:
        """Give accuracy and calibration error by condition, and accuracy by class where there are few, in percent."""
        parts = list(self.evaluations.values())
        names = parts[0].class_names if len(parts[0].class_names) <= _MOST_COLUMNS else ()
        table = Table(title=f"{MODE_NAMES[self.mode]}, {parts[0].count} drawings, %", box=box.SIMPLE_HEAD)
        table.add_column("condition", no_wrap=True)
        for name in ("right", "ECE", *names):
            table.add_column(escape(name), justify="right")
        for condition, evaluation in self.evaluations.items():
            table.add_row(condition, *_row(evaluation, len(names)))
        table.add_section()
        table.add_row("mean", *_row(pooled(parts), len(names)))
        return table

    def summary(self) -> Iterator[str]:
        """Give what the table doesn't say, a line each."""
        yield f"worst: {self.worst}, {self.evaluations[self.worst].accuracy:.2%}; mean: {self.mean:.2%}"
        pairs = pooled(list(self.evaluations.values())).confusions[:_MOST_CONFUSIONS]
        if pairs:
            yield "most often: " + ", ".join(
                f"{each.truth or 'no class'} read as {each.answer} ({each.times})" for each in pairs
            )


def stress(
    model: Network,
    drawings: Sequence[Drawing],
    mode: PlacementMode,
    temperature: float,
    failures: list[Failure],
) -> Iterator[tuple[str, Evaluation]]:
    """Let `model` answer labelled drawings under one condition after the other; some failures are added to `failures`.

    Raises:
        UserError: no drawing has a label.
    """
    for condition in CONDITIONS:
        sample = FailureSample(f"{MODE_NAMES[mode]}\n{condition.name}", SHARE_OF_SHEET)
        batches = batches_of_drawings(condition.apply(drawings), model.config, mode)
        yield condition.name, evaluate(model, batches, temperature, sample)
        failures += sample.chosen


def _row(evaluation: Evaluation, num_classes: int) -> Iterator[str]:
    for value in (evaluation.accuracy, evaluation.ece, *evaluation.per_class[:num_classes]):
        yield "" if value is None else f"{100 * value:.1f}"
