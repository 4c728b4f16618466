"""Comparison, logic and bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.ops.math import comparison as tf


def check(result: Any, value: Any, dtype: str = "bool") -> None:
    assert result.dtype.name == dtype
    np.testing.assert_array_equal(result.numpy(), value)


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint8", "float16", "float32", "float64"])
def test_comparisons(dtype: str) -> None:
    x, y = constant([1, 2, 3], dtype), constant([2, 2, 2], dtype)
    check(tf.equal(x, y), [False, True, False])
    check(tf.not_equal(x, y), [True, False, True])
    check(tf.less(x, y), [True, False, False])
    check(tf.less_equal(x, y), [True, True, False])
    check(tf.greater(x, y), [False, False, True])
    check(tf.greater_equal(x, y), [False, True, True])


def test_python_values() -> None:
    check(tf.equal(constant(1.0), 1), True)
    check(tf.equal([1, 2], constant([1, 3], "int64")), [True, False])
    check(tf.equal(np.nan, constant(np.nan)), False)
    check(tf.equal("a", constant(["a", "b"])), [True, False])
    check(tf.less(constant([1.0]), [2]), [True])
    check(tf.less(constant(1), 1.5), True)
    check(tf.equal(constant(1j), constant(1j)), True)


def test_logic() -> None:
    x, y = constant([True, True, False, False]), constant([True, False, True, False])
    check(tf.logical_and(x, y), [True, False, False, False])
    check(tf.logical_or(x, y), [True, True, True, False])
    check(tf.logical_xor(x, y), [False, True, True, False])
    check(tf.logical_not(x), [False, False, True, True])
    check(tf.logical_and(True, False), False)


def test_bits() -> None:
    check(tf.bitwise_and(constant(5), 3), 1, "int32")
    check(tf.bitwise_or(constant(5), 3), 7, "int32")
    check(tf.bitwise_xor(constant(5), 3), 6, "int32")
    check(tf.invert(constant([5], "int8")), [-6], "int8")
    check(tf.left_shift(constant([5, -1]), [1, 1]), [10, -2], "int32")
    check(tf.right_shift(constant([5, -8]), [1, 1]), [2, -4], "int32")
    check(tf.right_shift(constant([5, 200], "uint8"), constant([1, 1], "uint8")), [2, 100], "uint8")


def test_shifts_are_clipped_to_the_width() -> None:
    check(tf.left_shift(constant([5, 5]), [40, -1]), [-(2**31), 5], "int32")
    check(tf.right_shift(constant([-5]), [40]), [-1], "int32")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.equal(constant([1, 2]), constant([1, 2, 3])), "Equal got incompatible inputs"),
        (lambda: tf.equal(constant(1), constant(1.0)), "cannot compute Equal as input #1"),
        (lambda: tf.equal(constant(1), "a"), "A string compares only with strings"),
        (lambda: tf.less(constant(True), constant(False)), "Less expected a real number tensor"),
        (lambda: tf.less(constant(1j), constant(1j)), "Less expected a real number tensor"),
        (lambda: tf.logical_and(constant(1), constant(1)), "LogicalAnd expected a bool tensor"),
        (lambda: tf.logical_not(constant(1)), "Compare it first, as in x != 0"),
        (lambda: tf.bitwise_and(constant(True), True), "BitwiseAnd expected an integer tensor"),
        (lambda: tf.invert(constant(1.0)), "Invert expected an integer tensor"),
    ],
)
def test_wrong_dtypes_and_shapes(call: Any, text: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=text):
        call()
