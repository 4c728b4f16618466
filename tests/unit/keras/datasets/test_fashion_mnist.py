"""Fashion MNIST, on small files of the real layout from a server on loopback."""

import gzip
import struct

import numpy as np
import pytest

from tapeflow.keras.datasets import (
    fashion_mnist,
)

RANDOM = np.random.default_rng(0)


def images(*shape):
    return RANDOM.integers(0, 256, shape, dtype=np.uint8)


def idx(array: np.ndarray) -> bytes:
    header = bytes((0, 0, 8, array.ndim)) + struct.pack(f">{array.ndim}I", *array.shape)
    return gzip.compress(header + array.tobytes())


def publish_fashion(publish, **replaced):
    made = {
        "TRAIN_IMAGES": idx(images(5, 28, 28)),
        "TRAIN_LABELS": idx(images(5)),
        "TEST_IMAGES": idx(images(3, 28, 28)),
        "TEST_LABELS": idx(images(3)),
    } | replaced
    for attribute, body in made.items():
        publish(fashion_mnist, attribute, body)


def test_fashion_mnist(publish, home):
    train, labels = images(5, 28, 28), images(5)
    publish_fashion(publish, TRAIN_IMAGES=idx(train), TRAIN_LABELS=idx(labels))
    (x_train, y_train), (x_test, y_test) = fashion_mnist.load_data()
    np.testing.assert_array_equal(x_train, train)
    np.testing.assert_array_equal(y_train, labels)
    assert x_test.shape == (3, 28, 28)
    assert y_test.shape == (3,)
    assert x_train.dtype == y_train.dtype == np.uint8
    assert x_train.flags.writeable
    assert (home / "datasets/fashion-mnist/train-images-idx3-ubyte.gz").exists()


@pytest.mark.parametrize(
    "body",
    [gzip.compress(b""), idx(images(5)), idx(images(5, 2, 2))[:-1]],
    ids=["empty", "rank 1", "cut off"],
)
def test_fashion_mnist_of_another_layout(publish, body):
    publish_fashion(publish, TEST_IMAGES=body)
    with pytest.raises((ValueError, EOFError), match=r"expected t10k-images|end-of-stream"):
        fashion_mnist.load_data()
