"""What the contenders of `networks` train on: noise in the shape of the real thing."""

import math
from dataclasses import dataclass

import numpy as np

from benchmarks.scripts.keras_data import Data

CLASSES = 10
VOCABULARY, WIDTH, HEADS, BLOCKS = 5000, 64, 4, 2
TEXT_VOCABULARY, EMBEDDING, UNITS = 20_000, 128, 64
PATCH, VIT_BLOCKS = 4, 4
LATENT = 16
CATEGORIES, CATEGORY_WIDTH, NUMBERS = 1000, 16, 16


@dataclass(frozen=True)
class Network:
    """A kind of network: the shapes of a sample, the rows of a batch, and the batches of an epoch.

    The first shape and the first number of rows are those that `--quick` measures.
    """

    title: str
    shapes: tuple[tuple[int, ...], tuple[int, ...]]
    batches: tuple[int, int]
    steps: int


@dataclass(frozen=True)
class Task:
    """A network and what it is given: the shape of a sample, the rows of a batch and the batches of an epoch."""

    title: str
    network: str
    shape: tuple[int, ...]
    batch: int
    steps: int
    is_first: bool


NETWORKS = {
    "resnet20": Network("ResNet-20, SGD with momentum", ((32, 32, 3), (48, 48, 3)), (32, 128), 12),
    "resnet50": Network("ResNet-50, SGD", ((64, 64, 3), (96, 96, 3)), (16, 32), 4),
    "mobilenet": Network("MobileNetV2, SGD", ((64, 64, 3), (96, 96, 3)), (16, 32), 12),
    "efficientnet": Network("EfficientNetB0, SGD", ((64, 64, 3), (96, 96, 3)), (16, 32), 6),
    "vgg": Network("VGG-like CNN, SGD with momentum", ((32, 32, 3), (48, 48, 3)), (32, 64), 8),
    "unet": Network("U-Net of 3 levels, Adam", ((48, 48, 3), (96, 96, 3)), (8, 16), 12),
    "vit": Network("vision transformer of 4 blocks, Adam", ((32, 32, 3), (48, 48, 3)), (32, 64), 12),
    "autoencoder": Network("convolutional autoencoder, Adam", ((28, 28, 1), (56, 56, 1)), (64, 128), 32),
    "vae": Network("variational autoencoder, Adam", ((28, 28, 1), (56, 56, 1)), (64, 128), 24),
    "dcgan": Network("DCGAN, a step with two tapes, Adam", ((28, 28, 1), (56, 56, 1)), (64, 128), 16),
    "siamese": Network("siamese CNN with shared layers, Adam", ((28, 28, 1), (56, 56, 1)), (64, 128), 16),
    "language": Network("transformer language model, 5,000 classes, Adam", ((64,), (128,)), (16, 32), 16),
    "encoder": Network("transformer encoder classifier, Adam", ((64,), (128,)), (32, 64), 24),
    "text": Network("LSTM classifier of 64 units, Adam", ((80,), (160,)), (32, 64), 48),
    "gru": Network("bidirectional GRU classifier of 64 units, Adam", ((80,), (160,)), (32, 64), 24),
    "tabular": Network("wide and deep tabular model, Adam", ((8,), (24,)), (256, 1024), 64),
}


def _tasks() -> dict[str, Task]:
    """Every network with every shape and batch; the first of them has the network's name."""
    tasks = {}
    for name, network in NETWORKS.items():
        first = math.prod(network.shapes[0]) * network.batches[0]
        for shape in network.shapes:
            for batch in network.batches:
                is_first = (shape, batch) == (network.shapes[0], network.batches[0])
                steps = max(2, network.steps * first // (math.prod(shape) * batch))
                size = "x".join(map(str, shape))
                key = name if is_first else f"{name}_{shape[0]}_{batch}"
                tasks[key] = Task(f"{network.title}, {size}", name, shape, batch, steps, is_first)
    return tasks


TASKS = _tasks()


def make_data(task: str) -> Data:
    """Draw an epoch; labels are noise, too, so losses stay near those of a guess."""
    network, shape = TASKS[task].network, TASKS[task].shape
    rows = TASKS[task].batch * TASKS[task].steps
    rng = np.random.default_rng(0)
    if network == "language":
        tokens = rng.integers(0, VOCABULARY, (rows, shape[0] + 1)).astype(np.int32)
        x, y = tokens[:, :-1], tokens[:, 1:]
    elif network in ("text", "gru", "encoder"):
        x = rng.integers(0, TEXT_VOCABULARY, (rows, *shape)).astype(np.int32)
        y = rng.integers(0, 2, (rows, 1)).astype(np.float32)
    elif network == "tabular":
        categories = rng.integers(0, CATEGORIES, (rows, *shape)).astype(np.int32)
        x = (categories, rng.random((rows, NUMBERS), dtype=np.float32))
        y = rng.integers(0, 2, (rows, 1)).astype(np.float32)
    elif network == "siamese":
        x = (rng.random((rows, *shape), dtype=np.float32), rng.random((rows, *shape), dtype=np.float32))
        y = rng.integers(0, 2, (rows, 1)).astype(np.float32)
    else:
        x = rng.random((rows, *shape), dtype=np.float32)
        y = rng.integers(0, CLASSES, rows).astype(np.int32)
        if network == "unet":
            y = rng.integers(0, 2, (rows, *shape[:2], 1)).astype(np.float32)
        elif network in ("autoencoder", "vae", "dcgan"):
            y = x
    return Data(x, y, TASKS[task].batch)
