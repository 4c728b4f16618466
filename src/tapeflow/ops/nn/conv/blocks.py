"""Working through a batch a few samples at a time, so that what is copied for them stays small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax


def map_blocks(function: Callable[[Array], Any], x: Array, block: int) -> Any:
    """`function` of a batch, `block` samples at a time; it may return several arrays."""
    if block >= x.shape[0]:
        return function(x)
    blocks, rest = _split(x, block)
    done = jax.tree.map(lambda y: y.reshape(-1, *y.shape[2:]), lax.map(function, blocks))
    if not rest.shape[0]:
        return done
    return jax.tree.map(lambda *parts: jnp.concatenate(parts), done, function(rest))


def sum_blocks(function: Callable[..., Array], block: int, *arrays: Array) -> Array:
    """The sum of `function` over blocks of arrays that share their first axis.

    The blocks are added one after the other: the order, hence every bit, is always the same.
    """
    if block >= arrays[0].shape[0]:
        return function(*arrays)
    blocks, rest = zip(*[_split(x, block) for x in arrays], strict=True)
    result = jax.eval_shape(function, *[x[0] for x in blocks])

    def add(total: Array, parts: tuple[Array, ...]) -> tuple[Array, None]:
        return total + function(*parts), None

    total, _ = lax.scan(add, jnp.zeros(result.shape, result.dtype), blocks)
    return total + function(*rest) if rest[0].shape[0] else total


def block_size(x: Array, numbers: int, limit_bytes: int) -> int:
    """How many samples to take at a time: a divisor of the batch if a good one is to be had.

    Args:
        x: the batch; its dtype is that of the work.
        numbers: how many numbers the work on one sample holds at once.
        limit_bytes: what a block may hold; one sample is taken even where it holds more.
    """
    samples = x.shape[0]
    most = min(samples, max(1, limit_bytes // (x.dtype.itemsize * numbers)))
    for block in range(most, most // 2, -1):
        if samples % block == 0:
            return block
    return most


def _split(x: Array, block: int) -> tuple[Array, Array]:
    """The whole blocks of a batch, stacked, and the samples left over.

    A loop over stacked blocks copies each as it comes; one that sliced the batch itself would have
    the slicing fused into its work, which is then no longer vectorised.
    """
    whole = x.shape[0] // block * block
    return x[:whole].reshape(-1, block, *x.shape[1:]), x[whole:]
