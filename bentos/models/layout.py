"""The page-layout network: a small grey raster in, a coarse map of region probabilities out.

A U-shaped convolutional network (Ronneberger et al. 2015, arXiv:1505.04597) of inverted-bottleneck blocks (Sandler et
al. 2018, arXiv:1801.04381), small enough for a few milliseconds a page on one core. It labels every 8 x 8 pixel patch
(about one line of text) rather than proposing boxes: patches are what the cell labeller wants as a feature, and boxes
of tables and pictures follow from them and the page's own cells and lines (`ingest.pipeline.layout`).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

STRIDE = 8
"""Pixels of the raster per cell of the map."""


@dataclass(frozen=True, slots=True)
class LayoutConfig:
    classes: int = 9
    stem: int = 16
    widths: tuple[int, int, int, int] = (24, 48, 96, 128)
    """Channels at strides 4, 8, 16 and 32."""
    depths: tuple[int, int, int, int] = (1, 2, 3, 3)
    expand: int = 2


class Block(nn.Module):
    """Inverted bottleneck: 1x1 up, 3x3 depthwise, 1x1 down, residual."""

    def __init__(self, width: int, expand: int, dilation: int = 1) -> None:
        super().__init__()
        inner = width * expand
        self.body = nn.Sequential(
            nn.Conv2d(width, inner, 1, bias=False),
            nn.BatchNorm2d(inner),
            nn.ReLU(inplace=True),
            nn.Conv2d(inner, inner, 3, padding=dilation, dilation=dilation, groups=inner, bias=False),
            nn.BatchNorm2d(inner),
            nn.ReLU(inplace=True),
            nn.Conv2d(inner, width, 1, bias=False),
            nn.BatchNorm2d(width),
        )

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = x + self.body(x)
        return y


def _down(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class LayoutNet(nn.Module):
    """(b, 1, h, w) rasters scaled to 0..1, h and w multiples of 8, to (b, classes, h/8, w/8) logits."""

    def __init__(self, config: LayoutConfig | None = None) -> None:
        super().__init__()
        self.config = config = config or LayoutConfig()
        w4, w8, w16, w32 = config.widths
        self.stem = _down(1, config.stem)
        self.down4, self.down8 = _down(config.stem, w4), _down(w4, w8)
        self.down16, self.down32 = _down(w8, w16), _down(w16, w32)
        d4, d8, d16, d32 = config.depths
        self.stage4 = nn.Sequential(*(Block(w4, config.expand) for _ in range(d4)))
        self.stage8 = nn.Sequential(*(Block(w8, config.expand) for _ in range(d8)))
        self.stage16 = nn.Sequential(*(Block(w16, config.expand) for _ in range(d16)))
        # dilation gives the deepest stage sight of the whole page
        self.stage32 = nn.Sequential(*(Block(w32, config.expand, 1 + i % 3) for i in range(d32)))
        self.context = nn.Linear(w32, w32)
        self.up16, self.up8 = nn.Conv2d(w32, w16, 1), nn.Conv2d(w16, w8, 1)
        self.merge16, self.merge8 = Block(w16, config.expand), Block(w8, config.expand)
        self.head = nn.Conv2d(w8, config.classes, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stage4(self.down4(self.stem(x)))
        at8 = self.stage8(self.down8(x))
        at16 = self.stage16(self.down16(at8))
        at32 = self.stage32(self.down32(at16))
        at32 = at32 + torch.relu(self.context(at32.mean(dim=(2, 3))))[:, :, None, None]
        at16 = self.merge16(at16 + _resize(self.up16(at32), at16))
        at8 = self.merge8(at8 + _resize(self.up8(at16), at8))
        logits: Tensor = self.head(at8)
        return logits


def fused(net: LayoutNet) -> LayoutNet:
    """The same network for inference: batch normalisation folded into the convolutions, memory laid out by channels.

    Three times faster on a CPU. The network given is left as it was.
    """
    copied = copy.deepcopy(net).eval()
    for module in copied.modules():
        if isinstance(module, nn.Sequential):
            _fold(module)
    ready: LayoutNet = copied.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return ready


def _fold(sequence: nn.Sequential) -> None:
    layers = list(sequence)
    for k in range(len(layers) - 1):
        convolution, norm = layers[k], layers[k + 1]
        if isinstance(convolution, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
            sequence[k] = fuse_conv_bn_eval(convolution, norm)
            sequence[k + 1] = nn.Identity()


def _resize(x: Tensor, like: Tensor) -> Tensor:
    return nn.functional.interpolate(x, size=like.shape[2:], mode="bilinear", align_corners=False)
