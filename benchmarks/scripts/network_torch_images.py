"""The networks of `networks` that read images, as a PyTorch user writes them."""

import torch

from benchmarks.scripts.network_data import CLASSES, PATCH, VIT_BLOCKS, WIDTH
from benchmarks.scripts.network_torch_sequences import Block, Mean, Positions

nn, functional = torch.nn, torch.nn.functional
Shape = tuple[int, ...]


def _normalised(inputs: int, outputs: int, size: int, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    convolution = nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False)
    return [convolution, nn.BatchNorm2d(outputs)]


class _Residual(nn.Module):
    """A body and, where the shape changes, a shortcut of one convolution; then ReLU, unless the sum stays linear.

    `dropped` is the share of samples that a training step leaves without their body.
    """

    def __init__(
        self,
        body: nn.Module,
        shortcut: nn.Module | None = None,
        is_linear: bool = False,
        dropped: float = 0.0,
    ) -> None:
        super().__init__()
        self.body, self.shortcut = body, shortcut
        self.is_linear, self.dropped = is_linear, dropped

    def forward(self, x):
        y = self.body(x)
        if self.dropped:
            kept = torch.rand(len(x), 1, 1, 1) >= self.dropped
            y = y * (kept / (1 - self.dropped))
        y = y + (x if self.shortcut is None else self.shortcut(x))
        return y if self.is_linear else torch.relu(y)


def _pooled(layers: list[nn.Module], channels: int, dropout: float = 0.0) -> nn.Module:
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, CLASSES)]
    return nn.Sequential(*layers, *([nn.Dropout(dropout)] if dropout else []), *head)


def resnet20(shape: Shape) -> nn.Module:
    """The residual network for small images, with batch normalisation."""
    layers, inputs = [*_normalised(shape[-1], 16, 3), nn.ReLU()], 16
    for channels in (16, 32, 64):
        for number in range(3):
            stride = 2 if number == 0 and channels > 16 else 1
            body = [*_normalised(inputs, channels, 3, stride), nn.ReLU(), *_normalised(channels, channels, 3)]
            shortcut = None if stride == 1 else nn.Sequential(*_normalised(inputs, channels, 1, stride))
            layers.append(_Residual(nn.Sequential(*body), shortcut))
            inputs = channels
    return _pooled(layers, 64)


def resnet50(shape: Shape) -> nn.Module:
    """ResNet-50 without its classes."""
    layers, inputs = [*_normalised(shape[-1], 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for channels, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for number in range(blocks):
            stride = 2 if number == 0 and channels > 64 else 1
            outputs = 4 * channels
            body = [
                *_normalised(inputs, channels, 1, stride),
                nn.ReLU(),
                *_normalised(channels, channels, 3),
                nn.ReLU(),
                *_normalised(channels, outputs, 1),
            ]
            shortcut = nn.Sequential(*_normalised(inputs, outputs, 1, stride)) if number == 0 else None
            layers.append(_Residual(nn.Sequential(*body), shortcut))
            inputs = outputs
    return _pooled(layers, inputs)


def mobilenet(shape: Shape) -> nn.Module:
    """MobileNetV2 without its classes."""
    layers, inputs = [*_normalised(shape[-1], 32, 3, 2), nn.ReLU6()], 32
    stages = (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    )
    for expansion, outputs, blocks, first_stride in stages:
        for number in range(blocks):
            stride, hidden = first_stride if number == 0 else 1, expansion * inputs
            body = [*_normalised(inputs, hidden, 1), nn.ReLU6()] if expansion > 1 else []
            body += [
                *_normalised(hidden, hidden, 3, stride, hidden),
                nn.ReLU6(),
                *_normalised(hidden, outputs, 1),
            ]
            block = nn.Sequential(*body)
            layers.append(_Residual(block, is_linear=True) if stride == 1 and inputs == outputs else block)
            inputs = outputs
    return _pooled([*layers, *_normalised(inputs, 1280, 1), nn.ReLU6()], 1280)


class _Squeeze(nn.Module):
    """Weights each channel by what two products make of the means of all."""

    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.weigh = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(channels, squeezed, 1),
            nn.SiLU(),
            nn.Conv2d(squeezed, channels, 1),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return x * self.weigh(x)


def efficientnet(shape: Shape) -> nn.Module:
    """EfficientNetB0 without its classes, with the dropping of samples that Keras's has."""
    layers, inputs, total, done = [*_normalised(shape[-1], 32, 3, 2), nn.SiLU()], 32, 16, 0
    stages = (
        (1, 16, 1, 3, 1),
        (6, 24, 2, 3, 2),
        (6, 40, 2, 5, 2),
        (6, 80, 3, 3, 2),
        (6, 112, 3, 5, 1),
        (6, 192, 4, 5, 2),
        (6, 320, 1, 3, 1),
    )
    for expansion, outputs, blocks, size, first_stride in stages:
        for number in range(blocks):
            stride, hidden = first_stride if number == 0 else 1, expansion * inputs
            body = [*_normalised(inputs, hidden, 1), nn.SiLU()] if expansion > 1 else []
            body += [
                *_normalised(hidden, hidden, size, stride, hidden),
                nn.SiLU(),
                _Squeeze(hidden, max(1, inputs // 4)),
                *_normalised(hidden, outputs, 1),
            ]
            block = nn.Sequential(*body)
            has_shortcut = stride == 1 and inputs == outputs
            layers.append(
                _Residual(block, is_linear=True, dropped=0.2 * done / total) if has_shortcut else block
            )
            inputs, done = outputs, done + 1
    return _pooled([*layers, *_normalised(inputs, 1280, 1), nn.SiLU()], 1280)


def vgg(shape: Shape) -> nn.Module:
    """Pairs of convolutions, each pair pooled, then dense layers."""
    layers, inputs = [], shape[-1]
    for channels in (32, 64, 128):
        for _ in range(2):
            layers += [nn.Conv2d(inputs, channels, 3, 1, 1), nn.ReLU()]
            inputs = channels
        layers.append(nn.MaxPool2d(2))
    features = shape[0] // 8 * (shape[1] // 8) * inputs
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(features, 256), nn.ReLU(), nn.Linear(256, CLASSES))


def _pair(inputs: int, channels: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(inputs, channels, 3, 1, 1), nn.ReLU(), nn.Conv2d(channels, channels, 3, 1, 1), nn.ReLU()
    )


class UNet(nn.Module):
    """Two levels down and up again, each given what the way down has seen; a logit a pixel."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.down = nn.ModuleList([_pair(shape[-1], 16), _pair(16, 32)])
        self.bottom = _pair(32, 64)
        self.widen = nn.ModuleList([nn.ConvTranspose2d(64, 32, 2, 2), nn.ConvTranspose2d(32, 16, 2, 2)])
        self.up = nn.ModuleList([_pair(64, 32), _pair(32, 16)])
        self.head = nn.Conv2d(16, 1, 1)

    def forward(self, x):
        seen = []
        for pair in self.down:
            x = pair(x)
            seen.append(x)
            x = functional.max_pool2d(x, 2)
        x = self.bottom(x)
        for widen, pair in zip(self.widen, self.up, strict=True):
            x = pair(torch.cat([seen.pop(), widen(x)], 1))
        return self.head(x)


class _Patches(nn.Module):
    """A vector for each patch of an image."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.project = nn.Conv2d(channels, WIDTH, PATCH, PATCH)

    def forward(self, x):
        return self.project(x).flatten(2).transpose(1, 2)


def vit(shape: Shape) -> nn.Module:
    """A transformer over the patches of an image."""
    patches = shape[0] // PATCH * (shape[1] // PATCH)
    blocks = [Block() for _ in range(VIT_BLOCKS)]
    return nn.Sequential(
        _Patches(shape[-1]),
        Positions(patches),
        *blocks,
        nn.LayerNorm(WIDTH),
        Mean(),
        nn.Linear(WIDTH, CLASSES),
    )


class Siamese(nn.Module):
    """Whether two images belong together, from the product of what one small CNN makes of each."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(shape[-1], 32, 3, 1, 1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, 1, 1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(shape[0] // 4 * (shape[1] // 4) * 64, 64),
        )
        self.head = nn.Linear(64, 1)

    def forward(self, first, second):
        return self.head(self.trunk(first) * self.trunk(second))
