"""The Vision Transformer (Dosovitskiy et al., "An Image is Worth 16x16 Words", ICLR 2021).

Shapes: B batch, S image_size, T tokens, D embed_dim, H heads, K head_dim, C classes.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.config import ModelConfig
from training.edits import NO_BLOCK_EDITS, NO_EDITS, BlockEdits, Edits

INIT_STD = 0.02
PAPER = 0.0  # of an image's pixels
ALL = slice(None)


class Inspection(NamedTuple):
    """Everything that one pass through the model computes."""

    logits: Tensor  # (B, C)
    features: Tensor  # (B, D), the class token that the classifier reads
    attention: tuple[Tensor, ...]  # depth x (B, H, T, T), rows sum to 1
    tokens: tuple[Tensor, ...]  # depth + 1 x (B, T, D), before block 1 first, before the final LayerNorm last


class Dropout(nn.Module):
    """Set a random share `p` of the values to zero while training, and scale up the rest.

    `nn.Dropout` draws from the process-wide generator, which other threads draw from too; this one draws from
    `generator`, which the trainer sets. None means the process-wide one.
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p
        self.generator: torch.Generator | None = None

    @property
    def is_active(self) -> bool:
        """Tell whether values are dropped now."""
        return self.training and self.p > 0

    def forward(self, x: Tensor) -> Tensor:
        """Drop values of `x`, of any shape."""
        if not self.is_active:
            return x
        kept = torch.empty_like(x).bernoulli_(1 - self.p, generator=self.generator)
        return x * kept / (1 - self.p)


def set_dropout(network: nn.Module, p: float) -> None:
    """Change the share of dropped values everywhere in a network."""
    for module in network.modules():
        if isinstance(module, Dropout):
            module.p = p


def set_dropout_generator(network: nn.Module, generator: torch.Generator | None) -> None:
    """Let all dropout in a network draw from `generator`, which must be on its device."""
    for module in network.modules():
        if isinstance(module, Dropout):
            module.generator = generator


class Attention(nn.Module):
    """Multi-head self-attention (Vaswani et al., NeurIPS 2017): softmax(q k^T / sqrt(K)) v."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.num_heads = config.num_heads
        self.qkv = nn.Linear(config.embed_dim, 3 * config.embed_dim)
        self.attention_dropout = Dropout(config.dropout)
        self.projection = nn.Linear(config.embed_dim, config.embed_dim)
        self.projection_dropout = Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Let every token look at all tokens: (B, T, D) to (B, T, D)."""
        if self.attention_dropout.is_active:
            return self.inspect(x)[0]
        return self._join(_attend(*self._queries_keys_values(x)))

    def inspect(self, x: Tensor, wanted: slice = ALL, edits: BlockEdits = NO_BLOCK_EDITS) -> tuple[Tensor, Tensor]:
        """Do what `forward` does, written out, for the `wanted` tokens; give the attention (B, H, T, T) as well."""
        q, k, v = self._queries_keys_values(x)
        scores = (q / math.sqrt(q.shape[-1])) @ k.transpose(-2, -1)  # (B, H, T, T); q has fewer numbers to divide
        if edits.attention_temperature is not None:
            scores = scores / edits.attention_temperature
        attention = scores.softmax(dim=-1)  # (B, H, T, T)
        heads = self.attention_dropout(attention)[:, :, wanted] @ v  # (B, H, T, K)
        if edits.head_scales is not None:
            heads = heads * heads.new_tensor(edits.head_scales)[:, None, None]
        return self._join(heads), attention

    def _queries_keys_values(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        batch, tokens, _ = x.shape
        qkv = self.qkv(x).reshape(batch, tokens, 3, self.num_heads, -1)  # (B, T, 3, H, K)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)  # 3 x (B, H, T, K)
        return q, k, v

    def _join(self, heads: Tensor) -> Tensor:
        joined = heads.transpose(1, 2).flatten(2)  # (B, T, D)
        return cast(Tensor, self.projection_dropout(self.projection(joined)))


def _attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Compute softmax(q k^T / sqrt(K)) v, all (B, H, T, K), by torch's fused kernels."""
    if q.dtype is not torch.bfloat16 or q.device.type != "cpu":
        return functional.scaled_dot_product_attention(q, k, v)
    with torch.autocast("cpu", enabled=False):  # backwards, a CPU takes ten times as long for it in bfloat16
        return functional.scaled_dot_product_attention(q.float(), k.float(), v.float())


class MLP(nn.Module):
    """Two linear layers with a GELU between them, each token by itself."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.hidden = nn.Linear(config.embed_dim, config.mlp_dim)
        self.hidden_dropout = Dropout(config.dropout)
        self.output = nn.Linear(config.mlp_dim, config.embed_dim)
        self.output_dropout = Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, D) to (B, T, D)."""
        hidden = self.hidden_dropout(functional.gelu(self.hidden(x)))  # (B, T, mlp_dim)
        return cast(Tensor, self.output_dropout(self.output(hidden)))


class Block(nn.Module):
    """A pre-norm transformer block: x + attention(norm(x)), then x + MLP(norm(x))."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.residual = config.residual
        self.attention_norm = nn.LayerNorm(config.embed_dim, eps=config.layer_norm_eps)
        self.attention = Attention(config)
        self.mlp_norm = nn.LayerNorm(config.embed_dim, eps=config.layer_norm_eps)
        self.mlp = MLP(config)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, D) to (B, T, D)."""
        x = self._residual(x, self.attention(self.attention_norm(x)))
        return self._residual(x, self.mlp(self.mlp_norm(x)))

    def inspect(self, x: Tensor, wanted: slice = ALL, edits: BlockEdits = NO_BLOCK_EDITS) -> tuple[Tensor, Tensor]:
        """Do what `forward` does for the `wanted` tokens; give the attention (B, H, T, T) as well."""
        attended, attention = self.attention.inspect(self.attention_norm(x), wanted, edits)
        x = x[:, wanted]
        x = self._edited_residual(x, torch.zeros_like(x) if edits.skips_attention else attended, edits)
        made = torch.zeros_like(x) if edits.skips_mlp else self.mlp(self.mlp_norm(x))
        return self._edited_residual(x, made, edits), attention

    def _edited_residual(self, x: Tensor, change: Tensor, edits: BlockEdits) -> Tensor:
        return change if edits.skips_residuals else self._residual(x, change)

    def _residual(self, x: Tensor, change: Tensor) -> Tensor:
        return x + change if self.residual else change


class VisionTransformer(nn.Module):
    """Cut an image into patches, let them attend to each other, classify by the class token.

    Token order: class token, patches row by row, distillation token where the config has one (Touvron et al., "Training
    data-efficient image transformers", ICML 2021).

    Args:
        config: the shape of the model.
        generator: where the initial weights are drawn from; None means the process-wide one.
    """

    def __init__(self, config: ModelConfig, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.config = config
        self.patch_embedding = nn.Conv2d(
            config.in_channels, config.embed_dim, kernel_size=config.patch_size, stride=config.patch_size
        )
        self.cls_token = nn.Parameter(torch.zeros(1, 1, config.embed_dim))
        self.distillation_token = nn.Parameter(torch.zeros(1, 1, config.embed_dim)) if config.distillation else None
        if config.position == "learned":
            self.position_table: Tensor | None = nn.Parameter(torch.zeros(1, config.num_tokens, config.embed_dim))
        elif config.position == "sincos":
            self.register_buffer("position_table", sincos_positions(config), persistent=False)
        else:
            self.position_table = None
        self.embedding_dropout = Dropout(config.dropout)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.depth))
        self.norm = nn.LayerNorm(config.embed_dim, eps=config.layer_norm_eps)
        self.classifier = nn.Linear(config.embed_dim, config.num_classes)
        self.distillation_classifier = nn.Linear(config.embed_dim, config.num_classes) if config.distillation else None
        self._initialise(generator)

    def forward(self, images: Tensor) -> Tensor:
        """Classify images (B, in_channels, S, S), 0 paper to 1 pen: logits (B, C)."""
        return self.classify(self._encode(images))

    def inspect(self, images: Tensor, edits: Edits = NO_EDITS, *, with_unread: bool = True) -> Inspection:
        """Do what `forward` does, and keep all that the views and the explanations need. Gradients are possible.

        With `edits`, do it as they change it; they must fit the model (`Edits.fitted_to`).

        Behind the last block the classifier reads the first token, and the last one where it is a distillation token.
        Without the tokens that nobody reads, `tokens[-1]` is (B, 2, D), and a pass of depth 6 takes 7 % less time.
        """
        x = self.embed(images, edits)
        tokens, attention = [x], []
        for index, block in enumerate(self.blocks):
            is_last = index + 1 == len(self.blocks)
            wanted = ALL if with_unread or not is_last else _ends(x)
            x, weights = cast(Block, block).inspect(x, wanted, edits.of_block(index))
            tokens.append(x)
            attention.append(weights)
        return Inspection(self.classify(x), self.norm(x[:, 0]), tuple(attention), tuple(tokens))

    def _encode(self, images: Tensor) -> Tensor:
        x = self.embed(images)
        for block in self.blocks:
            x = block(x)
        return x  # (B, T, D)

    def embed(self, images: Tensor, edits: Edits = NO_EDITS) -> Tensor:
        """Turn images (B, in_channels, S, S) into the tokens (B, T, D) before the first block."""
        if edits.blanked_patches:
            images = self.blank(images, edits.blanked_patches)
        patches = self.patch_embedding(images).flatten(2).transpose(1, 2)  # (B, num_patches, D)
        if edits.patch_order is not None:
            patches = patches[:, list(edits.patch_order)]
        sequence = [self.cls_token.expand(len(images), -1, -1), patches]
        if self.distillation_token is not None:
            sequence.append(self.distillation_token.expand(len(images), -1, -1))
        x = torch.cat(sequence, dim=1)  # (B, T, D)
        if self.position_table is not None:
            x = x + self.position_table
        return cast(Tensor, self.embedding_dropout(x))

    def blank(self, images: Tensor, patches: Collection[int]) -> Tensor:
        """Give images (B, in_channels, S, S) in which some patches, row by row from 0, are paper."""
        images, side = images.clone(), self.config.patch_size
        for patch in patches:
            top, left = (side * each for each in divmod(patch, self.config.grid))
            images[:, :, top : top + side, left : left + side] = PAPER
        return images

    def classify(self, x: Tensor) -> Tensor:
        """Read the logits (B, C) off tokens (B, T, D), from whichever block they come."""
        own, learned = self._classify_apart(x)
        return own if learned is None else (own + learned) / 2

    def logits_of_both(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Classify images by class token and by distillation token: logits (B, C) each, the same without one."""
        own, learned = self._classify_apart(self._encode(images))
        return own, own if learned is None else learned

    def _classify_apart(self, x: Tensor) -> tuple[Tensor, Tensor | None]:
        own = cast(Tensor, self.classifier(self.norm(x[:, 0])))
        if self.distillation_classifier is None:
            return own, None
        return own, cast(Tensor, self.distillation_classifier(self.norm(x[:, -1])))

    @torch.no_grad()
    def _initialise(self, generator: torch.Generator | None) -> None:
        """Draw the weights: truncated normals of 0.02 for tables, tokens and linear layers; biases 0."""
        fan_in = self.patch_embedding.weight[0].numel()
        bound = 1 / math.sqrt(fan_in)  # a convolution's usual start (LeCun et al., 1998): uniform, by its fan-in
        self.patch_embedding.weight.uniform_(-bound, bound, generator=generator)
        cast(Tensor, self.patch_embedding.bias).uniform_(-bound, bound, generator=generator)
        tables = [self.cls_token, self.distillation_token, self.position_table]
        for table in tables:
            if isinstance(table, nn.Parameter):
                nn.init.trunc_normal_(table, std=INIT_STD, generator=generator)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.trunc_normal_(module.weight, std=INIT_STD, generator=generator)
                nn.init.zeros_(module.bias)


def _ends(x: Tensor) -> slice:
    """Give the first and the last of the tokens (B, T, D)."""
    return slice(None, None, x.shape[1] - 1)


def sincos_positions(config: ModelConfig) -> Tensor:
    """Compute the fixed position table (1, T, D) of Vaswani et al. (2017), base 10,000.

    Patch n has sin(n / 10000^(2i/D)) in even and cos in odd features; class and distillation tokens have 0.
    """
    places = torch.arange(config.num_patches, dtype=torch.float64)[:, None]  # (num_patches, 1)
    wavelengths = 10_000.0 ** (torch.arange(0, config.embed_dim, 2, dtype=torch.float64) / config.embed_dim)  # (D/2,)
    table = torch.zeros(1, config.num_tokens, config.embed_dim, dtype=torch.float64)
    patches = table[0, 1 : 1 + config.num_patches]
    patches[:, 0::2] = (places / wavelengths).sin()
    patches[:, 1::2] = (places / wavelengths).cos()
    return table.to(torch.get_default_dtype())


def count_parameters(model: nn.Module) -> int:
    """Count the numbers that training changes."""
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
