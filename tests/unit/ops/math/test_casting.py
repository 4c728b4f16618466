"""Casts: what is lost, what wraps around and what saturates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.ops.math import casting as tf

nan, inf = np.nan, np.inf


def check(result: Any, value: Any, dtype: str) -> None:
    assert result.dtype.name == dtype
    np.testing.assert_array_equal(result.numpy(), value)


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        ([1.7, -1.7], "int32", [1, -1]),
        ([300.0, -1.0, -300.0, nan], "uint8", [44, 255, 212, 0]),
        ([300.0, -1.0, -300.0, nan], "int8", [44, -1, -44, 0]),
        ([1e10, -1e10], "uint32", [1410065408, 2884901888]),
        ([1e20, -1e20, nan, inf], "int32", [2**31 - 1, -(2**31), 0, 2**31 - 1]),
        ([300, -1], "uint8", [44, 255]),
        ([0.0, 0.5, nan, 2.0], "bool", [False, True, True, True]),
        ([0, 2], "bool", [False, True]),
        ([True, False], "float32", [1, 0]),
        ([1 + 2j], "float32", [1]),
        ([1 + 0j, 1j], "bool", [True, False]),
        ([1.5], "complex64", [1.5]),
        ([1, 2.5], "int32", [1, 2]),
        (np.array([1.5]), np.float32, [1.5]),
        (1, float, 1.0),
        (True, "int32", 1),
    ],
)
def test_cast(value: Any, dtype: Any, expected: Any) -> None:
    wanted = {float: "float32", np.float32: "float32"}.get(dtype, dtype)
    check(tf.cast(value, dtype), expected, wanted)


def test_a_cast_to_the_same_dtype_is_the_tensor_itself() -> None:
    x = constant([1.0])
    assert tf.cast(x, "float32") is x
    assert tf.saturate_cast(x, "float32") is x


@pytest.mark.parametrize(
    ("value", "source", "dtype", "expected"),
    [
        ([300.0, -1.0, nan, 1.7], "float32", "uint8", [255, 0, 0, 1]),
        ([300, -1], "int32", "uint8", [255, 0]),
        ([300, -1], "int32", "int8", [127, -1]),
        ([-5], "int32", "uint64", [0]),
        ([200, 1], "uint8", "int8", [127, 1]),
        ([1e20, -1e20, inf], "float32", "int32", [2147483520, -(2**31), 2147483520]),
        ([1e20, inf, -inf], "float32", "float16", [65504, 65504, -65504]),
        ([1e40], "float64", "float32", [np.finfo(np.float32).max]),
        ([100000], "int32", "float16", [65504]),
        ([1.7, -1.7], "float32", "int32", [1, -1]),
        ([1 + 2j], "complex64", "float32", [1]),
        ([1.5], "float32", "complex64", [1.5]),
    ],
)
def test_saturate_cast(value: Any, source: str, dtype: str, expected: Any) -> None:
    check(tf.saturate_cast(constant(value, source), dtype), expected, dtype)


def test_bitcast() -> None:
    check(tf.bitcast(constant([1.0]), "int32"), [1065353216], "int32")
    check(tf.bitcast(constant(1.0), "uint8"), [0, 0, 128, 63], "uint8")
    check(tf.bitcast(constant([0, 0, 128, 63], "uint8"), "float32"), 1.0, "float32")
    check(tf.bitcast(constant([1.0, 2.0], "float64"), "float32"), [[0, 1.875], [0, 2]], "float32")


def test_complex() -> None:
    check(tf.complex(1.0, 2.0), 1 + 2j, "complex64")
    check(
        tf.complex(constant([1.0], "float64"), constant([[2.0]], "float64")),
        [[1 + 2j]],
        "complex128",
    )


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tf.cast([1.5], "foo"), TypeError, "foo"),
        (lambda: tf.cast([1.5], int), TypeError, "tf.int32 or tf.int64"),
        (lambda: tf.cast(None, "int32"), ValueError, "None"),
        (
            lambda: tf.cast(["a"], "int32"),
            errors.UnimplementedError,
            "cast string to int32 is not supported",
        ),
        (
            lambda: tf.cast([1.5], "string"),
            errors.UnimplementedError,
            r"cast float32 to string is not supported; got \(shape \[1\], float32\)",
        ),
        (
            lambda: tf.saturate_cast([True], "int32"),
            TypeError,
            "tf.saturate_cast expected numbers, since a bool has no smallest value",
        ),
        (
            lambda: tf.bitcast([1.0, 2.0, 3.0], "float64"),
            errors.InvalidArgumentError,
            r"axis of size 2 to make float64 of float32; got input \(shape \[3\], float32\)",
        ),
        (
            lambda: tf.bitcast(constant(1.0), "float64"),
            errors.InvalidArgumentError,
            "expected an innermost axis of size 2",
        ),
        (
            lambda: tf.bitcast(constant(True), "uint8"),
            errors.InvalidArgumentError,
            "tf.bitcast expected integer or floating-point dtypes",
        ),
        (
            lambda: tf.complex(1, 2),
            TypeError,
            r"tf.complex expected both parts to be float32 or both float64; got real \(shape",
        ),
        (lambda: tf.complex(constant(1.0), constant(2.0, "float64")), TypeError, "both float64"),
    ],
)
def test_wrong_arguments(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
