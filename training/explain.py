"""Facts about how a model came to its answer.

Shapes: B batch, T tokens, D embed_dim, H heads, C classes, N patches.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor

from training.cnn import ConvNet
from training.config import ModelConfig
from training.edits import NO_EDITS, Edits
from training.model import Inspection, VisionTransformer
from training.network import Network

_AT_ONCE = 32  # images; more fill the memory of large models


def logit_lens(model: Network, inspection: Inspection, temperature: float = 1.0) -> Tensor:
    """Read an answer off the tokens before block 1 and after every block: probabilities (depth + 1, B, C).

    The model's own final LayerNorm and classifier are put behind every block (nostalgebraist, "interpreting GPT: the
    logit lens", 2020); the last one is the answer itself. A CNN has no tokens to read from: (0, B, C).
    """
    if isinstance(model, ConvNet):
        return inspection.logits.new_zeros(0, *inspection.logits.shape)
    # The first and the last token are all that is read: the class token, and a distillation token where there is one.
    tokens = torch.stack([each[:, :: each.shape[1] - 1] for each in inspection.tokens])  # (depth + 1, B, 2, D)
    logits = model.classify(tokens.flatten(0, 1))  # ((depth + 1) B, C)
    probabilities = (logits / temperature).softmax(dim=-1)  # ((depth + 1) B, C)
    return probabilities.reshape(*tokens.shape[:2], -1)  # (depth + 1, B, C)


def patch_lens(model: VisionTransformer, inspection: Inspection, temperature: float = 1.0) -> Tensor:
    """Read an answer off every patch instead of the class token: probabilities (depth + 1, B, N, C).

    The model was never trained to be read there: what it says is how near a patch's vector has come to each class.
    """
    tokens = torch.stack(inspection.tokens)[:, :, _patches(model.config)]  # (depth + 1, B, N, D)
    return cast(Tensor, model.classifier(model.norm(tokens)) / temperature).softmax(dim=-1)


def residual_norms(inspection: Inspection) -> Tensor:
    """Measure the residual stream before block 1 and after every block: the length of each token, (depth + 1, B, T)."""
    return cast(Tensor, torch.linalg.vector_norm(torch.stack(inspection.tokens), dim=-1))


def class_relevance(model: VisionTransformer, inspection: Inspection) -> Tensor:
    """Say for every class which patches speak for it: relevance (B, C, N), at least 0.

    Generic attention explainability for self-attention (Chefer, Gur and Wolf, ICCV 2021): R = 1, then block by block
    R = R + E[(dy/dA * A)+] R, where A is the block's attention, y the logit of the class and E the mean over heads; the
    class token's row of R is read. `inspection` must have been made with gradients, by a model in evaluation mode.
    """
    batch, _, tokens, _ = inspection.attention[0].shape
    rows = []
    for logit in inspection.logits.sum(dim=0):  # the images of a batch don't touch each other
        gradients = torch.autograd.grad(logit, inspection.attention, retain_graph=True)
        relevance = torch.eye(tokens).to(logit).expand(batch, -1, -1)  # (B, T, T)
        for gradient, weights in zip(gradients, inspection.attention, strict=True):
            relevance = relevance + (gradient * weights.detach()).clamp(min=0).mean(dim=1) @ relevance
        rows.append(relevance[:, 0, _patches(model.config)])  # (B, N)
    return torch.stack(rows, dim=1)  # (B, C, N)


def blank_each(model: VisionTransformer, image: Tensor, edits: Edits = NO_EDITS) -> Tensor:
    """Read an image (1, in_channels, S, S) once for each patch with that one blanked: logits (N, C).

    Occlusion (Zeiler and Fergus, ECCV 2014): what the answer loses without a patch is what it owes to it.
    """
    num_patches, logits = model.config.num_patches, []
    for start in range(0, num_patches, _AT_ONCE):
        patches = range(start, min(start + _AT_ONCE, num_patches))
        images = torch.cat([model.blank(image, [patch]) for patch in patches])  # (patches, in_channels, S, S)
        logits.append(model.inspect(images, edits, with_unread=False).logits)
    return torch.cat(logits)  # (N, C)


def _patches(config: ModelConfig) -> slice:
    """Tell which tokens are patches."""
    return slice(1, 1 + config.num_patches)
