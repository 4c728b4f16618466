"""Powers: static integer exponents, others as inputs, and integers to negative powers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.backend import jax
from tapeflow.engine.values.convert import constant, convert_to_tensor
from tapeflow.ops.math import arithmetic
from tapeflow.ops.math.power import pow


def check(result: Any, value: Any, dtype: str) -> None:
    assert result.dtype.name == dtype
    np.testing.assert_allclose(result.numpy(), value, rtol=1e-6)


@pytest.mark.parametrize(
    ("x", "y", "value", "dtype"),
    [
        (2, 3, 8, "int32"),
        (2.0, 3, 8, "float32"),
        (2, 3.0, 8, "float32"),
        ([2.0, 3.0], 2, [4, 9], "float32"),
        ([2.0, 3.0], [2, 3], [4, 27], "float32"),
        (constant([2, 3]), np.array([2, 3]), [4, 27], "int32"),
        (constant([2.0, 3.0]), np.int64(2), [4, 9], "float32"),
        (constant([2.0, 3.0]), True, [2, 3], "float32"),
        (constant(0), 0, 1, "int32"),
        (constant(0.0), 0, 1, "float32"),
        (constant([-2.0, -2.0]), [3.0, 2.5], [-8, np.nan], "float32"),
        (constant(-2.0), 17, -(2**17), "float32"),
        (constant(2.0), -2, 0.25, "float32"),
        (constant(2, "int64"), 40, 2**40, "int64"),
        (constant(3), constant(4), 81, "int32"),
        (constant(1 + 2j), 2, -3 + 4j, "complex128"),
        (2, constant(3.0), 8, "float32"),
        (constant(2.0), 0.5, 2**0.5, "float32"),
    ],
)
def test_result(x: Any, y: Any, value: Any, dtype: str) -> None:
    check(pow(x, y), value, dtype)


def test_an_integer_exponent_is_a_product_and_another_is_an_input() -> None:
    def primitives(exponent: Any) -> str:
        def run(x: Any) -> Any:
            return pow(convert_to_tensor(x), exponent).__jax_array__()

        return str(jax.make_jaxpr(run)(np.float32(2)))

    assert "integer_pow" in primitives(3)
    assert "square" in primitives(2) or "integer_pow" in primitives(2)
    for other in (2.0, 0.5, 1000):
        assert " pow " in primitives(other)


@pytest.mark.parametrize("x", [2, constant(2), constant([2, 3])])
def test_integers_have_no_negative_powers(x: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="got -1: integers to negative integer"):
        pow(x, -1)
    with pytest.raises(errors.InvalidArgumentError, match="exponent of at least 0 for integers"):
        pow(x, constant([-1, 2]))


def test_a_negative_exponent_found_when_run() -> None:
    numbers = constant(np.arange(100, dtype=np.int32))
    with pytest.raises(errors.InvalidArgumentError, match=r"got -99: .* At .*py:"):
        pow(numbers, _below_zero(numbers)).numpy()


def _below_zero(numbers: Any) -> Any:
    return arithmetic.subtract(arithmetic.minimum(numbers, 0), 99)


def test_different_dtypes() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="cannot compute Pow as input #1"):
        pow(constant(2.0), constant(3))
    with pytest.raises(errors.InvalidArgumentError, match="Pow expected a number tensor"):
        pow(constant(True), 2)
