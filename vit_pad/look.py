"""What of the attention is looked at: which map of a prediction, asked from which token.

Shapes: G patches along one side of the image, H heads, T tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from training.facts import FloatArray, Prediction
from training.joins import join_heads, rollout

MEAN_HEAD = -1  # stands beside the numbers of the heads
CLASS_TOKEN = 0
Way = Literal["head", "max", "min", "rollout", "relevance"]


@dataclass(frozen=True, kw_only=True)
class Look:
    """Which map is shown: of a head, or of heads and blocks joined, as seen from a token. Blocks and heads from 0.

    The head counts in the way "head" alone; the highest and the lowest join all heads of the block.
    """

    way: Way = "head"
    block: int = 0
    head: int = MEAN_HEAD
    token: int = CLASS_TOKEN  # that asks
    is_reversed: bool = False  # shows who looks at the token, instead of what it looks at
    class_index: int | None = None  # whose relevance is shown; None: that of the likeliest


def heat_map(prediction: Prediction, look: Look) -> FloatArray | None:
    """Give the map that is looked at, patch by patch.

    Rollout goes through the blocks up to the chosen one, relevance through all of them.

    Returns:
        (G, G), shares of the attention or of the relevance; None where the model has no such map, as a CNN.
    """
    if look.way == "relevance":
        return _relevance(prediction, look.class_index)
    attention = _attention_of(prediction, look)
    return None if attention is None else _seen_from(prediction, attention, look)


def block_maps(prediction: Prediction, look: Look) -> FloatArray | None:
    """Give the maps of a whole block, whatever the head: the mean of its heads first, then each head.

    Returns:
        (1 + H, G, G); None where the model has no such block.
    """
    if not _has_block(prediction, look.block):
        return None
    maps = _seen_from(prediction, prediction.attention[look.block], look)  # (H, G, G)
    return None if maps is None else np.concatenate([maps.mean(axis=0, keepdims=True), maps])  # (1 + H, G, G)


def all_maps(prediction: Prediction, look: Look) -> FloatArray | None:
    """Give the maps of all heads, whatever the block: (depth, H, G, G), or None for a model without attention."""
    return _seen_from(prediction, prediction.attention, look) if _has_block(prediction, 0) else None


def _has_block(prediction: Prediction, block: int) -> bool:
    return 0 <= block < len(prediction.attention) and prediction.attention.shape[1] > 0


def _attention_of(prediction: Prediction, look: Look) -> FloatArray | None:
    """Give who looks at what in the head that is looked at, or in what was made of many: (T, T)."""
    if not _has_block(prediction, look.block):
        return None
    heads = prediction.attention[look.block]  # (H, T, T)
    if look.way == "rollout":
        return rollout(prediction.attention[: look.block + 1])
    if look.way in ("max", "min"):
        return join_heads(heads, look.way)
    if look.head == MEAN_HEAD:
        return join_heads(heads, "mean")
    return heads[look.head] if 0 <= look.head < len(heads) else None


def _seen_from(prediction: Prediction, attention: FloatArray, look: Look) -> FloatArray | None:
    """Cut what is seen from a token out of attention (..., T, T), as maps (..., G, G); None without such a token."""
    if not 0 <= look.token < attention.shape[-1]:
        return None
    seen = attention[..., :, look.token] if look.is_reversed else attention[..., look.token, :]  # (..., T)
    # Column 0 is the class token's, and a distillation token may follow the patches.
    grid = prediction.grid
    maps: FloatArray = seen[..., 1 : 1 + grid**2].reshape(*attention.shape[:-2], grid, grid)
    return maps


def _relevance(prediction: Prediction, class_index: int | None) -> FloatArray | None:
    """Give the patches' shares of what speaks for a class; all 0 where nothing does."""
    if prediction.relevance is None:
        return None
    index = int(prediction.probabilities.argmax()) if class_index is None else class_index
    if not 0 <= index < len(prediction.relevance):
        return None
    relevance: FloatArray = prediction.relevance[index]
    total = relevance.sum()
    share: FloatArray = relevance / total if total > 0 else relevance
    return share
