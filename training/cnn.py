"""The baseline: a plain small CNN.

Shapes: B batch, S image_size, W channels of the last pair of convolutions, C classes.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from training.config import CnnConfig
from training.edits import NO_EDITS, Edits
from training.model import Dropout, Inspection


class ConvNet(nn.Module):
    """Pairs of 3 x 3 convolutions, each halving the image of the one before; their mean over all places is classified.

    Each convolution is followed by batch normalisation (Ioffe and Szegedy, ICML 2015) and ReLU, as in VGG (Simonyan and
    Zisserman, ICLR 2015).

    Args:
        config: the shape of the network.
        generator: where the initial weights are drawn from; None means the process-wide one.
    """

    def __init__(self, config: CnnConfig, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.config = config
        layers: list[nn.Module] = []
        channels = config.in_channels
        for width in config.widths:
            if layers:
                layers.append(nn.MaxPool2d(2))
            layers += [*_convolution(channels, width), *_convolution(width, width)]
            channels = width
        self.layers = nn.Sequential(*layers)
        self.dropout = Dropout(config.dropout)
        self.classifier = nn.Linear(channels, config.num_classes)
        self._initialise(generator)

    def forward(self, images: Tensor) -> Tensor:
        """Classify images (B, in_channels, S, S), 0 paper to 1 pen: logits (B, C)."""
        return cast(Tensor, self.classifier(self.dropout(self.features(images))))

    def logits_of_both(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Classify images; there is one classifier, whose logits (B, C) stand for both."""
        logits = self(images)
        return logits, logits

    def features(self, images: Tensor) -> Tensor:
        """Give what the classifier reads: (B, W)."""
        return cast(Tensor, self.layers(images.contiguous(memory_format=torch.channels_last))).mean(dim=(-2, -1))

    def inspect(self, images: Tensor, edits: Edits = NO_EDITS, *, with_unread: bool = True) -> Inspection:
        """Do what `forward` does, and keep the features; there are no tokens, no attention, and nothing to edit."""
        features = self.features(images)  # (B, W)
        return Inspection(self.classifier(self.dropout(features)), features, (), ())

    @torch.no_grad()
    def _initialise(self, generator: torch.Generator | None) -> None:
        """Draw the weights (He et al., ICCV 2015); biases 0."""
        for module in self.modules():
            if isinstance(module, (nn.Conv2d, nn.Linear)):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu", generator=generator)
        nn.init.zeros_(self.classifier.bias)


def _convolution(in_channels: int, channels: int) -> tuple[nn.Module, ...]:
    convolution = nn.Conv2d(in_channels, channels, kernel_size=3, padding=1, bias=False)
    return convolution, nn.BatchNorm2d(channels), nn.ReLU(inplace=True)
