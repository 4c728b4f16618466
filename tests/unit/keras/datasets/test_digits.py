"""The digits that come with the package."""

import hashlib

import numpy as np

from tapeflow.keras.datasets import (
    digits,
)


def test_digits_are_embedded_and_split():
    (x_train, y_train), (x_test, y_test) = digits.load_data()
    assert x_train.shape == (1437, 8, 8)
    assert x_test.shape == (360, 8, 8)
    assert {a.dtype for a in (x_train, y_train, x_test, y_test)} == {np.dtype(np.uint8)}
    assert (x_train.min(), x_train.max()) == (0, 16)
    assert sorted(set(y_train)) == sorted(set(y_test)) == list(range(10))
    assert y_train[:10].tolist() == list(range(10))
    # The first image is a zero: a ring with a hole in it.
    assert x_train[0, 3].tolist() == [0, 4, 12, 0, 0, 8, 8, 0]


def test_digits_are_the_ones_scikit_learn_ships():
    (x_train, y_train), (x_test, y_test) = digits.load_data()
    content = b"".join(array.tobytes() for array in (x_train, x_test, y_train, y_test))
    # Of sklearn.datasets.load_digits(): images, then target, as bytes.
    digest = "87ff0c9e40dc7e2c0e34e7257799c2e3f3aec1a016363bb11cad869ec428a826"
    assert hashlib.sha256(content).hexdigest() == digest
