"""Random changes of the training images, batched, on their device.

Shapes: B images, S their side. Places in an image are in -1 .. 1, as `grid_sample` has them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

MAX_TURN = math.radians(15)
MAX_SHEAR = 0.3  # sideways shift per unit of height
SCALE_RANGE = (0.75, 1.2)  # each axis by itself: people's digits are narrow or wide
MAX_SHIFT = 0.1  # of the image's side

RAND_OPERATIONS = 2  # per image, each drawn out of five
RAND_TURN = math.radians(12)
RAND_SHEAR = 0.2
RAND_SHIFT = 0.06  # of the image's side

ELASTIC_CELLS = 5  # displacements are drawn on a grid of so many points a side
ELASTIC_REACH = 0.07  # standard deviation of a displacement, in half sides

MAX_THICKNESS = 0.7  # share of the way to lines one pixel thicker, or thinner, on either side
MAX_HOLE = 0.25  # longest side of an occlusion, as a share of the image's
HOLE_SHARE = 0.15  # of the images get one


def augment(images: Tensor, kinds: Sequence[str], generator: torch.Generator) -> Tensor:
    """Change every image (B, channels, S, S) by draws of its own; `kinds` are names of `config.AUGMENTATIONS`.

    All that moves ink becomes one grid, so that images are resampled once.
    """
    draws = _Draws(len(images), images.device, generator)
    grid = None
    if {"affine", "randaugment", "elastic"} & set(kinds):
        matrix = torch.eye(3, device=images.device).expand(len(images), 3, 3)
        if "affine" in kinds:
            matrix = _affine(draws)
        if "randaugment" in kinds:
            matrix = _rand_augment(draws) @ matrix
        grid = functional.affine_grid(matrix[:, :2], list(images.shape), align_corners=False)  # (B, S, S, 2)
        if "elastic" in kinds:
            grid = grid + _elastic(draws, images.shape[-1])
        images = functional.grid_sample(images, grid, padding_mode="zeros", align_corners=False)
    if "thickness" in kinds:
        images = _thickened(images, draws)
    if "occlusion" in kinds:
        images = _occluded(images, draws)
    return images


class _Draws:
    """Draws random numbers, one an image."""

    def __init__(self, count: int, device: torch.device, generator: torch.Generator) -> None:
        self.count = count
        self.device = device
        self.generator = generator

    def uniform(self, low: float, high: float) -> Tensor:
        """Draw from low .. high: (B,)."""
        draw = torch.rand(self.count, generator=self.generator, device=self.device)
        return low + (high - low) * draw

    def normal(self, *shape: int) -> Tensor:
        """Draw (B, *shape) with a standard deviation of 1."""
        return torch.randn(self.count, *shape, generator=self.generator, device=self.device)

    def choice(self, count: int) -> Tensor:
        """Draw a whole number from 0 to count - 1: (B,)."""
        return torch.randint(count, (self.count,), generator=self.generator, device=self.device)


def _affine(draws: _Draws) -> Tensor:
    """Draw turn, shear, scale and shift: (B, 3, 3), from places in the new image to places in the old."""
    turn, shear = draws.uniform(-MAX_TURN, MAX_TURN), draws.uniform(-MAX_SHEAR, MAX_SHEAR)
    width, height = draws.uniform(*SCALE_RANGE), draws.uniform(*SCALE_RANGE)
    cos, sin = turn.cos(), turn.sin()
    return _matrix(
        [
            [cos / width, (shear * cos - sin) / width, draws.uniform(-2 * MAX_SHIFT, 2 * MAX_SHIFT)],
            [sin / height, (shear * sin + cos) / height, draws.uniform(-2 * MAX_SHIFT, 2 * MAX_SHIFT)],
        ]
    )


def _rand_augment(draws: _Draws) -> Tensor:
    """Draw a few of five geometric operations, one after the other: (B, 3, 3).

    RandAugment (Cubuk et al., NeurIPS 2020) without the operations on colours, which mean nothing here, and with those
    on grey levels left out, which destroy ink.
    """
    matrix = torch.eye(3, device=draws.device).expand(draws.count, 3, 3)
    for _ in range(RAND_OPERATIONS):
        kind, amount = draws.choice(5), draws.uniform(-1, 1)

        def amount_if(number: int, largest: float, kind: Tensor = kind, amount: Tensor = amount) -> Tensor:
            return torch.where(kind == number, amount * largest, 0.0)

        turn = amount_if(0, RAND_TURN)
        cos, sin = turn.cos(), turn.sin()
        operation = _matrix(
            [
                [cos, amount_if(1, RAND_SHEAR) - sin, amount_if(2, 2 * RAND_SHIFT)],
                [sin + amount_if(3, RAND_SHEAR), cos, amount_if(4, 2 * RAND_SHIFT)],
            ]
        )
        matrix = operation @ matrix
    return matrix


def _matrix(rows: Sequence[Sequence[Tensor]]) -> Tensor:
    """Put two rows of three (B,) together to (B, 3, 3)."""
    zero = torch.zeros_like(rows[0][0])
    return torch.stack([torch.stack(list(row), dim=-1) for row in (*rows, (zero, zero, zero + 1))], dim=1)


def _elastic(draws: _Draws, size: int) -> Tensor:
    """Draw a smooth field of displacements (B, S, S, 2) (Simard et al., ICDAR 2003), from few points by splines."""
    points = ELASTIC_REACH * draws.normal(2, ELASTIC_CELLS, ELASTIC_CELLS)
    field = functional.interpolate(points, size=(size, size), mode="bicubic", align_corners=True)
    return field.permute(0, 2, 3, 1)


def _thickened(images: Tensor, draws: _Draws) -> Tensor:
    """Make lines thicker in one half of the images, thinner in the other."""
    amount = draws.uniform(-MAX_THICKNESS, MAX_THICKNESS)[:, None, None, None]
    thick = functional.max_pool2d(images, 3, stride=1, padding=1)
    thin = -functional.max_pool2d(-images, 3, stride=1, padding=1)
    return images + amount.clamp(min=0) * (thick - images) - amount.clamp(max=0) * (thin - images)


def _occluded(images: Tensor, draws: _Draws) -> Tensor:
    """Turn a small rectangle into paper (Zhong et al., AAAI 2020) in some of the images."""
    places = (torch.arange(images.shape[-1], device=images.device) + 0.5) / images.shape[-1]

    def covered(length: Tensor) -> Tensor:
        start = draws.uniform(0, 1) * (1 - length)
        return (places >= start[:, None]) & (places < (start + length)[:, None])  # (B, S)

    is_chosen = draws.uniform(0, 1) < HOLE_SHARE
    rows = covered(draws.uniform(0.05, MAX_HOLE)) & is_chosen[:, None]
    columns = covered(draws.uniform(0.05, MAX_HOLE))
    return images * ~(rows[:, None, :, None] & columns[:, None, None, :])
