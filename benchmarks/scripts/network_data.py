"""What the contenders of `networks` train on: noise in the shape of the real thing."""

from dataclasses import dataclass

import numpy as np

from benchmarks.scripts.keras_data import Data

CLASSES = 10
TOKENS, VOCABULARY, WIDTH, HEADS, BLOCKS = 64, 5000, 64, 4, 2
WORDS, TEXT_VOCABULARY, EMBEDDING, UNITS = 80, 20_000, 128, 64


@dataclass(frozen=True)
class Task:
    """A network and what it is given: the shape of a sample, the rows of a batch and the batches of an epoch."""

    title: str
    shape: tuple[int, ...]
    batch: int
    steps: int


TASKS = {
    "resnet20": Task("ResNet-20, 32x32x3, SGD with momentum", (32, 32, 3), 32, 12),
    "resnet50": Task("ResNet-50, 64x64x3, SGD", (64, 64, 3), 16, 4),
    "mobilenet": Task("MobileNetV2, 64x64x3, SGD", (64, 64, 3), 16, 12),
    "autoencoder": Task("convolutional autoencoder, 28x28x1, Adam", (28, 28, 1), 64, 32),
    "language": Task("transformer of 2 blocks, 64 tokens, 5,000 classes, Adam", (TOKENS,), 16, 16),
    "text": Task("LSTM of 64 units over 80 words, Adam", (WORDS,), 32, 48),
}


def make_data(task: str) -> Data:
    """Draw an epoch; labels are noise, too, so losses stay near those of a guess."""
    shape, rows = TASKS[task].shape, TASKS[task].batch * TASKS[task].steps
    rng = np.random.default_rng(0)
    if task == "language":
        tokens = rng.integers(0, VOCABULARY, (rows, TOKENS + 1)).astype(np.int32)
        x, y = tokens[:, :-1], tokens[:, 1:]
    elif task == "text":
        x = rng.integers(0, TEXT_VOCABULARY, (rows, *shape)).astype(np.int32)
        y = rng.integers(0, 2, (rows, 1)).astype(np.float32)
    else:
        x = rng.random((rows, *shape), dtype=np.float32)
        y = x if task == "autoencoder" else rng.integers(0, CLASSES, rows).astype(np.int32)
    return Data(x, y, TASKS[task].batch)
