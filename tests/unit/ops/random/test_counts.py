"""Poisson and binomial numbers: their laws for small and large means, and the odd parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from tapeflow.engine.backend import jax, jnp
from tapeflow.ops.random.counts import binomial, poisson

KEY = jnp.array([3, 4], jnp.uint32)
MANY = 50_000


def goodness(x: np.ndarray, law: Any) -> float:
    """The p-value that `x` follows `law`, by Pearson's test on values likely enough."""
    values = np.arange(x.min(), x.max() + 1)
    expected = law.pmf(values) * len(x)
    often = expected > 10
    counts = np.bincount(x - x.min(), minlength=len(values))[often]
    rest = len(x) - counts.sum()
    expected = expected[often]
    return stats.chisquare(
        [*counts, rest + 1], [*expected, len(x) - expected.sum() + 1], sum_check=False
    ).pvalue


@pytest.mark.parametrize("lam", [0.1, 1.0, 9.9, 10.0, 30.0, 1000.0])
def test_poisson(lam: float) -> None:
    x = np.asarray(poisson(KEY, jnp.float32(lam), shape=(MANY,), dtype=jnp.int32))
    assert x.dtype == np.int32
    assert goodness(x, stats.poisson(lam)) > 1e-3


@pytest.mark.parametrize("lam", [1e5, 1e7])
def test_poisson_of_a_large_mean_in_float32(lam: float) -> None:
    x = np.asarray(poisson(KEY, jnp.float32(lam), shape=(MANY,), dtype=jnp.int64))
    assert abs(x.mean() - lam) < 4 * np.sqrt(lam / MANY)
    assert x.var() / lam == pytest.approx(1, abs=0.03)


@pytest.mark.slow
def test_poisson_of_odd_means() -> None:
    lam = jnp.asarray([0.0, -1.0, np.nan, np.inf, 3.0], jnp.float32)
    x = np.asarray(poisson(KEY, lam, shape=(100, 5), dtype=jnp.float32))
    assert x.dtype == np.float32
    assert (x[:, :4] == 0).all()
    assert x[:, 4].mean() == pytest.approx(3, abs=1)


@pytest.mark.parametrize(
    ("trials", "p"), [(1, 0.3), (5, 0.5), (20, 0.9), (100, 0.05), (40, 0.5), (1000, 0.3), (1000, 0.97)]
)
def test_binomial(trials: int, p: float) -> None:
    x = np.asarray(binomial(KEY, jnp.float32(trials), jnp.float32(p), shape=(MANY,), dtype=jnp.int32))
    assert x.dtype == np.int32
    assert 0 <= x.min() <= x.max() <= trials
    assert goodness(x, stats.binom(trials, p)) > 1e-3


def test_binomial_of_many_trials_in_float32() -> None:
    x = np.asarray(binomial(KEY, jnp.float32(1e6), jnp.float32(0.25), shape=(MANY,), dtype=jnp.int64))
    spread = 1e6 * 0.25 * 0.75
    assert abs(x.mean() - 2.5e5) < 4 * np.sqrt(spread / MANY)
    assert x.var() / spread == pytest.approx(1, abs=0.03)


@pytest.mark.slow
def test_binomial_of_odd_parameters() -> None:
    trials = jnp.asarray([-1.0, 10.0, 10.0, 10.0, 0.0], jnp.float32)
    p = jnp.asarray([0.5, 1.5, -0.5, 1.0, 0.5], jnp.float32)
    x = np.asarray(binomial(KEY, trials, p, shape=(100, 5), dtype=jnp.int64))
    np.testing.assert_array_equal(x, np.broadcast_to([0, 10, 0, 10, 0], (100, 5)))


def test_float32_stays_float32() -> None:
    one, half = jnp.float32(1), jnp.float32(0.5)
    for function in (
        lambda key: poisson(key, one, shape=(3,), dtype=jnp.int32),
        lambda key: binomial(key, one, half, shape=(3,), dtype=jnp.int32),
    ):
        assert "f64" not in str(jax.make_jaxpr(function)(KEY))
