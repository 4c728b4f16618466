"""CIFAR-100: small colour photographs in a hundred classes."""

import numpy as np

from tapeflow.keras.datasets.cifar import load_batches
from tapeflow.keras.datasets.source import DatasetFile, Split

WHERE = "tf.keras.datasets.cifar100.load_data"
FILE = DatasetFile(
    "cifar-100-python.tar.gz",
    "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz",
    "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7",
    # Keras 3's name for the same archive.
    other_names=("cifar-100-python-target_archive",),
)
TRAIN_MEMBER = "cifar-100-python/train"
TEST_MEMBER = "cifar-100-python/test"
LABEL_MODES = ("fine", "coarse")


def load_data(label_mode: str = "fine") -> Split:
    """Load CIFAR-100: 50,000 training and 10,000 test photographs.

    Args:
        label_mode: "fine" for the 100 classes, "coarse" for the 20 groups of five they fall into.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: uint8 images of shape `(n, 32, 32, 3)`, from 0 to
        255, and int64 labels of shape `(n, 1)`. (As in Keras; CIFAR-10's are uint8.)

    Raises:
        ConnectionError: The file is not cached and cannot be downloaded.
    """
    if label_mode not in LABEL_MODES:
        raise ValueError(
            f"{WHERE} expected label_mode to be 'fine' or 'coarse'; got label_mode={label_mode!r}. "
            "Pass 'fine' for 100 classes or 'coarse' for 20."
        )
    batches = load_batches(FILE, (TRAIN_MEMBER, TEST_MEMBER), f"{label_mode}_labels", WHERE)
    (x_train, train_labels), (x_test, test_labels) = batches[TRAIN_MEMBER], batches[TEST_MEMBER]
    return (x_train, _column(train_labels)), (x_test, _column(test_labels))


def _column(labels: list[int]) -> np.ndarray:
    return np.array(labels, dtype=np.int64).reshape(-1, 1)
