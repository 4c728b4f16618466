"""The host interpreter gives what the compiled op gives, and declines what it does not know."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tapeflow as tf
from tapeflow.engine.programs.host import host_function
from tapeflow.engine.programs.program import counters

X = np.array([[1.5, -2.0, 0.0], [np.nan, np.inf, -3.5]], np.float32)
N = np.array([[3, -4, 0], [7, 2, -9]], np.int32)

CASES = {
    "arithmetic": (lambda x: x * 2 + 1 - x / 3, X),
    "functions": (lambda x: jnp.exp(-jnp.abs(x)) + jnp.tanh(x) + jnp.arctan(x) + jnp.sign(x), X),
    "roots": (lambda x: jnp.sqrt(jnp.abs(x)) + jax.lax.rsqrt(jnp.abs(x) + 1), X),
    "rounding": (lambda x: jnp.round(x) + jnp.floor(x) + jnp.ceil(x), X),
    "powers": (lambda x: x**3 + x**-2 + jnp.power(jnp.abs(x), 0.5), X),
    "integer division": (
        lambda i: jax.lax.div(i, 2 * jnp.ones_like(i)) + jax.lax.rem(i, -3 * jnp.ones_like(i)),
        N,
    ),
    "division by zero": (
        lambda i: jax.lax.div(i, jnp.zeros_like(i)) + jax.lax.rem(i, jnp.zeros_like(i)),
        N,
    ),
    "to integers": (lambda x: x.astype(jnp.int32), X * np.float32(1e10)),
    "to bytes": (lambda x: x.astype(jnp.uint8), X * 100),
    "comparison": (lambda x: (x > 0) & ~(x == 1.5) | (x != x), X),
    "selection": (lambda x: jnp.where(x > 0, x, -x) + jnp.clip(x, -1, 1), X),
    "reductions": (lambda x: jnp.sum(x, 0) + jnp.max(x, 0) + jnp.min(x) + jnp.prod(x, 0), X),
    "any and all": (lambda i: jnp.any(i > 0, 0) ^ jnp.all(i > 0, 0), N),
    "arg reductions": (lambda x: jnp.argmax(x, 1) + jnp.argmin(x, 1), X),
    "cumulative": (lambda i: jnp.cumsum(i, 1) + jnp.flip(jax.lax.cummax(i, 0), 0), N),
    "sorting": (lambda x: (jnp.sort(x, 1), jnp.argsort(x, 1)), X),
    "shapes": (lambda x: jnp.concatenate([x.T, x.reshape(3, 2)[::-1]], 1)[1:, ::2], X),
    "padding": (lambda x: jnp.pad(x, ((1, 0), (0, 2)), constant_values=5), X),
    "products": (lambda x: jnp.einsum("ij,kj->ik", x[:, :1], x[:, :1]), X),
    "batched products": (lambda i: jnp.einsum("bi,bj->bij", i, i), N),
    "gathering": (lambda i: jnp.take(i, jnp.array([2, 0, 5]), axis=1, mode="clip"), N),
    "gathering with fill": (lambda x: jnp.take(x, jnp.array([1, 9]), axis=0, mode="fill"), X),
    "gathering along": (lambda i: jnp.take_along_axis(i, jnp.array([[1], [2]]), axis=1), N),
    "scattering": (
        lambda x: (x.at[jnp.array([1, 0, 1])].add(2 * x[:1]), x.at[:, jnp.array([2, 9])].set(5, mode="drop")),
        X,
    ),
    "scattering along": (
        lambda i: jnp.put_along_axis(i, jnp.array([[1], [2]]), 7, axis=1, inplace=False),
        N,
    ),
    "scattering extremes": (
        lambda i: i.at[jnp.array([[0, 1], [1, 1]])].max(4).at[1].mul(2).at[0].min(1),
        N,
    ),
    "largest": (lambda x: (*jax.lax.top_k(x, 2), *jax.lax.top_k(jnp.array([3.0, 1, 3, 3, 2]), 4)), X[:, :2]),
    "loops": (lambda x: jax.lax.scan(lambda c, r: (c * 2 + r, c.sum()), x[0], x[:, ::-1], reverse=True), X),
    "branches": (lambda i: jax.lax.switch(i[0, 0] - 2, [lambda v: v, lambda v: -v, lambda v: v * 2], i), N),
    "barriers": (lambda x: jax.lax.optimization_barrier((x, -x))[1], X),
    "dynamic slices": (lambda i: jax.lax.dynamic_slice(i, (i[0, 0], jnp.int32(1)), (1, 2)), N),
    "calls": (jax.jit(lambda x: jax.nn.relu(x) + jax.nn.softplus(x)), X),
    "iota": (lambda i: i + jax.lax.broadcasted_iota(jnp.int32, (2, 3), 1), N),
}


@pytest.mark.parametrize("name", CASES)
def test_gives_what_compiled_code_gives(name: str) -> None:
    function, value = CASES[name]
    on_host = host_function(jax.make_jaxpr(function)(value))
    assert on_host is not None
    expected = jax.tree.leaves(jax.jit(function)(value))
    with np.errstate(all="ignore"):
        found = on_host(value)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        if one.dtype.kind == "f":
            np.testing.assert_allclose(one, other, rtol=2e-6, atol=1e-6)
        else:
            np.testing.assert_array_equal(one, other)


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(np.float32, hnp.array_shapes(max_dims=3, max_side=4), elements=st.floats(-9, 9, width=32)),
    st.data(),
)
def test_reductions_and_transposes_of_any_shape(x: np.ndarray, data: Any) -> None:
    axes = tuple(data.draw(st.sets(st.integers(0, x.ndim - 1))))
    order = data.draw(st.permutations(range(x.ndim)))

    def function(v: Any) -> Any:
        return jnp.sum(v, axes), jnp.max(v, axes), jnp.transpose(v, order)

    on_host = host_function(jax.make_jaxpr(function)(x))
    assert on_host is not None
    for one, other in zip(on_host(x), (x.sum(axes), x.max(axes), x.transpose(order)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: jax.lax.while_loop(lambda v: v[0, 0] < 5, lambda v: v + 1, x),
        lambda x: jnp.linalg.svd(x)[1],
        lambda x: x.astype(jnp.bfloat16) * 2,
        lambda x: jnp.broadcast_to(x[0, 0], (300, 300)),
    ],
    ids=["a loop", "a factorisation", "a half precision", "a large array"],
)
def test_declines(function: Any) -> None:
    assert host_function(jax.make_jaxpr(function)(np.ones((2, 3), np.float32))) is None


def test_small_expressions_compile_nothing() -> None:
    x = tf.constant([[1.25, 2.5], [3.75, 4.0]])
    before = counters.compiled
    assert float(tf.reduce_sum(x * 2 + 1)) == 27.0
    assert counters.compiled == before
