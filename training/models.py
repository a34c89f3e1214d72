"""Which models there are, and what a checkpoint says of itself, without loading torch."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from training.config import NetworkConfig, network_config_from_dict
from training.errors import UserError, first_line
from training.paths import asset, is_endless, models_folder
from training.reject import RejectRule

SUFFIX = ".safetensors"
STATE_SUFFIX = ".state.safetensors"
DEFAULT_MODEL = "pad-4"
FORMAT_VERSION = 1
NORMALISATION = {"mean": 0.0, "std": 1.0}  # images go in as they are, 0 paper to 1 pen
KIND = "model"


@dataclass(frozen=True, kw_only=True)
class ModelInfo:
    """What a checkpoint says of itself."""

    model: NetworkConfig
    temperature: float  # divides the logits before the softmax
    reject: RejectRule | None = None  # None: no answer is ever unsure
    training: Mapping[str, Any]  # the training config, plain values
    seen: tuple[str, ...]  # the sets that the weights have been trained on
    metrics: Mapping[str, float]


def shipped_models() -> tuple[str, ...]:
    """List the names of the shipped models, the default first."""
    names = _names_in(asset("checkpoints"))
    return tuple(sorted(names, key=lambda name: (name != DEFAULT_MODEL, name)))


def user_models() -> tuple[str, ...]:
    """List the names of the models that this person trained."""
    return _names_in(models_folder())


def unfinished_runs() -> tuple[Path, ...]:
    """List the states of this person's runs that were stopped, or are going on."""
    return tuple(sorted(models_folder().glob(f"*{STATE_SUFFIX}")))


def state_path(checkpoint: Path) -> Path:
    """Give the place of the state of the run that makes this checkpoint: beside it."""
    return checkpoint.with_name(checkpoint.name.removesuffix(SUFFIX) + STATE_SUFFIX)


def find_model(name: str) -> Path:
    """Give the file of a model: a shipped name, the name of one of the person's own, or a path.

    Raises:
        UserError: there is no such model.
    """
    named = named_model(name)
    if named is not None:
        return named
    with contextlib.suppress(OSError, RuntimeError):  # a name too long for a file; ~ of someone who isn't there
        path = Path(name).expanduser()
        if path.is_file():
            return path
    known = ", ".join((*shipped_models(), *user_models()))
    if not known:
        raise UserError("There is no model {name!r}; give a checkpoint file.", name=name)
    raise UserError("There is no model {name!r}; give a checkpoint file or one of {known}.", name=name, known=known)


def named_model(name: str) -> Path | None:
    """Give the file of a model known by this name, None where there is none.

    The earlier stages of shipped models have names, too: recipes start from them, and no chooser lists them.
    """
    for folder in _folders():
        if name in _names_in(folder):
            return folder / f"{name}{SUFFIX}"
    return None


def new_model_path(name: str) -> Path:
    """Give a path in the person's models folder that no model and no run has yet: NAME, NAME-2, NAME-3 and so on."""
    number = 2
    candidate = name
    while _is_taken(candidate):
        candidate = f"{name}-{number}"
        number += 1
    return models_folder() / f"{candidate}{SUFFIX}"


def _is_taken(name: str) -> bool:
    path = models_folder() / f"{name}{SUFFIX}"
    return named_model(name) is not None or state_path(path).exists()


def read_info(path: Path) -> ModelInfo:
    """Read what a checkpoint says of itself; the weights stay on the disk.

    Raises:
        UserError: the file is missing, is no checkpoint, is damaged, or was written by a newer version.
    """
    if is_endless(path):
        raise _foreign(path)
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
    except (SafetensorError, OSError, ValueError) as error:
        raise UserError(
            "{path} can't be read as a checkpoint ({reason}). Choose a .safetensors file that ViT Pad has written.",
            path=path,
            reason=first_line(error),
        ) from error
    return _parse(metadata, path)


def is_own_checkpoint(path: Path, kind: str | None = None) -> bool:
    """Tell whether ViT Pad wrote a file: a model, or the state of a run, of whatever version; with `kind`, only one."""
    if is_endless(path):
        return False
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
    except (SafetensorError, OSError, ValueError):
        return False
    return {"format_version", "kind"} <= metadata.keys() and (kind is None or metadata["kind"] == json.dumps(kind))


def _parse(metadata: Mapping[str, str], path: Path) -> ModelInfo:
    try:
        facts = {key: json.loads(value) for key, value in metadata.items()}
        version = facts["format_version"]
        if type(version) is not int or version < 1:
            raise _foreign(path)
        if version > FORMAT_VERSION:  # asked before all else: what a newer file holds isn't known
            raise UserError(
                "{path} was written by a newer ViT Pad (format {version}). Update ViT Pad to read it.",
                path=path,
                version=version,
            )
        kind, model, temperature = facts["kind"], dict(facts["model"]), float(_number(facts["temperature"]))
        normalisation = facts["normalisation"]
        training, seen = dict(facts["training"]), _texts(facts["seen"])
        metrics = {name: _number(value) for name, value in dict(facts["metrics"]).items()}
        rule = facts.get("reject")  # older files have none
        reject = None if rule is None else RejectRule(method=rule["method"], threshold=_number(rule["threshold"]))
    except (KeyError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise _foreign(path) from error
    if kind != KIND or normalisation != NORMALISATION or not 1e-3 <= temperature <= 1e3:
        raise _foreign(path)
    try:
        config = network_config_from_dict(model)
    except UserError as error:
        raise UserError(
            "{path} describes a model that can't be built: {reason}", path=path, reason=error.message
        ) from error
    return ModelInfo(
        model=config, temperature=temperature, reject=reject, training=training, seen=seen, metrics=metrics
    )


def _number(value: object) -> float:
    """Give a number as it is; a text that reads like one, and true, are none.

    Raises:
        ValueError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"no number: {value!r}")
    return value


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise ValueError(f"no texts: {values!r}")
    return tuple(values)


def _foreign(path: Path) -> UserError:
    return UserError(
        "{path} is no checkpoint of ViT Pad. Choose a .safetensors file that ViT Pad has written.", path=path
    )


def _folders() -> Iterator[Path]:
    """Give the folders with models, one after the other: shipped ones need none of the person's."""
    yield asset("checkpoints")
    yield asset("stages")
    yield models_folder()


def _names_in(folder: Path) -> tuple[str, ...]:
    files = folder.glob(f"*{SUFFIX}") if folder.is_dir() else ()
    return tuple(sorted(file.name.removesuffix(SUFFIX) for file in files if not file.name.endswith(STATE_SUFFIX)))
