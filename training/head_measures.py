"""What each head measurably does with the drawing at hand, with numpy alone.

Shapes: depth blocks, H heads, T tokens, N patches, G patches along one side of the image.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from training.facts import FloatArray, Prediction

INK = 0.1  # grey level from which a pixel counts as ink


class HeadMeasures(NamedTuple):
    """One number a head, (depth, H) each, the mean over all asking tokens where nothing else is said.

    Shares are of a token's whole attention, from 0 to 1.
    """

    entropy: FloatArray  # bits: 0 where each token looks at one alone, log2(T) where at all alike
    distance: FloatArray  # in patches, from an asking patch to those it looks at (Dosovitskiy et al., figure 7)
    ink: FloatArray  # share on patches with ink
    blank: FloatArray  # share on patches without
    itself: FloatArray  # share on the asking token
    class_token: FloatArray  # share on the class token


def measure_heads(prediction: Prediction) -> HeadMeasures:
    """Measure all heads of a prediction with attention (depth, H, T, T)."""
    attention, grid = prediction.attention, prediction.grid
    patches = slice(1, 1 + grid**2)
    looked_at = attention.mean(axis=-2)  # (depth, H, T), how much each token gets from all
    has_ink = patches_with_ink(prediction.image, grid)  # (N,)
    on_patches = looked_at[..., patches]  # (depth, H, N)
    return HeadMeasures(
        entropy=_entropy(attention).mean(axis=-1),
        distance=_mean_distance(attention[..., patches, patches], grid),
        ink=on_patches[..., has_ink].sum(axis=-1),
        blank=on_patches[..., ~has_ink].sum(axis=-1),
        itself=np.diagonal(attention, axis1=-2, axis2=-1).mean(axis=-1),
        class_token=looked_at[..., 0],
    )


def patches_with_ink(image: FloatArray, grid: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which patches (N,), row by row, of an image (in_channels, S, S) have ink."""
    side = image.shape[-1] // grid
    brightest = image.max(axis=0).reshape(grid, side, grid, side).max(axis=(1, 3))  # (G, G)
    has_ink: np.ndarray[tuple[int], np.dtype[np.bool_]] = brightest.ravel() >= INK
    return has_ink


def _entropy(attention: FloatArray) -> FloatArray:
    """Give the entropy of each row, in bits: (..., T, T) to (..., T)."""
    logs = np.log2(attention, out=np.zeros_like(attention), where=attention > 0)
    entropy: FloatArray = -np.einsum("...ij,...ij->...i", attention, logs)
    return entropy


def _mean_distance(attention: FloatArray, grid: int) -> FloatArray:
    """Give how far patches look, in patches, from (..., N, N), whose rows needn't sum to 1."""
    places = np.stack(np.divmod(np.arange(grid**2), grid), axis=-1)  # (N, 2)
    distances = np.linalg.norm(places[:, None] - places[None], axis=-1).astype(attention.dtype)  # (N, N)
    shares = attention / np.maximum(attention.sum(axis=-1, keepdims=True), np.finfo(attention.dtype).tiny)
    distance: FloatArray = np.einsum("...ij,ij->...i", shares, distances).mean(axis=-1)
    return distance
