"""Things people draw that are no digits: letters and pictures as strokes, which no model is trained on."""

from __future__ import annotations

import itertools

import numpy as np

from training import distort
from training.strokes import Drawing, Stroke

COUNT = 20  # drawings of each shape
SIDE = 240.0  # of a shape's box, in pad units
_TURN_DEG = 10.0
_SHEAR = 0.15
_JITTER = 0.01  # of the box, at every point
_CORNER_JITTER = 0.04  # of the box, at every corner
_STEP = 0.03  # of the box, from point to point

# Strokes with "/" between them, each its corners x, y in a box of 10 x 10.
_CORNERS = {
    "A": "0,10 5,0 10,10/2,6 8,6",
    "E": "9,0 1,0 1,10 9,10/1,5 7,5",
    "H": "1,0 1,10/9,0 9,10/1,5 9,5",
    "K": "1,0 1,10/9,0 1,6/4,4 9,10",
    "M": "0,10 1,0 5,6 9,0 10,10",
    "R": "1,10 1,0 6,0 9,1 9,4 6,5 1,5/5,5 9,10",
    "W": "0,0 2,10 5,3 8,10 10,0",
    "X": "0,0 10,10/10,0 0,10",
    "star": "2,10 5,0 8,10 0,4 10,4 2,10",
    "house": "1,10 1,4 5,0 9,4 9,10 1,10/1,4 9,4/4,10 4,7 6,7 6,10",
}
SHAPES = (*_CORNERS, "heart", "spiral", "scribble")

Line = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def drawings_of(shape: str) -> list[Drawing]:
    """Give a shape as drawn by twenty hands: always the same ones."""
    return [_drawn(shape, np.random.default_rng((*shape.encode(), number))) for number in range(COUNT)]


def dots() -> list[Drawing]:
    """Give single dots: a point, or a hand that trembled by a few units while it touched."""
    generator = np.random.default_rng(0)
    dots = []
    for number in range(COUNT):
        place, reach = generator.uniform(20, 380, 2), number % 4
        points = place + generator.uniform(-reach, reach, (1 + number % 5, 2))
        dots.append(Drawing(strokes=(Stroke(points, float(generator.uniform(8, 40))),)))
    return dots


def _drawn(shape: str, generator: np.random.Generator) -> Drawing:
    lines = _lines(shape, generator)
    drawing = Drawing(strokes=tuple(Stroke(80 + SIDE * line) for line in lines))
    drawing = distort.turned(drawing, generator.uniform(-_TURN_DEG, _TURN_DEG))
    drawing = distort.sheared(drawing, generator.uniform(-_SHEAR, _SHEAR))
    return distort.jittered(drawing, _JITTER * SIDE, generator)


def _lines(shape: str, generator: np.random.Generator) -> list[Line]:
    """Give the strokes of a shape in a unit box, with points as close as a pen leaves them."""
    if shape in _CORNERS:
        return [_along(_shaken(_points(stroke) / 10, generator)) for stroke in _CORNERS[shape].split("/")]
    if shape == "heart":
        t = np.linspace(0, 2 * np.pi, 60)
        x, y = 16 * np.sin(t) ** 3, -13 * np.cos(t) + 5 * np.cos(2 * t) + 2 * np.cos(3 * t) + np.cos(4 * t)
        return [np.column_stack([x / 34 + 0.5, y / 34 + 0.45]) * generator.uniform(0.85, 1.15, 2)]
    if shape == "spiral":
        t = np.linspace(0.3, generator.uniform(2.5, 3.5), 90)
        radius = t / t[-1] / 2
        return [np.column_stack([radius * np.cos(2 * np.pi * t), radius * np.sin(2 * np.pi * t)]) + 0.5]
    return [_along(generator.random((int(generator.integers(10, 18)), 2)))]  # to and fro over the whole box


def _points(text: str) -> Line:
    return np.array([[float(value) for value in point.split(",")] for point in text.split()])


def _shaken(corners: Line, generator: np.random.Generator) -> Line:
    return corners + generator.normal(0, _CORNER_JITTER, corners.shape)


def _along(corners: Line) -> Line:
    """Put points on the straight parts between corners."""
    parts = []
    for start, end in itertools.pairwise(corners):
        count = max(1, int(np.hypot(*(end - start)) / _STEP))
        parts.append(start + np.linspace(0, 1, count, endpoint=False)[:, None] * (end - start))
    return np.concatenate([*parts, corners[-1:]])
