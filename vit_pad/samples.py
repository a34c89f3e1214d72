"""A hundred images of MNIST's test set, ten of each digit, to put on the pad."""

from __future__ import annotations

import functools
import json
import random
from dataclasses import dataclass

from PySide6.QtGui import QImage

from training.paths import asset
from vit_pad.document import Content
from vit_pad.open_file import content_from_image

SIDE_PX = 28


@dataclass(frozen=True, eq=False)
class Sample:
    """One image. `number` is its place in the test set, from 0."""

    image: QImage
    number: int
    label: str

    def to_content(self) -> Content:
        """Give it as a picture on the pad, read as one that was opened."""
        return content_from_image(self.image)


@functools.lru_cache(maxsize=1)
def load_samples() -> tuple[Sample, ...]:
    """Cut the sheet in assets/samples into its images, row by row."""
    sheet = QImage(str(asset("samples/mnist.png")))
    facts = json.loads(asset("samples/mnist.json").read_text(encoding="utf-8"))
    per_row = sheet.width() // SIDE_PX
    return tuple(
        Sample(sheet.copy(place % per_row * SIDE_PX, place // per_row * SIDE_PX, SIDE_PX, SIDE_PX), number, label)
        for place, (number, label) in enumerate(zip(facts["numbers"], facts["labels"], strict=True))
    )


class SampleDeck:
    """Gives samples at random, never the same twice in a row."""

    def __init__(self) -> None:
        self._last: Sample | None = None

    def draw(self) -> Sample:
        """Give the next one."""
        self._last = random.choice([sample for sample in load_samples() if sample is not self._last])
        return self._last
