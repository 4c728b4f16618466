"""The 8x8 handwritten digits, embedded in the package."""

from importlib import resources

import numpy as np

from tapeflow.keras.datasets.source import Split

TRAIN_SIZE = 1437


def load_data() -> Split:
    """Load 1,797 real handwritten digits; nothing is downloaded.

    They are small enough to train on in seconds and hard enough to tell a good model from a bad
    one. The split is fixed: the first 1,437 images (80 %) are for training, the last 360 for
    testing. The order is that of the source, where the digits of one writer stand together, so
    most test digits are by people who are not in the training part.

    Source: the test part of "Optical Recognition of Handwritten Digits" (E. Alpaydin and C. Kaynak,
    1998, UCI Machine Learning Repository, CC BY 4.0), as distributed with scikit-learn.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: images of shape `(n, 8, 8)`, uint8 from 0 (paper) to
        16 (ink), and uint8 labels of shape `(n,)` from 0 to 9.

    Example:
        >>> (x_train, y_train), (x_test, y_test) = load_data()
        >>> x_train.shape, x_test.shape, int(x_train.max())
        ((1437, 8, 8), (360, 8, 8), 16)
    """
    data = resources.files("tapeflow.keras.datasets") / "data" / "digits.npz"
    with data.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        x, y = arrays["x"], arrays["y"]
    return (x[:TRAIN_SIZE], y[:TRAIN_SIZE]), (x[TRAIN_SIZE:], y[TRAIN_SIZE:])
