"""Ways to make one map of many heads and blocks, with numpy alone.

Shapes: depth blocks, H heads, T tokens; a row is the asking token, a column the token that is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from training.facts import FloatArray

HEAD_JOINS: Mapping[str, Callable[..., FloatArray]] = {"mean": np.mean, "max": np.max, "min": np.min}


def join_heads(attention: FloatArray, how: str) -> FloatArray:
    """Join the heads of one block, (H, T, T) to (T, T), place by place, by "mean", "max" or "min"."""
    return HEAD_JOINS[how](attention, axis=0)


def rollout(attention: FloatArray) -> FloatArray:
    """Follow attention through all blocks from (depth, H, T, T): how much of each token is in each at the end, (T, T).

    Attention rollout (Abnar and Zuidema, ACL 2020): the mean of the heads, with as much again for the residual path,
    each row sharing out 1, multiplied from the first block up. Rows sum to 1.
    """
    tokens = attention.shape[-1]
    passed_on = np.eye(tokens, dtype=attention.dtype)
    for weights in attention.mean(axis=1):  # (T, T)
        mixed = weights + np.eye(tokens, dtype=attention.dtype)
        passed_on = (mixed / mixed.sum(axis=-1, keepdims=True)) @ passed_on
    return passed_on
