"""Random counts: Poisson and binomial numbers as pure functions of a key.

Small means are drawn by inversion (walk up the distribution until it passes a uniform number),
large ones by Hörmann's transformed rejection ("The transformed rejection method for generating
Poisson random variables", 1993, and "The generation of binomial random variates", 1993). Logarithms
of probabilities are written so that float32 suffices: a difference of log-gammas of large numbers
would have no digit left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.ops.random.kernel import Shape, fold_in, split, uniform

lax = jax.lax
_SMALL_MEAN = 10
_MOST_STEPS = 200  # far beyond what a mean below 10 reaches


def _unit(key: jax.Array, shape: Shape, dtype: np.dtype[Any]) -> jax.Array:
    return uniform(key, jnp.zeros((), dtype), jnp.ones((), dtype), shape=shape, dtype=dtype)


def _invert(unit: jax.Array, first: jax.Array, ratio: Callable[[Any], Any]) -> jax.Array:
    """The count at which the distribution passes `unit`.

    Args:
        unit: uniform numbers.
        first: the probability of 0.
        ratio: from a count to its probability divided by that of the count before.
    """

    def is_unfinished(state: tuple[jax.Array, jax.Array, jax.Array, jax.Array]) -> jax.Array:
        step, left, probability, _ = state
        return jnp.any((left >= probability) & (probability > 0)) & (step < _MOST_STEPS)

    def walk(
        state: tuple[jax.Array, jax.Array, jax.Array, jax.Array],
    ) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
        step, left, probability, count = state
        goes_on = left >= probability
        left = jnp.where(goes_on, left - probability, left)
        count = jnp.where(goes_on, count + 1, count)
        probability = jnp.where(goes_on, probability * ratio(count), probability)
        return step + 1, left, probability, count

    start = (jnp.zeros((), jnp.int32), unit, first, jnp.zeros_like(unit))
    return lax.while_loop(is_unfinished, walk, start)[3]


def _reject(
    key: jax.Array,
    shape: Shape,
    dtype: np.dtype[Any],
    is_needed: jax.Array,
    propose: Callable[..., tuple[Any, Any]],
) -> jax.Array:
    """Draw proposals until each needed place has one accepted."""

    def is_unfinished(state: tuple[jax.Array, jax.Array, jax.Array]) -> jax.Array:
        return jnp.any(~state[1])

    def draw(state: tuple[jax.Array, jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array, jax.Array]:
        step, is_done, found = state
        first, second = split(fold_in(key, step), num=2)
        u = _unit(first, shape, dtype) - jnp.asarray(0.5, dtype)
        v = jnp.maximum(_unit(second, shape, dtype), jnp.asarray(jnp.finfo(dtype).tiny, dtype))
        count, is_accepted = propose(u, v)
        found = jnp.where(~is_done & is_accepted, count, found)
        return step + 1, is_done | is_accepted, found

    start = (jnp.zeros((), jnp.int32), ~is_needed, jnp.zeros(shape, dtype))
    return lax.while_loop(is_unfinished, draw, start)[2]


def _stirling_error(count: jax.Array) -> jax.Array:
    """log(count!) less Stirling's formula for it."""
    inverse = 1 / jnp.maximum(count, 1)
    return inverse * (1 / 12 - inverse * inverse * (1 / 360 - inverse * inverse / 1260))


def _poisson_log_probability(count: jax.Array, mean: jax.Array) -> jax.Array:
    by_definition = count * jnp.log(mean) - mean - lax.lgamma(count + 1)
    # count log(count/mean) - (count - mean), which cancels unless written with log1p.
    excess = (count - mean) / mean
    distance = mean * ((1 + excess) * jnp.log1p(excess) - excess)
    by_stirling = -distance - 0.5 * jnp.log(2 * jnp.pi * count) - _stirling_error(count)
    return jnp.where(count < 16, by_definition, by_stirling)


def _propose_poisson(mean: jax.Array) -> Callable[..., tuple[Any, Any]]:
    b = 0.931 + 2.53 * jnp.sqrt(mean)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    certain = 0.9277 - 3.6224 / (b - 2)

    def propose(u: jax.Array, v: jax.Array) -> tuple[Any, Any]:
        edge = 0.5 - jnp.abs(u)
        count = jnp.floor((2 * a / edge + b) * u + mean + 0.43)
        at_once = (edge >= 0.07) & (v <= certain)
        never = (count < 0) | ((edge < 0.013) & (v > edge))
        height = jnp.log(v * inverse_alpha / (a / (edge * edge) + b))
        by_test = height <= _poisson_log_probability(jnp.maximum(count, 0), mean)
        return count, at_once | (~never & by_test)

    return propose


def poisson(key_data: jax.Array, lam: jax.Array, *, shape: Shape, dtype: Any) -> jax.Array:
    """Counts of mean `lam`, a float array that broadcasts to `shape`; 0 where it is not above 0."""
    lam = jnp.broadcast_to(lam, shape)
    is_valid = (lam > 0) & jnp.isfinite(lam)
    is_large = is_valid & (lam >= _SMALL_MEAN)
    small = jnp.where(is_valid & ~is_large, lam, jnp.zeros((), lam.dtype))
    large = jnp.where(is_large, lam, jnp.asarray(_SMALL_MEAN, lam.dtype))
    first, second = split(key_data, num=2)
    low = _invert(_unit(first, shape, lam.dtype), jnp.exp(-small), lambda k: small / k)
    high = _reject(second, shape, lam.dtype, is_large, _propose_poisson(large))
    return jnp.where(is_large, high, low).astype(dtype)


def _propose_binomial(trials: jax.Array, p: jax.Array) -> Callable[..., tuple[Any, Any]]:
    mean, rest = trials * p, trials * (1 - p)
    deviation = jnp.sqrt(rest * p)
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    alpha = (2.83 + 5.1 / b) * deviation
    certain = 0.92 - 4.2 / b

    def log_probability(count: jax.Array) -> jax.Array:
        # Up to a constant: two Poisson numbers, given that their sum is the number of trials.
        return _poisson_log_probability(count, mean) + _poisson_log_probability(trials - count, rest)

    at_mode = log_probability(jnp.floor((trials + 1) * p))

    def propose(u: jax.Array, v: jax.Array) -> tuple[Any, Any]:
        edge = 0.5 - jnp.abs(u)
        count = jnp.floor((2 * a / edge + b) * u + mean + 0.5)
        at_once = (edge >= 0.07) & (v <= certain)
        never = (count < 0) | (count > trials)
        height = jnp.log(v * alpha / (a / (edge * edge) + b))
        by_test = height <= log_probability(jnp.clip(count, 0, trials)) - at_mode
        return count, at_once | (~never & by_test)

    return propose


def binomial(
    key_data: jax.Array, counts: jax.Array, probs: jax.Array, *, shape: Shape, dtype: Any
) -> jax.Array:
    """How many of `counts` trials succeed, each with probability `probs`.

    Both are arrays of one float dtype that broadcast to `shape`. Trials below 0 are none, and
    probabilities outside of [0, 1] are taken as 0 or 1.
    """
    trials = jnp.broadcast_to(jnp.floor(jnp.maximum(counts, 0)), shape)
    probs = jnp.broadcast_to(jnp.clip(probs, 0, 1), shape)
    p = jnp.minimum(probs, 1 - probs)  # the rarer outcome is counted
    is_large = trials * p >= _SMALL_MEAN
    none, some = jnp.zeros((), trials.dtype), jnp.asarray(4 * _SMALL_MEAN, trials.dtype)
    few, many = jnp.where(is_large, none, trials), jnp.where(is_large, trials, some)
    half = jnp.where(is_large, p, jnp.asarray(0.5, p.dtype))
    first, second = split(key_data, num=2)
    low = _invert(
        _unit(first, shape, trials.dtype),
        jnp.exp(few * jnp.log1p(-p)),
        lambda k: (few - k + 1) / k * (p / (1 - p)),
    )
    low = jnp.minimum(low, few)
    high = _reject(second, shape, trials.dtype, is_large, _propose_binomial(many, half))
    rare = jnp.where(is_large, high, low)
    return jnp.where(probs > 0.5, trials - rare, rare).astype(dtype)
