"""Division that rounds down, and division and multiplication that are safe at zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.ops.math import arithmetic, division

nan, inf = np.nan, np.inf


def check(result: Any, value: Any, dtype: str) -> None:
    assert result.dtype.name == dtype
    np.testing.assert_allclose(result.numpy(), value, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("divisor", [2, -2, 3, -3])
def test_rounds_down_as_python_does(dtype: str, divisor: int) -> None:
    numbers = [7, -7, 6, -6, 0]
    x, y = constant(numbers, dtype), constant(divisor, dtype)
    check(division.floordiv(x, y), [n // divisor for n in numbers], dtype)
    check(division.floormod(x, y), [n % divisor for n in numbers], dtype)
    check(division.truncatediv(x, y), [int(n / divisor) for n in numbers], dtype)
    check(division.truncatemod(x, y), [np.fmod(n, divisor) for n in numbers], dtype)


def test_unsigned_and_the_lowest_integer() -> None:
    check(division.floordiv(constant(7, "uint8"), 2), 3, "uint8")
    check(division.floormod(constant(7, "uint8"), 4), 3, "uint8")
    check(division.floordiv(constant(-(2**31)), -1), -(2**31), "int32")


def test_floats_at_the_edge() -> None:
    x = constant([1.5, -2.5, 0.0])
    check(division.floordiv(x, 0.0), [inf, -inf, nan], "float32")
    check(division.floormod(x, 0.0), [nan, nan, nan], "float32")
    check(division.floormod(constant([5.0, -5.0]), inf), [5, inf], "float32")
    check(division.floormod(constant([inf, 5.0, -5.0]), 3.0), [nan, 2, 1], "float32")


def test_python_numbers() -> None:
    check(division.floordiv(7, 2), 3, "int32")
    check(division.mod(7.5, 2), 1.5, "float32")
    check(division.floordiv(7, constant(2)), 3, "int32")
    check(division.floordiv(constant(7), 2.0), 3.0, "float32")


FUNCTIONS = ["floordiv", "floormod", "truncatediv", "truncatemod"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_integers_by_zero_known_at_once(name: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="integer division by zero"):
        getattr(division, name)(constant(np.arange(100, dtype=np.int32)), 0)
    with pytest.raises(errors.InvalidArgumentError, match="expected a divisor other than 0"):
        getattr(division, name)(constant([7]), constant([0]))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_integers_by_zero_found_when_run(name: str) -> None:
    numbers = np.arange(300, dtype=np.int32)  # too many for the host to divide by itself
    divisor = arithmetic.square(constant(numbers))
    with pytest.raises(errors.InvalidArgumentError, match=r"integer division by zero.* At .*py:"):
        getattr(division, name)(constant(numbers), divisor).numpy()


def test_a_divisor_that_is_never_zero_passes_the_check() -> None:
    numbers = np.arange(1, 100, dtype=np.int32)
    divisor = arithmetic.square(constant(numbers))
    check(division.floordiv(constant(numbers * 3), divisor), numbers * 3 // numbers**2, "int32")


@pytest.mark.parametrize(
    ("result", "value", "dtype"),
    [
        (lambda: division.divide_no_nan([1.0, 0.0, 3.0], [0.0, 0.0, 2.0]), [0, 0, 1.5], "float32"),
        (lambda: division.divide_no_nan(constant(1), constant(2)), 0.5, "float64"),
        (lambda: division.divide_no_nan(constant([1], "int8"), 2), [0.5], "float32"),
        (lambda: division.multiply_no_nan([inf, nan, 2.0], [0.0, 0.0, 3.0]), [0, 0, 6], "float32"),
        (lambda: division.reciprocal_no_nan([0.0, 2.0]), [0, 0.5], "float32"),
        (lambda: division.xdivy([0.0, 1.0, 0.0], [0.0, 0.0, nan]), [0, inf, 0], "float32"),
        (lambda: division.xlogy([0.0, 1.0, 0.0], [0.0, 0.0, nan]), [0, -inf, 0], "float32"),
        (lambda: division.xlog1py([0.0, 1.0, 0.0], [-1.0, -1.0, nan]), [0, -inf, 0], "float32"),
        (lambda: division.xlogy(constant([0j]), constant([0j])), [0], "complex128"),
    ],
)
def test_safe_at_zero(result: Any, value: Any, dtype: str) -> None:
    check(result(), value, dtype)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: division.floordiv(constant(True), constant(True)), "FloorDiv expected a real"),
        (lambda: division.floormod(constant(1j), constant(1j)), "FloorMod expected a real"),
        (lambda: division.multiply_no_nan(2, 3), "MultiplyNoNan expected a floating-point"),
        (lambda: division.reciprocal_no_nan(2), "ReciprocalNoNan expected a floating-point"),
        (lambda: division.xdivy(1, 2), "Xdivy expected a floating-point"),
    ],
)
def test_wrong_dtypes(call: Any, text: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=text):
        call()
