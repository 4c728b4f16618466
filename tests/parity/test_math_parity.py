"""Mathematical ops against NumPy and SciPy, on the host and compiled, in float32 and float64.

A small expression without a gradient may run on the host, a larger one is compiled; both must give
the reference's numbers. Where TensorFlow's answer is not NumPy's it is a literal in tests/unit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

from tapeflow.engine.backend import jax
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.ops.math import (
    arithmetic,
    comparison,
    cumulative,
    division,
    elementwise,
    ordering,
    power,
    reduction,
    special,
)

RNG = np.random.default_rng(11)
ANY = RNG.normal(size=(4, 5)) * 2
OTHER = RNG.normal(size=5)
POSITIVE = RNG.uniform(0.1, 4, size=(4, 5))
UNIT = RNG.uniform(-0.95, 0.95, size=(4, 5))
INTEGERS = RNG.integers(-20, 20, size=(4, 5)).astype(np.int32)
DIVISORS = RNG.choice([-7, -3, -1, 1, 2, 5], size=(4, 5)).astype(np.int32)

Row = tuple[Callable[..., Any], Callable[..., Any], tuple[np.ndarray, ...]]


def softplus(x: np.ndarray) -> np.ndarray:
    return np.logaddexp(x, 0)


FLOATS: list[Row] = [
    (arithmetic.add, np.add, (ANY, OTHER)),
    (arithmetic.subtract, np.subtract, (ANY, OTHER)),
    (arithmetic.multiply, np.multiply, (ANY, OTHER)),
    (arithmetic.divide, np.divide, (ANY, POSITIVE)),
    (arithmetic.maximum, np.maximum, (ANY, OTHER)),
    (arithmetic.minimum, np.minimum, (ANY, OTHER)),
    (arithmetic.squared_difference, lambda x, y: (x - y) ** 2, (ANY, OTHER)),
    (arithmetic.negative, np.negative, (ANY,)),
    (arithmetic.abs, np.abs, (ANY,)),
    (arithmetic.sign, np.sign, (ANY,)),
    (arithmetic.square, np.square, (ANY,)),
    (arithmetic.sqrt, np.sqrt, (POSITIVE,)),
    (arithmetic.rsqrt, lambda x: 1 / np.sqrt(x), (POSITIVE,)),
    (arithmetic.reciprocal, np.reciprocal, (POSITIVE,)),
    (arithmetic.nextafter, np.nextafter, (ANY, OTHER)),
    (division.floordiv, np.floor_divide, (ANY, POSITIVE)),
    (division.floormod, np.mod, (ANY, POSITIVE)),
    (division.truncatemod, np.fmod, (ANY, POSITIVE)),
    (division.xlogy, scipy.special.xlogy, (ANY, POSITIVE)),
    (division.xlog1py, scipy.special.xlog1py, (ANY, POSITIVE)),
    (power.pow, np.power, (POSITIVE, ANY)),
    *[(lambda x, n=n: power.pow(x, n), lambda x, n=n: x**n, (ANY,)) for n in (0, 1, 2, 7)],
    *[
        (getattr(elementwise, name), getattr(np, name), (ANY,))
        for name in ("exp", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil")
    ],
    *[
        (getattr(elementwise, name), getattr(np, f"arc{name[1:]}"), (UNIT,))
        for name in ("asin", "acos", "atan", "asinh", "atanh")
    ],
    (elementwise.acosh, np.arccosh, (POSITIVE + 1,)),
    (elementwise.atan2, np.arctan2, (ANY, OTHER)),
    (elementwise.log, np.log, (POSITIVE,)),
    (elementwise.log1p, np.log1p, (POSITIVE,)),
    (elementwise.round, np.round, (ANY,)),
    (elementwise.sigmoid, scipy.special.expit, (ANY,)),
    (elementwise.softplus, softplus, (ANY,)),
    (elementwise.log_sigmoid, lambda x: -softplus(-x), (ANY,)),
    (elementwise.softsign, lambda x: x / (1 + np.abs(x)), (ANY,)),
    (special.erf, scipy.special.erf, (ANY,)),
    (special.erfc, scipy.special.erfc, (ANY,)),
    (special.erfinv, scipy.special.erfinv, (UNIT,)),
    (special.erfcinv, scipy.special.erfcinv, (UNIT + 1,)),
    (special.ndtri, scipy.special.ndtri, ((UNIT + 1) / 2,)),
    (special.lgamma, scipy.special.gammaln, (POSITIVE,)),
    (special.digamma, scipy.special.digamma, (POSITIVE,)),
    (special.igamma, scipy.special.gammainc, (POSITIVE, POSITIVE[::-1])),
    (special.igammac, scipy.special.gammaincc, (POSITIVE, POSITIVE[::-1])),
    (special.betainc, scipy.special.betainc, (POSITIVE, POSITIVE[::-1], (UNIT + 1) / 2)),
    (special.zeta, scipy.special.zeta, (POSITIVE + 1.2, POSITIVE[::-1])),
    (
        lambda x: special.polygamma(3.0, x),
        lambda x: scipy.special.polygamma(3, x),
        (POSITIVE,),
    ),
    (special.bessel_i0, scipy.special.i0, (ANY,)),
    (special.bessel_i0e, scipy.special.i0e, (ANY,)),
    (special.bessel_i1, scipy.special.i1, (ANY,)),
    (special.bessel_i1e, scipy.special.i1e, (ANY,)),
    *[
        (
            lambda x, f=f, axis=axis: getattr(reduction, f"reduce_{f}")(x, axis),
            lambda x, g=g, axis=axis: g(x, axis=axis),
            (ANY,),
        )
        for f, g in [
            ("sum", np.sum),
            ("mean", np.mean),
            ("prod", np.prod),
            ("max", np.max),
            ("min", np.min),
            ("std", np.std),
            ("variance", np.var),
            ("logsumexp", scipy.special.logsumexp),
            ("euclidean_norm", lambda x, axis: np.sqrt(np.sum(x * x, axis))),
        ]
        for axis in (None, 0, -1)
    ],
    (cumulative.cumsum, lambda x: np.cumsum(x, 0), (ANY,)),
    (cumulative.cumprod, lambda x: np.cumprod(x, 0), (ANY,)),
    (
        lambda x: cumulative.cumulative_logsumexp(x, 1),
        lambda x: np.logaddexp.accumulate(x, 1),
        (ANY,),
    ),
    (ordering.sort, np.sort, (ANY,)),
]
EXACT: list[Row] = [
    (division.floordiv, np.floor_divide, (INTEGERS, DIVISORS)),
    (division.floormod, np.mod, (INTEGERS, DIVISORS)),
    (division.truncatemod, np.fmod, (INTEGERS, DIVISORS)),
    (power.pow, np.power, (INTEGERS, np.abs(DIVISORS))),
    (arithmetic.divide, np.divide, (INTEGERS, DIVISORS)),
    (ordering.argmax, lambda x: np.argmax(x, 0), (ANY,)),
    (ordering.argmin, lambda x: np.argmin(x, 0), (ANY,)),
    (ordering.argsort, lambda x: np.argsort(x, kind="stable"), (INTEGERS,)),
    *[
        (getattr(comparison, name), getattr(np, name), (INTEGERS, DIVISORS))
        for name in (
            *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
            *("bitwise_and", "bitwise_or", "bitwise_xor"),
        )
    ],
]


def eagerly(function: Callable[..., Any], inputs: list[np.ndarray]) -> np.ndarray:
    return function(*map(convert_to_tensor, inputs)).numpy()


def compiled(function: Callable[..., Any], inputs: list[np.ndarray]) -> np.ndarray:
    def run(*arrays: Any) -> Any:
        return function(*map(convert_to_tensor, arrays)).__jax_array__()

    return np.asarray(jax.jit(run)(*inputs))


@pytest.mark.parametrize(
    ("dtype", "run"),
    [
        (np.float32, compiled),
        (np.float64, eagerly),
        pytest.param(np.float32, eagerly, marks=pytest.mark.slow),
        pytest.param(np.float64, compiled, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("row", FLOATS, ids=lambda row: getattr(row[0], "__name__", "op"))
def test_floats(row: Row, dtype: Any, run: Callable[..., Any]) -> None:
    ours, reference, inputs = row
    given = [x.astype(dtype) for x in inputs]
    result = run(ours, given)
    assert result.dtype == dtype
    # The reference is worked out in float64 from the same rounded inputs, except for a neighbour.
    exact = given if reference is np.nextafter else [x.astype(np.float64) for x in given]
    tolerance = 2e-5 if dtype is np.float32 else 1e-11
    np.testing.assert_allclose(result, reference(*exact), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("run", [eagerly, compiled])
@pytest.mark.parametrize("row", EXACT, ids=lambda row: row[0].__name__)
def test_integers_are_exact(row: Row, run: Callable[..., Any]) -> None:
    ours, reference, inputs = row
    np.testing.assert_array_equal(run(ours, list(inputs)), reference(*inputs))
