"""Digits made up in the ways in which people write them, among them those that MNIST lacks.

A style is a list of strokes, each a few points in a unit box, y down, through which a line is drawn. Bars, feet, hooks
and slashes come and go; every point, slant and width is drawn anew for each digit.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from training.curves import Line, arc, hand, smooth, transformed, warped
from training.strokes import PAD_SIZE, Drawing, Stroke

_JITTER = 0.025  # standard deviation of a point, in unit boxes
_WARP = 0.03
_TURN_DEG = 12.0
_SHEAR = 0.35
_NARROWEST = 0.65

Draw = np.random.Generator
Style = Callable[[Draw], list[Line]]


def make_digits(count: int, class_names: tuple[str, ...], generator: Draw) -> list[Drawing]:
    """Make up digits, class after class in turn; classes that are no digits get none."""
    names = [name for name in class_names if name in _STYLES]
    return [_make(names[number % len(names)], generator) for number in range(count)] if names else []


def _make(name: str, generator: Draw) -> Drawing:
    styles, weights = zip(*_STYLES[name], strict=True)
    style: Style = styles[generator.choice(len(styles), p=np.array(weights) / sum(weights))]
    lines = warped(style(generator), generator, _WARP)
    lines = transformed(lines, hand(generator, _TURN_DEG, _SHEAR, _NARROWEST))
    if generator.random() < 0.1:
        lines = [line[::-1] for line in lines]
    return Drawing(strokes=tuple(Stroke(PAD_SIZE * line) for line in lines), label=name)


def _curve(draw: Draw, *points: tuple[float, float]) -> Line:
    """Give a smooth line through points that are moved a little."""
    return smooth(np.array(points) + draw.normal(0, _JITTER, (len(points), 2)))


def _straight(draw: Draw, *points: tuple[float, float]) -> Line:
    """Give straight parts between points that are moved a little; now and then their corners are rounded."""
    moved = np.array(points) + draw.normal(0, _JITTER, (len(points), 2))
    if len(moved) < 3:
        return np.linspace(moved[0], moved[-1], 10)
    if _has(draw, 0.5):
        return np.concatenate([np.linspace(one, other, 10) for one, other in pairwise(moved)])
    cut = draw.uniform(0.02, 0.35)
    inner = [
        point
        for before, corner, after in zip(moved, moved[1:], moved[2:], strict=False)
        for point in (corner + cut * (before - corner), corner, corner + cut * (after - corner))
    ]
    return smooth(np.array([moved[0], *inner, moved[-1]]))


def _running_out(line: Line, x: float, y: float) -> Line:
    """Let a line go on by a straight step."""
    return np.concatenate([line, line[-1:] + np.array([[x, y]])])


def _has(draw: Draw, share: float) -> bool:
    return bool(draw.random() < share)


def _zero(draw: Draw) -> list[Line]:
    begin = draw.uniform(-130, -50)
    width = draw.uniform(0.22, 0.42)
    turn = 1 if _has(draw, 0.25) else -1
    ring = arc((0.5, 0.5), (width, 0.46), begin, begin + turn * draw.uniform(325, 400), 30)
    if _has(draw, 0.3):  # the pen comes in from the side, or leaves to it
        ring = _running_out(ring, turn * draw.uniform(-0.3, 0.1), draw.uniform(-0.12, 0.15))
    return [ring]


def _slashed_zero(draw: Draw) -> list[Line]:
    beyond = draw.uniform(-0.12, 0.14)
    low, high = (0.25 - beyond, 0.8 + beyond), (0.75 + beyond, 0.2 - beyond)
    if _has(draw, 0.12):
        low, high = (low[0], high[1]), (high[0], low[1])
    return [*_zero(draw), _straight(draw, high, low)]


def _one(draw: Draw) -> list[Line]:
    """Draw a stem, with a hook or without, with a foot or without."""
    lean = draw.uniform(-0.08, 0.1)
    top, bottom = (0.5 + lean, 0.02), (0.5 - lean, 0.98)
    strokes = [_straight(draw, top, bottom)]
    if _has(draw, 0.75):
        length, drop = draw.uniform(0.04, 0.38), draw.uniform(0.08, 0.5)
        strokes = [_straight(draw, (top[0] - length, top[1] + drop), top, bottom)]
    if _has(draw, 0.15):  # the stem runs out to the left
        strokes[0] = _running_out(strokes[0], -draw.uniform(0.1, 0.3), draw.uniform(-0.08, 0.04))
    elif _has(draw, 0.5):
        reach, tilt = draw.uniform(0.12, 0.34), draw.uniform(-0.04, 0.04)
        strokes.append(_straight(draw, (bottom[0] - reach, 0.98 + tilt), (bottom[0] + reach, 0.98 - tilt)))
    return strokes


def _two(draw: Draw) -> list[Line]:
    flat = _has(draw, 0.5)
    top = (0.17, 0.27), (0.32, 0.06), (0.6, 0.03), (0.78, 0.22), (0.7, 0.45), (0.45, 0.7)
    if flat:
        foot = draw.uniform(-0.06, 0.06)
        body = _curve(draw, *top, (0.18, 0.94))
        return [np.concatenate([body, np.linspace(body[-1], (draw.uniform(0.75, 0.95), 0.95 + foot), 10)])]
    return [_curve(draw, *top, (0.2, 0.92), (0.12, 0.86), (0.25, 0.78), (0.5, 0.9), (0.85, 0.94))]


def _angular_two(draw: Draw) -> list[Line]:
    corner = draw.uniform(0.55, 0.8)
    return [
        np.concatenate(
            [
                _curve(draw, (0.15, 0.18), (0.42, 0.05), (corner, 0.18), (0.6, 0.48), (0.14, 0.93)),
                _straight(draw, (0.14, 0.94), (0.88, 0.94)),
            ]
        )
    ]


def _three(draw: Draw) -> list[Line]:
    waist = draw.uniform(0.3, 0.55)
    return [
        _curve(
            draw, (0.18, 0.14), (0.42, 0.03), (0.74, 0.14), (0.68, 0.36), (waist, 0.47), (0.72, 0.58), (0.8, 0.78),
            (0.5, 0.98), (0.14, 0.86),
        )
    ]  # fmt: skip


def _flat_three(draw: Draw) -> list[Line]:
    top = _straight(draw, (0.16, 0.06), (0.78, 0.05), (0.42, 0.42))
    return [np.concatenate([top, _curve(draw, (0.44, 0.42), (0.74, 0.52), (0.8, 0.76), (0.52, 0.97), (0.14, 0.88))])]


def _open_four(draw: Draw) -> list[Line]:
    """Draw an angle and a stem that crosses its foot."""
    lean, level = draw.uniform(-0.04, 0.25), draw.uniform(0.45, 0.72)
    stem = draw.uniform(0.4, 0.75)
    corner = draw.uniform(0.08, 0.25)
    angle = [(corner + lean + 0.08, draw.uniform(0.02, 0.25)), (corner, level), (stem + draw.uniform(0.08, 0.3), level)]
    top = draw.uniform(0.02, level)
    first = _straight(draw, *angle) if _has(draw, 0.6) else _curve(draw, angle[0], (corner + 0.02, level - 0.18),
                                                                   (corner + 0.08, level + 0.01), angle[2])  # fmt: skip
    return [first, _straight(draw, (stem + lean / 2, top), (stem - lean / 2, 0.98))]


def _rounded_four(draw: Draw) -> list[Line]:
    """Draw it without lifting the pen: a cup, then the stem down from its right rim."""
    right = draw.uniform(0.65, 0.82)
    cup = _curve(draw, (0.24, 0.05), (0.16, 0.3), (0.26, 0.5), (0.5, 0.48), (right, draw.uniform(0.05, 0.3)))
    return [np.concatenate([cup, np.linspace(cup[-1], (right + draw.uniform(-0.16, 0.04), 0.98), 14)])]


def _closed_four(draw: Draw) -> list[Line]:
    stem, level = draw.uniform(0.58, 0.72), draw.uniform(0.55, 0.72)
    triangle = [(stem, 0.03), (0.1, level), (draw.uniform(0.82, 0.97), level)]
    if _has(draw, 0.5):
        return [_straight(draw, *triangle), _straight(draw, (stem, draw.uniform(0.0, 0.1)), (stem, 0.98))]
    return [_straight(draw, (stem, 0.98), (stem, 0.03), (0.1, level), triangle[2])]


def _five(draw: Draw) -> list[Line]:
    left = draw.uniform(0.2, 0.32)
    belly = (left, 0.42), (0.5, 0.38), (0.8, 0.58), (0.72, 0.86), (0.42, 0.98), (0.12, 0.88)
    bar_end = (draw.uniform(0.68, 0.92), draw.uniform(0.0, 0.08))
    if _has(draw, 0.55):
        stem = _straight(draw, (left + 0.04, 0.06), (left, 0.42))
        return [np.concatenate([stem, _curve(draw, *belly)]), _straight(draw, (left + 0.04, 0.06), bar_end)]
    bar = _straight(draw, bar_end, (left + 0.04, 0.06), (left, 0.42))
    return [np.concatenate([bar, _curve(draw, *belly)])]


def _curved_five(draw: Draw) -> list[Line]:
    return [
        _curve(draw, (0.82, 0.05), (0.45, 0.05), (0.26, 0.24), (0.42, 0.42), (0.72, 0.56), (0.72, 0.84), (0.42, 0.97),
               (0.15, 0.88))
    ]  # fmt: skip


def _six(draw: Draw) -> list[Line]:
    top = draw.uniform(0.45, 0.82)
    loop = draw.uniform(0.42, 0.6)
    end = (draw.uniform(0.2, 0.4), draw.uniform(0.68, 0.85))
    return [
        _curve(draw, (top, 0.03), (0.34, 0.28), (0.2, 0.62), (0.28, 0.9), (0.52, 0.97), (0.76, 0.8),
               (0.68, loop + 0.06), (0.45, loop), end)
    ]  # fmt: skip


def _straight_six(draw: Draw) -> list[Line]:
    stem = draw.uniform(0.2, 0.35)
    return [
        _curve(draw, (stem + draw.uniform(0, 0.3), 0.02), (stem, 0.45), (stem, 0.75), (0.42, 0.96), (0.72, 0.86),
               (0.68, 0.6), (0.46, 0.54), (stem + 0.02, 0.72))
    ]  # fmt: skip


def _seven(draw: Draw) -> list[Line]:
    """Draw a roof and a stem, with a bar or without, with a serif or without."""
    corner, foot = (draw.uniform(0.74, 0.9), draw.uniform(0.02, 0.1)), (draw.uniform(0.22, 0.6), 0.98)
    roof = [(0.12, draw.uniform(0.03, 0.12)), corner]
    if _has(draw, 0.3):
        roof.insert(0, (0.12, draw.uniform(0.18, 0.3)))
    bend = draw.uniform(-0.02, 0.14)
    middle = ((corner[0] + foot[0]) / 2 - bend, 0.5)
    if _has(draw, 0.5):
        strokes = [_straight(draw, *roof, foot)]
    else:
        out = [(foot[0] + draw.uniform(0.05, 0.2), 0.95)] if _has(draw, 0.3) else []  # the stem runs out to the right
        strokes = [np.concatenate([_straight(draw, *roof), _curve(draw, corner, middle, foot, *out)])]
    if _has(draw, 0.55):
        reach, tilt = draw.uniform(0.1, 0.28), draw.uniform(-0.1, 0.1)
        centre, level = (corner[0] + foot[0]) / 2 - bend / 2, draw.uniform(0.4, 0.6)
        strokes.append(_straight(draw, (centre - reach, level + tilt), (centre + reach, level - tilt)))
    return strokes


def _eight(draw: Draw) -> list[Line]:
    """Draw an S and back up; now and then open at the top."""
    gap = draw.uniform(-0.04, 0.2)
    waist = draw.uniform(0.4, 0.52)
    small = draw.uniform(0.18, 0.3)
    return [
        _curve(draw, (0.5 + small * 0.8 + gap / 2, 0.1 + gap), (0.5, 0.02), (0.5 - small, 0.2), (0.5, waist),
               (0.78, 0.72), (0.5, 0.98), (0.22, 0.74), (0.5, waist + 0.02), (0.5 + small, 0.22),
               (0.52 + gap / 2, 0.03))
    ]  # fmt: skip


def _two_rings(draw: Draw) -> list[Line]:
    apart = draw.uniform(-0.04, 0.03)
    upper, lower = draw.uniform(0.17, 0.27), draw.uniform(0.22, 0.32)
    return [
        arc((0.5, 0.25), (upper, 0.23), 90, 90 + draw.uniform(340, 380)),
        arc((0.5 + draw.normal(0, 0.03), 0.73 + apart), (lower, 0.25), -90, -90 + draw.uniform(340, 380)),
    ]


def _nine(draw: Draw) -> list[Line]:
    """Draw a loop and a tail: straight, hooked to the left, or flat."""
    right = draw.uniform(0.68, 0.82)
    loop = [(right, 0.16), (0.5, 0.02), (0.22, 0.16), (0.22, 0.38), (0.46, 0.5), (right - 0.04, 0.34), (right, 0.12)]
    if _has(draw, 0.4):  # the pen begins inside the loop, or above it
        loop = [(right - draw.uniform(0.0, 0.35), draw.uniform(0.0, 0.3)), *loop[1:]]
    if _has(draw, 0.3):  # the loop stays open
        loop[-1:] = [(right + draw.uniform(0.0, 0.06), draw.uniform(0.1, 0.3))]
    kind = draw.integers(3)
    if kind == 0:
        tail = [(right - draw.uniform(-0.02, 0.08), 0.55), (right - draw.uniform(0, 0.25), 0.98)]
    elif kind == 1:
        tail = [(right, 0.6), (right - 0.1, 0.88), (0.42, 0.98), (draw.uniform(0.1, 0.3), draw.uniform(0.78, 0.95))]
    else:
        tail = [(right - 0.02, 0.6), (right - 0.12, 0.92), (draw.uniform(0.15, 0.35), draw.uniform(0.93, 0.99))]
    return [_curve(draw, *loop, *tail)]


def _looped_nine(draw: Draw) -> list[Line]:
    """Draw a ring, and a stem of its own at its right."""
    right = draw.uniform(0.64, 0.76)
    ring = arc((right - 0.25, 0.27), (0.25, 0.24), -20, -20 - draw.uniform(330, 370))
    hook = [(0.4, 0.97), (0.2, 0.9)] if _has(draw, 0.45) else []
    end = right - draw.uniform(0.0, 0.12)
    return [ring, _curve(draw, (right, 0.08), (right, 0.5), (end, 0.86), *hook)]


_STYLES: dict[str, tuple[tuple[Style, float], ...]] = {
    "0": ((_zero, 0.6), (_slashed_zero, 0.4)),
    "1": ((_one, 1.0),),
    "2": ((_two, 0.7), (_angular_two, 0.3)),
    "3": ((_three, 0.6), (_flat_three, 0.4)),
    "4": ((_open_four, 0.5), (_rounded_four, 0.2), (_closed_four, 0.3)),
    "5": ((_five, 0.75), (_curved_five, 0.25)),
    "6": ((_six, 0.6), (_straight_six, 0.4)),
    "7": ((_seven, 1.0),),
    "8": ((_eight, 0.75), (_two_rings, 0.25)),
    "9": ((_nine, 0.7), (_looped_nine, 0.3)),
}
