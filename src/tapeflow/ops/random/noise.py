"""The random layers' kernels: dropout and noise, given a key.

The rates are static: a layer has one for life, and a comparison with a constant is the cheaper one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.ops.random import kernel as random_kernel

lax = jax.lax
Shape = tuple[int, ...]
# The value that `selu` goes to far below 0, which is what alpha dropout drops to.
_SELU_FLOOR = -1.7580993408473766


def _words(key: jax.Array, shape: Shape) -> jax.Array:
    """32 random bits for each element: its number, mixed with the key by two rounds of a hash.

    A twentieth of the time that Threefry takes on a CPU, and good enough to say what is dropped. The same
    on every device, being integer arithmetic.
    """
    number = lax.iota(jnp.uint32, math.prod(shape)).reshape(shape)
    word = number * np.uint32(0x9E3779B9) + key[0]
    for factor, salt in ((0x7FEB352D, key[1]), (0x846CA68B, key[0])):
        word = (word ^ (word >> np.uint32(16))) * np.uint32(factor)
        word = (word ^ (word >> np.uint32(15))) + salt
    return word ^ (word >> np.uint32(16))


def _is_kept(key: jax.Array, rate: float, shape: Shape) -> jax.Array:
    """True with probability 1 - rate; compared as integers, so that no rate is rounded to a float."""
    return _words(key, shape) >= np.uint32(min(round(rate * 2**32), 2**32 - 1))


@op(name="Dropout", same_dtype=False)
def dropout_op(x: jax.Array, key: jax.Array, *, rate: float, noise_shape: Shape) -> jax.Array:
    """`x` with a share `rate` set to 0 and the rest divided by 1 - rate."""
    return jnp.where(_is_kept(key, rate, noise_shape), x * (1 / (1 - rate)), jnp.zeros((), x.dtype))


@op(name="AlphaDropout", same_dtype=False)
def alpha_dropout_op(x: jax.Array, key: jax.Array, *, rate: float, noise_shape: Shape) -> Any:
    """`x` with a share `rate` set to the floor of `selu`, then brought back to its mean and variance."""
    scale = ((1 - rate) * (1 + rate * _SELU_FLOOR**2)) ** -0.5
    shift = -scale * _SELU_FLOOR * rate
    kept = jnp.where(_is_kept(key, rate, noise_shape), x, jnp.asarray(_SELU_FLOOR, x.dtype))
    return kept * scale + shift


@op(name="GaussianNoise", same_dtype=False)
def gaussian_noise_op(x: jax.Array, key: jax.Array, *, stddev: float) -> Any:
    """`x` plus normal numbers."""
    return x + random_kernel.normal(key, shape=x.shape, dtype=x.dtype) * stddev


@op(name="GaussianDropout", same_dtype=False)
def gaussian_dropout_op(x: jax.Array, key: jax.Array, *, stddev: float) -> Any:
    """`x` times normal numbers around 1."""
    return x * (random_kernel.normal(key, shape=x.shape, dtype=x.dtype) * stddev + 1)
