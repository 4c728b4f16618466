"""MNIST: 28x28 handwritten digits."""

from tapeflow.keras.datasets.npz import load_npz
from tapeflow.keras.datasets.source import KERAS_STORAGE, DatasetFile, Split

WHERE = "tf.keras.datasets.mnist.load_data"
FILE = DatasetFile(
    "mnist.npz",
    KERAS_STORAGE + "mnist.npz",
    "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1",
)


def load_data(path: str = "mnist.npz") -> Split:
    """Load MNIST: 60,000 training and 10,000 test images of the digits 0 to 9.

    Y. LeCun and C. Cortes hold the copyright; the data are under CC BY-SA 3.0.

    Args:
        path: Name of the file in the cache folder (`$KERAS_HOME/datasets` or `~/.keras/datasets`),
            or an absolute path.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: uint8 images of shape `(n, 28, 28)`, from 0 to 255,
        and uint8 labels of shape `(n,)`.

    Raises:
        ConnectionError: The file is not cached and cannot be downloaded.
    """
    arrays = load_npz(FILE.fetch(WHERE, path), WHERE, ("x_train", "y_train", "x_test", "y_test"))
    return (arrays["x_train"], arrays["y_train"]), (arrays["x_test"], arrays["y_test"])
