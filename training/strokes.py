"""Drawings as strokes, and the drawing file: JSON Lines, UTF-8, one drawing a line, plain or gzipped."""

from __future__ import annotations

import contextlib
import gzip
import json
import math
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from training.atomic import atomic_write
from training.errors import Message, UserError
from training.facts import Box
from training.paths import is_endless

PAD_SIZE = 400.0
DEFAULT_WIDTH = 22.0
PAD = Box(0.0, 0.0, PAD_SIZE, PAD_SIZE)

_KNOWN_KEYS = frozenset({"strokes", "label", "canvas", "width"})
_SMALLEST = 1e-9  # of a canvas and a width: what it is scaled by stays finite
_LARGEST = 1e9  # for coordinates, widths and sides of a canvas
_THINNEST = 0.2  # of its width is a line without any pressure
_MARGIN = 0.2  # round the ink of a drawing without a canvas, as a share of its longer side
_LONGEST_LINE = 1 << 28  # bytes; keeps a file that is something else from filling the memory
_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True, eq=False)
class Stroke:
    """One line from pen down to pen up.

    `points` is float64 (n, 2 to 4), n >= 1, read-only: x, y[, t_ms[, pressure]]; y grows downward. `width` is the
    line's width in the same units, where there is a pressure that at a pressure of 1.
    """

    points: npt.NDArray[np.float64]
    width: float = DEFAULT_WIDTH


@dataclass(frozen=True, kw_only=True, eq=False)
class Drawing:
    """Strokes in order, the canvas they were drawn on, and what is known of them."""

    strokes: tuple[Stroke, ...]
    canvas: Box = PAD
    label: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)  # unknown keys of the drawing file, kept on rewrite


class LineProblem(NamedTuple):
    """A line of a drawing file that can't be read, counted from 1, and what is wrong with it."""

    number: int
    message: Message


@dataclass(frozen=True, kw_only=True)
class DrawingFile:
    """What a drawing file holds. `line_numbers` has the line, from 1, of each drawing."""

    drawings: tuple[Drawing, ...]
    line_numbers: tuple[int, ...]
    problems: tuple[LineProblem, ...] = ()


def line_widths(stroke: Stroke) -> npt.NDArray[np.float64]:
    """Give a stroke's width at each point, (n,), which follows the pressure where that is known."""
    if stroke.points.shape[1] < 4:
        return np.full(len(stroke.points), stroke.width)
    pressure = np.clip(stroke.points[:, 3], 0.0, 1.0)
    return stroke.width * (_THINNEST + (1.0 - _THINNEST) * pressure)


def on_pad(drawing: Drawing) -> Drawing:
    """Fit a drawing's canvas by its longer side into the middle of the pad; line widths are scaled as well."""
    if drawing.canvas == PAD:
        return drawing
    x, y, width, height = drawing.canvas
    scale = PAD_SIZE / max(width, height)
    shift_x, shift_y = (PAD_SIZE - width * scale) / 2, (PAD_SIZE - height * scale) / 2
    strokes = []
    for each in drawing.strokes:
        points = each.points.copy()
        points[:, 0] = (points[:, 0] - x) * scale + shift_x
        points[:, 1] = (points[:, 1] - y) * scale + shift_y
        points.flags.writeable = False
        strokes.append(Stroke(points, each.width * scale))
    return Drawing(strokes=tuple(strokes), label=drawing.label, extra=drawing.extra)


def read_drawings(path: Path, limit: int | None = None) -> DrawingFile:
    """Read a drawing file; gzip is told by the content, not by the name. Blank lines count for nothing.

    With a `limit` reading stops after so many drawings, and what is wrong with later lines isn't known.

    Raises:
        UserError: the file can't be opened, or holds no drawing that can be read.
    """
    drawings: list[Drawing] = []
    line_numbers: list[int] = []
    problems: list[LineProblem] = []
    with _opened(path) as file:
        for number, line in enumerate(_lines(file), start=1):
            if len(drawings) == limit:
                break
            if isinstance(line, Message):
                problems.append(LineProblem(number, line))
            elif line.strip():
                try:
                    drawings.append(drawing_from_json(_decoded(line)))
                    line_numbers.append(number)
                except UserError as error:
                    problems.append(LineProblem(number, error.message))
    if drawings:
        return DrawingFile(drawings=tuple(drawings), line_numbers=tuple(line_numbers), problems=tuple(problems))
    if not problems:
        raise UserError("{path} is empty; a drawing file has one drawing a line.", path=path)
    raise UserError(
        "{path} has no drawing that can be read. Line {number}: {problem}",
        path=path,
        number=problems[0].number,
        problem=problems[0].message,
    )


def drawings_by(drawings: Iterable[Drawing], writers: str) -> list[Drawing]:
    """Choose the drawings by these writers, named as in tra26,tra27."""
    chosen = set(writers.split(","))
    return [each for each in drawings if str(each.extra.get("writer")) in chosen]


def write_drawings(path: Path, drawings: tuple[Drawing, ...] | list[Drawing]) -> None:
    """Write a drawing file whole or not at all, gzipped where the name ends in `.gz`.

    Raises:
        UserError: the disk is full, or the folder can't be written to or isn't there.
    """
    content = "".join(drawing_to_json(each) + "\n" for each in drawings).encode()
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)  # no time in it: same drawings, same bytes
    with atomic_write(path) as temporary:
        temporary.write_bytes(content)


def drawing_from_json(line: str) -> Drawing:
    """Read one line of a drawing file.

    Raises:
        UserError: the line is no drawing; the sentence says what is wrong with it.
    """
    try:
        values = json.loads(line, parse_constant=_refuse_constant, parse_float=_finite_float)
    except (ValueError, RecursionError) as error:
        raise UserError("This is not JSON ({detail}).", detail=error) from error
    if not isinstance(values, dict):
        raise UserError('A drawing looks like {{"strokes": [[[x, y], ...], ...]}}; this is something else.')
    if not isinstance(values.get("strokes"), list):
        raise UserError('"strokes" must be a list of strokes, each a list of points [x, y].')
    lines = [_points_from(each, number) for number, each in enumerate(values["strokes"], start=1)]
    canvas = _own_canvas(lines) if values.get("canvas") is None else _canvas_from(values["canvas"])
    widths = _widths_from(values.get("width"), len(lines), canvas)
    return Drawing(
        strokes=tuple(Stroke(points, width) for points, width in zip(lines, widths, strict=True)),
        canvas=canvas,
        label=_label_from(values.get("label")),
        extra={name: value for name, value in values.items() if name not in _KNOWN_KEYS},
    )


def drawing_to_json(drawing: Drawing) -> str:
    """Give a drawing as one line of a drawing file. What `drawing_from_json` adds by itself is left out."""
    lines = [each.points for each in drawing.strokes]
    canvas = drawing.canvas
    values: dict[str, Any] = {}
    if drawing.label is not None:
        values["label"] = _label_to(drawing.label)
    if canvas != _own_canvas(lines):
        values["canvas"] = [_short(canvas.width), _short(canvas.height)]
        shift = (canvas.x, canvas.y)  # the file has no place for a canvas's corner
    else:
        shift = (0.0, 0.0)
    widths = [each.width for each in drawing.strokes]
    if any(width != _default_width(canvas) for width in widths):
        values["width"] = _short(widths[0]) if len(set(widths)) == 1 else [_short(width) for width in widths]
    values.update(drawing.extra)
    values["strokes"] = [_points_to(points, shift) for points in lines]
    return json.dumps(values, allow_nan=False, separators=(",", ":"))


# A value and its form in the file, both ways.


def _points_from(values: object, number: int) -> npt.NDArray[np.float64]:
    if not isinstance(values, list) or not values:
        raise UserError("Stroke {number} has no points.", number=number)
    sizes = {len(point) if isinstance(point, list) else 0 for point in values}
    if len(sizes) != 1 or not sizes <= {2, 3, 4}:
        raise UserError(
            "The points of stroke {number} must all be [x, y], [x, y, t] or [x, y, t, pressure].", number=number
        )
    if any(type(value) is not int and type(value) is not float for point in values for value in point):
        raise UserError("Stroke {number} has a point with something that is no number.", number=number)
    try:
        points = np.array(values, dtype=np.float64)
        is_near = bool((np.abs(points[:, :2]) <= _LARGEST).all())
    except OverflowError:
        is_near = False
    if not is_near:
        raise UserError(
            "Stroke {number} has a point farther than {largest:,.0f} from the corner.", number=number, largest=_LARGEST
        )
    points.flags.writeable = False
    return points


def _points_to(points: npt.NDArray[np.float64], shift: tuple[float, float]) -> list[list[float]]:
    if shift != (0.0, 0.0):
        points = points.copy()
        points[:, :2] -= shift
    return [[_short(value) for value in point] for point in points.tolist()]


def _short(value: float) -> float:
    """Write 12.0 as 12."""
    return int(value) if float(value).is_integer() else float(value)


def _sizes_from(values: list[object]) -> list[float]:
    """Give the numbers that can be a width or a height; others are missing from the result."""
    return [
        float(value)
        for value in values
        if isinstance(value, (int, float)) and not isinstance(value, bool) and _SMALLEST <= value <= _LARGEST
    ]


def _canvas_from(value: object) -> Box:
    sizes = _sizes_from(value) if isinstance(value, list) and len(value) == 2 else []
    if len(sizes) != 2:
        raise UserError('"canvas" is {value}; it must be [width, height], both above 0.', value=_shown(value))
    return Box(0.0, 0.0, *sizes)


def _own_canvas(lines: list[npt.NDArray[np.float64]]) -> Box:
    """Give the canvas of a drawing that names none: the ink's box and a margin all round."""
    if not lines:
        return PAD
    left, top = np.min([each[:, :2].min(axis=0) for each in lines], axis=0).tolist()
    right, bottom = np.max([each[:, :2].max(axis=0) for each in lines], axis=0).tolist()
    longer = max(right - left, bottom - top)
    # A dot has no size that a margin could be a share of: it gets the pad's.
    margin = _MARGIN * longer if longer > 1e-6 else PAD_SIZE / 2
    return Box(left - margin, top - margin, right - left + 2 * margin, bottom - top + 2 * margin)


def _default_width(canvas: Box) -> float:
    return DEFAULT_WIDTH / PAD_SIZE * max(canvas.width, canvas.height)


def _widths_from(value: object, count: int, canvas: Box) -> list[float]:
    if value is None:
        return [_default_width(canvas)] * count
    values = value if isinstance(value, list) else [value] * count
    widths = _sizes_from(values)
    if not len(values) == len(widths) == count:
        raise UserError(
            '"width" is {value}; it must be a number above 0, or a list of {count}, one a stroke.',
            value=_shown(value),
            count=count,
        )
    return widths


def _label_from(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UserError('"label" is {value}; it must be a number or a text.', value=_shown(value))
    return str(value if isinstance(value, int) else _short(value))


def _label_to(label: str) -> str | int:
    """Write the label "7" as the number 7, as most drawing files have it; reading makes the same of both."""
    with contextlib.suppress(ValueError):
        if str(int(label)) == label:
            return int(label)
    return label


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _refuse_constant(name: str) -> NoReturn:
    raise UserError("{name} is no number that can be drawn.", name=name)


def _finite_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise UserError("{number} is too large a number.", number=text if len(text) <= 20 else text[:17] + "...")
    return value


# The file, line by line.


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading what is in it once the gzip is off.

    Raises:
        UserError: the file isn't there, is a folder, or can't be read.
    """
    try:
        if is_endless(path):
            raise UserError("{path} is no file. Choose a drawing file.", path=path)
        with path.open("rb") as file:
            is_gzipped = file.read(2) == _GZIP_MAGIC
            file.seek(0)
            if is_gzipped:
                with gzip.GzipFile(fileobj=file) as unzipped:
                    yield unzipped  # type: ignore[misc]  # a GzipFile reads bytes like any other file
            else:
                yield file
    except FileNotFoundError as error:
        raise UserError("{path} isn't there. Check the name.", path=path) from error
    except IsADirectoryError as error:
        raise UserError("{path} is a folder. Choose a drawing file in it.", path=path) from error
    except OSError as error:
        if os.path.isdir(path):  # Windows calls this a lack of permission
            raise UserError("{path} is a folder. Choose a drawing file in it.", path=path) from error
        raise UserError("{path} can't be read ({reason}).", path=path, reason=error.strerror or str(error)) from error


def _lines(file: IO[bytes]) -> Iterator[bytes | Message]:
    """Give the lines of a file; where it breaks off in the middle of its gzip, a message ends it."""
    while True:
        try:
            line = file.readline(_LONGEST_LINE)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            yield Message("The file is damaged from here on or was cut short. Copy it again.")
            return
        if not line:
            return
        if len(line) == _LONGEST_LINE:
            yield Message("The line is longer than any drawing.")
            return
        yield line


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise UserError("This is not UTF-8 text.") from error
