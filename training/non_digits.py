"""What is no digit, made up to learn from: signs and shapes, lines at random, and pictures.

Signs that look like a digit are left out (O, I, S, Z, B, q, and Y, which is some people's 4), and so are those that a
model is tested with: the letters A, E, H, K, M, R, W and X, star, house, heart, spiral and scribble.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from training.curves import Line, arc, hand, smooth, transformed, warped
from training.strokes import PAD_SIZE, Drawing, Stroke

Draw = np.random.Generator
_JITTER = 0.03
_TURN_DEG = 15.0
_SHEAR = 0.25
_NARROWEST = 0.7
_SIGN_SHARE = 0.65  # of the drawings; the others are lines at random

# Strokes, each its points x, y in a box of 10 x 10; a stroke that ends with "~" has no corners.
_SIGNS = (
    "1,10 1,0 8,0/1,5 6,5",  # F
    "2,0 2,10 9,10",  # L
    "1,10 1,0 9,10 9,0",  # N
    "5,0 5,10/0,0 10,0",  # T
    "1,0 1,7 3,10 7,10 9,7 9,0~",  # U
    "0,0 5,10 10,0",  # V
    "2,10 2,0 7,0 9,2 7,5 2,5",  # P
    "1,10 1,0 9,0 9,10",  # Greek Pi
    "0,10 5,0 10,10 0,10",  # triangle
    "9,0 1,0 5,5 1,10 9,10",  # Sigma
    "5,0 5,10/1,5 3,2 7,2 9,5 7,8 3,8 1,5~",  # Phi
    "1,0 1,4 5,7 9,4 9,0~/5,0 5,10",  # Psi
    "1,10 4,10 1,6 1,3 5,0 9,3 9,6 6,10 9,10~",  # Omega
    "5,0 5,10/0,5 10,5",  # plus
    "0,3 10,3/0,7 10,7",  # equals
    "0,3 10,3/0,7 10,7/7,0 3,10",  # not equal
    "3,0 2,10/8,0 7,10/0,3 10,3/0,7 10,7",  # hash
    "0,5 10,5/6,1 10,5 6,9",  # arrow right
    "5,10 5,0/1,4 5,0 9,4",  # arrow up
    "10,10 0,0/0,6 0,0 6,0",  # arrow to the corner
    "0,5 4,10 10,0",  # tick
    "0,0 10,0 10,10 0,10 0,0",  # square
    "5,0 10,5 5,10 0,5 5,0",  # diamond
    "0,2 2,8 4,2 6,8 8,2 10,8",  # zigzag
    "0,5 2,1 4,5 6,9 8,5 10,1~",  # wave
    "6,0 2,2 1,5 2,8 6,10 4,8 3,5 4,2 6,0~",  # moon
    "1,10 1,0 9,2 1,5",  # flag
    "0,5 3,1 7,2 10,8/0,5 3,9 7,8 10,2~",  # fish
    "1,2 2,9 7,9 8,2 1,2/8,4 10,4 10,7 8,7",  # cup
    "0,2 10,2 10,9 0,9 0,2/0,2 5,6 10,2",  # letter in an envelope
    "0,5 2,1 5,0 8,1 10,5 0,5/5,5 5,9 3,10",  # umbrella
    "5,10 5,5/5,0 1,3 2,6 5,6 8,6 9,3 5,0~",  # tree
    "5,0 2,4 8,4 5,0/5,3 1,8 9,8 5,3/5,8 5,10",  # fir
    "0,5 2,2 5,1 8,2 10,5 8,8 5,9 2,8 0,5~/3,4 3,5/7,4 7,5/3,6 5,8 7,6~",  # face
    "1,7 0,5 2,3 4,3 6,1 9,3 10,5 9,7 1,7~",  # cloud
    "0,8 10,8/2,8 2,4 4,1 8,1 8,8",  # bus
    "1,0 1,10/5,0 5,10/9,0 9,10",  # three posts
    "0,2 10,2/0,5 10,5/0,8 10,8",  # three lines
    "0,10 0,7 3,7 3,4 6,4 6,1 10,1",  # stairs
    "6,0 2,6 8,5 3,10",  # lightning
    "0,0 10,10/0,10 4,6/6,4 10,0/0,0 0,10",  # hourglass without a lid
    "0,0 10,0 0,10 10,10 0,0",  # hourglass
    "8,1 4,0 1,3 1,7 4,10 8,9~/4,5 9,5",  # euro
    "9,2 5,0 1,3 5,5 9,7 5,10 1,8~/5,-1 5,11",  # dollar
    "1,10 3,4 5,2 5,0/9,10 7,4 5,2",  # wishbone
    "1,10 1,4 9,4 9,10/1,4 5,4 5,10",  # comb
    "0,9 3,9 5,0 7,9 10,9",  # peak
    "0,5 2,5 4,0 6,10 8,5 10,5",  # pulse
    "2,0 2,10/2,5 8,0/8,10 8,0",  # gate
    "2,0 0,0 0,10 2,10/8,0 10,0 10,10 8,10",  # brackets
    "2,10 8,10 5,10 5,5 2,0/5,5 8,0",  # glass
    "0,5 10,5/5,0 5,10/1,1 9,9",  # six rays
    "5,2 2,0 0,2 5,5 10,2 8,0 5,2/5,5 3,10/5,5 7,10",  # bow
    "0,0 4,0/6,0 10,0/0,10 4,10/6,10 10,10",  # four dashes
)


def make_non_digits(count: int, generator: Draw) -> list[Drawing]:
    """Make drawings of something else, without a label."""
    return [_make(generator) for _ in range(count)]


def _make(draw: Draw) -> Drawing:
    if draw.random() < _SIGN_SHARE:
        lines = [_stroke(text, draw) for text in _SIGNS[draw.integers(len(_SIGNS))].split("/")]
    else:
        lines = [_anything(draw) for _ in range(draw.integers(3, 8))]
    lines = transformed(warped(lines, draw, _JITTER), hand(draw, _TURN_DEG, _SHEAR, _NARROWEST))
    return Drawing(strokes=tuple(Stroke(PAD_SIZE * line) for line in lines))


def _stroke(text: str, draw: Draw) -> Line:
    points = np.array([[float(number) / 10 for number in point.split(",")] for point in text.rstrip("~").split()])
    points += draw.normal(0, _JITTER, points.shape)
    if text.endswith("~"):
        return smooth(points)
    return np.concatenate([np.linspace(one, other, 10) for one, other in pairwise(points)])


def _anything(draw: Draw) -> Line:
    """Draw a straight line, an arc or a ring, somewhere."""
    centre = tuple(draw.uniform(0.1, 0.9, 2))
    if draw.random() < 0.5:
        step = draw.normal(0, 0.35, 2)
        return np.linspace(centre - step, centre + step, 10)
    begin = draw.uniform(0, 360)
    whole = 360 if draw.random() < 0.3 else draw.uniform(60, 240)
    return arc(centre, tuple(draw.uniform(0.08, 0.4, 2)), begin, begin + whole)


def make_pictures(count: int, size: int, digits: npt.NDArray[np.uint8], generator: Draw) -> npt.NDArray[np.uint8]:
    """Make pictures (count, 1, size, size) of something else: filled shapes, and digits that were cut up.

    Args:
        count: how many.
        size: pixels of a side, even.
        digits: images (N, 1, size, size) to cut up.
        generator: where the random numbers come from.
    """
    cut_up = count // 3
    pictures = [_jigsaw(digits[generator.integers(len(digits), size=4), 0], generator) for _ in range(cut_up)]
    pictures += [_filled(size, generator) for _ in range(count - cut_up)]
    return np.stack(pictures)[:, None] if pictures else np.zeros((0, 1, size, size), np.uint8)


def _jigsaw(images: npt.NDArray[np.uint8], draw: Draw) -> npt.NDArray[np.uint8]:
    """Put four quarters of four digits together, each from another corner than its own."""
    size = images.shape[-1]
    half = size // 2
    whole = np.zeros((size, size), np.uint8)
    turn = draw.integers(1, 4)
    for number, image in enumerate(images):
        row, column = divmod(number, 2)
        from_row, from_column = divmod((number + turn) % 4, 2)
        whole[row * half : (row + 1) * half, column * half : (column + 1) * half] = image[
            from_row * half : (from_row + 1) * half, from_column * half : (from_column + 1) * half
        ]
    return whole


def _filled(size: int, draw: Draw) -> npt.NDArray[np.uint8]:
    """Draw one or two filled outlines with shades and stripes of grey."""
    places = (np.arange(size) + 0.5) / size
    x, y = np.meshgrid(places, places)
    picture = np.zeros((size, size))
    for _ in range(draw.integers(1, 4)):
        centre, radii = draw.uniform(0.3, 0.7, 2), draw.uniform(0.12, 0.55, 2)
        angle = np.arctan2((y - centre[1]) / radii[1], (x - centre[0]) / radii[0])
        distance = np.hypot((x - centre[0]) / radii[0], (y - centre[1]) / radii[1])
        waves, phases = draw.normal(0, 0.12, (4, 1, 1)), draw.uniform(0, 6.28, (4, 1, 1))
        if draw.random() < 0.4:  # a box rather than a ring
            distance = np.maximum(np.abs(x - centre[0]) / radii[0], np.abs(y - centre[1]) / radii[1])
        numbers = np.arange(2, 6)[:, None, None]
        outline = 1 + (waves * np.cos(numbers * angle + phases)).sum(axis=0)
        shade = draw.uniform(0.3, 1.0) + draw.normal(0, 0.3) * (x - 0.5) + draw.normal(0, 0.3) * (y - 0.5)
        if draw.random() < 0.5:
            direction, fineness = draw.uniform(0, 3.15), draw.uniform(10, 70)
            stripes = np.sin(fineness * (x * np.cos(direction) + y * np.sin(direction)))
            shade = shade + draw.uniform(0.05, 0.4) * stripes
        shade = shade + draw.uniform(0, 0.12) * draw.normal(size=(size, size))
        is_inside = distance < outline
        if draw.random() < 0.15:
            is_inside &= distance > 0.55 * outline  # a hole
        picture = np.where(is_inside, shade, picture)
    return (255 * np.clip(picture, 0, 1)).astype(np.uint8)
