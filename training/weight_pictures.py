"""What can be seen of a model without a drawing: which positions it takes for neighbours, and its patch filters.

Shapes: N patches, D embed_dim, P patch_size.
"""

from __future__ import annotations

import torch
from torch.nn import functional

from training.facts import FloatArray, WeightPictures
from training.model import VisionTransformer
from training.network import Network


@torch.no_grad()
def picture_weights(network: Network) -> WeightPictures:
    """Take the pictures of a model; a CNN has none, and one without positions no similarity of them."""
    if not isinstance(network, VisionTransformer):
        return WeightPictures()
    similarity = None
    if network.position_table is not None:
        table = network.position_table[0, 1 : 1 + network.config.num_patches]  # (N, D)
        unit = functional.normalize(table, dim=-1)
        similarity = _read_only(unit @ unit.T)  # (N, N)
    return WeightPictures(position_similarity=similarity, filters=_read_only(network.patch_embedding.weight))


def _read_only(tensor: torch.Tensor) -> FloatArray:
    array: FloatArray = tensor.numpy(force=True).copy()  # the weights may be trained on
    array.flags.writeable = False
    return array
