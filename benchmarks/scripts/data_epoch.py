"""An epoch of an input pipeline, written once for TapeFlow and TensorFlow, and with PyTorch's DataLoader."""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

ROWS, BATCH = 60_000, 128


def _pipeline(tf: Any, task: str) -> Any:
    random = np.random.RandomState(0)
    labels = np.arange(ROWS) % 10
    auto = tf.data.AUTOTUNE
    if task == "epoch":
        images = random.rand(ROWS, 28, 28, 1).astype(np.float32)
        return tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(ROWS).batch(BATCH).prefetch(auto)
    pixels = random.randint(0, 256, (ROWS, 28, 28, 1)).astype(np.uint8)
    rows = tf.data.Dataset.from_tensor_slices((pixels, labels))
    if task == "batch_map":
        return rows.batch(BATCH).map(lambda x, y: (tf.cast(x, tf.float32) / 255.0, y), auto).prefetch(auto)

    def augmented(image: Any, label: Any) -> Any:
        return tf.image.random_flip_left_right(tf.cast(image, tf.float32) / 255.0), label

    return rows.map(augmented, auto).batch(BATCH).prefetch(auto)


def epochs(package: str, task: str) -> Callable[[int], float]:
    """Run epochs; the value is the number of rows of each."""
    dataset = _pipeline(importlib.import_module(package), task)

    def run(count: int) -> float:
        rows = 0
        for _ in range(count):
            for images, _ in dataset:
                rows += images.shape[0]
        return rows / count

    return run


def torch_epochs() -> Callable[[int], float]:
    """The same epoch with a DataLoader over a TensorDataset, as its users write it."""
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    images = torch.from_numpy(np.random.RandomState(0).rand(ROWS, 28, 28, 1).astype(np.float32))
    loader = DataLoader(TensorDataset(images, torch.arange(ROWS) % 10), batch_size=BATCH, shuffle=True)

    def run(count: int) -> float:
        rows = 0
        for _ in range(count):
            for batch, _ in loader:
                rows += batch.shape[0]
        return rows / count

    return run
