"""Drawing ink straight at the model's resolution: strokes as vectors, a picture by antialiased resampling.

Shapes: N points, P pieces (short straight parts of strokes), W window, S image_size. Image positions are in pixels;
pixel i spans i .. i + 1, so that the image's middle is S / 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from training.facts import Box, FloatArray, Placement, PlacementMode
from training.pictures import Picture, pad_box
from training.strokes import PAD_SIZE, Stroke, line_widths

# MNIST's digits fill a box of 20 of their 28 pixels.
BOX_SHARE = 20 / 28
# Where MNIST has the centre of mass, as a share of the side: in the middle of the 15th of 28 pixels, half a pixel right
# of and below the image's middle.
CENTRE_SHARE = 14.5 / 28
# Line width and width of a line's soft edge, as shares of the side. MNIST's training digits, resized from 28 to 32
# pixels, have a line width (2 * sum of ink / total variation) of 3.12 px (mean; the median is 3.00) and an edge width
# (total variation / sum of squared gradients) of 2.40 px; pen digits drawn with these two have 3.05 and 2.40.
LINE_SHARE = 2.9 / 32
EDGE_SHARE = 2.45 / 32
# A line's soft edge where the pad is drawn as it is, in pixels: enough for it to be smooth.
_SMOOTH_EDGE_PX = 1.5
# The thinnest line drawn, one pixel at 32: thinner ones would be paler than anything a model has seen.
_THINNEST_SHARE = 1 / 32
# The widest line drawn: where it passes all is ink, and a wider one would only need more room.
_WIDEST_SHARE = 4.0
# Points nearer than this to the one before are dropped: one eighth of a pixel at 32.
_CELL_SHARE = 1 / 256
# Keeps round coordinates off the edges of those cells, where rounding errors would decide which points are dropped.
_CELL_OFFSET = 0.3183098861837907
# A drawing of more pieces than this is so dense that only where it passes counts, in cells of this share of the side.
_MAX_PIECES = 8_000
_DENSE_CELL_SHARE = 1 / 128
# Pieces shorter than this, in pixels, are dots: they have no direction.
_DOT_PX = np.float32(1e-6)
# Pixels worked on at a time, which bounds the memory that large images and dense drawings take.
_CHUNK = 1 << 21
_PRESSURE_STEPS = 16
# The largest side, in pad units, of what a pen leaves that touches the pad without drawing, whatever its width.
DOT_SIDE = 0.06 * PAD_SIZE
# Coordinates and widths are held to these: their squares and ratios are still finite.
_FARTHEST = 1e15
_THINNEST = 1e-9

Points = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class InkImage:
    """What the model gets, where the pad lies in it, and the ink's box in pad units. The array is read-only."""

    image: FloatArray  # (in_channels, S, S), 0 paper .. 1 pen
    placement: Placement
    box: Box
    is_dot: bool  # the pen hardly moved: less than it is wide, across and down


class _Lines(NamedTuple):
    """All points of all strokes, one stroke after the other; finite, and not too far for arithmetic."""

    points: Points  # (N, 2)
    is_last: npt.NDArray[np.bool_]  # (N,), True where a stroke ends
    widths: Points  # (N,)


class _Segments(NamedTuple):
    """Straight parts of lines, in pixels."""

    starts: Points  # (N, 2)
    steps: Points  # (N, 2), from the start to the end
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

    With three channels and a picture, the picture keeps its colours: shorter side resized, centre cut out, strokes
    white on it. Everywhere else the grey ink is repeated in each channel.
    """
    lines = _joined(strokes)
    box = _box(lines, picture)
    if picture is not None and in_channels == 3:
        return _color_image(lines, picture, image_size, box or pad_box(picture))
    drawn = _draw(lines, picture, mode, image_size)
    if drawn is None or box is None:
        return None
    grey, placement = drawn
    image = np.repeat(grey[None], in_channels, axis=0)
    return InkImage(_read_only(image), placement, box, _is_dot(lines, picture))


def place(strokes: Sequence[Stroke], picture: Picture | None, mode: PlacementMode, image_size: int) -> Placement | None:
    """Give the placement of the pad in the grey image; None where nothing is drawn."""
    drawn = _draw(_joined(strokes), picture, mode, image_size)
    return None if drawn is None else drawn[1]


def ink_box(strokes: Sequence[Stroke], picture: Picture | None) -> Box | None:
    """Give the box round all ink, line widths included, in pad units; None where nothing is drawn."""
    return _box(_joined(strokes), picture)


def _box(lines: _Lines, picture: Picture | None) -> Box | None:
    parts = [_bounds(lines.points, lines.widths / 2)] if len(lines.points) else []
    if picture is not None and picture.ink_box is not None:
        parts.append(_picture_bounds(picture, picture.ink_box))
    if not parts:
        return None
    left, top, right, bottom = _union(parts)
    return Box(left, top, right - left, bottom - top)


def _is_dot(lines: _Lines, picture: Picture | None) -> bool:
    """Tell whether there is no more than what a pen leaves that touches the pad without drawing."""
    if not len(lines.points) or (picture is not None and picture.ink_box is not None):
        return False
    return bool(np.ptp(lines.points, axis=0).max() <= min(lines.widths.max(), DOT_SIDE))


def _read_only(image: FloatArray) -> FloatArray:
    image.flags.writeable = False
    return image


def _bounds(points: Points, margins: Points | float = 0.0) -> _Bounds:
    x, y = points.T  # numpy goes down one column many times faster than down two at once
    return _Bounds(
        float((x - margins).min()), float((y - margins).min()), float((x + margins).max()), float((y + margins).max())
    )


def _union(parts: Sequence[_Bounds]) -> _Bounds:
    return _Bounds(
        float(min(each.left for each in parts)),
        float(min(each.top for each in parts)),
        float(max(each.right for each in parts)),
        float(max(each.bottom for each in parts)),
    )


def _draw(
    lines: _Lines, picture: Picture | None, mode: PlacementMode, size: int
) -> tuple[FloatArray, Placement] | None:
    if picture is not None and picture.ink_box is None:
        picture = None
    if not len(lines.points) and picture is None:
        return None
    if mode == "like-mnist":
        return _draw_like_mnist(lines, picture, size)
    placement = Placement(size / PAD_SIZE, 0.0, 0.0)
    return _with_picture(_drawn_as_placed(lines, placement, size), picture, placement), placement


def _drawn_as_placed(lines: _Lines, placement: Placement, size: int) -> FloatArray:
    """Draw lines with the widths they have on the pad."""
    scale, *shift = placement
    widths = np.clip(lines.widths * scale, _THINNEST_SHARE * size, _WIDEST_SHARE * size)
    placed = _Lines(lines.points * scale + np.array(shift), lines.is_last, widths)
    segments = _within(_segments(placed, size), _SMOOTH_EDGE_PX, size)
    return _render(_pieces(segments, _SMOOTH_EDGE_PX, size), _SMOOTH_EDGE_PX, size)


def _draw_like_mnist(lines: _Lines, picture: Picture | None, size: int) -> tuple[FloatArray, Placement]:
    line_px, edge_px = LINE_SHARE * size, EDGE_SHARE * size
    skeleton = _bounds(lines.points) if len(lines.points) else None
    raster = None if picture is None or picture.ink_box is None else _picture_bounds(picture, picture.ink_box)
    scale = _fitting_scale(skeleton, raster, line_px, BOX_SHARE * size)
    if scale is None:  # a dot, whose width on the pad gives the scale; what extent it may have is a rounding error
        scale = line_px / float(lines.widths[0])
        lines = lines._replace(points=np.broadcast_to(lines.points[0], lines.points.shape))
        skeleton = _bounds(lines.points)
    parts = [] if skeleton is None else [_grown(skeleton, line_px / 2 / scale)]
    left, top, right, bottom = _union(parts if raster is None else [*parts, raster])
    middle = np.array(((left + right) / 2, (top + bottom) / 2))
    # Points relative to the box's middle: far from the pad's corner `scale * x + shift` would lose its digits.
    scaled = _Lines((lines.points - middle) * scale, lines.is_last, np.full(len(lines.widths), line_px))
    pieces = _pieces(_segments(scaled, size), edge_px, size)

    def draw_at(position: npt.NDArray[np.float64]) -> tuple[FloatArray, Placement]:
        placement = Placement(scale, *(position - scale * middle).tolist())
        moved = pieces.copy()
        moved[:, :2] += position
        return _with_picture(_render(moved, edge_px, size), picture, placement), placement

    first, _ = draw_at(np.full(2, size / 2))
    # The box stays within the image, so that no ink is lost where the mass lies far from the box's middle.
    room = np.maximum(0, size - np.array((right - left, bottom - top)) * scale) / 2
    return draw_at(size / 2 + np.clip(CENTRE_SHARE * size - _centre_of_mass(first), -room, room))


def _fitting_scale(skeleton: _Bounds | None, raster: _Bounds | None, line: float, room: float) -> float | None:
    """Give the largest scale at which the union of lines and raster ink is at most `room` pixels wide and high.

    Lines stick out of their skeleton by half the line width at any scale; a picture's ink grows with the scale. None
    where there is nothing but a dot.
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


def _centre_of_mass(grey: FloatArray) -> npt.NDArray[np.float64]:
    total = float(grey.sum())
    centres = np.arange(len(grey)) + 0.5
    if total <= 0:
        return np.full(2, len(grey) / 2)
    return np.array((grey.sum(axis=0) @ centres, grey.sum(axis=1) @ centres)) / total


def _joined(strokes: Sequence[Stroke]) -> _Lines:
    if not strokes:
        return _Lines(np.zeros((0, 2)), np.zeros(0, dtype=bool), np.zeros(0))
    points = np.concatenate([each.points[:, :2] for each in strokes])
    owners = np.repeat(np.arange(len(strokes)), [len(each.points) for each in strokes])
    is_finite = np.isfinite(points[:, 0]) & np.isfinite(points[:, 1])
    points, owners = np.clip(points[is_finite], -_FARTHEST, _FARTHEST), owners[is_finite]
    widths = np.clip(np.concatenate([_widths(each) for each in strokes]), _THINNEST, _FARTHEST)
    is_last = np.ones(len(owners), dtype=bool)
    is_last[:-1] = owners[1:] != owners[:-1]
    return _Lines(points, is_last, widths[is_finite])


def _widths(stroke: Stroke) -> Points:
    """Give the width at each point, (n,): with pressure one of sixteen, as lines of one width are drawn together."""
    step = stroke.width / _PRESSURE_STEPS
    return np.rint(line_widths(stroke) / step) * step if stroke.points.shape[1] == 4 else line_widths(stroke)


def _segments(lines: _Lines, size: int) -> _Segments:
    """Give the straight parts of lines in pixels, after leaving out points that all but touch the one before."""
    points, is_last, widths = lines
    cells = np.floor(points / (size * _CELL_SHARE) + _CELL_OFFSET)
    is_first = np.ones_like(is_last)
    is_first[1:] = is_last[:-1]
    keep = is_first | is_last
    is_new = cells[1:] != cells[:-1]
    keep[1:] |= is_new[:, 0] | is_new[:, 1]
    points, is_first, is_last, widths = points[keep], is_first[keep], is_last[keep], widths[keep]
    steps = np.zeros_like(points)
    steps[:-1] = points[1:] - points[:-1]
    steps[is_last] = 0
    counts = ~is_last | is_first  # from a stroke's last point nothing starts, unless it is the only one: a dot
    return _Segments(points[counts], steps[counts], widths[counts])


def _within(segments: _Segments, edge: float, size: int) -> _Segments:
    """Cut off, and leave out, what is too far from the image to show in it.

    Liang and Barsky, A New Concept and Method for Line Clipping, 1984.
    """
    starts, steps, widths = segments
    margin = (widths[:, None] + edge) / 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        one, other = (-margin - starts) / steps, (size + margin - starts) / steps
    is_still = steps == 0
    is_inside = (starts >= -margin) & (starts <= size + margin)
    begin = np.where(is_still, np.where(is_inside, 0.0, np.inf), np.minimum(one, other)).max(axis=1)
    end = np.where(is_still, 1.0, np.maximum(one, other)).min(axis=1)
    begin, end = np.maximum(begin, 0.0), np.minimum(end, 1.0)
    shown = begin <= end
    begin, end = begin[shown, None], end[shown, None]
    return _Segments(starts[shown] + begin * steps[shown], (end - begin) * steps[shown], widths[shown])


def _pieces(segments: _Segments, edge: float, size: int) -> FloatArray:
    """Cut segments into pieces (P, 5) no longer than a line's reach: start x, y, step x, y, width."""
    starts, steps, widths = segments
    longest = np.maximum(1.0, (widths + edge) / 2)
    counts = np.maximum(1, np.ceil(np.hypot(steps[:, 0], steps[:, 1]) / longest)).astype(np.int64)
    if counts.sum() > _MAX_PIECES:
        return _dense_pieces(segments, size)
    steps = np.repeat(steps / counts[:, None], counts, axis=0)
    starts = np.repeat(starts, counts, axis=0) + _numbers(counts)[:, None] * steps
    return np.column_stack([starts, steps, np.repeat(widths, counts)]).astype(np.float32)


def _numbers(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Count from 0 in each of several runs: [2, 3] gives [0, 1, 0, 1, 2]."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


def _dense_pieces(segments: _Segments, size: int) -> FloatArray:
    """Give a dot (P, 5) for each small cell that lines pass through: bounded, whatever the number of lines."""
    starts, steps, widths = segments
    cell = size * _DENSE_CELL_SHARE
    corner = np.minimum(starts, starts + steps).min(axis=0)
    columns, rows = (np.ceil(np.ptp(np.concatenate([starts, starts + steps]), axis=0) / cell) + 1).astype(np.int64)
    dots = []
    for width in np.unique(widths):
        passed = np.zeros((rows, columns), dtype=bool)
        for chosen in np.array_split(np.flatnonzero(widths == width), len(starts) // 50_000 + 1):
            counts = np.ceil(np.hypot(*steps[chosen].T) / cell).astype(np.int64) + 1
            share = _numbers(counts) / np.repeat(np.maximum(1, counts - 1), counts)
            along = np.repeat(starts[chosen] - corner, counts, axis=0)
            along += share[:, None] * np.repeat(steps[chosen], counts, axis=0)
            x, y = (along / cell).astype(np.int64).T
            passed[y, x] = True
        y, x = np.nonzero(passed)
        dot = np.zeros((len(x), 5), dtype=np.float32)
        dot[:, :2] = corner + (np.column_stack([x, y]) + 0.5) * cell
        dot[:, 4] = width
        dots.append(dot)
    return np.concatenate(dots)


def _render(pieces: FloatArray, edge: float, size: int) -> FloatArray:
    """Draw pieces with round ends as grey levels (S, S): each pixel takes the darkest piece that reaches it."""
    grey = np.zeros(size * size, dtype=np.float32)
    if len(pieces):
        window = min(size, int(np.abs(pieces[:, 2:4]).max() + pieces[:, 4].max() + edge) + 1)
        rows = max(1, _CHUNK // window**2)
        for start in range(0, len(pieces), rows):
            _stamp(grey, pieces[start : start + rows], window, edge, size)
    grey *= grey * (3 - 2 * grey)  # round off the blur's corners, as repeated resizing did to MNIST's lines
    return grey.reshape(size, size)


def _stamp(grey: FloatArray, pieces: FloatArray, window: int, edge: float, size: int) -> None:
    """Draw pieces into `grey` (S * S,), each into a window of pixels round it.

    A piece is a line of full ink, blurred by a box as wide as the edge, seen across. Few operations on whole arrays, in
    place: each of them lets go of Python's lock, and on a busy worker thread waits to get it back. Pieces come last in
    every shape, as numpy is slow where the last axis is short.
    """
    start_x, start_y, step_x, step_y, width = np.ascontiguousarray(pieces.T)  # (P,) each
    ticks = np.arange(window, dtype=np.int32)[:, None]
    columns = _first_pixel(start_x + step_x / 2, window, size) + ticks  # (W, P)
    rows = _first_pixel(start_y + step_y / 2, window, size) + ticks  # (W, P)
    length = np.sqrt(step_x * step_x + step_y * step_y)
    is_dot = length < _DOT_PX
    along_x = np.where(is_dot, np.float32(1), step_x / np.maximum(length, _DOT_PX))
    along_y = np.where(is_dot, np.float32(0), step_y / np.maximum(length, _DOT_PX))
    x = columns.astype(np.float32) + (np.float32(0.5) - start_x)  # (W, P)
    y = rows.astype(np.float32) + (np.float32(0.5) - start_y)  # (W, P)
    # Each pixel's place along the piece and across it.
    u = (y * along_y)[:, None] + (x * along_x)[None]  # (W, W, P)
    v = (y * along_x)[:, None] - (x * along_y)[None]  # (W, W, P)
    u -= np.clip(u, 0, length)
    u *= u
    v *= v
    u += v
    covered = np.sqrt(u, out=u)  # the distance, so far
    covered *= np.float32(-1 / edge)
    covered += (width / np.float32(edge) + 1) / 2
    np.minimum(covered, np.minimum(1, width / np.float32(edge)), out=covered)
    index = (rows * size)[:, None] + columns[None]  # (W, W, P)
    np.maximum.at(grey, index.ravel(), covered.ravel())


def _first_pixel(middles: FloatArray, window: int, size: int) -> npt.NDArray[np.int32]:
    """Give where a window round each middle begins, along one side of the image and within it."""
    first: npt.NDArray[np.int32] = np.clip(np.ceil(middles - window / 2 - 0.5), 0, size - window).astype(np.int32)
    return first


def _picture_bounds(picture: Picture, part: Box) -> _Bounds:
    """Give where a part of a picture, in the picture's pixels, lies on the pad."""
    pad = pad_box(picture)
    unit = pad.width / picture.ink.shape[1]
    left, top = pad.x + part.x * unit, pad.y + part.y * unit
    return _Bounds(left, top, left + part.width * unit, top + part.height * unit)


def _with_picture(grey: FloatArray, picture: Picture | None, placement: Placement) -> FloatArray:
    """Lay the picture's ink over that of the strokes: each pixel takes the darker."""
    if picture is None:
        return grey
    size = len(grey)
    pad = pad_box(picture)
    scale = placement.scale * pad.width / picture.ink.shape[1]  # image pixels per pixel of the picture
    # The smallest of the halved pictures that is still at least twice as fine as the image.
    level = min(max(0, math.floor(math.log2(0.5 / scale))), len(picture.ink_levels) - 1)
    ink = picture.ink_levels[level]
    left, top = placement.to_image(pad.x, pad.y)
    rows = _resizing_weights(ink.shape[0], scale * 2**level, top, size)
    columns = _resizing_weights(ink.shape[1], scale * 2**level, left, size)
    resized: FloatArray = np.clip(rows @ ink @ columns.T, 0, 1)
    return np.maximum(grey, resized)


def _resizing_weights(count: int, scale: float, start: float, size: int) -> FloatArray:
    """Give the weights (S, count) that bring `count` pixels, each `scale` wide, the first at `start`, to S pixels.

    Bilinear and antialiased, as MNIST is resized for training; beyond the border is paper.
    """
    radius = min(
        max(1.0, 1 / scale), 4.0 * count
    )  # in pixels of the picture; bounded where it all falls into one pixel
    centres = (np.arange(size) + 0.5 - start) / scale - 0.5
    first = np.floor(centres - radius)
    taps = first[:, None] + np.arange(math.ceil(2 * radius) + 2)
    weights = np.maximum(0, 1 - np.abs(taps - centres[:, None]) / radius)
    weights /= weights.sum(axis=1, keepdims=True)
    row, tap = np.nonzero((weights > 0) & (taps >= 0) & (taps < count))
    matrix = np.zeros((size, count), dtype=np.float32)
    matrix[row, taps[row, tap].astype(np.int64)] = weights[row, tap]
    return matrix


def _color_image(lines: _Lines, picture: Picture, size: int, box: Box) -> InkImage:
    """Resize a picture's shorter side, cut out its centre and draw the strokes white on it."""
    from PIL import Image

    height, width = picture.ink.shape
    shorter = min(height, width)
    left, top = (width - shorter) / 2, (height - shorter) / 2
    part = (left, top, left + shorter, top + shorter)
    resized = Image.fromarray(picture.rgb).resize((size, size), Image.Resampling.BILINEAR, box=part)
    colors = np.asarray(resized, dtype=np.float32).transpose(2, 0, 1) / 255  # (3, S, S)
    pad = pad_box(picture)
    scale = size / shorter * max(height, width) / PAD_SIZE
    placement = Placement(scale, -scale * pad.x - size / shorter * left, -scale * pad.y - size / shorter * top)
    white = _drawn_as_placed(lines, placement, size)
    return InkImage(_read_only(colors + (1 - colors) * white), placement, box, is_dot=False)
