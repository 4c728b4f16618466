"""What every contender of the CNN benchmark starts from: CIFAR-shaped noise, the same weights."""

from dataclasses import dataclass

import numpy as np

BATCH = 32
BATCHES = 16
SIDE, COLORS, CLASSES, KERNEL = 32, 3, 10, 3
LEARNING_RATE = 0.01


@dataclass(frozen=True)
class Problem:
    """Images, labels, and a (weight, bias) pair a layer; all float32 and int32, NHWC and HWIO."""

    images: np.ndarray
    labels: np.ndarray
    weights: list[np.ndarray]

    def batch(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """One batch, starting over at the end of the data."""
        rows = slice(number % BATCHES * BATCH, (number % BATCHES + 1) * BATCH)
        return self.images[rows], self.labels[rows]

    def all_batches(self) -> tuple[np.ndarray, np.ndarray]:
        """All BATCHES of them, stacked."""
        images = self.images.reshape(BATCHES, BATCH, SIDE, SIDE, COLORS)
        return images, self.labels.reshape(BATCHES, BATCH)


def make_problem(channels: tuple[int, int]) -> Problem:
    """Draw the data and the initial weights of two convolutions and a dense layer."""
    rng = np.random.default_rng(0)
    first, second = channels
    images = rng.random((BATCH * BATCHES, SIDE, SIDE, COLORS), dtype=np.float32)
    labels = rng.integers(0, CLASSES, BATCH * BATCHES).astype(np.int32)
    weights: list[np.ndarray] = []
    for shape in (
        (KERNEL, KERNEL, COLORS, first),
        (KERNEL, KERNEL, first, second),
        ((SIDE // 4) ** 2 * second, CLASSES),
    ):
        limit = np.sqrt(6.0 / np.prod(shape[:-1]))
        weights.append(rng.uniform(-limit, limit, shape).astype(np.float32))
        weights.append(np.zeros(shape[-1], np.float32))
    return Problem(images, labels, weights)
