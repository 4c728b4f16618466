"""What functions of `keras.backend` refuse. Their values are compared with Keras 2 in tests/parity."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tapeflow.keras import backend as K


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: K.batch_dot(tf.ones(2), tf.ones((2, 2))), ValueError, "batch_dot on inputs with rank < 2"),
        (
            lambda: K.batch_dot(tf.ones((2, 3)), tf.ones((3, 3))),
            ValueError,
            "different batch sizes. Received",
        ),
        (
            lambda: K.batch_dot(tf.ones((2, 3)), tf.ones((2, 3)), 0),
            ValueError,
            "Cannot perform batch_dot over axis 0",
        ),
        (
            lambda: K.batch_dot(tf.ones((2, 3)), tf.ones((2, 4)), 1),
            ValueError,
            r"with axes=\[1, 1\]. x.shape\[1\] != y.shape\[1\] \(3 != 4\)",
        ),
        (
            lambda: K.batch_dot(tf.ones((2, 3)), tf.ones((2, 4)), ([1], 1)),
            ValueError,
            "Multiple target dimensions are not supported",
        ),
        (
            lambda: K.switch([[True]], tf.ones(1), tf.ones(1)),
            ValueError,
            "Rank of `condition` should be less than",
        ),
        (lambda: K.repeat(tf.ones(3), 2), ValueError, r"K.repeat expected a matrix; got x of shape \(3,\)"),
        (
            lambda: K.resize_images(tf.ones((1, 2, 2, 1)), 2, 2, None, "cubic"),
            ValueError,
            "expected interpolation 'nearest' or 'bilinear'; got interpolation='cubic'",
        ),
        (
            lambda: K.conv2d(tf.ones((1, 2, 2, 1)), tf.ones((1, 1, 1, 1)), padding="x"),
            ValueError,
            "Invalid padding: x",
        ),
        (
            lambda: K.pool2d(tf.ones((1, 2, 2, 1)), (1, 1), pool_mode="x"),
            ValueError,
            "Invalid pooling mode: x",
        ),
        (
            lambda: K.bias_add(tf.ones((2, 3, 4, 5)), tf.ones((2, 3))),
            ValueError,
            "Unexpected bias dimensions 2, expect",
        ),
        (lambda: K.is_keras_tensor(3), ValueError, "Expected a symbolic tensor instance"),
        (lambda: K.gradients(1, 2), RuntimeError, "Use tf.GradientTape instead"),
        (lambda: K.function([], [], updates=[1]), ValueError, "there is no session. Received: updates="),
    ],
)
def test_wrong_arguments_and_absent_sessions_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
