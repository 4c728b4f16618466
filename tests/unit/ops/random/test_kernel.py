"""Random kernels: distributions, dtypes, bounds, and that float32 stays float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tapeflow.engine.backend import jax, jnp
from tapeflow.ops.random import kernel

KEY = jnp.array([1, 2], jnp.uint32)
FLOATS = [jnp.float16, jnp.bfloat16, jnp.float32, jnp.float64]
MANY = (50_000,)


def scalar(value: float, dtype: Any = jnp.float32) -> Any:
    return jnp.asarray(value, dtype)


def uniform(key: Any, dtype: Any) -> Any:
    return kernel.uniform(key, scalar(0, dtype), scalar(1, dtype), shape=MANY, dtype=dtype)


def gamma(key: Any, dtype: Any) -> Any:
    return kernel.gamma(key, scalar(2.5, dtype), shape=MANY, dtype=dtype)


def bounded(key: Any, dtype: Any) -> Any:
    return kernel.bounded_normal(key, scalar(-1, dtype), scalar(0.5, dtype), shape=MANY, dtype=dtype)


DRAWS: dict[str, tuple[Callable[..., Any], Any]] = {
    "normal": (lambda key, dtype: kernel.normal(key, shape=MANY, dtype=dtype), stats.norm()),
    "truncated_normal": (
        lambda key, dtype: kernel.truncated_normal(key, shape=MANY, dtype=dtype),
        stats.truncnorm(-2, 2),
    ),
    "bounded_normal": (bounded, stats.truncnorm(-1, 0.5)),
    "uniform": (uniform, stats.uniform()),
    "gamma": (gamma, stats.gamma(2.5)),
}


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize(
    "dtype",
    [
        jnp.bfloat16,
        jnp.float32,
        *[pytest.param(d, marks=pytest.mark.slow) for d in (jnp.float16, jnp.float64)],
    ],
)
def test_distribution(name: str, dtype: Any) -> None:
    draw, law = DRAWS[name]
    drawn = draw(KEY, dtype)
    assert drawn.dtype == dtype
    x = np.asarray(drawn, np.float64)
    # bfloat16 has 8 digits: uniform numbers lie 1/256 below their places on average.
    slack = 0.006 if dtype == jnp.bfloat16 else 0
    assert x.mean() == pytest.approx(law.mean(), abs=slack + 4 * law.std() / np.sqrt(MANY[0]))
    assert x.std() == pytest.approx(law.std(), rel=0.02)
    if dtype in (jnp.float32, jnp.float64):
        assert stats.kstest(x, law.cdf).pvalue > 1e-3


@pytest.mark.parametrize("name", DRAWS)
def test_keys_decide(name: str) -> None:
    draw, _ = DRAWS[name]
    first = np.asarray(draw(KEY, jnp.float32))
    np.testing.assert_array_equal(np.asarray(draw(KEY, jnp.float32)), first)
    for other in ([1, 3], [2, 2], [2, 1]):
        again = np.asarray(draw(jnp.array(other, jnp.uint32), jnp.float32))
        assert abs(np.corrcoef(first, again)[0, 1]) < 0.03


@pytest.mark.parametrize("dtype", FLOATS)
def test_bounds(dtype: Any) -> None:
    x = np.asarray(uniform(KEY, dtype), np.float64)
    assert 0 <= x.min() < 0.01
    assert 0.99 < x.max() < 1
    y = np.asarray(kernel.truncated_normal(KEY, shape=MANY, dtype=dtype), np.float64)
    assert 1.9 < np.abs(y).max() <= 2


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_uniform_int(dtype: str) -> None:
    low, high = scalar(-3, dtype), scalar(4, dtype)
    x = np.asarray(kernel.uniform_int(KEY, low, high, shape=MANY, dtype=dtype))
    assert x.dtype == dtype
    values, counts = np.unique(x, return_counts=True)
    assert values.tolist() == list(range(-3, 4))
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("dtype", ["uint16", "int32", "uint32", "int64", "uint64"])
def test_bits(dtype: str) -> None:
    for shape in ((), (0,), (3,), (2, 5), MANY):
        x = np.asarray(kernel.bits(KEY, shape=shape, dtype=jnp.dtype(dtype)))
        assert (x.dtype, x.shape) == (dtype, shape)
    unsigned = x.view(f"u{x.itemsize}")
    for bit in range(8 * x.itemsize):
        assert ((unsigned >> np.array(bit, unsigned.dtype)) & 1).mean() == pytest.approx(0.5, abs=0.012)


def test_gamma_at_and_below_zero() -> None:
    alpha = jnp.asarray([0.0, -1.0, 1e-3, 1e4], jnp.float32)
    x = np.asarray(kernel.gamma(KEY, alpha, shape=(5, 4), dtype=jnp.float32))
    assert (x[:, 0] == np.finfo(np.float32).tiny).all()
    assert np.isnan(x[:, 1]).all()
    assert (x[:, 2] > 0).all()
    assert x[:, 3] == pytest.approx(1e4, rel=0.1)


def test_categorical() -> None:
    logits = jnp.log(jnp.asarray([[0.1, 0.2, 0.7], [0.5, 0.5, 0.0]], jnp.float32))
    x = np.asarray(kernel.categorical(KEY, logits, num_samples=20_000, dtype=jnp.int64))
    assert (x.shape, x.dtype) == ((2, 20_000), np.int64)
    assert np.bincount(x[0], minlength=3) / 20_000 == pytest.approx([0.1, 0.2, 0.7], abs=0.015)
    assert np.bincount(x[1], minlength=3) / 20_000 == pytest.approx([0.5, 0.5, 0], abs=0.015)


def test_shuffle() -> None:
    x = jnp.arange(40).reshape(20, 2)
    moved = np.asarray(kernel.shuffle(KEY, x))
    assert (moved != np.asarray(x)).any()
    np.testing.assert_array_equal(moved[np.argsort(moved[:, 0])], x)
    assert kernel.shuffle(KEY, jnp.asarray(3)) == 3


def test_every_order_is_as_likely() -> None:
    keys = kernel.split(KEY, num=6000)
    moved = np.asarray(jax.vmap(kernel.shuffle, (0, None))(keys, jnp.arange(3)))
    _, counts = np.unique(moved @ [100, 10, 1], return_counts=True)
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 1e-3


def test_split_and_fold_in() -> None:
    keys = np.asarray(kernel.split(KEY, num=100))
    assert (keys.shape, keys.dtype) == ((100, 2), np.uint32)
    assert len(np.unique(keys, axis=0)) == 100
    assert not np.array_equal(kernel.fold_in(KEY, 1), kernel.fold_in(KEY, 2))


@pytest.mark.parametrize("name", DRAWS)
def test_float32_stays_float32(name: str) -> None:
    draw, _ = DRAWS[name]
    assert "f64" not in str(jax.make_jaxpr(lambda key: draw(key, jnp.float32))(KEY))


def test_integers_need_no_float64() -> None:
    def ints(key: Any) -> Any:
        return kernel.uniform_int(key, scalar(0, "int32"), scalar(9, "int32"), shape=(3,), dtype="int32")

    def classes(key: Any) -> Any:
        return kernel.categorical(key, jnp.zeros((2, 3), jnp.float32), num_samples=2, dtype="int64")

    for function in (ints, classes, lambda key: kernel.shuffle(key, jnp.zeros(3, jnp.float32))):
        assert "f64" not in str(jax.make_jaxpr(function)(KEY))
