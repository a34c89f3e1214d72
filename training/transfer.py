"""Starting a model from the weights of another one of a different patch size, image size or set of classes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional

from training.config import CnnConfig, ModelConfig, NetworkConfig
from training.errors import UserError
from training.network import Network

MUST_AGREE = ("in_channels", "embed_dim", "depth", "num_heads", "mlp_ratio", "position", "distillation", "residual")


def start_from(model: Network, weights: Mapping[str, Tensor], source: NetworkConfig) -> None:
    """Put the weights of a model described by `source` into `model`, resized where the two differ.

    The patch kernel and the grid of the position table are resized; a classifier for other classes keeps its own start.

    Raises:
        UserError: the two differ in more than patch size, image size and classes.
    """
    target = model.config
    if isinstance(source, CnnConfig) or isinstance(target, CnnConfig):
        _start_cnn(model, weights, source)
        return
    for name in MUST_AGREE:
        if getattr(source, name) != getattr(target, name):
            raise UserError(
                "The model to start from has {name} {theirs}, the new one {ours}; only patch size, image size and "
                "classes may differ.",
                name=name,
                theirs=getattr(source, name),
                ours=getattr(target, name),
            )
    own = model.state_dict()
    taken = dict(weights)
    taken["patch_embedding.weight"] = resize_kernel(weights["patch_embedding.weight"], target.patch_size)
    if "position_table" in weights:
        taken["position_table"] = resize_positions(weights["position_table"], source, target)
    if source.class_names != target.class_names:
        taken.update({name: value for name, value in own.items() if "classifier" in name})
    model.load_state_dict(taken)


def _start_cnn(model: Network, weights: Mapping[str, Tensor], source: NetworkConfig) -> None:
    target = model.config
    if dataclasses.replace(source, dropout=target.dropout) != target:
        raise UserError("A CNN can only start from a CNN of the same sizes and classes.")
    model.load_state_dict(dict(weights))


def resize_kernel(kernel: Tensor, patch_size: int) -> Tensor:
    """Resize a patch kernel (D, in_channels, p, p); an even patch keeps its embedding."""
    old = kernel.shape[-1]
    resized = functional.interpolate(
        kernel, size=(patch_size, patch_size), mode="bilinear", antialias=True, align_corners=False
    ) * ((old / patch_size) ** 2)
    # Resizing weighs the rim a little differently, so that its sum is near the old one; an even patch needs the same.
    missing = kernel.sum(dim=(-2, -1), keepdim=True) - resized.sum(dim=(-2, -1), keepdim=True)
    return resized + missing / patch_size**2


def resize_positions(table: Tensor, source: ModelConfig, target: ModelConfig) -> Tensor:
    """Resize the patches' part of a position table (1, T, D) as a picture of D channels; other tokens keep theirs."""
    patches = slice(1, 1 + source.num_patches)
    picture = table[:, patches].transpose(1, 2).reshape(1, -1, source.grid, source.grid)  # (1, D, grid, grid)
    resized = functional.interpolate(picture, size=(target.grid, target.grid), mode="bicubic", align_corners=False)
    return torch.cat([table[:, :1], resized.flatten(2).transpose(1, 2), table[:, patches.stop :]], dim=1)
