"""The same weights in other people's Vision Transformers give the same answers and the same attention.

Where a layout differs, the reference is built with our eps and channels; all in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

import pytest
import torch
from torch import Tensor, nn

from tests.tiny import make_images, make_lively_model
from training.config import VIT_PRESETS, ModelConfig
from training.model import VisionTransformer

CONFIGS = {
    "pad-8": VIT_PRESETS["pad-8"],
    "odd sizes": ModelConfig(
        image_size=12, in_channels=3, patch_size=4, embed_dim=24, depth=3, num_heads=3, mlp_ratio=2.0,
        layer_norm_eps=1e-3, class_names=tuple("abcde"),
    ),
}  # fmt: skip
Reference = Callable[[VisionTransformer], nn.Module]
AttentionReader = Callable[[nn.Module, Tensor], Tensor]  # an attention module and its input to weights (B, H, T, T)


def rename(weights: Mapping[str, Tensor], words: Mapping[str, str]) -> dict[str, Tensor]:
    """Replace words of ours by theirs, in this order."""
    renamed = {}
    for name, value in weights.items():
        for ours, theirs in words.items():
            name = name.replace(ours, theirs)
        renamed[name] = value
    return renamed


def build_torchvision(model: VisionTransformer) -> nn.Module:
    from torchvision.models.vision_transformer import VisionTransformer as Theirs

    config = model.config
    theirs = Theirs(
        image_size=config.image_size,
        patch_size=config.patch_size,
        num_layers=config.depth,
        num_heads=config.num_heads,
        hidden_dim=config.embed_dim,
        mlp_dim=config.mlp_dim,
        num_classes=config.num_classes,
        norm_layer=partial(nn.LayerNorm, eps=config.layer_norm_eps),
    )
    theirs.conv_proj = nn.Conv2d(config.in_channels, config.embed_dim, config.patch_size, config.patch_size)
    words = {
        "cls_token": "class_token",
        "patch_embedding": "conv_proj",
        "position_table": "encoder.pos_embedding",
        "blocks.": "encoder.layers.encoder_layer_",
        "attention_norm": "ln_1",
        "mlp_norm": "ln_2",
        "attention.qkv.": "self_attention.in_proj_",
        "attention.projection": "self_attention.out_proj",
        "mlp.hidden": "mlp.0",
        "mlp.output": "mlp.3",
        "classifier": "heads.head",
    }
    weights = rename(model.state_dict(), words)
    theirs.load_state_dict({name.replace("norm.", "encoder.ln."): value for name, value in weights.items()})
    return cast(nn.Module, theirs)


def build_timm(model: VisionTransformer) -> nn.Module:
    from timm.models.vision_transformer import VisionTransformer as Theirs

    config = model.config
    theirs = Theirs(
        img_size=config.image_size,
        patch_size=config.patch_size,
        in_chans=config.in_channels,
        num_classes=config.num_classes,
        embed_dim=config.embed_dim,
        depth=config.depth,
        num_heads=config.num_heads,
        mlp_ratio=config.mlp_ratio,
        norm_layer=partial(nn.LayerNorm, eps=config.layer_norm_eps),
    )
    words = {
        "patch_embedding": "patch_embed.proj",
        "position_table": "pos_embed",
        "attention_norm": "norm1",
        "mlp_norm": "norm2",
        "attention.projection": "attn.proj",
        "attention.": "attn.",
        "mlp.hidden": "mlp.fc1",
        "mlp.output": "mlp.fc2",
        "classifier": "head",
    }
    theirs.load_state_dict(rename(model.state_dict(), words))
    return theirs


def build_vit_pytorch(model: VisionTransformer) -> nn.Module:
    """Build lucidrains' ViT; it normalises patches, which ours doesn't, and its qkv has no bias."""
    from vit_pytorch.vit import ViT

    config = model.config
    theirs = ViT(
        image_size=config.image_size,
        patch_size=config.patch_size,
        num_classes=config.num_classes,
        dim=config.embed_dim,
        depth=config.depth,
        heads=config.num_heads,
        mlp_dim=config.mlp_dim,
        channels=config.in_channels,
        dim_head=config.head_dim,
    )
    theirs.to_patch_embedding[1] = nn.Identity()
    theirs.to_patch_embedding[3] = nn.Identity()
    for module in theirs.modules():
        if isinstance(module, nn.LayerNorm):
            module.eps = config.layer_norm_eps
    words = {
        "patch_embedding": "to_patch_embedding.2",
        "position_table": "pos_embedding",
        "attention_norm": "0.norm",
        "attention.qkv": "0.to_qkv",
        "attention.projection": "0.to_out.0",
        "mlp_norm": "1.net.0",
        "mlp.hidden": "1.net.1",
        "mlp.output": "1.net.4",
        "blocks": "transformer.layers",
        "classifier": "mlp_head",
    }
    weights = rename({n: v for n, v in model.state_dict().items() if not n.endswith("qkv.bias")}, words)
    weights = {("transformer." if name.startswith("norm.") else "") + name: value for name, value in weights.items()}
    kernel = weights["to_patch_embedding.2.weight"]
    weights["to_patch_embedding.2.weight"] = kernel.permute(0, 2, 3, 1).flatten(1)  # they flatten (p, p, channels)
    for name in ("cls_token", "pos_embedding"):
        weights[name] = weights[name][0]
    theirs.load_state_dict(weights)
    return cast(nn.Module, theirs)


def read_torchvision(module: nn.Module, x: Tensor) -> Tensor:
    return cast(Tensor, module(x, x, x, need_weights=True, average_attn_weights=False)[1])


def read_timm(module: nn.Module, x: Tensor) -> Tensor:
    theirs = cast(Any, module)
    q, k, _ = theirs.qkv(x).unflatten(-1, (3, theirs.num_heads, theirs.head_dim)).unbind(2)
    return torch.einsum("bihk,bjhk->bhij", q, k).mul(theirs.scale).softmax(dim=-1)


def read_vit_pytorch(module: nn.Module, x: Tensor) -> Tensor:
    theirs = cast(Any, module)
    q, k, _ = theirs.to_qkv(theirs.norm(x)).chunk(3, dim=-1)
    q, k = (each.unflatten(-1, (theirs.heads, -1)) for each in (q, k))
    return torch.einsum("bihk,bjhk->bhij", q, k).mul(theirs.scale).softmax(dim=-1)


REFERENCES: dict[str, tuple[Reference, AttentionReader]] = {
    "torchvision": (build_torchvision, read_torchvision),
    "timm": (build_timm, read_timm),
    "vit-pytorch": (build_vit_pytorch, read_vit_pytorch),
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
@pytest.mark.parametrize(("build", "read"), REFERENCES.values(), ids=REFERENCES.keys())
def test_same_weights_give_the_same_answers(build: Reference, read: AttentionReader, config: ModelConfig) -> None:
    model = make_lively_model(config).double()
    if build is build_vit_pytorch:
        for name, parameter in model.named_parameters():
            if name.endswith("qkv.bias"):
                nn.init.zeros_(parameter)
    theirs = build(model).double().eval()
    modules = [each for each in theirs.modules() if type(each).__name__ in ("Attention", "MultiheadAttention")]
    inputs: list[Tensor] = []
    handles = [module.register_forward_pre_hook(lambda _, given: inputs.append(given[0])) for module in modules]
    images = make_images(config).double()
    with torch.no_grad():
        logits = theirs(images)
        for handle in handles:
            handle.remove()
        attention = [read(module, given) for module, given in zip(modules, inputs, strict=True)]
        ours = model.inspect(images)
        torch.testing.assert_close(model(images), logits, atol=1e-9, rtol=0)
    torch.testing.assert_close(ours.logits, logits, atol=1e-9, rtol=0)
    assert len(attention) == config.depth
    for found, expected in zip(ours.attention, attention, strict=True):
        torch.testing.assert_close(found, expected, atol=1e-9, rtol=0)
