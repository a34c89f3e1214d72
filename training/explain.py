"""Facts about how a model came to its answer.

Shapes: B batch, T tokens, D embed_dim, C classes.
"""

from __future__ import annotations

import torch
from torch import Tensor

from training.cnn import ConvNet
from training.model import Inspection
from training.network import Network


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
