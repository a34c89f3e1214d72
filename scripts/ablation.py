"""Leave one ingredient of a recipe out after the other, and print what each gives, as a Markdown table.

python scripts/ablation.py --strokes pendigits-train.jsonl.gz --folder runs/ablation

Each variant is trained and measured, and its line added to the file of figures; those that have a line are left alone,
and a run that was stopped goes on. Without --strokes the table of what has been measured is printed.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import tyro

from training.benchmark import StressReport, stress
from training.checkpoint import load_checkpoint
from training.config import TrainConfig
from training.data import load_mnist
from training.evaluate import batches_of_set, evaluate
from training.models import state_path
from training.recipe import read_recipe
from training.strokes import Drawing, drawings_by, read_drawings
from training.terminal import resume_on_terminal, train_on_terminal

ROOT = Path(__file__).parents[1]
RECIPE = ROOT / "assets/recipes/ablation.toml"
FIGURES = ROOT / "docs/ablation.jsonl"
WHOLE = "whole recipe"
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    WHOLE: {},
    "no elastic, no RandAugment": {"augmentation": "affine+thickness+occlusion"},
    "no thickness, no occlusion": {"augmentation": "affine+randaugment+elastic"},
    "no label smoothing, dropout, weight decay": {"label_smoothing": 0.0, "dropout": 0.0, "weight_decay": 0.0},
    "no averaged weights": {"averaging": 0.0},
    "no teacher": {"teacher": None},
    "no made-up styles": {"styles": 0},
    "with a distillation token": {"distillation": True},
}
COLUMNS = {
    "MNIST test": "mnist",
    "kept-out writers": "writers",
    "under stress, mean": "stress",
    "worst condition": "worst",
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Options:
    """Train and measure each variant that has no figures yet, and print the table."""

    strokes: Annotated[Path | None, tyro.conf.arg(help="Drawing file with labels; none given trains nothing.")] = None
    writers: Annotated[str, tyro.conf.arg(help="Whose drawings to read.")] = "tra26,tra27,tra28,tra29,tra30"
    folder: Annotated[Path, tyro.conf.arg(help="Where the models go.")] = Path("runs/ablation")
    recipe: Annotated[Path, tyro.conf.arg(help="The whole recipe.")] = RECIPE
    figures: Annotated[Path, tyro.conf.arg(help="JSON Lines file of what was measured.")] = FIGURES
    only: Annotated[tuple[str, ...], tyro.conf.arg(help="Variants by name; none given means all.")] = ()

    def __post_init__(self) -> None:
        unknown = [name for name in self.only if name not in VARIANTS]
        if unknown:
            raise SystemExit(f"There is no variant {unknown[0]!r}; choose some of: {'; '.join(VARIANTS)}.")
        if self.only and self.strokes is None:
            raise SystemExit("To train and measure variants, name a drawing file by --strokes.")


def main(words: Sequence[str] | None = None) -> None:
    """Train and measure what is missing, and print the table."""
    options = tyro.cli(Options, args=words, description=__doc__)
    known = read_figures(options.figures)
    for name in options.only or VARIANTS:
        if options.strokes is not None and name not in known:
            model = trained(variant_of(read_recipe(options.recipe), name), options.folder, name)
            drawings = drawings_by(read_drawings(options.strokes).drawings, options.writers)
            add_figures(options.figures, {"variant": name, **measure(model, drawings)})
    print("\n".join(table(read_figures(options.figures))))


def variant_of(recipe: TrainConfig, name: str) -> TrainConfig:
    """Give the recipe without what a variant leaves out."""
    return dataclasses.replace(recipe, **VARIANTS[name])


def trained(config: TrainConfig, folder: Path, name: str) -> Path:
    """Train a variant, or go on with it, and give its model."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name.replace(',', '').replace(' ', '-')}.safetensors"
    state = state_path(path)
    if state.exists():
        resume_on_terminal(state, path)
    elif not path.exists():
        train_on_terminal(config, path)
    return path


def measure(path: Path, drawings: Sequence[Drawing]) -> dict[str, float]:
    """Give a model's accuracy on MNIST's test images, and on drawings as they are and under stress, like MNIST."""
    model, info = load_checkpoint(path)
    mnist = evaluate(model, batches_of_set(load_mnist("test"), model.config), info.temperature)
    report = StressReport("like-mnist", dict(stress(model, drawings, "like-mnist", info.temperature, [])))
    return {
        "mnist": mnist.accuracy,
        "writers": next(iter(report.evaluations.values())).accuracy,
        "stress": report.mean,
        "worst": report.evaluations[report.worst].accuracy,
    }


def read_figures(path: Path) -> dict[str, dict[str, float]]:
    """Read what was measured, by variant."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    rows = [json.loads(line) for line in lines]
    return {row.pop("variant"): row for row in rows}


def add_figures(path: Path, row: Mapping[str, Any]) -> None:
    """Add a line to what was measured."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def table(rows: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Give a row a variant: the whole recipe in percent, the others as what they have more or less than it."""
    lines = [f"| variant | {' | '.join(COLUMNS)} |", f"|{' --- |' * (1 + len(COLUMNS))}"]
    whole = rows.get(WHOLE)
    if whole is None:
        return lines
    for name in VARIANTS:
        if name in rows:
            sign, base = ("", dict.fromkeys(whole, 0.0)) if name == WHOLE else ("+", whole)
            cells = (f"{100 * (rows[name][key] - base[key]):{sign}.2f}" for key in COLUMNS.values())
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


if __name__ == "__main__":
    main()
