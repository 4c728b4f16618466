"""Fashion-MNIST: 28x28 pictures of clothes, in the shape of MNIST."""

import gzip
import struct

import numpy as np

from tapeflow.keras.datasets.source import KERAS_STORAGE, DatasetFile, Split

WHERE = "tf.keras.datasets.fashion_mnist.load_data"
UBYTE = 0x08


def _file(name: str, digest: str) -> DatasetFile:
    return DatasetFile(name, KERAS_STORAGE + name, digest, cache_subdir="datasets/fashion-mnist")


# Keras does not verify these four; the hashes are of the files Zalando Research published.
TRAIN_IMAGES = _file(
    "train-images-idx3-ubyte.gz",
    "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
)
TRAIN_LABELS = _file(
    "train-labels-idx1-ubyte.gz",
    "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
)
TEST_IMAGES = _file(
    "t10k-images-idx3-ubyte.gz",
    "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
)
TEST_LABELS = _file(
    "t10k-labels-idx1-ubyte.gz",
    "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
)


def load_data() -> Split:
    """Load Fashion-MNIST: 60,000 training and 10,000 test images of ten kinds of clothes.

    The classes, from 0: T-shirt/top, trouser, pullover, dress, coat, sandal, shirt, sneaker, bag,
    ankle boot. Zalando SE holds the copyright; the data are under the MIT licence.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: uint8 images of shape `(n, 28, 28)`, from 0 to 255,
        and uint8 labels of shape `(n,)`.

    Raises:
        ConnectionError: A file is not cached and cannot be downloaded.
    """
    x_train, y_train = _read_idx(TRAIN_IMAGES, rank=3), _read_idx(TRAIN_LABELS, rank=1)
    x_test, y_test = _read_idx(TEST_IMAGES, rank=3), _read_idx(TEST_LABELS, rank=1)
    return (x_train, y_train), (x_test, y_test)


def _read_idx(source: DatasetFile, rank: int) -> np.ndarray:
    """Read an IDX file: two zero bytes, a type, the rank, big-endian sizes, then the values."""
    with gzip.open(source.fetch(WHERE)) as file:
        magic, sizes, values = file.read(4), file.read(4 * rank), file.read()
    shape = struct.unpack(f">{rank}I", sizes) if len(sizes) == 4 * rank else ()
    if magic != bytes((0, 0, UBYTE, rank)) or len(values) != int(np.prod(shape)):
        raise ValueError(
            f"{WHERE} expected {source.name} as an IDX file of bytes with rank {rank}; got "
            f"magic={magic!r}, shape={shape}, {len(values)} values. Delete the file and load again."
        )
    return np.frombuffer(values, np.uint8).reshape(shape).copy()
