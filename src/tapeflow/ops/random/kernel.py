"""Random numbers as pure functions of a key: arrays in, arrays out, no state.

A key is a uint32 array of two numbers, the key of the Threefry generator: counter-based, so the
same on every device and in every run. Nothing here imports the engine's recorder, so layers,
initializers and datasets may use these functions inside kernels of their own.

The bits come from Threefry directly instead of `jax.random.bits`, which takes one word of each
block and throws the other away: half the time on CPU.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from jax.extend.random import threefry_2x32

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.values.annotations import DTypeLike

lax = jax.lax
Shape = tuple[int, ...]
_HALF = (jnp.float16, jnp.bfloat16)
_UNSIGNED = {2: jnp.uint16, 4: jnp.uint32, 8: jnp.uint64}


def _key(key_data: jax.Array) -> jax.Array:
    return jax.random.wrap_key_data(key_data, impl="threefry2x32")


def bits(key_data: jax.Array, *, shape: Shape, dtype: Any) -> jax.Array:
    """Integers over the whole range of `dtype`, of 16, 32 or 64 bits."""
    width = jnp.dtype(dtype).itemsize
    count = math.prod(shape)
    words = threefry_2x32(key_data, lax.iota(jnp.uint32, -(-count * width // 4)))
    if width == 8:
        words = words.reshape(-1, 2)
    found = lax.bitcast_convert_type(words, _UNSIGNED[width]).reshape(-1)[:count]
    return lax.bitcast_convert_type(found, dtype).reshape(shape)


def _unit(key_data: jax.Array, shape: Shape, dtype: Any) -> jax.Array:
    """Numbers in [0, 1): random bits as the fraction of a float in [1, 2), less 1."""
    info = jnp.finfo(dtype)
    unsigned = _UNSIGNED[jnp.dtype(dtype).itemsize]
    one = np.ones((), dtype).view(unsigned)
    fraction = bits(key_data, shape=shape, dtype=unsigned) >> unsigned(info.bits - info.nmant)
    return lax.bitcast_convert_type(fraction | one, dtype) - jnp.ones((), dtype)


def _normal_between(key_data: Any, low: Any, high: Any, shape: Shape, dtype: Any) -> jax.Array:
    """Normal numbers whose error functions lie in [low, high), by inverting it."""
    spread = _unit(key_data, shape, dtype) * (high - low) + low
    return lax.erf_inv(spread) * jnp.asarray(math.sqrt(2), dtype)


def normal(key_data: Any, *, shape: Shape, dtype: Any) -> jax.Array:
    """Standard normal numbers."""
    wide = jnp.float32 if dtype in _HALF else dtype
    low = np.nextafter(np.asarray(-1, wide), np.asarray(0, wide))  # -1 itself would give -inf
    return _normal_between(key_data, low, np.asarray(1, wide), shape, wide).astype(dtype)


def truncated_normal(key_data: jax.Array, *, shape: Shape, dtype: Any) -> jax.Array:
    """Standard normal numbers as if drawn again while they are beyond 2."""
    two = jnp.asarray(2, dtype)
    return bounded_normal(key_data, -two, two, shape=shape, dtype=dtype)


def bounded_normal(key_data: jax.Array, low: Any, high: Any, *, shape: Shape, dtype: Any) -> jax.Array:
    """Standard normal numbers within `[low, high]`, two arrays that broadcast to `shape`."""
    wide = jnp.float32 if dtype in _HALF else dtype
    low, high = low.astype(wide), high.astype(wide)
    root = jnp.asarray(math.sqrt(0.5), wide)
    drawn = _normal_between(key_data, lax.erf(low * root), lax.erf(high * root), shape, wide)
    return jnp.clip(drawn, low, high).astype(dtype)


def uniform(
    key_data: jax.Array, minval: jax.Array, maxval: jax.Array, *, shape: Shape, dtype: DTypeLike
) -> jax.Array:
    """Numbers in `[minval, maxval)`, two arrays of `dtype` that broadcast with `shape`."""
    return _unit(key_data, shape, dtype) * (maxval - minval) + minval


def uniform_int(
    key_data: jax.Array, minval: jax.Array, maxval: jax.Array, *, shape: Shape, dtype: Any
) -> jax.Array:
    """Integers in `[minval, maxval)`, two arrays of `dtype` that broadcast to `shape`."""
    return jax.random.randint(_key(key_data), shape, minval, maxval, dtype)


def gamma(key_data: jax.Array, alpha: jax.Array, *, shape: Shape, dtype: Any) -> jax.Array:
    """Gamma numbers of rate 1 with shape parameter `alpha`, which broadcasts to `shape`.

    The gradient goes to `alpha`, by implicit differentiation. NaN where `alpha` is negative.
    """
    is_valid = alpha > 0
    # The rejection loop must see numbers it can accept.
    safe = jnp.where(is_valid, alpha, jnp.ones((), alpha.dtype))
    tiny = jnp.asarray(jnp.finfo(dtype).tiny, dtype)
    # Not below the smallest number, so that a logarithm stays finite.
    drawn = jnp.maximum(jax.random.gamma(_key(key_data), safe, shape, dtype), tiny)
    return jnp.where(is_valid, drawn, jnp.where(alpha == 0, tiny, jnp.asarray(jnp.nan, dtype)))


def categorical(key_data: jax.Array, logits: jax.Array, *, num_samples: int, dtype: Any) -> jax.Array:
    """`num_samples` class numbers for each row of `logits`, a matrix of log-probabilities.

    The largest of logits plus Gumbel noise falls on a class with its probability.
    """
    wide = jnp.float32 if logits.dtype in _HALF else logits.dtype
    rows, classes = logits.shape
    unit = _unit(key_data, (rows, num_samples, classes), wide)
    noise = -jnp.log(-jnp.log(jnp.maximum(unit, jnp.asarray(jnp.finfo(wide).tiny, wide))))
    return lax.argmax(logits.astype(wide)[:, None, :] + noise, 2, dtype)


def shuffle(key_data: jax.Array, value: jax.Array) -> jax.Array:
    """`value` with its rows in another order."""
    return jax.random.permutation(_key(key_data), value, axis=0) if value.ndim else value


def split(key_data: jax.Array, *, num: int) -> jax.Array:
    """`num` new keys, as a uint32 array of shape (num, 2)."""
    return jax.random.key_data(jax.random.split(_key(key_data), num))


def fold_in(key_data: jax.Array, number: Any) -> jax.Array:
    """The key that `key_data` and an integer determine."""
    return jax.random.key_data(jax.random.fold_in(_key(key_data), number))
