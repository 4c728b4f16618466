"""What every contender of the tape loop starts from: MNIST-shaped noise, the same weights."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

BATCH = 128
BATCHES = 48
SIZES = (784, 128, 10)
LEARNING_RATE, BETA_1, BETA_2, EPSILON = 1e-3, 0.9, 0.999, 1e-7


@dataclass(frozen=True)
class Problem:
    """Images in [0, 1), labels, and a (weight, bias) pair a layer; all float32 and int32."""

    images: np.ndarray
    labels: np.ndarray
    weights: list[np.ndarray]

    def batch(self, number: int, count: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """A slice of `count` batches, starting over at the end of the data."""
        start = number % BATCHES * BATCH
        return self.images[start : start + count * BATCH], self.labels[start : start + count * BATCH]


def make_problem() -> Problem:
    """Draw the data and the initial weights, the same for everybody."""
    rng = np.random.default_rng(0)
    images = rng.random((BATCH * BATCHES, SIZES[0]), dtype=np.float32)
    labels = rng.integers(0, SIZES[-1], BATCH * BATCHES).astype(np.int32)
    weights: list[np.ndarray] = []
    for inputs, outputs in pairwise(SIZES):
        limit = np.sqrt(6.0 / (inputs + outputs))
        weights += [
            rng.uniform(-limit, limit, (inputs, outputs)).astype(np.float32),
            np.zeros(outputs, np.float32),
        ]
    return Problem(images, labels, weights)
