"""`tf.nn` pooling: arguments as TensorFlow takes them, values, gradients, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine import errors
from tapeflow.engine.differentiation.tape import GradientTape
from tapeflow.engine.values.convert import constant
from tapeflow.ops.math.reduction import reduce_sum
from tapeflow.ops.nn.pool import pooling

X = np.arange(2 * 6 * 6 * 4, dtype=np.float32).reshape(2, 6, 6, 4)
SMALL = np.array([[1, 5, 2], [7, 3, 4], [0, 6, 8]], np.float32).reshape(1, 3, 3, 1)
SEQUENCE = np.array([3, 1, 2, 5, 4], np.float32).reshape(1, 5, 1)
VOLUME = np.arange(64, dtype=np.float32).reshape(1, 4, 4, 4, 1)
EXPLICIT = [[0, 0], [1, 1], [1, 0], [0, 0]]


def values(tensor: Any) -> Any:
    return np.squeeze(tensor.numpy()).tolist()


def test_max_pool2d() -> None:
    assert values(pooling.max_pool2d(SMALL, 2, 2, "SAME")) == [[7, 4], [6, 8]]
    assert values(pooling.max_pool2d(SMALL, 2, 1, "VALID")) == [[7, 5], [7, 8]]
    assert values(pooling.max_pool2d(SMALL, [1, 3], 1, "VALID")) == [5, 7, 8]
    assert values(pooling.max_pool2d(-SMALL, 2, 2, EXPLICIT)) == [[-1, -2], [0, -3]]


def test_avg_pool2d_counts_no_padding() -> None:
    assert values(pooling.avg_pool2d(SMALL, 2, 2, "SAME")) == [[4, 3], [3, 8]]
    assert values(pooling.avg_pool2d(SMALL, 3, 1, "VALID")) == 4
    assert values(pooling.avg_pool2d(SMALL, 3, 2, "SAME")) == [[4, 3.5], [4, 5.25]]


@pytest.mark.parametrize("ksize", [2, [2], [2, 2], [1, 2, 2, 1], (2, 2), np.array([2, 2])])
def test_ways_to_say_sizes(ksize: Any) -> None:
    for pool in (pooling.max_pool2d, pooling.avg_pool2d, pooling.max_pool, pooling.avg_pool):
        expected = X.reshape(2, 3, 2, 3, 2, 4)
        mean = expected.mean((2, 4)) if "avg" in pool.__name__ else expected.max((2, 4))
        np.testing.assert_allclose(pool(X, ksize, ksize, "VALID").numpy(), mean)


@pytest.mark.parametrize("pool", [pooling.max_pool2d, pooling.avg_pool2d, pooling.max_pool])
def test_channels_first(pool: Any) -> None:
    found = pool(X, [3, 2], [2, 1], "SAME").numpy()
    first = pool(X.transpose(0, 3, 1, 2), [1, 1, 3, 2], [2, 1], "SAME", data_format="NCHW")
    np.testing.assert_allclose(first.numpy(), found.transpose(0, 3, 1, 2))


def test_sequences_and_volumes() -> None:
    assert values(pooling.max_pool1d(SEQUENCE, 2, 2, "SAME")) == [3, 5, 4]
    assert values(pooling.max_pool1d(SEQUENCE, 2, 2, [[0, 0], [1, 0], [0, 0]])) == [3, 2, 5]
    assert values(pooling.avg_pool1d(SEQUENCE, [1, 2, 1], [2], "SAME")) == [2, 3.5, 4]
    assert values(pooling.max_pool3d(VOLUME, 2, 2, "VALID"))[1] == [[53, 55], [61, 63]]
    assert values(pooling.avg_pool3d(VOLUME, 4, 4, "VALID")) == 31.5
    np.testing.assert_array_equal(
        pooling.max_pool(SEQUENCE, 3, 1, "SAME").numpy(),
        pooling.max_pool1d(SEQUENCE, 3, 1, "SAME").numpy(),
    )
    np.testing.assert_array_equal(
        pooling.avg_pool(VOLUME, 2, 1, "SAME").numpy(),
        pooling.avg_pool3d(VOLUME, 2, 1, "SAME").numpy(),
    )


def test_pool() -> None:
    found = pooling.pool(X, [2, 3], "AVG", strides=[2, 1], padding="SAME")
    expected = pooling.avg_pool2d(X, [2, 3], [2, 1], "SAME")
    np.testing.assert_array_equal(found.numpy(), expected.numpy())
    assert values(pooling.pool(SEQUENCE, [2], "MAX", dilations=[2])) == [3, 5, 4]
    assert values(pooling.pool(SEQUENCE, [2], "MAX")) == [3, 2, 5, 5]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int32", "int64", "uint8"])
def test_dtypes_are_kept(dtype: str) -> None:
    x = constant(SMALL, dtype)
    assert pooling.max_pool2d(x, 2, 2, "SAME").dtype.name == dtype
    assert values(pooling.max_pool2d(x, 2, 2, "SAME")) == [[7, 4], [6, 8]]
    if "float" in dtype:
        assert pooling.avg_pool2d(x, 2, 2, "SAME").dtype.name == dtype


def test_nothing_to_pool() -> None:
    for pool in (pooling.max_pool2d, pooling.avg_pool2d):
        assert pool(X[:0], 2, 2, "SAME").shape.as_list() == [0, 3, 3, 4]
        assert pool(X, 7, 1, "VALID").shape.as_list() == [2, 0, 0, 4]
        assert pool(X, 7, 1, "SAME").shape.as_list() == [2, 6, 6, 4]


@pytest.mark.parametrize(
    ("ksize", "strides", "expected"),
    [
        (2, 2, [[1, 0, 1, 0], [0, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0]]),
        (3, 2, [[1, 0, 1, 0], [0, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0]]),
        (2, 1, [[1, 1, 1, 1]] * 4),
        (3, 1, [[4, 2, 2, 0], [2, 1, 1, 0], [2, 1, 1, 0], [0, 0, 0, 0]]),
    ],
)
def test_the_first_of_equals_gets_the_gradient(ksize: int, strides: int, expected: Any) -> None:
    # The numbers are TensorFlow's.
    x = constant(np.ones((1, 4, 4, 1), np.float32))
    with GradientTape() as tape:
        tape.watch(x)
        y = pooling.max_pool2d(x, ksize, strides, "SAME")
    assert values(tape.gradient(y, x)) == expected


def test_gradients_under_nested_tapes() -> None:
    x = constant(SMALL.astype(np.float64))
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            score = reduce_sum(pooling.max_pool2d(x, 2, 1, "SAME") ** 3)
        first = inner.gradient(score, x)
        score = reduce_sum(first * first)
    # 7 wins twice, 5, 4 and 6 once, 8 four times: first = 3 * wins * x^2, second = 36 wins^2 x^3.
    wins = np.array([[0, 1, 0], [2, 0, 1], [0, 1, 4]])
    assert values(first) == (3 * wins * SMALL[0, :, :, 0] ** 2).tolist()
    assert values(outer.gradient(score, x)) == (36 * wins**2 * SMALL[0, :, :, 0] ** 3).tolist()


def test_averages_differentiate() -> None:
    x = constant(SMALL)
    with GradientTape() as tape:
        tape.watch(x)
        y = pooling.avg_pool2d(x, 2, 2, "SAME")
    found = tape.gradient(y, x)
    assert values(found) == [[0.25, 0.25, 0.5], [0.25, 0.25, 0.5], [0.5, 0.5, 1]]


def test_the_largest_of_each_few_channels() -> None:
    x = tf.reshape(tf.range(12.0), [1, 1, 2, 6])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool(x, [1, 1, 1, 3], [1, 1, 1, 3], "SAME")
    assert y.numpy().tolist() == [[[[2, 5], [8, 11]]]]
    assert tape.gradient(y, x).numpy()[0, 0, 0].tolist() == [0, 0, 1, 0, 0, 1]
    with pytest.raises(
        tf.errors.UnimplementedError, match="evenly divide their number; got a window of 4 for 6"
    ):
        tf.nn.max_pool(x, [1, 1, 1, 4], [1, 1, 1, 4], "VALID")


REFUSED: list[tuple[Any, Any, str]] = [
    (
        lambda: pooling.max_pool2d(X[0], 2, 2, "SAME"),
        errors.InvalidArgumentError,
        r"tf.nn.max_pool2d expected input of rank 4.* got input of shape \[6, 6, 4\]",
    ),
    (
        lambda: pooling.max_pool(X[0, 0], 2, 2, "SAME"),
        ValueError,
        r"tf.nn.max_pool expected input of rank 3, 4 or 5; got input \(shape \[6, 4\], float32\)",
    ),
    (
        lambda: pooling.max_pool2d(X, [1, 2, 2], 2, "SAME"),
        ValueError,
        r"ksize of length 1, 2 or 4; got ksize=\[1, 2, 2\] \(length 3\)",
    ),
    (
        lambda: pooling.avg_pool2d(X, 2, [1, 2, 2], "SAME"),
        ValueError,
        "strides of length 1, 2 or 4",
    ),
    (
        lambda: pooling.max_pool2d(X, [2, 2, 2, 1], 2, "SAME"),
        errors.UnimplementedError,
        "ksize of 1 for the batch and the channels",
    ),
    (
        lambda: pooling.max_pool2d(X, 0, 2, "SAME"),
        errors.InvalidArgumentError,
        "ksize of at least 1; got ksize=0",
    ),
    (
        lambda: pooling.max_pool2d(X, 2, 0, "SAME"),
        errors.InvalidArgumentError,
        "strides of at least 1; got strides=0",
    ),
    (
        lambda: pooling.max_pool2d(X, 2, 2, "foo"),
        errors.InvalidArgumentError,
        "padding to be 'SAME' or 'VALID'; got padding='foo'",
    ),
    (
        lambda: pooling.max_pool2d(X, 2, 2, [[0, 0], [2, 2], [1, 0], [0, 0]]),
        errors.InvalidArgumentError,
        r"padding smaller than the window; got .* for a window of \[2, 2\]",
    ),
    (
        lambda: pooling.avg_pool2d(X, 2, 2, EXPLICIT),
        TypeError,
        r"tf.nn.avg_pool2d expected padding to be 'SAME' or 'VALID'; got padding=\[\[0, 0\]",
    ),
    (
        lambda: pooling.avg_pool2d(X, 2, 2, "EXPLICIT"),
        errors.InvalidArgumentError,
        "got padding='EXPLICIT'",
    ),
    (
        lambda: pooling.max_pool2d(X, 2, 2, "SAME", data_format="NXHW"),
        errors.InvalidArgumentError,
        "data_format to be 'NHWC' or 'NCHW'; got data_format='NXHW'",
    ),
    (
        lambda: pooling.avg_pool2d(X.astype(np.int32), 2, 2, "SAME"),
        errors.InvalidArgumentError,
        "tf.nn.avg_pool2d expected a floating-point tensor for input; got input of dtype int32",
    ),
    (
        lambda: pooling.max_pool2d(X > 1, 2, 2, "SAME"),
        errors.InvalidArgumentError,
        "got input of dtype bool",
    ),
    (
        lambda: pooling.max_pool1d(SEQUENCE, [1, 2], 1, "SAME"),
        ValueError,
        "tf.nn.max_pool1d expected ksize of length 1 or 3",
    ),
    (
        lambda: pooling.pool(X, [2, 2], "SUM"),
        ValueError,
        "pooling_type to be 'MAX' or 'AVG'; got pooling_type='SUM'",
    ),
    (
        lambda: pooling.pool(X, [2, 2], "MAX", strides=[2, 2], dilations=[2, 2]),
        ValueError,
        "strides of 1 and padding 'VALID' with dilations of more than 1",
    ),
    (
        lambda: pooling.pool(X, [2, 2], "AVG", padding="SAME", dilations=[2, 2]),
        ValueError,
        "got strides=None, padding='SAME' and dilations=",
    ),
    (lambda: pooling.pool(X, [2, 2, 2], "MAX"), ValueError, "window_shape of length 1, 2 or 4"),
]


@pytest.mark.parametrize(("call", "error", "text"), REFUSED, ids=[text for *_, text in REFUSED])
def test_wrong_arguments_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
