"""MNIST, on a small file of the real layout from a server on loopback."""

import io

import numpy as np

from tapeflow.keras.datasets import (
    mnist,
)

RANDOM = np.random.default_rng(0)


def npz(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def images(*shape):
    return RANDOM.integers(0, 256, shape, dtype=np.uint8)


def test_mnist(publish):
    made = {
        "x_train": images(6, 28, 28),
        "y_train": images(6),
        "x_test": images(2, 28, 28),
        "y_test": images(2),
    }
    publish(mnist, "FILE", npz(**made))
    (x_train, y_train), (x_test, y_test) = mnist.load_data()
    for name, array in zip(made, (x_train, y_train, x_test, y_test), strict=True):
        np.testing.assert_array_equal(array, made[name])
        assert array.dtype == np.uint8


def test_mnist_under_another_name(publish, home, tmp_path):
    publish(mnist, "FILE", npz(x_train=[1], y_train=[1], x_test=[1], y_test=[1]))
    mnist.load_data("mine.npz")
    mnist.load_data(path=str(tmp_path / "far" / "away.npz"))
    assert (home / "datasets" / "mine.npz").exists()
    assert (tmp_path / "far" / "away.npz").exists()
