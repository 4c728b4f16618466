"""Transposed convolutions: the transpose of `conv2d` in numbers, their gradients and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.differentiation.tape import GradientTape
from tapeflow.engine.values.convert import constant
from tapeflow.ops.math.reduction import reduce_sum
from tapeflow.ops.nn.conv import convolution as conv
from tapeflow.ops.nn.conv import transpose as conv_transpose

RNG = np.random.default_rng(0)
Y = RNG.normal(size=(2, 5, 6, 4))
W = RNG.normal(size=(3, 3, 3, 4))
SEQUENCE, TAPS = RNG.normal(size=(2, 5, 4)), RNG.normal(size=(3, 3, 4))
EXPLICIT = [[0, 0], [1, 1], [1, 1], [0, 0]]


@pytest.mark.parametrize(
    ("strides", "padding", "spatial", "dilations"),
    [
        (1, "SAME", (5, 6), None),
        (2, "SAME", (10, 11), None),
        ([1, 2, 2, 1], "SAME", (9, 12), None),
        (2, "VALID", (11, 13), None),
        (3, "VALID", (17, 20), 1),
        (1, EXPLICIT, (5, 6), None),
        (1, "SAME", (5, 6), 2),
    ],
)
def test_it_is_the_transpose(strides: Any, padding: Any, spatial: Any, dilations: Any) -> None:
    x = RNG.normal(size=(2, *spatial, 3))
    forward = conv.conv2d(x, W, strides, padding, dilations=dilations)
    back = conv_transpose.conv2d_transpose(Y, W, [2, *spatial, 3], strides, padding, dilations=dilations)
    assert back.shape.as_list() == [2, *spatial, 3]
    assert back.dtype.name == "float64"
    np.testing.assert_allclose(np.sum(forward.numpy() * Y), np.sum(x * back.numpy()), rtol=1e-10)


def test_ways_to_say_the_shape() -> None:
    full = conv_transpose.conv2d_transpose(Y, W, [2, 10, 12, 3], 2)
    for shape in ([10, 12], constant([2, 10, 12, 3]), (2, 10, 12, 3)):
        again = conv_transpose.conv2d_transpose(Y, W, shape, 2)
        np.testing.assert_array_equal(again.numpy(), full.numpy())
    np.testing.assert_array_equal(
        conv_transpose.conv_transpose(Y, W, [2, 10, 12, 3], 2).numpy(), full.numpy()
    )
    first = conv_transpose.conv2d_transpose(Y.transpose(0, 3, 1, 2), W, [2, 3, 10, 12], 2, data_format="NCHW")
    np.testing.assert_allclose(first.numpy(), full.numpy().transpose(0, 3, 1, 2))


def test_sequences() -> None:
    found = conv_transpose.conv1d_transpose(SEQUENCE, TAPS, [2, 10, 3], 2)
    x = RNG.normal(size=(2, 10, 3))
    forward = conv.conv1d(x, TAPS, 2, "SAME").numpy()
    np.testing.assert_allclose(np.sum(forward * SEQUENCE), np.sum(x * found.numpy()))
    again = conv_transpose.conv_transpose(SEQUENCE, TAPS, [2, 10, 3], 2)
    np.testing.assert_array_equal(again.numpy(), found.numpy())


def test_gradients_are_convolutions() -> None:
    y, w = constant(Y), constant(W)
    with GradientTape() as tape:
        tape.watch([y, w])
        x = conv_transpose.conv2d_transpose(y, w, [2, 10, 12, 3], 2)
        score = reduce_sum(x * x)
    to_y, to_w = tape.gradient(score, [y, w])
    np.testing.assert_allclose(to_y.numpy(), 2 * conv.conv2d(x, w, 2, "SAME").numpy())
    # The score is quadratic in both.
    np.testing.assert_allclose(np.sum(to_y.numpy() * Y), 2 * float(score))
    np.testing.assert_allclose(np.sum(to_w.numpy() * W), 2 * float(score))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda f: f(Y, W, [2, 13, 13, 3], 2),
            errors.InvalidArgumentError,
            r"convolution has the size of input; got \[13, 13\], whose convolution has \[7, 7\] and "
            r"not \[5, 6\]",
        ),
        (
            lambda f: f(Y, W, [2, 10, 12, 4], 2),
            errors.InvalidArgumentError,
            "output_shape with a multiple of the output channels of filters; got 4 channels for 3",
        ),
        (
            lambda f: f(Y, W[..., :3], [2, 10, 12, 3], 2),
            errors.InvalidArgumentError,
            "filters whose last axis is the channels of input; got 3 for 4",
        ),
        (
            lambda f: f(Y, W, [3, 10, 12, 3], 2),
            errors.InvalidArgumentError,
            r"with the batch size of input; got output_shape=\[3, 10, 12, 3\]",
        ),
        (
            lambda f: f(Y, W, [10, 12, 3], 2),
            errors.InvalidArgumentError,
            r"output_shape with 4 or 2 values; got output_shape=\[10, 12, 3\]",
        ),
        (
            lambda f: f(Y, W, [2, 10, 12, 3], [1, 2, 1]),
            ValueError,
            "strides of length 1, 2 or 4",
        ),
        (
            lambda f: f(Y[0], W, [5, 10, 12, 3], 2),
            errors.InvalidArgumentError,
            "tf.nn.conv2d_transpose expected input of rank 4",
        ),
    ],
)
def test_refuses(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call(conv_transpose.conv2d_transpose)


def test_conv_transpose_refuses_other_ranks() -> None:
    with pytest.raises(ValueError, match=r"of length 3, 4 or 5; got output_shape=\[2, 3\]"):
        conv_transpose.conv_transpose(Y, W, [2, 3], 2)
