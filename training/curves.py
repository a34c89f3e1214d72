"""Lines made up from a few points, and random changes of lines, for drawings that nobody drew.

Lines are float64 (n, 2) in a unit box, y down; random numbers come from the generator that is given.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Line = npt.NDArray[np.float64]
_POINTS_PER_PART = 8
_WARP_WAVES = 3


def smooth(points: Line) -> Line:
    """Give a line through all points without corners (Catmull and Rom, 1974)."""
    if len(points) < 3:
        return points
    ends = np.concatenate([2 * points[:1] - points[1:2], points, 2 * points[-1:] - points[-2:-1]])
    t = np.linspace(0, 1, _POINTS_PER_PART, endpoint=False)[:, None]
    before, start, end, after = (ends[k : len(ends) - 3 + k, None] for k in range(4))
    parts = start + t * (
        (end - before) / 2
        + t * (before - 2.5 * start + 2 * end - after / 2 + t * (1.5 * (start - end) + (after - before) / 2))
    )
    return np.concatenate([parts.reshape(-1, 2), points[-1:]])


def arc(
    centre: tuple[float, float], radii: tuple[float, float], begin_deg: float, end_deg: float, count: int = 24
) -> Line:
    """Give a part of an ellipse; 0 degrees is to the right, 90 down."""
    angle = np.radians(np.linspace(begin_deg, end_deg, count))
    return np.column_stack([centre[0] + radii[0] * np.cos(angle), centre[1] + radii[1] * np.sin(angle)])


def warped(lines: list[Line], generator: np.random.Generator, reach: float) -> list[Line]:
    """Bend all lines by one smooth random field, by about `reach`."""
    frequencies = generator.normal(0, 2.5, (_WARP_WAVES, 2, 2))  # wave, direction of the shift, direction of the wave
    phases = generator.uniform(0, 2 * np.pi, (_WARP_WAVES, 2))
    sizes = generator.normal(0, reach / np.sqrt(_WARP_WAVES), (_WARP_WAVES, 2))
    return [line + (sizes * np.sin(np.einsum("nk,wdk->nwd", line, frequencies) + phases)).sum(axis=1) for line in lines]


def transformed(lines: list[Line], matrix: Line) -> list[Line]:
    """Map all lines by a matrix (2, 2), about the middle of the unit box."""
    return [(line - 0.5) @ matrix.T + 0.5 for line in lines]


def hand(generator: np.random.Generator, turn_deg: float, shear: float, narrowest: float) -> Line:
    """Draw a matrix (2, 2) of a hand: turned and sheared by so much at most, and as narrow as that or as wide."""
    angle = np.radians(generator.uniform(-turn_deg, turn_deg))
    slant = generator.uniform(-shear, shear)
    aspect = np.exp(generator.uniform(np.log(narrowest), -np.log(narrowest) / 2))
    cos, sin = np.cos(angle), np.sin(angle)
    matrix: Line = np.array([[cos, -sin], [sin, cos]]) @ np.array([[1, -slant], [0, 1]]) @ np.diag([aspect, 1.0])
    return matrix
