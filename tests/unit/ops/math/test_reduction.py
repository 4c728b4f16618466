"""Reductions: axes, dtypes, empty tensors, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.math import reduction as tf

nan, inf = np.nan, np.inf
FLOATS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
INTEGERS = np.array([[1, 2, 4], [4, 5, -6]], np.int32)
BOOLS = np.array([[True, False], [True, True]])


def check(result: Any, value: Any, dtype: str) -> None:
    assert result.dtype.name == dtype
    assert tuple(result.shape) == np.shape(value)
    np.testing.assert_allclose(result.numpy(), value, rtol=1e-6)


@pytest.mark.parametrize(
    "axis",
    [None, 0, 1, -1, [0], (1,), [0, 1], (0, -1), [], range(2), np.array([1]), np.int64(0)],
    ids=repr,
)
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes(axis: Any, keepdims: bool) -> None:
    where = tuple(axis) if isinstance(axis, (list, range, np.ndarray)) else axis
    for ours, theirs in [
        (tf.reduce_sum, np.sum),
        (tf.reduce_mean, np.mean),
        (tf.reduce_prod, np.prod),
        (tf.reduce_max, np.max),
        (tf.reduce_min, np.min),
        (tf.reduce_std, np.std),
        (tf.reduce_variance, np.var),
    ]:
        expected = theirs(FLOATS, axis=where, keepdims=keepdims)
        check(ours(constant(FLOATS), axis, keepdims), expected, "float32")


def test_an_axis_may_be_a_tensor() -> None:
    check(tf.reduce_sum(FLOATS, constant(1)), [6, 15], "float32")
    check(tf.reduce_sum(Variable(FLOATS), constant([0, 1])), 21, "float32")
    check(tf.reduce_any(BOOLS, axis=constant(0, "int64")), [True, True], "bool")


@pytest.mark.parametrize(
    ("result", "value", "dtype"),
    [
        (lambda: tf.reduce_sum([1, 2]), 3, "int32"),
        (lambda: tf.reduce_sum([]), 0, "float32"),
        (lambda: tf.reduce_sum([constant(1.0), constant(2.0)]), 3, "float32"),
        (lambda: tf.reduce_sum(constant([200, 100], "uint8")), 44, "uint8"),
        (lambda: tf.reduce_sum(constant([100, 100], "int8")), -56, "int8"),
        (lambda: tf.reduce_sum(constant([60000.0, 60000.0], "float16")), inf, "float16"),
        (lambda: tf.reduce_prod(INTEGERS, 1), [8, -120], "int32"),
        (lambda: tf.reduce_prod(constant([], "float32")), 1, "float32"),
        (lambda: tf.reduce_max([1.0, nan]), nan, "float32"),
        (lambda: tf.reduce_min([nan, 1.0]), nan, "float32"),
        (lambda: tf.reduce_max(constant([], "float32")), -inf, "float32"),
        (lambda: tf.reduce_max(constant([], "int32")), -(2**31), "int32"),
        (lambda: tf.reduce_min(constant([], "float32")), inf, "float32"),
        (lambda: tf.reduce_min(constant([], "uint8")), 255, "uint8"),
        (lambda: tf.reduce_logsumexp(FLOATS), 6.4561934, "float32"),
        (lambda: tf.reduce_logsumexp(FLOATS, 1, True), [[3.407606], [6.407606]], "float32"),
        (lambda: tf.reduce_logsumexp([-inf, -inf]), -inf, "float32"),
        (lambda: tf.reduce_logsumexp([inf, 1.0]), inf, "float32"),
        (lambda: tf.reduce_logsumexp([1000.0, 1000.0]), 1000.69315, "float32"),
        (lambda: tf.reduce_logsumexp(constant([], "float32")), -inf, "float32"),
        (lambda: tf.reduce_variance(constant([1 + 1j, 2])), 0.5, "float64"),
        (lambda: tf.reduce_std(constant([1 + 1j, 2])), 0.5**0.5, "float64"),
        (lambda: tf.reduce_euclidean_norm([[3.0, 4.0]], 1), [5], "float32"),
        (lambda: tf.reduce_euclidean_norm(constant([2, 3])), 3, "int32"),
        (lambda: tf.reduce_euclidean_norm(constant([3 + 4j, 0])), 5, "complex128"),
        (lambda: tf.count_nonzero([0.0, 1.0, nan]), 2, "int64"),
        (lambda: tf.count_nonzero(INTEGERS, 0, True, "int32"), [[2, 2, 2]], "int32"),
        (lambda: tf.count_nonzero(BOOLS, axis=-1, dtype="float32"), [1, 2], "float32"),
        (lambda: tf.zero_fraction([0, 1, 0]), 2 / 3, "float32"),
        (lambda: tf.zero_fraction(np.zeros([0], np.float32)), nan, "float32"),
        (lambda: tf.reduce_all(BOOLS), False, "bool"),
        (lambda: tf.reduce_any(BOOLS, 1, True), [[True], [True]], "bool"),
        (lambda: tf.reduce_all([]), True, "bool"),
        (lambda: tf.reduce_any([]), False, "bool"),
    ],
)
def test_result(result: Any, value: Any, dtype: str) -> None:
    check(result(), value, dtype)


@pytest.mark.parametrize(
    ("values", "dtype", "mean"),
    [
        ([1, 2], "int32", 1),
        ([-1, -2], "int32", -1),
        ([1, -2], "int32", 0),
        ([100, 100], "int8", 100),
        ([200, 200], "uint8", 200),
        ([2**31 - 1, 2**31 - 1], "int32", 2**31 - 1),
        ([], "int32", 0),
        ([], "float32", nan),
        ([1 + 1j, 2], "complex128", 1.5 + 0.5j),
        ([60000.0, 60000.0], "float16", 60000),
    ],
)
def test_the_mean_keeps_the_dtype(values: Any, dtype: str, mean: Any) -> None:
    check(tf.reduce_mean(constant(values, dtype)), mean, dtype)


def test_l2_normalize() -> None:
    check(tf.l2_normalize([3.0, 4.0]), [0.6, 0.8], "float32")
    check(tf.l2_normalize([[3.0, 4.0], [0.0, 0.0]], 1), [[0.6, 0.8], [0, 0]], "float32")
    check(tf.l2_normalize([[3.0, 4.0]], dim=[0, 1]), [[0.6, 0.8]], "float32")
    check(tf.l2_normalize(constant([3 + 4j, 0])), [0.6 + 0.8j, 0], "complex128")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: tf.reduce_sum(FLOATS, 2),
            errors.InvalidArgumentError,
            r"tf.reduce_sum expected axis in \[-2, 2\); got axis=2\. .*The input has rank 2",
        ),
        (lambda: tf.reduce_mean(FLOATS, -3), errors.InvalidArgumentError, "got axis=-3"),
        (lambda: tf.reduce_max(1.0, 0), errors.InvalidArgumentError, "A scalar has no axes"),
        (
            lambda: tf.reduce_sum(FLOATS, [1, -1]),
            errors.InvalidArgumentError,
            r"expected every axis once; got axis=\[1, -1\], which names one twice",
        ),
        (lambda: tf.reduce_sum(FLOATS, 1.0), TypeError, "expected integers for axis; got axis=1.0"),
        (lambda: tf.reduce_sum(BOOLS), errors.InvalidArgumentError, "Sum expected a number tensor"),
        (lambda: tf.reduce_mean(BOOLS), errors.InvalidArgumentError, "Mean expected a number"),
        (lambda: tf.reduce_max(BOOLS), errors.InvalidArgumentError, "Max expected a real number"),
        (lambda: tf.reduce_all([1]), errors.InvalidArgumentError, "All expected a bool tensor"),
        (
            lambda: tf.reduce_logsumexp([1, 2]),
            errors.InvalidArgumentError,
            "LogSumExp expected a floating-point tensor",
        ),
        (
            lambda: tf.reduce_std([1, 2]),
            TypeError,
            r"tf.math.reduce_std expected a floating-point or complex tensor; got input_tensor",
        ),
        (lambda: tf.reduce_variance([1, 2]), TypeError, "tf.math.reduce_variance expected"),
        (lambda: tf.reduce_sum([[1.0], [2.0, 3.0]]), ValueError, "non-rectangular"),
        (lambda: tf.reduce_sum(None), ValueError, "None"),
        (lambda: tf.count_nonzero(FLOATS, 5), errors.InvalidArgumentError, "tf.math.count_nonzero"),
        (
            lambda: tf.l2_normalize(FLOATS, 2),
            errors.InvalidArgumentError,
            "tf.math.l2_normalize expected axis",
        ),
    ],
)
def test_wrong_arguments(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_reductions_of_shapes_stay_on_the_host() -> None:
    shape = constant([2, 3, 4])
    assert tf.reduce_prod(shape).host_value() == 24
    assert tf.reduce_sum(shape, 0, keepdims=True).host_value().tolist() == [9]
