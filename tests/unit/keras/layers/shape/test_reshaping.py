"""Flatten, Reshape, Permute, RepeatVector."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


def test_integers_stay_integers_in_a_model() -> None:
    x = tf.keras.Input((2, 3), dtype="int32")
    for layer in (L.Flatten(), L.Reshape((3, 2)), L.Permute((2, 1))):
        assert layer(x).dtype == tf.int32


def test_flatten_of_a_vector_and_of_an_unknown_size() -> None:
    assert L.Flatten()(tf.ones((3,))).shape == (3, 1)
    x = tf.keras.Input((None, 3))
    assert tuple(L.Flatten()(x).shape) == (None, None)
    assert tuple(L.Flatten().compute_output_shape((None, None, 3))) == (None, None)


def test_reshape_with_an_unknown_size() -> None:
    assert tuple(L.Reshape((-1, 2)).compute_output_shape((None, None, 4))) == (None, None, 2)
    model = tf.keras.Sequential([L.Reshape((-1, 2), input_shape=(None, 4))])
    assert model(np.ones((2, 3, 4))).shape == (2, 6, 2)


def test_an_empty_batch() -> None:
    assert L.Flatten()(tf.zeros((0, 2, 3))).shape == (0, 6)
    assert L.Reshape((3, -1))(tf.zeros((0, 2, 3))).shape == (0, 3, 2)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: L.Reshape((4, 2))(tf.ones((2, 3, 4))),
            ValueError,
            "total size of the tensor must be unchanged",
        ),
        (
            lambda: L.Reshape((5, -1))(tf.ones((2, 3, 4))),
            ValueError,
            "total size of the tensor must be unchanged",
        ),
        (lambda: L.Reshape((-1, -1))(tf.ones((2, 3, 4))), ValueError, "at most one unknown dimension"),
        (lambda: L.Permute((0, 1)), ValueError, "Invalid permutation argument `dims`"),
        (lambda: L.Permute((2, 1))(tf.ones((2, 3))), ValueError, "expected ndim=3"),
        (lambda: L.RepeatVector("3"), TypeError, "Expected an integer value for `n`"),
        (lambda: L.RepeatVector(3)(tf.ones((2, 3, 4))), ValueError, "expected ndim=2"),
        (lambda: L.Flatten("last"), ValueError, "data_format"),
    ],
)
def test_shapes_that_do_not_fit_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
