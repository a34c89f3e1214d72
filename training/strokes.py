"""Drawings as strokes, and the drawing file (JSON Lines, one drawing a line)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from training.facts import Box

PAD_SIZE = 400.0
DEFAULT_WIDTH = 22.0


@dataclass(frozen=True, eq=False)
class Stroke:
    """One line from pen down to pen up.

    `points` is float64 (n, 2 to 4), n >= 1, read-only: x, y[, t_ms[, pressure]]; y grows downward. `width` is the line's
    width in the same units.
    """

    points: npt.NDArray[np.float64]
    width: float = DEFAULT_WIDTH


@dataclass(frozen=True, kw_only=True, eq=False)
class Drawing:
    """Strokes in order, the canvas they were drawn on, and what is known of them."""

    strokes: tuple[Stroke, ...]
    canvas: Box = Box(0.0, 0.0, PAD_SIZE, PAD_SIZE)
    label: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)  # unknown keys of the drawing file, kept on rewrite
