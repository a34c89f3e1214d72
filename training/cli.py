"""The command line: train, evaluate, predict, info."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO, TypeVar

import tyro

from training import __version__, load_torch
from training.config import TrainConfig
from training.errors import Message, UserError
from training.facts import PlacementMode, Prediction
from training.models import DEFAULT_MODEL
from training.strokes import Drawing

PROGRAM = "vit-pad"
OptionsT = TypeVar("OptionsT")
ModelOption = Annotated[str, tyro.conf.arg(help="A shipped model, one of your own, or a checkpoint file.")]
DeviceOption = Annotated[str, tyro.conf.arg(help="auto, cpu, cuda, cuda:N or mps.")]
JsonOption = Annotated[bool, tyro.conf.arg(help="Print one line of JSON an object.")]
AsDrawnOption = Annotated[
    bool, tyro.conf.arg(help="Keep place and size on the pad, instead of fitting ink as MNIST has it.")
]


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """Train a model on MNIST. The best epoch by validation is kept."""

    recipe: Annotated[Path | None, tyro.conf.arg(help="TOML file with settings; options given here win.")] = None
    out: Annotated[Path | None, tyro.conf.arg(help="Checkpoint to write; without it, a new one among your models.")] = (
        None
    )
    resume: Annotated[
        Path | None,
        tyro.conf.arg(help="State of a stopped run, NAME.state.safetensors, to go on from as it was begun."),
    ] = None
    config: Annotated[TrainConfig, tyro.conf.arg(name="")] = field(default_factory=TrainConfig)

    def __post_init__(self) -> None:
        if self.resume is not None and (self.recipe is not None or self.config != TrainConfig()):
            raise UserError(
                "A run goes on with the settings it was begun with: give --resume FILE without any setting."
            )


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions:
    """Count a model's right answers on MNIST, on drawings or on pictures."""

    mnist: Annotated[Literal["test", "val"] | None, tyro.conf.arg(help="Part of MNIST.")] = None
    strokes: Annotated[Path | None, tyro.conf.arg(help="Drawing file with labels.")] = None
    images: Annotated[Path | None, tyro.conf.arg(help="Folder of pictures, one folder a class.")] = None
    writers: Annotated[str | None, tyro.conf.arg(help="Only drawings by these writers, as in tra26,tra27.")] = None
    model: ModelOption = DEFAULT_MODEL
    device: DeviceOption = "auto"
    as_drawn: AsDrawnOption = False
    stress: Annotated[
        bool,
        tyro.conf.arg(help="Also small, turned, slanted, shaky, thick, thin, broken: one at a time, both placements."),
    ] = False
    sheet: Annotated[Path | None, tyro.conf.arg(help="PNG file for pictures of what was read wrongly.")] = None
    json: JsonOption = False

    def __post_init__(self) -> None:
        given = [source for source in (self.mnist, self.strokes, self.images) if source is not None]
        if len(given) != 1:
            raise UserError("Say what to evaluate on: --mnist test, --strokes FILE or --images DIR, one of them.")
        if self.writers is not None and self.strokes is None:
            raise UserError("Only drawings have writers: give --writers together with --strokes.")
        if self.stress and self.strokes is None:
            raise UserError("Only drawings can be put under stress: give --stress together with --strokes.")
        if self.stress and self.as_drawn:
            raise UserError("--stress measures both ways of making the image: leave --as-drawn out.")


@dataclass(frozen=True, kw_only=True)
class PredictOptions:
    """Read pictures and drawing files."""

    files: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="FILE ...")]
    model: ModelOption = DEFAULT_MODEL
    device: DeviceOption = "auto"
    as_drawn: AsDrawnOption = False
    split: Annotated[bool, tyro.conf.arg(help="Read each digit of a drawn number for itself; a picture stays one.")] = (
        False
    )
    json: JsonOption = False

    def __post_init__(self) -> None:
        if self.split and self.as_drawn:
            raise UserError("Digits are told apart like MNIST only: give --split or --as-drawn.")
        if not self.files:
            raise UserError("Name at least one picture or drawing file to read.")


@dataclass(frozen=True, kw_only=True)
class InfoOptions:
    """Tell a model's config, parameters, shapes at every stage and figures."""

    model: Annotated[str, tyro.conf.arg(help="As elsewhere, or a preset: pad-8, pad-4, vit-tiny.")] = DEFAULT_MODEL
    json: JsonOption = False


def main(words: Sequence[str]) -> int:
    """Run a command and give its exit status: 0 done, 1 the work failed, 2 words that make no sense."""
    if sys.stdout is None:
        _complain("There is no standard output to print to. Send it to a file where it isn't wanted.")
        return 1
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a file's name may be no text
    try:
        status = _status_of(words)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has seen enough
        _drop(sys.stdout)
        return 1
    except OSError as error:
        _drop(sys.stdout)
        _complain(Message("The output can't be written ({reason}).", reason=error.strerror or error))
        return 1
    return status


def _status_of(words: Sequence[str]) -> int:
    commands: dict[str, Callable[[list[str]], None]] = {
        "train": _train,
        "evaluate": _evaluate,
        "predict": _predict,
        "info": _info,
    }
    name, *rest = words or ["--help"]
    if name == "--version":
        print(f"{PROGRAM} {__version__}")
        return 0
    if name not in commands:
        usage = f"usage: {PROGRAM} {{{','.join(commands)}}} ... (each has a --help); --version"
        if name in ("-h", "--help"):
            print(usage)
            return 0
        _print_error(usage)
        return 2
    try:
        load_torch()
        commands[name](list(rest))
    except UserError as error:
        _complain(error)
        return 1
    except KeyboardInterrupt as stop:
        _complain(str(stop) or "Stopped.")
        return 130
    except SystemExit as stop:  # how tyro says that it has printed help, or can't read the words
        return stop.code if isinstance(stop.code, int) else 2
    except OSError as error:
        if error.filename is None:  # it is the output that failed
            raise
        _complain(Message("{path} can't be used ({reason}).", path=error.filename, reason=error.strerror or error))
        return 1
    return 0


def _train(words: list[str]) -> None:
    options = _parse(TrainOptions, "train", words)
    if options.recipe is not None:
        from training.recipe import read_recipe

        defaults = dataclasses.replace(options, config=read_recipe(options.recipe))
        options = _parse(TrainOptions, "train", words, defaults)
    from training.terminal import resume_on_terminal, train_on_terminal

    if options.resume is not None:
        resume_on_terminal(options.resume, options.out)
    else:
        train_on_terminal(options.config, options.out)


def _evaluate(words: list[str]) -> None:
    options = _parse(EvaluateOptions, "evaluate", words)
    from training.checkpoint import load_checkpoint
    from training.devices import resolve_device
    from training.models import find_model
    from training.sheet import check_sheet_place, write_sheet

    if options.sheet is not None:
        check_sheet_place(options.sheet, options.images)
    device = resolve_device(options.device)
    model, info = load_checkpoint(find_model(options.model), device)
    origin = {"model": options.model, "device": str(device)}
    problems: list[str] = []
    try:
        failures = (_stress if options.stress else _count)(options, model, info.temperature, origin, problems)
    finally:  # what couldn't be read is said, also where nothing is left to evaluate
        for problem in problems:
            _complain(problem)
    if options.sheet is not None:
        write_sheet(options.sheet, failures)


def _count(
    options: EvaluateOptions, model: Any, temperature: float, origin: Mapping[str, str], problems: list[str]
) -> Sequence[Any]:
    """Evaluate once, print what came out, and give what was read wrongly."""
    from training.evaluate import evaluate
    from training.sheet import FailureSample

    batches, total, source = _batches(options, model.config, problems)
    sample = FailureSample(source)
    result = evaluate(model, _tracked(batches, total, "Evaluating"), temperature, sample)
    if options.json:
        print_json({**result.facts(), **origin, "ece": result.ece})
        return sample.chosen
    print(
        f"{origin['model']} on {origin['device']}: {result.correct} of {result.count} right, {result.accuracy:.2%}; "
        f"calibration error (ECE) {result.ece:.2%}"
    )
    for name, accuracy in zip(model.config.class_names, result.per_class, strict=True):
        print(f"  {name}: " + ("none" if accuracy is None else f"{accuracy:.2%}"))
    return sample.chosen


def _stress(
    options: EvaluateOptions, model: Any, temperature: float, origin: Mapping[str, str], problems: list[str]
) -> Sequence[Any]:
    """Evaluate under each condition, in both placements; otherwise as `_count`, with some of what was read wrongly."""
    from rich.console import Console

    from training.benchmark import MODE_NAMES, StressReport, stress
    from training.sheet import Failure
    from training.stress import CONDITIONS

    drawings = _drawings(options, problems)
    failures: list[Failure] = []
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    for mode, name in MODE_NAMES.items():
        results = stress(model, drawings, mode, temperature, failures)
        report = StressReport(mode, dict(_tracked(results, len(CONDITIONS), name)))
        if options.json:
            for facts in report.facts():
                print_json({**facts, **origin})
        else:
            console.print(report.table())
            console.print(*report.summary(), sep="\n", end="\n\n", soft_wrap=True, markup=False)
    return failures


def _batches(options: EvaluateOptions, config: Any, problems: list[str]) -> tuple[Iterable[Any], int | None, str]:
    """Give the batches asked for, how many there are where that is known, and what they are."""
    from training import evaluate
    from training.benchmark import MODE_NAMES
    from training.data import load_mnist

    mode: PlacementMode = "as-drawn" if options.as_drawn else "like-mnist"
    if options.mnist is not None:
        images = load_mnist(options.mnist)
        return evaluate.batches_of_set(images, config), -(-len(images) // evaluate.BATCH), f"MNIST {options.mnist}"
    if options.images is not None:
        _check_folder(options.images)
        return evaluate.batches_of_folder(options.images, config, mode, problems), None, MODE_NAMES[mode]
    drawings = _drawings(options, problems)
    total = -(-len(drawings) // evaluate.BATCH)
    return evaluate.batches_of_drawings(drawings, config, mode), total, MODE_NAMES[mode]


def _drawings(options: EvaluateOptions, problems: list[str]) -> Sequence[Drawing]:
    """Read the drawings asked for; what is wrong with a line is noted in `problems`."""
    from training.strokes import drawings_by, read_drawings

    assert options.strokes is not None
    file = read_drawings(options.strokes)
    problems += [f"{options.strokes}, line {each.number}: {each.message}" for each in file.problems]
    if options.writers is None:
        return file.drawings
    chosen = drawings_by(file.drawings, options.writers)
    if not chosen:
        raise UserError("{path} has no drawing by {writers}.", path=options.strokes, writers=options.writers)
    return chosen


def _check_folder(folder: Path) -> None:
    """Refuse what can't be looked into.

    Raises:
        UserError: it isn't there, is no folder, or mustn't be read.
    """
    try:
        os.scandir(folder).close()
    except FileNotFoundError as error:
        raise UserError("{folder} isn't there. Check the name.", folder=folder) from error
    except OSError as error:
        raise UserError(
            "{folder} can't be read ({reason}). Choose a folder that holds pictures in one folder a class.",
            folder=folder,
            reason=error.strerror or error,
        ) from error


def _predict(words: list[str]) -> None:
    options = _parse(PredictOptions, "predict", words)
    from training.digits import digits_in
    from training.predict import load_predictor
    from training.source import read_source

    predictor = load_predictor(options.model, options.device)
    mode: PlacementMode = "as-drawn" if options.as_drawn else "like-mnist"
    failed = False
    for path in options.files:
        try:
            source = read_source(path)
        except UserError as error:
            _complain(error)
            failed = True
            continue
        for problem in source.problems:
            _complain(problem)
        for item in source.items:
            request = item.request(mode)
            if not options.split:
                _print_prediction(item.name, item.label, predictor.predict(request), options.json)
                continue
            digits = (predictor.predict(dataclasses.replace(request, strokes=each)) for each in digits_in(request))
            _print_number(item.name, item.label, [digit for digit in digits if digit is not None], options.json)
        sys.stdout.flush()  # what comes of a file is seen before what is said of the next one
    if failed:
        raise SystemExit(1)


def _print_prediction(source: str, label: str | None, prediction: Prediction | None, as_json: bool) -> None:
    if as_json:
        facts = {
            "source": source,
            "label": label,
            **_answer_facts(prediction),
        }
        print_json(facts)
    elif prediction is None:
        print(f"{source}: nothing drawn")
    else:
        print(f"{source}: {_in_words(prediction)}")


def _print_number(source: str, label: str | None, digits: Sequence[Prediction], as_json: bool) -> None:
    from training.digits import whole_answer

    whole = whole_answer([digit.top for digit in digits if digit.top is not None])
    if as_json:
        facts = {
            "source": source,
            "label": label,
            "top": whole or None,
            "unsure": any(digit.unsure for digit in digits),
            "digits": [{**_answer_facts(digit), "box": list(digit.box)} for digit in digits],
        }
        print_json(facts)
    elif not digits:
        print(f"{source}: nothing drawn")
    else:
        print(f"{source}: {whole}: {'; '.join(map(_in_words, digits))}")


def _answer_facts(prediction: Prediction | None) -> dict[str, Any]:
    return {
        "probabilities": [] if prediction is None else [round(float(p), 6) for p in prediction.probabilities],
        "top": None if prediction is None else prediction.top,
        "unsure": prediction is not None and prediction.unsure,
        "reason": None if prediction is None or prediction.reason is None else str(prediction.reason),
    }


def _in_words(prediction: Prediction) -> str:
    doubt = "" if prediction.reason is None else f". Not sure. {prediction.reason}"
    return f"{prediction.top} ({prediction.probabilities.max():.1%}){doubt}"


def _info(words: list[str]) -> None:
    options = _parse(InfoOptions, "info", words)
    from training.info import describe

    facts = describe(options.model)
    if options.json:
        print_json(facts)
        return
    for name, value in facts.items():
        if isinstance(value, dict):
            print(f"{name}:")
            for key, item in value.items():
                print(f"  {key}: {item}")
        else:
            print(f"{name}: {value}")


def print_json(facts: Mapping[str, Any]) -> None:
    """Print facts as one line of JSON."""
    print(json.dumps(_as_json(facts), allow_nan=False))


def _as_json(value: Any) -> Any:
    """Give plain values as JSON can have them: it knows no number that is none, which becomes null."""
    if isinstance(value, Mapping):
        return {name: _as_json(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _parse(kind: type[OptionsT], command: str, words: list[str], default: OptionsT | None = None) -> OptionsT:
    prog = f"{PROGRAM} {command}"
    try:
        if default is None:
            return tyro.cli(kind, prog=prog, args=words)
        return tyro.cli(kind, prog=prog, args=words, default=default)
    except UserError as error:  # a value that its type allows, and its meaning doesn't
        _complain(error)
        raise SystemExit(2) from error


def _tracked(batches: Iterable[Any], total: int | None, task: str) -> Iterable[Any]:
    """Show a progress bar on a terminal's standard error."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(batches, task, total=total, console=console, disable=not console.is_terminal)


def _drop(stream: TextIO) -> None:
    """Send what wasn't written yet nowhere: Python would try again, and complain, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _complain(sentence: object) -> None:
    _print_error(f"{PROGRAM}: {sentence}")


def _print_error(text: str) -> None:
    """Print to standard error, where there is one; the work goes on where nobody hears of it."""
    if sys.stderr is None:  # print would take the output instead
        return
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        _drop(sys.stderr)
