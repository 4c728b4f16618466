"""What the contenders of `fit` train on: noise in the shape of the real thing, labels that can be learnt."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

CLASSES = 10
SIZES = (784, 64, 64, CLASSES)
SEQUENCE, FEATURES, UNITS = 50, 32, 64
TOKENS, WIDTH, HEADS = 64, 64, 4
FITS = {
    # task: shape of a sample, rows of a batch, rows of an epoch
    "mlp": ((SIZES[0],), 64, 60_000),
    "cnn_8_16": ((32, 32, 3), 32, 2048),
    "cnn_32_64": ((32, 32, 3), 32, 384),
    "lstm": ((SEQUENCE, FEATURES), 32, 2048),
    "transformer": ((TOKENS, WIDTH), 32, 1024),
}


@dataclass(frozen=True)
class Data:
    """An epoch of samples in memory, float32 and int32; a model of several inputs gets an array for each."""

    x: np.ndarray | tuple[np.ndarray, ...]
    y: np.ndarray
    batch: int

    def require_epoch(self, count: int) -> None:
        """Contenders of `fit` run whole epochs."""
        if count != (steps := -(-len(self.y) // self.batch)):
            raise ValueError(f"a round of `fit` expected {steps} steps, an epoch; got {count}")


def epoch_steps(task: str) -> int:
    """Steps of an epoch; the last one of the MLP's is a smaller batch, as in MNIST."""
    _, batch, rows = FITS[task]
    return -(-rows // batch)


def make_data(task: str) -> Data:
    """Draw the samples; the class of each is the largest of ten linear functions of it."""
    shape, batch, rows = FITS[task]
    rng = np.random.default_rng(0)
    x = rng.random((rows, *shape), dtype=np.float32)
    flat = x.reshape(rows, -1)
    functions = rng.standard_normal((flat.shape[1], CLASSES)).astype(np.float32)
    functions -= functions.mean(axis=0)
    return Data(x, (flat @ functions).argmax(axis=1).astype(np.int32), batch)


def mlp_weights() -> list[np.ndarray]:
    """The weights every MLP starts from: a kernel and a bias a layer."""
    rng = np.random.default_rng(1)
    weights: list[np.ndarray] = []
    for inputs, outputs in pairwise(SIZES):
        limit = np.sqrt(6.0 / (inputs + outputs))
        weights += [
            rng.uniform(-limit, limit, (inputs, outputs)).astype(np.float32),
            np.zeros(outputs, np.float32),
        ]
    return weights
