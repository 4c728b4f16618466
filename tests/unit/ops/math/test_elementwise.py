"""Functions of each element: values at the edges, dtypes, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.ops.math import elementwise as tf

nan, inf = np.nan, np.inf
FLOAT_ONLY = (
    *("exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sigmoid", "softplus", "log_sigmoid"),
    *("softsign", "floor", "ceil", "rint", "is_nan", "is_inf", "is_finite", "angle"),
)


def check(result: Any, value: Any, dtype: str) -> None:
    assert result.dtype.name == dtype
    np.testing.assert_allclose(result.numpy(), value, rtol=1e-6, atol=1e-30)


@pytest.mark.parametrize("name", FLOAT_ONLY)
def test_integers_are_refused(name: str) -> None:
    for integers in (1, constant([1, 2])):
        with pytest.raises(errors.InvalidArgumentError, match=r"expected a floating-point .*int32"):
            getattr(tf, name)(integers)


@pytest.mark.parametrize("name", [n for n in FLOAT_ONLY if not n.startswith("is_")])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_dtype_is_kept(name: str, dtype: str) -> None:
    assert getattr(tf, name)(constant([0.5], dtype)).dtype.name == dtype


@pytest.mark.parametrize(
    ("result", "value", "dtype"),
    [
        (lambda: tf.log([0.0, -1.0]), [-inf, nan], "float32"),
        (lambda: tf.log1p([-1.0, 1e-10]), [-inf, 1e-10], "float32"),
        (lambda: tf.expm1([1e-10, 100.0]), [1e-10, inf], "float32"),
        (lambda: tf.exp(constant(1j)), np.exp(1j), "complex128"),
        (lambda: tf.asin([2.0]), [nan], "float32"),
        (lambda: tf.acosh([0.5]), [nan], "float32"),
        (lambda: tf.atanh([1.0, -1.0]), [inf, -inf], "float32"),
        (lambda: tf.atan2([1.0, -1.0], 0.0), [np.pi / 2, -np.pi / 2], "float32"),
        (lambda: tf.sigmoid([-1000.0, 0.0, 1000.0]), [0, 0.5, 1], "float32"),
        (lambda: tf.softplus([-20.0, 0.0, 1000.0]), [2.0611537e-09, 0.6931472, 1000], "float32"),
        (lambda: tf.log_sigmoid([-1000.0, 0.0]), [-1000, -0.6931472], "float32"),
        (lambda: tf.softsign([1.0, -3.0]), [0.5, -0.75], "float32"),
        (lambda: tf.floor([-1.5, 1.5]), [-2, 1], "float32"),
        (lambda: tf.ceil([-1.5, 1.2]), [-1, 2], "float32"),
        (lambda: tf.is_nan([nan, inf, 1.0]), [True, False, False], "bool"),
        (lambda: tf.is_inf([nan, -inf, 1.0]), [False, True, False], "bool"),
        (lambda: tf.is_finite([nan, inf, 1.0]), [False, False, True], "bool"),
        (lambda: tf.real(constant([1 + 2j])), [1], "float64"),
        (lambda: tf.real(constant([3])), [3], "int32"),
        (lambda: tf.imag(constant([1 + 2j], "complex64")), [2], "float32"),
        (lambda: tf.imag(constant([3.0])), [0], "float32"),
        (lambda: tf.conj(constant([1 + 2j])), [1 - 2j], "complex128"),
        (lambda: tf.conj(constant([3])), [3], "int32"),
        (lambda: tf.angle(constant([1j, -1 + 0j])), [np.pi / 2, np.pi], "float64"),
        (lambda: tf.angle([1.0, -1.0, 0.0, -0.0, nan]), [0, np.pi, 0, 0, 0], "float32"),
    ],
)
def test_result(result: Any, value: Any, dtype: str) -> None:
    check(result(), value, dtype)


def test_halves_round_to_the_even_neighbour() -> None:
    halves = [0.5, 1.5, 2.5, -0.5, -1.5, 2.51]
    check(tf.round(halves), [0, 2, 2, 0, -2, 3], "float32")
    check(tf.rint(halves), [0, 2, 2, 0, -2, 3], "float32")
    check(tf.round(constant([1, 2])), [1, 2], "int32")


def test_other_wrong_dtypes() -> None:
    with pytest.raises(TypeError, match=r"tf.math.conj expected a number tensor; got x of dtype bool"):
        tf.conj(constant([True]))
    with pytest.raises(errors.InvalidArgumentError, match="Round expected a real number tensor"):
        tf.round(constant([True]))
    with pytest.raises(errors.InvalidArgumentError, match="Atan2 expected a floating-point tensor"):
        tf.atan2(constant(1), constant(0))
