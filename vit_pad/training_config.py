"""The settings of the last training, kept as a recipe."""

from __future__ import annotations

from training.config import TrainConfig
from training.errors import UserError
from training.paths import config_folder

_FILE_NAME = "training.toml"


def last_training_config() -> TrainConfig:
    """Read the settings; where there are none, or they make no sense, give the defaults."""
    from training.recipe import read_recipe

    try:
        return read_recipe(config_folder() / _FILE_NAME)
    except UserError:
        return TrainConfig()


def remember_training_config(config: TrainConfig) -> None:
    """Write the settings.

    Raises:
        UserError: they can't be written.
    """
    from training.recipe import write_recipe

    write_recipe(config_folder() / _FILE_NAME, config)
