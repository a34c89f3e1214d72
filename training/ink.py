"""Drawing ink straight at the model's resolution: strokes as vectors, a picture by antialiased resampling.

Shapes: N points, P pieces (short straight parts of strokes), S image_size. Image positions are in pixels, and pixel i spans
i .. i + 1, so that the image's middle is S / 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from training.facts import Box, FloatArray, Placement, PlacementMode
from training.strokes import DEFAULT_WIDTH, PAD_SIZE, Stroke

if TYPE_CHECKING:
    from training.pictures import Picture

# MNIST's digits fill a box of 20 of their 28 pixels.
BOX_SHARE = 20 / 28
# Line width and width of a line's soft edge, as shares of the side. MNIST's first 5,000 training digits, resized from 28 to 32
# pixels, have a mean line width (2 * sum of ink / total variation) of 3.11 px and a mean edge width (total variation / sum of
# squared gradients) of 2.40 px; pendigits drawn with these two have 3.11 and 2.40.
LINE_SHARE = 2.9 / 32
EDGE_SHARE = 2.5 / 32
# The thinnest line drawn, half a pixel at 32: thinner ones would be paler than anything a model has seen.
_THINNEST_SHARE = 1 / 64
# Points nearer than this to the one before are dropped: one eighth of a pixel at 32.
_CELL_SHARE = 1 / 256
# Keeps round coordinates off the edges of those cells, where rounding errors would decide which points are dropped.
_CELL_OFFSET = 0.3183098861837907
# A drawing of more pieces than this is so dense that only where it passes counts, in cells of this share of the side.
_MAX_PIECES = 8_000
_DENSE_CELL_SHARE = 1 / 128
# Pixels worked on at a time, which bounds the memory that large images and dense drawings take.
_CHUNK = 1 << 21
# Coordinates are held to this: squares of them are still finite.
_FARTHEST = 1e15

Points = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class InkImage:
    """What the model gets, where the pad lies in it, and the ink's box in pad units. The array is read-only."""

    image: FloatArray  # (in_channels, S, S), 0 paper .. 1 pen
    placement: Placement
    box: Box


class _Lines(NamedTuple):
    """All points of all strokes, one after the other."""

    points: Points  # (N, 2)
    is_last: npt.NDArray[np.bool_]  # (N,), True where a stroke ends
    widths: Points  # (N,)


class _Bounds(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


def make_image(
    strokes: Sequence[Stroke],
    picture: Picture | None,
    mode: PlacementMode,
    image_size: int,
    in_channels: int,
) -> InkImage | None:
    """Draw what is on the pad as a model's input; None where nothing is drawn.

    With three channels and a picture, the picture keeps its colours: shorter side resized, centre cut out, strokes white on it.
    Everywhere else the grey ink is repeated in each channel.
    """
    strokes = _drawable(strokes)
    if picture is not None and in_channels == 3:
        return _color_image(strokes, picture, image_size)
    drawn = _draw(strokes, picture, mode, image_size)
    box = ink_box(strokes, picture)
    if drawn is None or box is None:
        return None
    grey, placement = drawn
    return InkImage(_read_only(np.repeat(grey[None], in_channels, axis=0)), placement, box)


def place(
    strokes: Sequence[Stroke], picture: Picture | None, mode: PlacementMode, image_size: int
) -> Placement | None:
    """Give the placement of the pad in the grey image; None where nothing is drawn."""
    drawn = _draw(_drawable(strokes), picture, mode, image_size)
    return None if drawn is None else drawn[1]


def ink_box(strokes: Sequence[Stroke], picture: Picture | None) -> Box | None:
    """Give the box round all ink, line widths included, in pad units; None where nothing is drawn."""
    parts = [
        _Bounds(*(each.points[:, :2].min(axis=0) - each.width / 2), *(each.points[:, :2].max(axis=0) + each.width / 2))
        for each in _drawable(strokes)
    ]
    if picture is not None and picture.ink_box is not None:
        parts.append(_picture_bounds(picture, picture.ink_box))
    if not parts:
        return None
    left, top, right, bottom = _union(parts)
    return Box(left, top, right - left, bottom - top)


def _drawable(strokes: Sequence[Stroke]) -> tuple[Stroke, ...]:
    """Leave out points that aren't finite and hold the rest to where arithmetic is safe; most strokes pass untouched."""
    safe = []
    for stroke in strokes:
        xy = stroke.points[:, :2]
        if len(xy) and np.abs(xy).max() <= _FARTHEST:  # False for NaN
            safe.append(stroke)
            continue
        finite = xy[np.isfinite(xy).all(axis=1)]
        if len(finite):
            safe.append(Stroke(np.clip(finite, -_FARTHEST, _FARTHEST), stroke.width))
    return tuple(safe)


def _read_only(image: FloatArray) -> FloatArray:
    image.flags.writeable = False
    return image


def _union(parts: Sequence[_Bounds]) -> _Bounds:
    return _Bounds(
        float(min(each.left for each in parts)),
        float(min(each.top for each in parts)),
        float(max(each.right for each in parts)),
        float(max(each.bottom for each in parts)),
    )


def _draw(
    strokes: Sequence[Stroke], picture: Picture | None, mode: PlacementMode, size: int
) -> tuple[FloatArray, Placement] | None:
    if picture is not None and picture.ink_box is None:
        picture = None
    if not strokes and picture is None:
        return None
    if mode == "like-mnist":
        return _draw_like_mnist(strokes, picture, size)
    placement = Placement(size / PAD_SIZE, 0.0, 0.0)
    grey = _render(_placed(strokes, placement), size)
    return _with_picture(grey, picture, placement), placement


def _placed(strokes: Sequence[Stroke], placement: Placement) -> _Lines:
    """Bring strokes, widths too, to pixels."""
    points, is_last, widths = _joined(strokes)
    return _Lines(points * placement.scale + placement[1:], is_last, widths * placement.scale)


def _draw_like_mnist(
    strokes: Sequence[Stroke], picture: Picture | None, size: int
) -> tuple[FloatArray, Placement]:
    line = LINE_SHARE * size
    points, is_last, widths = _joined(strokes)
    skeleton = _Bounds(*points.min(axis=0).tolist(), *points.max(axis=0).tolist()) if strokes else None
    raster = None if picture is None or picture.ink_box is None else _picture_bounds(picture, picture.ink_box)
    scale = _fitting_scale(skeleton, raster, line, BOX_SHARE * size)
    if scale is None:  # a dot, whose width on the pad gives the scale
        scale = line / (strokes[0].width if strokes[0].width > 0 else DEFAULT_WIDTH)
    parts = [] if skeleton is None else [_grown(skeleton, line / 2 / scale)]
    left, top, right, bottom = _union(parts if raster is None else [*parts, raster])
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    # Points relative to the box's middle: far from the pad's corner `scale * x + shift` would lose its digits.
    lines = _Lines((points - (middle_x, middle_y)) * scale, is_last, np.full(len(widths), line))
    lines = _thinned(lines, size * _CELL_SHARE)

    def draw_at(x: float, y: float) -> tuple[FloatArray, Placement]:
        placement = Placement(scale, x - scale * middle_x, y - scale * middle_y)
        grey = _render(lines._replace(points=lines.points + (x, y)), size)
        return _with_picture(grey, picture, placement), placement

    first, _ = draw_at(size / 2, size / 2)
    mass_x, mass_y = _centre_of_mass(first)
    # The box stays within the image, so that no ink is lost where the mass lies far from the box's middle.
    room_x = max(0.0, (size - (right - left) * scale) / 2)
    room_y = max(0.0, (size - (bottom - top) * scale) / 2)
    return draw_at(
        size / 2 + min(max(size / 2 - mass_x, -room_x), room_x),
        size / 2 + min(max(size / 2 - mass_y, -room_y), room_y),
    )


def _fitting_scale(skeleton: _Bounds | None, raster: _Bounds | None, line: float, room: float) -> float | None:
    """Give the largest scale at which the union of lines and raster ink is at most `room` pixels wide and high.

    Lines stick out of their skeleton by half the line width at any scale; a picture's ink grows with the scale. None where
    there is nothing but a dot.
    """
    scales = []
    sides = [(part, margin) for part, margin in ((skeleton, line / 2), (raster, 0.0)) if part is not None]
    for low, low_margin in sides:
        for high, high_margin in sides:
            for extent in (high.right - low.left, high.bottom - low.top):
                if extent > 1e-13 * max(1e-100, *map(abs, low), *map(abs, high)):
                    scales.append((room - low_margin - high_margin) / extent)
    return min(scales) if scales else None


def _grown(bounds: _Bounds, margin: float) -> _Bounds:
    left, top, right, bottom = bounds
    return _Bounds(left - margin, top - margin, right + margin, bottom + margin)


def _centre_of_mass(grey: FloatArray) -> tuple[float, float]:
    size = len(grey)
    total = float(grey.sum())
    if total <= 0:
        return size / 2, size / 2
    centres = np.arange(size) + 0.5
    return float(grey.sum(axis=0) @ centres) / total, float(grey.sum(axis=1) @ centres) / total


def _joined(strokes: Sequence[Stroke]) -> _Lines:
    if not strokes:
        return _Lines(np.zeros((0, 2)), np.zeros(0, dtype=bool), np.zeros(0))
    counts = [len(each.points) for each in strokes]
    is_last = np.zeros(sum(counts), dtype=bool)
    is_last[np.cumsum(counts) - 1] = True
    widths = np.repeat(np.array([each.width for each in strokes], dtype=np.float64), counts)
    return _Lines(np.concatenate([each.points[:, :2] for each in strokes]), is_last, widths)


def _thinned(lines: _Lines, cell: float) -> _Lines:
    """Drop points that lie in the same cell as the one before; first and last points of strokes stay."""
    points, is_last, widths = lines
    cells = np.floor(points / cell + _CELL_OFFSET)
    keep = is_last.copy()
    keep[:1] = True
    keep[1:] |= is_last[:-1] | (cells[1:] != cells[:-1]).any(axis=1)
    return _Lines(points[keep], is_last[keep], widths[keep])


def _render(lines: _Lines, size: int) -> FloatArray:
    """Draw lines (pixels) with round ends as grey levels (S, S): each pixel takes the darkest line that reaches it."""
    grey = np.zeros(size * size, dtype=np.float32)
    edge = EDGE_SHARE * size
    lines = lines._replace(widths=np.maximum(lines.widths, size * _THINNEST_SHARE))
    pieces = _pieces(_thinned(lines, size * _CELL_SHARE), edge, size)
    if len(pieces):
        extent = float(np.abs(pieces[:, 2:4]).max() + pieces[:, 4].max()) + edge
        window = min(size, int(extent) + 1)
        rows = max(1, _CHUNK // window**2)
        for start in range(0, len(pieces), rows):
            _stamp(grey, pieces[start : start + rows], window, edge, size)
    return grey.reshape(size, size)


def _pieces(lines: _Lines, edge: float, size: int) -> FloatArray:
    """Cut lines into short straight pieces (P, 5): start x, y, step x, y, width. What lies off the image is left out."""
    points, is_last, widths = lines
    # A point that ends a stroke goes to itself, so that a dot is a piece of no length.
    following = np.where(is_last[:, None], points, np.roll(points, -1, axis=0))
    steps = following - points
    begin, end = _clipped(points, steps, (widths[:, None] + edge) / 2, size)
    inside = (begin <= end) & (~is_last | np.roll(is_last, 1))  # the last point adds nothing, unless it is the first
    starts, steps = (points + begin[:, None] * steps)[inside], ((end - begin)[:, None] * steps)[inside]
    widths = widths[inside]
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    counts = np.maximum(1, np.ceil(lengths / np.maximum(1.0, (widths + edge) / 2))).astype(np.int64)
    if counts.sum() > _MAX_PIECES:
        return _dense_pieces(starts, steps, widths, size)
    steps /= counts[:, None]
    number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    steps = np.repeat(steps, counts, axis=0)
    starts = np.repeat(starts, counts, axis=0) + number[:, None] * steps
    return np.column_stack([starts, steps, np.repeat(widths, counts)]).astype(np.float32)


def _clipped(starts: Points, steps: Points, margin: Points, size: int) -> tuple[Points, Points]:
    """Give the share (begin, end) of each step that lies in the image grown by a margin; begin > end where none does.

    Liang and Barsky, A New Concept and Method for Line Clipping, 1984.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (-margin - starts) / steps, (size + margin - starts) / steps
    still = steps == 0
    within = (starts >= -margin) & (starts <= size + margin)
    begin = np.where(still, np.where(within, 0.0, np.inf), np.minimum(one, other)).max(axis=1)
    end = np.where(still, 1.0, np.maximum(one, other)).min(axis=1)
    return np.maximum(begin, 0.0), np.minimum(end, 1.0)


def _dense_pieces(starts: Points, steps: Points, widths: Points, size: int) -> FloatArray:
    """Give a dot (P, 5) for each small cell that lines pass through: bounded, whatever the number of lines."""
    cell = size * _DENSE_CELL_SHARE
    dots = []
    for width in np.unique(widths):
        margin = width / 2 + EDGE_SHARE * size
        side = int((size + 2 * margin) / cell) + 2
        passed = np.zeros((side, side), dtype=bool)
        for chosen in np.array_split(np.flatnonzero(widths == width), len(starts) // 50_000 + 1):
            lengths = np.hypot(*steps[chosen].T)
            counts = np.ceil(lengths / cell).astype(np.int64) + 1
            number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            share = number / np.repeat(np.maximum(1, counts - 1), counts)
            along = np.repeat(starts[chosen], counts, axis=0) + share[:, None] * np.repeat(steps[chosen], counts, axis=0)
            x, y = ((along + margin) / cell).astype(np.int64).clip(0, side - 1).T
            passed[y, x] = True
        y, x = np.nonzero(passed)
        dot = np.zeros((len(x), 5), dtype=np.float32)
        dot[:, 0], dot[:, 1], dot[:, 4] = (x + 0.5) * cell - margin, (y + 0.5) * cell - margin, width
        dots.append(dot)
    return np.concatenate(dots)


def _stamp(grey: FloatArray, pieces: FloatArray, window: int, edge: float, size: int) -> None:
    """Draw pieces into `grey` (S * S,), each into a window of pixels round it. W window."""
    step_x, step_y, width = pieces[:, 2], pieces[:, 3], pieces[:, 4]
    first = np.ceil(pieces[:, :2] + pieces[:, 2:4] / 2 - window / 2 - 0.5)
    first = np.clip(first, 0, size - window).astype(np.int32)  # (P, 2)
    ticks = np.arange(window, dtype=np.int32)
    x = (first[:, :1] + ticks + np.float32(0.5)).astype(np.float32) - pieces[:, :1]  # (P, W)
    y = (first[:, 1:] + ticks + np.float32(0.5)).astype(np.float32) - pieces[:, 1:2]  # (P, W)
    length_2 = np.maximum(step_x**2 + step_y**2, np.float32(1e-12))[:, None]
    along = (y * step_y[:, None] / length_2)[:, :, None] + (x * step_x[:, None] / length_2)[:, None, :]  # (P, W, W)
    np.clip(along, 0, 1, out=along)
    off_x = x[:, None, :] - along * step_x[:, None, None]
    off_y = y[:, :, None] - along * step_y[:, None, None]
    distance = np.sqrt(off_x * off_x + off_y * off_y)
    # A line of full ink, blurred by a box as wide as the edge, seen across.
    half = width[:, None, None] / 2
    covered = np.minimum(half, distance + np.float32(edge / 2)) - np.maximum(-half, distance - np.float32(edge / 2))
    np.clip(covered / np.float32(edge), 0, 1, out=covered)
    covered *= covered * (3 - 2 * covered)  # round off the blur's corners, as repeated resizing did to MNIST's lines
    index = (first[:, 1:] + ticks)[:, :, None] * size + (first[:, :1] + ticks)[:, None, :]
    np.maximum.at(grey, index.ravel(), covered.ravel())


def _picture_bounds(picture: Picture, part: Box) -> _Bounds:
    """Give where a part of a picture, in the picture's pixels, lies on the pad."""
    pad = _pad_box(picture)
    unit = pad.width / picture.ink.shape[1]
    left, top = pad.x + part.x * unit, pad.y + part.y * unit
    return _Bounds(left, top, left + part.width * unit, top + part.height * unit)


def _pad_box(picture: Picture) -> Box:
    from training.pictures import pad_box

    return pad_box(picture)


def _with_picture(grey: FloatArray, picture: Picture | None, placement: Placement) -> FloatArray:
    """Lay the picture's ink over that of the strokes: each pixel takes the darker."""
    if picture is None:
        return grey
    raise NotImplementedError


def _color_image(strokes: Sequence[Stroke], picture: Picture, size: int) -> InkImage:
    raise NotImplementedError
