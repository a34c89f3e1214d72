"""What crosses from the library to whoever asks: frozen facts, numpy only, no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from training.edits import NO_EDITS, Edits

if TYPE_CHECKING:
    from training.errors import Message
    from training.pictures import Picture
    from training.strokes import Stroke

FloatArray = npt.NDArray[np.float32]
PlacementMode = Literal["like-mnist", "as-drawn"]
# What a prediction has only when it is asked for, as each takes time: fields of `Prediction`.
Extra = Literal["relevance", "patch_lens", "residual_norms", "blanked", "unedited"]


class Box(NamedTuple):
    """A rectangle; (x, y) is its upper left corner, y grows downward."""

    x: float
    y: float
    width: float
    height: float


class Placement(NamedTuple):
    """Where the pad lies in the image: image pixel = scale * pad unit + shift (pixel i spans i .. i + 1)."""

    scale: float
    shift_x: float
    shift_y: float

    def to_image(self, x: float, y: float) -> tuple[float, float]:
        """Give the image position, in pixels, of a pad position."""
        return self.scale * x + self.shift_x, self.scale * y + self.shift_y

    def to_pad(self, x: float, y: float) -> tuple[float, float]:
        """Give the pad position, in pad units, of an image position."""
        return (x - self.shift_x) / self.scale, (y - self.shift_y) / self.scale


@dataclass(frozen=True, kw_only=True)
class PredictionRequest:
    """What is on the pad, to be read, how the model is changed for it, and what is to be told beside the answer.

    Strokes in pad units. What a model can't take of `edits`, or doesn't have of what is `wanted`, is left out.
    """

    revision: int
    strokes: tuple[Stroke, ...]
    picture: Picture | None = None
    placement_mode: PlacementMode = "like-mnist"
    edits: Edits = NO_EDITS
    wanted: frozenset[Extra] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """What a model says of one drawing, and what it looked at. Arrays are read-only.

    Shapes: C classes, H heads, T tokens, S image_size. What is None was not asked for, or isn't there in this model.
    """

    revision: int  # the change of the canvas that this answer contains
    class_names: tuple[str, ...]
    probabilities: FloatArray  # (C,)
    top: str | None  # the likeliest class
    unsure: bool
    reason: Message | None  # why it is unsure, None where it isn't
    reject_score: float | None  # how strange it is by the model's own rule, None where the model has none
    box: Box  # the ink's box, in pad units
    attention: FloatArray  # (depth, H, T, T), rows sum to 1
    lens: FloatArray  # (depth + 1, C), probabilities read off the class token before block 1 and after each block
    image: FloatArray  # (in_channels, S, S), 0 paper .. 1 pen
    placement: Placement
    grid: int  # patches along one side of the image
    model: str
    device: str
    elapsed_ms: float
    relevance: FloatArray | None = None  # (C, grid, grid), at least 0: which patches speak for each class
    patch_lens: FloatArray | None = None  # (depth + 1, grid, grid, C), probabilities read off each patch
    residual_norms: FloatArray | None = None  # (depth + 1, T), lengths of the tokens
    blanked: FloatArray | None = None  # (grid, grid, C), probabilities with that patch blanked
    unedited: Prediction | None = None  # what the model says without the edits, where there were some


@dataclass(frozen=True, kw_only=True, eq=False)
class WeightPictures:
    """What can be seen of a model's weights. Arrays are read-only; None where a model has no such weights.

    Shapes: N patches, D embed_dim, P patch_size.
    """

    position_similarity: FloatArray | None = None  # (N, N), the cosine of two positions, -1 to 1
    filters: FloatArray | None = None  # (D, in_channels, P, P), the kernels of the patch embedding
