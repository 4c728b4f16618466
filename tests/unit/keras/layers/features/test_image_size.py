"""Resizing and CenterCrop; values against Keras are in tests/parity."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


def test_one_image_and_integers() -> None:
    x = np.arange(24, dtype="uint8").reshape(4, 3, 2)
    assert L.Resizing(2, 5)(x).shape == (2, 5, 2)
    y = L.CenterCrop(2, 1)(x)
    assert y.dtype == tf.float32
    np.testing.assert_array_equal(y.numpy(), x[1:3, 1:2])


def test_unknown_sizes_become_known() -> None:
    x = tf.keras.Input((None, None, 3))
    assert tuple(L.Resizing(4, 5)(x).shape) == (None, 4, 5, 3)
    assert tuple(L.CenterCrop(4, 5)(x).shape) == (None, 4, 5, 3)


def test_an_unknown_interpolation_raises() -> None:
    with pytest.raises(NotImplementedError, match="Value not recognized for `interpolation`: cubic"):
        L.Resizing(2, 2, interpolation="cubic")
