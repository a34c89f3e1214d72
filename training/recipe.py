"""Recipes: training configs as TOML files."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from training.atomic import atomic_write
from training.config import TrainConfig, config_from_dict
from training.errors import UserError
from training.models import find_model, named_model


def read_recipe(path: Path) -> TrainConfig:
    """Read a recipe; `start_from` and `teacher`, where they are files, are taken relative to the recipe.

    Raises:
        UserError: the file can't be read, is no TOML, or holds a setting that isn't one.
    """
    try:
        values = tomlkit.parse(path.read_text(encoding="utf-8-sig")).unwrap()
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError("The recipe {path} can't be read ({reason}).", path=path, reason=reason) from error
    try:
        config = config_from_dict(TrainConfig, values)
    except UserError as error:
        raise UserError("The recipe {path} can't be used: {reason}", path=path, reason=error.message) from error
    return dataclasses.replace(
        config,
        start_from=_found(config.start_from, path.parent),
        teacher=_found(config.teacher, path.parent),
    )


def _found(model: str | None, folder: Path) -> str | None:
    """Take a model's name as it is, and a file relative to `folder`."""
    if model is None or named_model(model) is not None:
        return model
    return str(find_model(str(folder / model)))


def write_recipe(path: Path, config: TrainConfig) -> None:
    """Write a config as a recipe; what isn't given (None) is left out.

    Raises:
        UserError: the file can't be written.
    """
    values = {name: value for name, value in dataclasses.asdict(config).items() if value is not None}
    with atomic_write(path) as temporary:
        temporary.write_text(tomlkit.dumps(values), encoding="utf-8")
