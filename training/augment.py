"""Random changes of the training images, batched, on their device."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

MAX_TURN = math.radians(15)
MAX_SHEAR = 0.3  # sideways shift per unit of height
SCALE_RANGE = (0.75, 1.2)  # each axis by itself: people's digits are narrow or wide
MAX_SHIFT = 0.1  # of the image's side


def random_affine(images: Tensor, generator: torch.Generator) -> Tensor:
    """Turn, shear, scale and shift every image (B, channels, S, S) by a draw of its own; new ground is paper (0)."""
    grid = functional.affine_grid(_draw_transforms(images, generator), list(images.shape), align_corners=False)
    return functional.grid_sample(images, grid, padding_mode="zeros", align_corners=False)


def _draw_transforms(images: Tensor, generator: torch.Generator) -> Tensor:
    """Draw one transform (2, 3) an image, from places in the new image to places in the old, both in -1 .. 1."""

    def uniform(low: float, high: float) -> Tensor:
        draw = torch.rand(len(images), generator=generator, device=images.device)
        return low + (high - low) * draw  # (B,)

    turn, shear = uniform(-MAX_TURN, MAX_TURN), uniform(-MAX_SHEAR, MAX_SHEAR)
    width, height = uniform(*SCALE_RANGE), uniform(*SCALE_RANGE)
    cos, sin = turn.cos(), turn.sin()
    matrix = torch.stack(
        [
            torch.stack([cos / width, (shear * cos - sin) / width, uniform(-2 * MAX_SHIFT, 2 * MAX_SHIFT)], dim=-1),
            torch.stack([sin / height, (shear * sin + cos) / height, uniform(-2 * MAX_SHIFT, 2 * MAX_SHIFT)], dim=-1),
        ],
        dim=1,
    )  # (B, 2, 3)
    return matrix.to(images.dtype)
