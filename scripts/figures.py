"""Print the tables of the README's figures, in Markdown: how well each shipped model reads, and under what.

python scripts/figures.py --strokes pendigits-train.jsonl.gz
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from training.benchmark import MODE_NAMES, StressReport, stress
from training.checkpoint import load_checkpoint
from training.data import load_mnist
from training.evaluate import batches_of_set, evaluate
from training.facts import PlacementMode
from training.metrics import Evaluation
from training.model import count_parameters
from training.models import find_model, shipped_models
from training.strokes import Drawing, drawings_by, read_drawings

SHARES = ("MNIST validation", "MNIST test", "kept-out writers", "under stress, mean", "worst", "as drawn")
ERRORS = ("ECE, MNIST test", "ECE, kept-out writers")


@dataclass(frozen=True, kw_only=True)
class Options:
    """Print the tables of the README's figures."""

    strokes: Annotated[Path, tyro.conf.arg(help="Drawing file with labels.")]
    writers: Annotated[str, tyro.conf.arg(help="Whose drawings to read.")] = "tra26,tra27,tra28,tra29,tra30"


@dataclass(frozen=True, eq=False)
class Figures:
    """What was measured of a model."""

    parameters: int
    validation: Evaluation
    test: Evaluation
    reports: dict[PlacementMode, StressReport]

    def cells(self) -> list[str]:
        """Give the model's row of the first table."""
        like_mnist, as_drawn = self.reports["like-mnist"], self.reports["as-drawn"]
        plain = next(iter(like_mnist.evaluations.values()))
        worst = like_mnist.evaluations[like_mnist.worst].accuracy
        drawn = next(iter(as_drawn.evaluations.values())).accuracy
        shares = (self.validation.accuracy, self.test.accuracy, plain.accuracy, like_mnist.mean, worst, drawn)
        return [
            f"{self.parameters:,}",
            *(f"{share:.4f}" for share in shares),
            f"{self.test.ece:.4f}",
            f"{plain.ece:.4f}",
        ]


def main(words: Sequence[str] | None = None) -> None:
    """Measure all shipped models and print the tables."""
    options = tyro.cli(Options, args=words, description=__doc__)
    drawings = drawings_by(read_drawings(options.strokes).drawings, options.writers)
    figures = {name: measure(name, drawings) for name in shipped_models()}
    print("\n".join([*overview(figures), "", *by_condition(figures)]))


def measure(name: str, drawings: Sequence[Drawing]) -> Figures:
    """Measure a model on MNIST, and on drawings as they are and under stress."""
    model, info = load_checkpoint(find_model(name))
    validation, test = (
        evaluate(model, batches_of_set(load_mnist(part), model.config), info.temperature) for part in ("val", "test")
    )
    reports = {
        mode: StressReport(mode, dict(stress(model, drawings, mode, info.temperature, []))) for mode in MODE_NAMES
    }
    return Figures(count_parameters(model), validation, test, reports)


def overview(figures: dict[str, Figures]) -> list[str]:
    """Give a row a model."""
    head = ("model", "parameters", *SHARES, *ERRORS)
    return [
        _row(head),
        _row(["---"] * len(head)),
        *(_row([f"`{name}`", *each.cells()]) for name, each in figures.items()),
    ]


def by_condition(figures: dict[str, Figures]) -> list[str]:
    """Give a row a condition, in percent: first like MNIST, then as drawn."""
    columns = [
        (f"`{name}`, {MODE_NAMES[mode]}", each.reports[mode]) for mode in MODE_NAMES for name, each in figures.items()
    ]
    lines = [_row(["", *(name for name, _ in columns)]), _row(["---"] * (len(columns) + 1))]
    for condition in columns[0][1].evaluations:
        lines.append(
            _row([condition, *(f"{100 * report.evaluations[condition].accuracy:.1f}" for _, report in columns)])
        )
    return [*lines, _row(["mean", *(f"{100 * report.mean:.1f}" for _, report in columns)])]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
