"""The shared array functions: extreme inputs, half precision, and their own derivative rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine.backend import jax, jnp
from tapeflow.ops.math import stable_math

X = jnp.asarray([[1.0, -2.0, 0.5], [3.0, 0.0, -1.0]], jnp.float64)


@pytest.mark.parametrize("function", [stable_math.softmax, stable_math.log_softmax])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_dtype_is_kept(function: Any, dtype: str) -> None:
    assert function(X.astype(dtype), 1).dtype == dtype


def test_half_precision_is_summed_in_float32() -> None:
    x = jnp.zeros(100_000, jnp.float16)
    assert stable_math.log_softmax(x, 0)[0] == pytest.approx(-np.log(100_000), rel=1e-3)


def test_extremes() -> None:
    far = jnp.asarray([-1e4, 0.0, 1e4], jnp.float32)
    np.testing.assert_allclose(stable_math.softplus(far), [0, np.log(2), 1e4], rtol=1e-6)
    np.testing.assert_allclose(stable_math.softmax(far, 0), [0, 0, 1])
    np.testing.assert_allclose(stable_math.log_softmax(far, 0), [-2e4, -1e4, 0])


def plain_softmax(x: Any) -> Any:
    return jnp.exp(x) / jnp.sum(jnp.exp(x), 1, keepdims=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ours", "plain"),
    [
        (lambda x: stable_math.softmax(x, 1), plain_softmax),
        (lambda x: stable_math.log_softmax(x, 1), lambda x: jnp.log(plain_softmax(x))),
        (stable_math.softplus, lambda x: jnp.log(1 + jnp.exp(x))),
        (lambda x: stable_math.variance(x, (1,)), lambda x: jnp.var(x, 1, keepdims=True)),
        (lambda x: stable_math.variance(x, (0, 1)), lambda x: jnp.var(x, keepdims=True)),
    ],
    ids=["softmax", "log_softmax", "softplus", "variance", "variance of all"],
)
def test_every_order_of_derivative(ours: Any, plain: Any) -> None:
    for _ in range(3):
        np.testing.assert_allclose(ours(X), plain(X), rtol=1e-9, atol=1e-12)
        ours, plain = jax.jacrev(ours), jax.jacrev(plain)


@pytest.mark.slow
def test_forward_mode_agrees_with_reverse_mode() -> None:
    for function in (lambda x: stable_math.softmax(x, 1), stable_math.softplus):
        np.testing.assert_allclose(jax.jacfwd(function)(X), jax.jacrev(function)(X), atol=1e-12)
