"""Arithmetic: TensorFlow's results, dtypes and errors."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.math import arithmetic as tf
from tapeflow.ops.math.division import divide_no_nan

nan, inf = np.nan, np.inf


def check(result: Any, value: Any, dtype: str) -> None:
    assert result.dtype.name == dtype
    np.testing.assert_allclose(result.numpy(), value, rtol=1e-6)


@pytest.mark.parametrize(
    ("result", "value", "dtype"),
    [
        (lambda: tf.add(1, 2), 3, "int32"),
        (lambda: tf.add(constant(1.0), 2), 3, "float32"),
        (lambda: tf.add(2, constant(1.0)), 3, "float32"),
        (lambda: tf.add(constant([1, 2]), [3, 4]), [4, 6], "int32"),
        (lambda: tf.add(constant([1.0, 2.0]), np.array([1.0])), [2, 3], "float32"),
        (lambda: tf.add(constant(1, "float16"), 2.5), 3.5, "float16"),
        (lambda: tf.add(constant(2**31 - 1), 1), -(2**31), "int32"),
        (lambda: tf.subtract(constant(1, "uint8"), constant(2, "uint8")), 255, "uint8"),
        (lambda: tf.multiply([1.0, 2.0], [[1.0], [2.0]]), [[1, 2], [2, 4]], "float32"),
        (lambda: tf.multiply(constant(True), constant(False)), False, "bool"),
        (lambda: tf.multiply(constant(1.0), constant([])), [], "float32"),
        (lambda: tf.negative(constant([1, -(2**31)])), [-1, -(2**31)], "int32"),
        (lambda: tf.abs(constant([-1, 2])), [1, 2], "int32"),
        (lambda: tf.abs(constant([3 + 4j])), [5], "float64"),
        (lambda: tf.abs(constant([-128], "int8")), [-128], "int8"),
        (lambda: tf.sign(constant([-1.5, 0.0, 2.0, nan])), [-1, 0, 1, nan], "float32"),
        (lambda: tf.sign(constant([-3, 0])), [-1, 0], "int32"),
        (lambda: tf.sign(constant(3 + 4j)), 0.6 + 0.8j, "complex128"),
        (lambda: tf.square(3), 9, "int32"),
        (lambda: tf.sqrt([4.0, -1.0]), [2, nan], "float32"),
        (lambda: tf.sqrt(constant(-1 + 0j)), 1j, "complex128"),
        (lambda: tf.rsqrt([4.0, 0.0]), [0.5, inf], "float32"),
        (lambda: tf.reciprocal([4.0, 0.0]), [0.25, inf], "float32"),
        (lambda: tf.squared_difference(1, 3), 4, "int32"),
        (lambda: tf.squared_difference(constant(1 + 1j), constant(2 + 0j)), 2, "complex128"),
        (lambda: tf.maximum(constant([1.0, nan]), [nan, 1.0]), [nan, nan], "float32"),
        (lambda: tf.minimum([1, 2], constant([0, 3], "int64")), [0, 2], "int64"),
        (lambda: tf.nextafter(1.0, 2.0), np.nextafter(np.float32(1), np.float32(2)), "float32"),
        (lambda: tf.add_n([1, 2, 3]), 6, "int32"),
        (lambda: tf.add_n((Variable(1.0), 2.0)), 3, "float32"),
        (lambda: tf.accumulate_n([1, 2], shape=[], tensor_dtype="int32"), 3, "int32"),
        (lambda: tf.scalar_mul(2, constant([1.0, 2.0])), [2, 4], "float32"),
        (lambda: tf.scalar_mul(2.0, Variable([1.0, 2.0])), [2, 4], "float32"),
        (lambda: tf.polyval([1.0, 2.0, 3.0], 2.0), 11, "float32"),
        (lambda: tf.polyval([1, 2], constant([1, 2])), [3, 4], "int32"),
        (lambda: tf.polyval([], 2.0), 0, "float32"),
    ],
)
def test_result(result: Any, value: Any, dtype: str) -> None:
    check(result(), value, dtype)


@pytest.mark.parametrize(
    ("dtype", "quotient"),
    [
        ("int8", "float32"),
        ("uint8", "float32"),
        ("int16", "float32"),
        ("uint16", "float32"),
        ("int32", "float64"),
        ("uint32", "float64"),
        ("int64", "float64"),
        ("float16", "float16"),
        ("bfloat16", "bfloat16"),
        ("float32", "float32"),
        ("complex64", "complex64"),
    ],
)
def test_division_gives_a_fraction(dtype: str, quotient: str) -> None:
    check(tf.divide(constant(7, dtype), constant(2, dtype)), 3.5, quotient)


def test_division_of_numbers_and_by_zero() -> None:
    check(tf.divide(7, 2), 3.5, "float64")
    check(tf.divide(7.0, 2), 3.5, "float32")
    check(tf.divide(1.0, constant(2, "float64")), 0.5, "float64")
    check(tf.divide(constant([7, -7, 0]), 0), [inf, -inf, nan], "float64")
    check(tf.realdiv([1.0, -1.0, 0.0], 0.0), [inf, -inf, nan], "float32")


def test_an_integer_met_with_a_python_float_becomes_float32() -> None:
    check(tf.add(constant(1), 2.5), 3.5, "float32")
    check(tf.divide(constant(7), 2.0), 3.5, "float32")
    check(tf.maximum(constant([1, 4]), 2.5), [2.5, 4], "float32")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.add(constant(1), constant(1.0)), "cannot compute Add as input #1"),
        (
            lambda: tf.add(constant([1, 2]), constant([1, 2, 3])),
            r"Incompatible shapes: \[2\] vs. \[3\]. Add expected",
        ),
        (lambda: tf.add(constant(True), constant(True)), "Add expected a number tensor for x; got"),
        (lambda: tf.subtract(constant(True), constant(True)), "Subtract expected a number tensor"),
        (lambda: tf.negative(constant(True)), "Negative expected a number tensor"),
        (lambda: tf.subtract(constant("a"), constant("b")), "Subtract expected numbers; got strings"),
        (lambda: tf.sqrt(constant([4])), r"Sqrt expected a floating-point or complex .*int32"),
        (lambda: tf.reciprocal(4), "Reciprocal expected a floating-point"),
        (lambda: tf.maximum(constant(1j), constant(1j)), "Maximum expected a real number"),
        (lambda: tf.add_n([constant([1.0]), constant(2.0)]), "every input must have the shape"),
        (lambda: tf.add_n([constant(True)]), "AddN expected a number tensor"),
    ],
)
def test_wrong_dtypes_and_shapes(call: Any, text: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=text):
        call()


@pytest.mark.parametrize("divide", [tf.divide, tf.truediv, operator.truediv, divide_no_nan])
def test_divisions_raise_type_errors(divide: Any) -> None:
    """As TensorFlow's do, which check dtypes in Python."""
    text = r"`x` and `y` must have the same dtype, got tf.uint8 != tf.float32; got x \(shape \[\], uint8\)"
    with pytest.raises(TypeError, match=text):
        divide(constant(1, "uint8"), constant(255.0))
    with pytest.raises(TypeError, match=r"must have the same dtype, got tf.float32 != tf.string"):
        divide(constant(1.0), "a")
    with pytest.raises(TypeError, match=r"Divide.* expected numbers: invalid dtype tf.bool"):
        divide(constant(True), constant(True))
    with pytest.raises(errors.InvalidArgumentError, match=r"(?i)incompatible"):
        divide(constant([1.0, 2.0]), constant([1.0, 2.0, 3.0]))
    check(divide(constant(51, "uint8"), 255.0), 0.2, "float32")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tf.add_n([]), ValueError, "tf.add_n expected at least one tensor"),
        (lambda: tf.accumulate_n([]), ValueError, "accumulate_n expected at least one tensor"),
        (
            lambda: tf.accumulate_n([1.0, 2.0], shape=[2]),
            ValueError,
            r"expected every input to have shape \(2,\); got inputs\[0\] \(shape \[\], float32\)",
        ),
        (
            lambda: tf.accumulate_n([1.0], tensor_dtype="int32"),
            TypeError,
            "expected every input to have dtype int32",
        ),
        (
            lambda: tf.scalar_mul(constant([1.0]), constant([1.0])),
            ValueError,
            r"tf.scalar_mul expected a scalar; got scalar \(shape \[1\], float32\)",
        ),
        (lambda: tf.polyval(1, 2), ValueError, "expected a list of coefficients; got coeffs"),
        (lambda: tf.add(None, 1), ValueError, "None"),
    ],
)
def test_wrong_arguments(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
