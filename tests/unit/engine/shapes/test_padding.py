"""Functions on padded arrays give what they give on arrays of the true size, whatever lies in the padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeflow.engine.shapes import bucketed  # noqa: F401 - it has the rules registered
from tapeflow.engine.shapes.expression import NotPadded, evaluate
from tapeflow.engine.shapes.padding import Padding

F, INT = jnp.float32, jnp.int32
Shape = tuple[Any, ...]
CAPACITY = 8
X, SEQUENCE, IMAGE = (("n", 4, "m"), F), ((2, "n", 3), F), (("n", 6, 6, 3), F)
KEY = np.array([1, 2], np.uint32)


def traced(function: Callable[..., Any], inputs: list[tuple[Shape, Any]], lowest: int) -> tuple[Any, Any]:
    n, m = jax.export.symbolic_shape("n, m", constraints=[f"n >= {lowest}", f"m >= {lowest}"])
    symbols = {"n": n, "m": m}
    avals = [jax.ShapeDtypeStruct(tuple(symbols.get(d, d) for d in shape), dtype) for shape, dtype in inputs]
    return jax.make_jaxpr(function)(*avals), avals


def assert_same(
    function: Callable[..., Any],
    inputs: list[tuple[Shape, Any]],
    sizes: list[tuple[int, int]],
    lowest: int = 1,
) -> None:
    """The function gives the same on arrays of these sizes and on padded ones."""
    closed, avals = traced(function, inputs, lowest)
    capacities = {"n": CAPACITY, "m": CAPACITY}
    padded = jax.jit(lambda s, *x: Padding(capacities, {"n": s[0], "m": s[1]}).closed(closed, x))
    random = np.random.default_rng(0)
    for n, m in sizes:
        values = {"n": n, "m": m}
        true, behind = [], []
        for aval in avals:
            shape = tuple(evaluate(d, values) for d in aval.shape)
            is_whole = np.issubdtype(aval.dtype, np.integer)
            array = (random.integers(0, 3, shape) if is_whole else random.normal(size=shape)).astype(
                aval.dtype
            )
            filled = np.full(
                [evaluate(d, capacities) for d in aval.shape], 99 if is_whole else np.nan, aval.dtype
            )
            filled[tuple(map(slice, shape))] = array
            true.append(jnp.asarray(array))
            behind.append(filled)
        wanted = jax.tree.leaves(function(*true))
        found = padded(np.array([n, m], np.int32), *behind)
        for want, one, aval in zip(wanted, found, closed.out_avals, strict=True):
            cut = np.asarray(one)[tuple(slice(evaluate(d, values)) for d in aval.shape)]
            assert cut.shape == want.shape
            np.testing.assert_allclose(cut, want, rtol=2e-5, atol=2e-5)


def conv(strides: tuple[int, ...], padding: str, names: tuple[str, str, str]) -> Callable[..., Any]:
    return lambda x, k: jax.lax.conv_general_dilated(x, k, strides, padding, dimension_numbers=names)


def both_gradients(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, k: jax.grad(lambda x, k: (function(x, k) ** 2).sum(), (0, 1))(x, k)


def pooled(x: Any) -> Any:
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def attention(q: Any) -> Any:
    length = q.shape[1]
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), jnp.einsum("bqd,bkd->bqk", q, q), -1e9)
    return jax.nn.softmax(scores) @ q


def recurrent(x: Any, w: Any) -> Any:
    start = jnp.zeros((2, 3), F)
    last, every = jax.lax.scan(
        lambda c, t: (jnp.tanh(c @ w + t @ w), jnp.sin(c)), start, x.transpose(1, 0, 2)
    )
    return (last**2).sum() + every.sum()


CASES: dict[str, tuple[Callable[..., Any], list[tuple[Shape, Any]]]] = {
    "reductions": (lambda x: (x.sum(0), x.mean((0, 2)), x.max(2), x.min(), x.prod(0), x.std(0)), [X]),
    "softmax": (lambda x: (jax.nn.softmax(x, 0), jax.nn.log_softmax(x, 2), jax.nn.logsumexp(x)), [X]),
    "logic and places": (lambda x: ((x > 0).any(0), (x > 0).all(2), x.argmax(0), x.argmin(2)), [X]),
    "products": (
        lambda x, y: (x.transpose(1, 2, 0) @ x.transpose(1, 0, 2), jnp.einsum("nam,bnc->bamc", x, y)),
        [X, SEQUENCE],
    ),
    "merged axes": (
        lambda x: (x.reshape(-1), x.reshape(-1, x.shape[2]), x.reshape(x.shape[0], -1)),
        [X],
    ),
    "split axes": (
        lambda x: x.transpose(1, 0, 2).reshape(-1, x.shape[2]).reshape(4, x.shape[0], x.shape[2]) * 2,
        [X],
    ),
    "slices": (lambda x: (x[-1], x[:, :, -1:], x[::-1], x[:, ::-1], x[::2], x[..., :1]), [X]),
    "cumulative": (
        lambda x: (
            x.cumsum(0),
            jax.lax.cumsum(x, 0, reverse=True),
            jax.lax.cummax(x, 2, reverse=True),
            jax.lax.cumprod(x, 0, reverse=True),
        ),
        [X],
    ),
    "order": (lambda x: (jnp.sort(x, 0), jnp.argsort(x, 2), jnp.median(x, 0), jax.lax.top_k(x, 1)), [X]),
    "joined": (
        lambda x: (
            jnp.concatenate([x, x + 1], 0),
            jnp.concatenate([x[:, :, :1], x], 2),
            jnp.concatenate([x, x[:1]], 0),
            jnp.split(x, 2, axis=1),
        ),
        [X],
    ),
    "repeated": (
        lambda x: (
            jnp.tile(x, (2, 1, 1)),
            jnp.repeat(x, 2, axis=0),
            jnp.broadcast_to(x[None], (3, *x.shape)),
        ),
        [X],
    ),
    "padded": (
        lambda x: (
            jnp.pad(x, ((1, 2), (0, 0), (0, 3))),
            jnp.pad(x, ((0, 0), (1, 1), (2, 0)), constant_values=7.0),
        ),
        [X],
    ),
    "rows of a table": (lambda table, i: table[i], [((10, 3), F), (("n", "m"), INT)]),
    "gradient of a table": (
        lambda table, i: jax.grad(lambda t: (t[i] ** 2).sum())(table),
        [((10, 3), F), (("n", "m"), INT)],
    ),
    "numbers beyond the end": (
        lambda x, i: (x[i], jnp.take(x, i, axis=0, mode="clip"), jnp.take(x, i, axis=0, mode="fill")),
        [X, ((5,), INT)],
    ),
    "along an axis": (lambda x, i: jnp.take_along_axis(x, i, axis=2), [X, (("n", 4, 1), INT)]),
    "one hot": (lambda i: jax.nn.one_hot(i, 5), [(("n", "m"), INT)]),
    "updates": (lambda x: (x.at[0].set(1.0), x.at[:, 1].add(2.0), x.at[-1].mul(3.0)), [X]),
    "updates at places": (
        lambda x, i: (jnp.zeros((9, 3), F).at[i].add(1.0), jnp.zeros((9, 3), F).at[i, 0].set(2.0)),
        [X, (("n",), INT)],
    ),
    "attention": (lambda q: (attention(q), jax.grad(lambda q: attention(q).sum())(q)), [((2, "n", 4), F)]),
    "recurrent": (lambda x, w: jax.value_and_grad(recurrent, (0, 1))(x, w), [SEQUENCE, ((3, 3), F)]),
    "a loop": (
        lambda x: jax.lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * c[1].mean()), (0, x)),
        [X],
    ),
    "a branch": (lambda x: jax.lax.cond(x.sum() > 0, lambda x: x + 1, lambda x: x.cumsum(0), x), [X]),
    "convolution of sequences": (
        both_gradients(conv((1,), "SAME", ("NHC", "HIO", "NHC"))),
        [SEQUENCE, ((3, 3, 5), F)],
    ),
    "convolution of images": (
        both_gradients(conv((1, 1), "SAME", ("NHWC", "HWIO", "NHWC"))),
        [(("m", "n", 6, 3), F), ((3, 3, 3, 5), F)],
    ),
    "convolution of a batch": (
        both_gradients(conv((2, 2), "VALID", ("NHWC", "HWIO", "NHWC"))),
        [IMAGE, ((3, 3, 3, 5), F)],
    ),
    "pooling of a batch": (lambda x: jax.value_and_grad(lambda x: (pooled(x) ** 2).sum())(x), [IMAGE]),
    "random numbers": (
        lambda x: (
            jax.random.normal(jax.random.wrap_key_data(KEY), x.shape),
            jax.random.bernoulli(jax.random.wrap_key_data(KEY), 0.3, x.shape),
            jax.random.randint(jax.random.wrap_key_data(KEY), x.shape, 0, 99),
        ),
        [X],
    ),
    "sizes as values": (lambda x: x / x.shape[0] + jnp.arange(x.shape[2]), [X]),
    "normalised": (
        lambda x: jax.grad(lambda x: (((x - x.mean(-1, keepdims=True)) / (x.std(-1).sum() + 1)) ** 3).sum())(
            x
        ),
        [X],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_the_true_size(name: str) -> None:
    assert_same(*CASES[name], sizes=[(3, 5), (8, 8), (7, 1)])


def test_sizes_that_must_not_be_too_small() -> None:
    sizes = [(3, 5), (5, 4), (8, 8)]
    assert_same(lambda x: (x[:-1], x[1:], x[2:]), [X], sizes, lowest=2)
    valid = conv((1,), "VALID", ("NHC", "HIO", "NHC"))
    assert_same(both_gradients(valid), [SEQUENCE, ((3, 3, 5), F)], sizes, lowest=4)
    assert_same(lambda x: jax.grad(lambda x: (pooled(x) ** 2).sum())(x), [((2, "n", "m", 3), F)], sizes, 2)


@pytest.mark.parametrize(
    ("function", "inputs", "why"),
    [
        (lambda x: jnp.roll(x, 1, 0), [X], "may shrink as sizes grow"),
        (conv((2,), "SAME", ("NHC", "HIO", "NHC")), [SEQUENCE, ((3, 3, 5), F)], "padding in front varies"),
        (lambda x: jnp.linalg.svd(x.transpose(1, 0, 2)), [X], "the primitive svd"),
    ],
)
def test_what_cannot_be_padded_is_refused(function: Any, inputs: Any, why: str) -> None:
    with pytest.raises(NotPadded, match=why):
        assert_same(function, inputs, [(3, 5)], lowest=2)


_STEPS: dict[str, Callable[[Any], Any]] = {
    "tanh": jnp.tanh,
    "centred": lambda x: x - x.mean(1, keepdims=True),
    "softmax": lambda x: jax.nn.softmax(x, 1),
    "reversed": lambda x: x[:, ::-1],
    "summed": lambda x: x.cumsum(1) / 4,
    "sorted": lambda x: jnp.sort(x, 1),
    "flat": lambda x: (x.reshape(-1, x.shape[2]) @ jnp.ones((3, 3), F) / 3).reshape(x.shape),
    "mixed": lambda x: jnp.einsum("bnc,bmc,bmd->bnd", x, x, x) / 8,
    "shifted": lambda x: jnp.concatenate([x[:, :1], x[:, :-1]], 1),
    "masked": lambda x: jnp.where(x > x.max(1, keepdims=True) - 0.5, x, 0.0),
}


@settings(max_examples=6, deadline=None)
@given(st.lists(st.sampled_from(sorted(_STEPS)), min_size=1, max_size=4), st.integers(2, CAPACITY))
def test_any_sequence_of_steps_and_its_gradient(names: list[str], size: int) -> None:
    def function(x: Any) -> Any:
        for name in names:
            x = _STEPS[name](x)
        return x

    def whole(x: Any) -> Any:
        return function(x), jax.grad(lambda x: (jnp.cos(function(x))).sum())(x)

    assert_same(whole, [SEQUENCE], [(size, 2)], lowest=2)
