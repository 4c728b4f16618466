"""The networks of `networks` as a PyTorch user writes them: eager, shuffled batches gathered from memory."""

from collections.abc import Callable

import torch

from benchmarks.scripts.network_data import (
    BLOCKS,
    CLASSES,
    EMBEDDING,
    HEADS,
    TEXT_VOCABULARY,
    TOKENS,
    UNITS,
    VOCABULARY,
    WIDTH,
    make_data,
)

nn = torch.nn


def _normalised(inputs: int, outputs: int, size: int, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    convolution = nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False)
    return [convolution, nn.BatchNorm2d(outputs)]


class _Residual(nn.Module):
    """A body and, where the shape changes, a shortcut of one convolution; then ReLU, unless the sum stays linear."""

    def __init__(self, body: nn.Module, shortcut: nn.Module | None = None, is_linear: bool = False) -> None:
        super().__init__()
        self.body, self.shortcut, self.is_linear = body, shortcut, is_linear

    def forward(self, x):
        y = self.body(x) + (x if self.shortcut is None else self.shortcut(x))
        return y if self.is_linear else torch.relu(y)


def _pooled(layers: list[nn.Module], channels: int) -> nn.Module:
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, CLASSES))


def _resnet20() -> nn.Module:
    layers, inputs = [*_normalised(3, 16, 3), nn.ReLU()], 16
    for channels in (16, 32, 64):
        for number in range(3):
            stride = 2 if number == 0 and channels > 16 else 1
            body = [*_normalised(inputs, channels, 3, stride), nn.ReLU(), *_normalised(channels, channels, 3)]
            shortcut = None if stride == 1 else nn.Sequential(*_normalised(inputs, channels, 1, stride))
            layers.append(_Residual(nn.Sequential(*body), shortcut))
            inputs = channels
    return _pooled(layers, 64)


def _resnet50() -> nn.Module:
    layers, inputs = [*_normalised(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
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


def _mobilenet() -> nn.Module:
    layers, inputs = [*_normalised(3, 32, 3, 2), nn.ReLU6()], 32
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


def _autoencoder() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, 2, 1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, 2, 1),
        nn.ReLU(),
        nn.ConvTranspose2d(32, 32, 3, 2, 1, output_padding=1),
        nn.ReLU(),
        nn.ConvTranspose2d(32, 16, 3, 2, 1, output_padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 1, 3, 1, 1),
        nn.Sigmoid(),
    )


class _Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.dense = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH))
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(TOKENS))

    def forward(self, x):
        y = self.norm_1(x)
        attended = self.attention(y, y, y, attn_mask=self.mask, is_causal=True, need_weights=False)[0]
        x = x + attended
        return x + self.dense(self.norm_2(x))


def _language_model() -> nn.Module:
    blocks = [_Block() for _ in range(BLOCKS)]
    return nn.Sequential(
        nn.Embedding(VOCABULARY, WIDTH), *blocks, nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)
    )


class _TextClassifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(TEXT_VOCABULARY, EMBEDDING)
        self.recurrent = nn.LSTM(EMBEDDING, UNITS, batch_first=True)
        self.head = nn.Linear(UNITS, 1)

    def forward(self, x):
        return self.head(self.recurrent(self.embedding(x))[0][:, -1])


_NETWORKS = {
    "resnet20": _resnet20,
    "resnet50": _resnet50,
    "mobilenet": _mobilenet,
    "autoencoder": _autoencoder,
    "language": _language_model,
    "text": _TextClassifier,
}


def _make_network(task: str) -> nn.Module:
    """The network of a task; the head of a classifier starts at zero, as with Keras."""
    torch.manual_seed(0)
    network = _NETWORKS[task]()
    heads = [module for module in network.modules() if isinstance(module, nn.Linear)]
    if task != "autoencoder":
        nn.init.zeros_(heads[-1].weight)
        nn.init.zeros_(heads[-1].bias)
    return network


def _loss_of(task: str) -> Callable[..., torch.Tensor]:
    if task == "autoencoder":
        return nn.functional.mse_loss
    if task == "text":
        return nn.functional.binary_cross_entropy_with_logits
    if task == "language":
        return lambda logits, y: nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
    return nn.functional.cross_entropy


def fit(task: str) -> Callable[[int], float]:
    """Return `run_steps(count)`, where `count` is the steps of an epoch; images are laid out channels last."""
    data = make_data(task)
    network, loss_of = _make_network(task), _loss_of(task)
    x, y = torch.from_numpy(data.x), torch.from_numpy(data.y)
    if x.ndim == 4:
        x = x.permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)
        network = network.to(memory_format=torch.channels_last)
    y = x if task == "autoencoder" else y if y.is_floating_point() else y.long()
    if task in ("resnet20", "resnet50", "mobilenet"):
        momentum = 0.9 if task == "resnet20" else 0.0
        optimizer = torch.optim.SGD(network.parameters(), lr=1e-3, momentum=momentum)
    else:
        optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, eps=1e-7)

    def run_steps(count: int) -> float:
        data.require_epoch(count)
        loss_total = torch.zeros(())
        for rows in torch.randperm(len(x)).split(data.batch):
            optimizer.zero_grad()
            loss = loss_of(network(x[rows]), y[rows])
            loss.backward()
            optimizer.step()
            loss_total += loss.detach() * len(rows)
        return loss_total.item() / len(x)

    return run_steps
