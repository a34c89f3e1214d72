"""Heat maps as numbers: which patches the class token looks at, where they lie on the pad, and in what colour.

Shapes: G patches along one side of the image, H heads, T tokens.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from training.facts import Box, FloatArray, Placement, Prediction

if TYPE_CHECKING:  # numbers only: nothing here needs Qt
    from vit_pad.theme import Paper

MEAN_HEAD = -1
DEFAULT_STRENGTH = 0.7  # of the overlay, from 0 to 1
RgbaArray = npt.NDArray[np.uint8]

_SMALLEST_SCALE = 0.001
_ROUND_NUMBERS = (1, 1.5, 2, 3, 5, 7, 10)  # times a power of ten
_SHRINK_MARGIN = 0.8  # a map must fit into this part of a smaller scale before the scale comes down
_OVERLAY_STEPS = 1024  # opacity rises so fast near 0 that 256 steps would show
_MOST_OPAQUE = 0.95  # at full strength a little of the ink still shows through the hottest patch


def heat_map(prediction: Prediction, block: int, head: int) -> FloatArray | None:
    """Give what the class token looks at, patch by patch, in one head or (head -1) in the mean of all.

    Returns:
        (G, G), shares of the whole attention; None where the model has no such block or head, as a CNN.
    """
    rows = _class_token_rows(prediction, block)
    if rows is None or not MEAN_HEAD <= head < len(rows):
        return None
    row: FloatArray = rows.mean(axis=0) if head == MEAN_HEAD else rows[head]  # (G * G,)
    return row.reshape(prediction.grid, prediction.grid)


def block_maps(prediction: Prediction, block: int) -> FloatArray | None:
    """Give the heat maps of a whole block: the mean of its heads first, then each head.

    Returns:
        (1 + H, G, G); None where the model has no such block.
    """
    rows = _class_token_rows(prediction, block)
    if rows is None:
        return None
    maps = np.concatenate([rows.mean(axis=0, keepdims=True), rows])  # (1 + H, G * G)
    return maps.reshape(-1, prediction.grid, prediction.grid)  # (1 + H, G, G)


def _class_token_rows(prediction: Prediction, block: int) -> FloatArray | None:
    """Give what the class token looks at in every head of a block, (H, G * G); None where there is no such block."""
    attention = prediction.attention
    if not 0 <= block < len(attention) or attention.shape[1] == 0:
        return None
    # Row 0 is the class token's; column 0 is itself, and a distillation token may follow the patches.
    rows: FloatArray = attention[block, :, 0, 1 : 1 + prediction.grid**2]
    return rows


def image_box(image_size: int, placement: Placement) -> Box:
    """Give the square of the pad, in pad units, that the model's image shows. It may reach over the pad's edge."""
    left, top = placement.to_pad(0.0, 0.0)
    right, bottom = placement.to_pad(image_size, image_size)
    return Box(left, top, right - left, bottom - top)


def nice_scale(maximum: float, previous: float | None = None) -> float:
    """Choose the top of a heat scale that starts at 0: a round number, at most 1.

    Attention used as it is makes an even head (1/64 everywhere) invisible, and stretching each map from its lowest to
    its highest value makes an even head look dramatic. A scale from 0 to a round number above the highest value does
    neither: an even head shows as one even tone, and the number tells how much that is.

    `previous`, the scale shown last, is kept until the map no longer fits or has become clearly smaller, so that the
    colours don't flicker between two scales while one draws.
    """
    if previous is None or maximum > previous:
        return _round_up(maximum)
    return min(previous, _round_up(maximum / _SHRINK_MARGIN))


def _round_up(value: float) -> float:
    value = min(max(value, _SMALLEST_SCALE), 1.0)
    power = 10.0 ** math.floor(math.log10(value))
    step = next(step for step in _ROUND_NUMBERS if value <= step * power * (1 + 1e-6))
    return min(float(f"{step * power:.2g}"), 1.0)


def colorize(values: npt.NDArray[np.floating], low: float, high: float, *, reverse: bool = False) -> RgbaArray:
    """Colour values, opaque: `low` and less dark violet, `high` and more yellow; `reverse` swaps the two ends.

    Returns:
        uint8, the shape of `values` with RGBA as one more axis.
    """
    return _picked(COLOR_TABLE[::-1] if reverse else COLOR_TABLE, values, low, high)


def overlay_colors(values: FloatArray, scale: float, strength: float, paper: Paper) -> RgbaArray:
    """Colour values to be laid over ink: nothing covers it at 0, and most at `scale`. `strength` is 0 to 1.

    The hot end is the one that stands out from the paper: yellow on dark paper, violet on light. Opacity goes with the
    root of the value: the colours near 0 are already close to the paper, so in proportion they would be lost.

    Returns:
        uint8, the shape of `values` with RGBA (not premultiplied) as one more axis.
    """
    return _picked(_overlay_table(strength, paper), values, 0.0, scale)


@functools.lru_cache(maxsize=4)  # the overlay and its colour bar share one, and ask for it with every answer
def _overlay_table(strength: float, paper: Paper) -> RgbaArray:
    shares = np.linspace(0.0, 1.0, _OVERLAY_STEPS)
    colors = colorize(shares, 0.0, 1.0, reverse=paper == "light")  # (_OVERLAY_STEPS, 4)
    colors[:, 3] = np.rint(np.sqrt(shares) * (255 * _MOST_OPAQUE * strength))
    colors.setflags(write=False)
    return colors


def _picked(table: RgbaArray, values: npt.NDArray[np.floating], low: float, high: float) -> RgbaArray:
    """Look values up in a table that goes from `low` to `high`; what is no number counts as `low`."""
    last = len(table) - 1
    places = np.rint(np.fmin(np.fmax((values - low) * (last / (high - low)), 0), last))
    colors: RgbaArray = table[places.astype(np.intp)]
    return colors


def _color_table() -> RgbaArray:
    """Make the 256 colours of heat: equal steps look equal, also to the colour-blind and in a grey print.

    In CIELAB (white point D65) lightness rises in equal steps from 14 to 91, while (a, b) follows a Bezier curve from
    violet over blue and green to yellow; the four points keep every colour inside sRGB.
    """
    t = np.linspace(0.0, 1.0, 256)[:, None]
    lightness = 14 + 77 * t  # (256, 1)
    points = np.array([(32, -38), (-10, -50), (-70, 40), (-12, 82)])
    weights = np.hstack([(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3])  # (256, 4)
    a, b = np.split(weights @ points, 2, axis=1)  # (256, 1) each
    y = (lightness + 16) / 116
    f = np.hstack([y + a / 500, y, y - b / 200])  # (256, 3)
    delta = 6 / 29
    xyz = np.where(f > delta, f**3, 3 * delta**2 * (f - 4 / 29)) * (0.95047, 1.0, 1.08883)
    to_linear_rgb = np.array(
        [(3.24045, -1.53714, -0.49853), (-0.96927, 1.87601, 0.04156), (0.05564, -0.20403, 1.05723)]
    )
    linear = np.clip(xyz @ to_linear_rgb.T, 0.0, 1.0)
    rgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    table = np.full((256, 4), 255, np.uint8)
    table[:, :3] = np.rint(255 * rgb)
    table.setflags(write=False)
    return table


COLOR_TABLE = _color_table()
