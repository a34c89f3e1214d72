"""Where the shipped files and a person's own files lie."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from training.errors import UserError

APP_NAME = "vit-pad"
_PACKAGE = Path(__file__).resolve().parent


def asset(name: str) -> Path:
    """Find a shipped file or folder, such as `checkpoints/pad-4.safetensors`.

    A wheel carries the assets inside this package, a checkout beside it.
    """
    installed = _PACKAGE / "assets"
    return (installed if installed.is_dir() else _PACKAGE.parent / "assets") / name


def models_folder() -> Path:
    """Give the folder of the models a person trained, made if it isn't there."""
    return _made(platformdirs.user_data_path(APP_NAME, appauthor=False) / "models")


def cache_folder() -> Path:
    """Give the folder for what can be had again, such as the extracted MNIST files."""
    return _made(platformdirs.user_cache_path(APP_NAME, appauthor=False))


def config_folder() -> Path:
    """Give the folder of what the person chose."""
    return _made(platformdirs.user_config_path(APP_NAME, appauthor=False))


def state_folder() -> Path:
    """Give the folder of what is remembered between two starts: the last drawing and the log."""
    return _made(platformdirs.user_state_path(APP_NAME, appauthor=False))


def is_endless(path: Path) -> bool:
    """Tell whether a path is a pipe or a device, which may never end; what isn't there and a folder are not."""
    return path.exists() and not (path.is_file() or path.is_dir())


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            "The folder {folder} can't be made ({reason}). Make it writable, or set HOME to a folder that is.",
            folder=folder,
            reason=error.strerror or str(error),
        ) from error
    return folder
