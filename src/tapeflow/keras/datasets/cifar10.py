"""CIFAR-10: small colour photographs in ten classes."""

import numpy as np

from tapeflow.keras.datasets.cifar import load_batches
from tapeflow.keras.datasets.source import DatasetFile, Split

FILE = DatasetFile(
    "cifar-10-batches-py.tar.gz",
    "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz",
    "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce",
    # Keras 3's name for the same archive, and the name it has at its origin.
    other_names=("cifar-10-batches-py-target_archive", "cifar-10-python.tar.gz"),
)
TRAIN_MEMBERS = tuple(f"cifar-10-batches-py/data_batch_{i}" for i in range(1, 6))
TEST_MEMBER = "cifar-10-batches-py/test_batch"


def load_data() -> Split:
    """Load CIFAR-10: 50,000 training and 10,000 test photographs.

    The classes, from 0: airplane, automobile, bird, cat, deer, dog, frog, horse, ship, truck.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: uint8 images of shape `(n, 32, 32, 3)`, from 0 to
        255, and uint8 labels of shape `(n, 1)`.

    Raises:
        ConnectionError: The file is not cached and cannot be downloaded.
    """
    batches = load_batches(
        FILE, (*TRAIN_MEMBERS, TEST_MEMBER), "labels", "tf.keras.datasets.cifar10.load_data"
    )
    x_train = np.concatenate([batches[name][0] for name in TRAIN_MEMBERS])
    y_train = np.concatenate([_column(batches[name][1]) for name in TRAIN_MEMBERS])
    x_test, test_labels = batches[TEST_MEMBER]
    return (x_train, y_train), (x_test, _column(test_labels))


def _column(labels: list[int]) -> np.ndarray:
    return np.array(labels, dtype=np.uint8).reshape(-1, 1)
