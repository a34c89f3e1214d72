"""Heat maps on the screen: where they lie on the pad, on what scale, and in what colour."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from training.facts import Box, FloatArray, Placement

if TYPE_CHECKING:  # numbers only: nothing here needs Qt
    from vit_pad.theme import Paper

DEFAULT_STRENGTH = 0.7  # of the overlay, from 0 to 1
RgbaArray = npt.NDArray[np.uint8]
Palette = Literal["violet", "blue", "grey"]

PALETTES: tuple[Palette, ...] = ("violet", "blue", "grey")


@dataclass(frozen=True, kw_only=True)
class HeatStyle:
    """How heat maps look."""

    palette: Palette = "violet"
    is_smooth: bool = False  # flowing from patch to patch, instead of squares
    has_common_scale: bool = False  # one for all heads, instead of each map's own


_SMALLEST_SCALE = 0.001
_ROUND_NUMBERS = (1, 1.5, 2, 3, 5, 7, 10)  # times a power of ten
_SHRINK_MARGIN = 0.8  # a map must fit into this part of a smaller scale before the scale comes down
_OVERLAY_STEPS = 1024  # opacity rises so fast near 0 that 256 steps would show
_LESS, _MORE = (74, 134, 232, 255), (242, 145, 26, 255)  # told apart by the colour-blind, on ink and on paper
_MOST_OPAQUE = 0.95  # at full strength a little of the ink still shows through the hottest patch


def image_box(image_size: int, placement: Placement) -> Box:
    """Give the square of the pad, in pad units, that the model's image shows. It may reach over the pad's edge."""
    left, top = placement.to_pad(0.0, 0.0)
    right, bottom = placement.to_pad(image_size, image_size)
    return Box(left, top, right - left, bottom - top)


def patch_box(patch: int, grid: int, box: Box) -> Box | None:
    """Give the square of a patch, row by row from 0, in an image that lies in `box`; None where there is no such."""
    if not 0 <= patch < grid**2:
        return None
    row, column = divmod(patch, grid)
    width, height = box.width / grid, box.height / grid
    return Box(box.x + column * width, box.y + row * height, width, height)


def patch_at(x: float, y: float, grid: int, box: Box) -> int | None:
    """Give the patch at a place, of an image that lies in `box`; None outside it."""
    column, row = (x - box.x) / box.width * grid, (y - box.y) / box.height * grid
    return int(row) * grid + int(column) if 0 <= column < grid and 0 <= row < grid else None


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


def colorize(
    values: npt.NDArray[np.floating], low: float, high: float, *, reverse: bool = False, palette: Palette = "violet"
) -> RgbaArray:
    """Colour values, opaque: `low` and less dark, `high` and more light; `reverse` swaps the two ends.

    Returns:
        uint8, the shape of `values` with RGBA as one more axis.
    """
    table = COLOR_TABLES[palette]
    return _picked(table[::-1] if reverse else table, values, low, high)


def difference_colors(values: FloatArray, limit: float, strength: float) -> RgbaArray:
    """Colour differences to be laid over ink: blue below 0, orange above, nothing at 0, most at `limit` either way.

    Returns:
        uint8, the shape of `values` with RGBA (not premultiplied) as one more axis.
    """
    shares = np.clip(values / limit, -1.0, 1.0) if limit > 0 else np.zeros_like(values)
    colors = np.where(shares[..., None] < 0, _LESS, _MORE).astype(np.uint8)
    colors[..., 3] = np.rint(np.sqrt(np.abs(shares)) * (255 * _MOST_OPAQUE * strength))
    return colors


def overlay_colors(
    values: FloatArray, scale: float, strength: float, paper: Paper, palette: Palette = "violet"
) -> RgbaArray:
    """Colour values to be laid over ink: nothing covers it at 0, and most at `scale`. `strength` is 0 to 1.

    The hot end is the one that stands out from the paper: light on dark paper, dark on light. Opacity goes with the
    root of the value: the colours near 0 are already close to the paper, so in proportion they would be lost.

    Returns:
        uint8, the shape of `values` with RGBA (not premultiplied) as one more axis.
    """
    return _picked(_overlay_table(strength, paper, palette), values, 0.0, scale)


@functools.lru_cache(maxsize=4)  # the overlay and its colour bar share one, and ask for it with every answer
def _overlay_table(strength: float, paper: Paper, palette: Palette) -> RgbaArray:
    shares = np.linspace(0.0, 1.0, _OVERLAY_STEPS)
    colors = colorize(shares, 0.0, 1.0, reverse=paper == "light", palette=palette)  # (_OVERLAY_STEPS, 4)
    colors[:, 3] = np.rint(np.sqrt(shares) * (255 * _MOST_OPAQUE * strength))
    colors.setflags(write=False)
    return colors


def _picked(table: RgbaArray, values: npt.NDArray[np.floating], low: float, high: float) -> RgbaArray:
    """Look values up in a table that goes from `low` to `high`; what is no number counts as `low`."""
    last = len(table) - 1
    places = np.rint(np.fmin(np.fmax((values - low) * (last / (high - low)), 0), last))
    colors: RgbaArray = table[places.astype(np.intp)]
    return colors


# Where a colour map goes through CIELAB's plane (a, b) while it becomes lighter: the four points of a Bezier curve. All
# keep every colour inside sRGB, and are told apart by lightness alone, also by the colour-blind and in a grey print.
_PATHS: dict[Palette, tuple[tuple[int, int], ...]] = {
    "violet": ((32, -38), (-10, -50), (-70, 40), (-12, 82)),  # over blue and green to yellow
    "blue": ((8, -30), (2, -30), (-8, 10), (-10, 60)),  # over grey to yellow
    "grey": ((0, 0),) * 4,
}


def _color_table(path: tuple[tuple[int, int], ...]) -> RgbaArray:
    """Make the 256 colours of a map, (256, 4), in which equal steps look equal.

    In CIELAB (white point D65) lightness rises in equal steps from 14 to 91.
    """
    t = np.linspace(0.0, 1.0, 256)[:, None]
    lightness = 14 + 77 * t  # (256, 1)
    weights = np.hstack([(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3])  # (256, 4)
    a, b = np.split(weights @ np.array(path), 2, axis=1)  # (256, 1) each
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


COLOR_TABLES = {palette: _color_table(path) for palette, path in _PATHS.items()}
