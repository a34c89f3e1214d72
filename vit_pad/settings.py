"""What a person chose, remembered from one start to the next in one small file."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QByteArray, QSettings

from training.errors import UserError
from training.facts import PlacementMode
from training.head_measures import HeadMeasures
from training.models import DEFAULT_MODEL
from training.strokes import DEFAULT_WIDTH
from vit_pad.command_line import is_device
from vit_pad.heat import DEFAULT_STRENGTH, PALETTES, HeatStyle, Palette
from vit_pad.look import MEAN_HEAD
from vit_pad.theme import Paper, ThemeChoice
from vit_pad.workspaces import DRAW, layouts_from_text
from vit_pad.workspaces import NAMES as WORKSPACES

FILE_NAME = "window.ini"
TEXT_SIZES = (90, 100, 115, 130, 150)  # per cent of the system's
THINNEST_PEN, THICKEST_PEN = 4, 60  # pad units


def _one_of(*allowed: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        if text not in allowed:
            raise ValueError(text)
        return text

    return check


def _within(kind: Callable[[str], Any], low: float, high: float) -> Callable[[str], Any]:
    def check(text: str) -> Any:
        value = kind(text)
        if not low <= value <= high:  # NaN is not within anything
            raise ValueError(text)
        return value

    return check


def _device(text: str) -> str:
    if not is_device(text):
        raise ValueError(text)
    return text


def _some_text(text: str) -> str:
    if not text:
        raise ValueError(text)
    return text


def _text_size(text: str) -> int:
    if int(text) not in TEXT_SIZES:
        raise ValueError(text)
    return int(text)


def _truth(text: str) -> bool:
    return _one_of("True", "False")(text) == "True"


def _layouts(text: str) -> str:
    layouts_from_text(text)
    return text


class ModelChoice(NamedTuple):
    """A model, by name or path, on a device."""

    model: str
    device: str


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Every choice that the window remembers. Widths in pad units, strength from 0 to 1, blocks and heads from 0."""

    model: str = DEFAULT_MODEL
    device: str = "auto"
    placement: PlacementMode = "like-mnist"
    block: int = 5
    head: int = MEAN_HEAD
    strength: float = DEFAULT_STRENGTH
    pen_width: float = DEFAULT_WIDTH
    paper: Paper = "dark"
    theme: ThemeChoice = "system"
    text_size: int = 100  # per cent
    tells_doubt: bool = True  # says when an answer is unsure
    palette: Palette = "violet"
    is_smooth: bool = False  # heat maps flow from patch to patch
    has_common_scale: bool = False  # of all heads
    wall_order: str = "place"  # what the head wall is sorted by
    workspace: str = DRAW
    layouts: str = "{}"  # of the workspaces
    geometry: bytes = b""  # Qt's own record of the window's place and size

    @property
    def heat_style(self) -> HeatStyle:
        """How heat maps look."""
        return HeatStyle(palette=self.palette, is_smooth=self.is_smooth, has_common_scale=self.has_common_scale)

    @property
    def model_choice(self) -> ModelChoice:
        """The model and its device."""
        return ModelChoice(self.model, self.device)

    def with_model(self, choice: ModelChoice) -> Choices:
        """Give the same choices with another model."""
        return dataclasses.replace(self, model=choice.model, device=choice.device)


_READERS: dict[str, Callable[[str], Any]] = {
    "model": _some_text,
    "device": _device,
    "placement": _one_of("like-mnist", "as-drawn"),
    "block": _within(int, 0, 999),
    "head": _within(int, MEAN_HEAD, 999),
    "strength": _within(float, 0, 1),
    "pen_width": _within(float, THINNEST_PEN, THICKEST_PEN),
    "paper": _one_of("dark", "light"),
    "theme": _one_of("system", "light", "dark"),
    "text_size": _text_size,
    "tells_doubt": _truth,
    "palette": _one_of(*PALETTES),
    "is_smooth": _truth,
    "has_common_scale": _truth,
    "wall_order": _one_of("place", *HeadMeasures._fields),
    "workspace": _one_of(*WORKSPACES),
    "layouts": _layouts,
    "geometry": bytes.fromhex,
}


def choices_from_text(texts: Mapping[str, str]) -> Choices:
    """Read choices; one that is missing or makes no sense gets its default, and the others still count."""
    good: dict[str, Any] = {}
    for name, read in _READERS.items():
        with contextlib.suppress(KeyError, ValueError):
            good[name] = read(texts[name])
    return Choices(**good)


class Settings:
    """The file of choices in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._saved: Choices | None = None  # by this object

    def load(self) -> Choices:
        """Read the choices; a missing or broken file gives the defaults."""
        file = QSettings(str(self._path), QSettings.Format.IniFormat)
        values = {key: file.value(key) for key in file.allKeys()}
        # Qt reads "a, b" as a list: whoever wrote that by hand gets the default.
        return choices_from_text({key: value for key, value in values.items() if isinstance(value, str)})

    def save(self, choices: Choices) -> None:
        """Write the choices, unless the file has them from the last time.

        Raises:
            UserError: the file can't be written.
        """
        if choices == self._saved:
            return
        file = QSettings(str(self._path), QSettings.Format.IniFormat)
        for name, value in dataclasses.asdict(choices).items():
            file.setValue(name, value.hex() if isinstance(value, bytes) else str(value))
        file.sync()  # Qt writes a temporary file and renames it
        if file.status() != QSettings.Status.NoError:
            raise UserError(
                "Your choices can't be saved to {path}. Free some space, or make the folder writable.", path=self._path
            )
        self._saved = choices


def geometry_bytes(geometry: QByteArray) -> bytes:
    """Turn Qt's record of a window's place into plain bytes."""
    return bytes(geometry.data())
