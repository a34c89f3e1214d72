"""A contact sheet of what a model read wrongly: each image enlarged, with the truth and the answer below it.

Shapes: B batch, S image_size.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from training.atomic import atomic_write, check_place
from training.errors import UserError
from training.facts import FloatArray
from training.metrics import Evaluation

SHEET_LIMIT = 120  # cells: what one looks through at one go
COLUMNS = 12
IMAGE_PX = 128
CELL_PX = (IMAGE_PX + 16, IMAGE_PX + 60)  # width, height
SEED = 0
_FONT_PX = 12
_LINE_PX = 15
_PNG_START = b"\x89PNG\r\n\x1a\n"
_PAPER, _TEXT = (40, 40, 44), (225, 225, 225)


class Failure(NamedTuple):
    """An image that was read wrongly, and how."""

    image: FloatArray  # (in_channels, S, S), 0 .. 1
    truth: str | None  # None where it is no class of the model
    answer: str
    probability: float
    condition: str  # what it was read under; may have several lines


class FailureSample:
    """Some of the images that are read wrongly under a condition, each with the same chance to be among them.

    Vitter, Random Sampling with a Reservoir, 1985, algorithm R.
    """

    def __init__(self, condition: str, limit: int = SHEET_LIMIT) -> None:
        self.chosen: list[Failure] = []
        self._condition = condition
        self._limit = limit
        self._num_seen = 0
        self._generator = np.random.default_rng((SEED, *condition.encode()))

    def add(self, images: FloatArray, evaluation: Evaluation) -> None:
        """Look at images (B, in_channels, S, S) and what was answered to them."""
        names = evaluation.class_names
        for place in np.flatnonzero(evaluation.answers != evaluation.truths):
            self._num_seen += 1
            slot = len(self.chosen) if self._num_seen <= self._limit else self._generator.integers(self._num_seen)
            if slot >= self._limit:
                continue
            truth = int(evaluation.truths[place])
            failure = Failure(
                images[place].copy(),  # not the whole batch
                None if truth < 0 else names[truth],
                names[evaluation.answers[place]],
                float(evaluation.confidences[place]),
                self._condition,
            )
            self.chosen[slot : slot + 1] = [failure]


def check_sheet_place(path: Path, pictures: Path | None = None) -> None:
    """Refuse a place for a sheet before the work; `pictures` is the folder of those that are read.

    Raises:
        UserError: as for `check_place`, or it lies in that folder, where it would be one of them or replace one.
    """
    check_place(path, _is_png, "a PNG picture")
    if pictures is not None and pictures.resolve() in path.resolve().parents:
        raise UserError(
            "{path} would lie among the pictures in {pictures}. Choose another folder.", path=path, pictures=pictures
        )


def write_sheet(path: Path, failures: Sequence[Failure]) -> None:
    """Write the sheet as a PNG file, whole or not at all.

    Raises:
        UserError: the file can't be written.
    """
    with atomic_write(path) as temporary:
        draw_sheet(failures).save(temporary, "PNG")


def _is_png(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_PNG_START)) == _PNG_START
    except OSError:
        return False


def draw_sheet(failures: Sequence[Failure]) -> Image.Image:
    """Draw one cell a failure, row by row; where there are none, one cell says so."""
    columns = max(1, min(COLUMNS, len(failures)))
    rows = max(1, -(-len(failures) // columns))
    width, height = CELL_PX
    sheet = Image.new("RGB", (columns * width, rows * height), _PAPER)
    draw = ImageDraw.Draw(sheet)
    for number, failure in enumerate(failures):
        row, column = divmod(number, columns)
        left, top = column * width + (width - IMAGE_PX) // 2, row * height + (width - IMAGE_PX) // 2
        sheet.paste(_enlarged(failure.image), (left, top))
        truth = "no class" if failure.truth is None else failure.truth
        caption = f"{truth} read as {failure.answer}, {failure.probability:.0%}\n{failure.condition}"
        _write(draw, caption, left, top + IMAGE_PX + 3)
    if not failures:
        _write(draw, "Nothing was read wrongly.", 4, 4)
    return sheet


def _enlarged(image: FloatArray) -> Image.Image:
    levels = np.rint(255 * np.clip(image, 0, 1)).astype(np.uint8)
    picture = Image.fromarray(levels.transpose(1, 2, 0) if len(levels) == 3 else levels[0])
    kind = Image.Resampling.NEAREST if picture.width <= IMAGE_PX else Image.Resampling.BOX
    return picture.resize((IMAGE_PX, IMAGE_PX), kind)


def _write(draw: ImageDraw.ImageDraw, text: str, left: int, top: int) -> None:
    """Write lines below each other, each cut off where the cell ends."""
    font = ImageFont.load_default(_FONT_PX)
    for number, line in enumerate(text.splitlines()):
        while draw.textlength(line, font) > IMAGE_PX:
            line = line.removesuffix("…")[:-1] + "…"
        draw.text((left, top + number * _LINE_PX), line, _TEXT, font)
