"""Normalisation of each sample by its own moments: over some of its axes, or over groups of channels.

Computed in float32 for inputs of half precision.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.ops.math.stable_math import variance

lax = jax.lax
Axes = tuple[int, ...]


def _widened(x: jax.Array) -> jax.Array:
    return x.astype(jnp.float32) if x.dtype in (jnp.float16, jnp.bfloat16) else x


def _scaled(
    y: jax.Array, rest: tuple[Any, ...], shape: list[int], has_scale: bool, has_offset: bool
) -> jax.Array:
    if has_scale:
        y = y * rest[0].reshape(shape).astype(y.dtype)
    return y + rest[has_scale].reshape(shape).astype(y.dtype) if has_offset else y


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _layer_norm(axes: Axes, epsilon: float, x: jax.Array, scale: jax.Array, offset: jax.Array) -> jax.Array:
    return _layer_norm_forward(axes, epsilon, x, scale, offset)[0]


def _layer_norm_forward(axes: Axes, epsilon: float, x: jax.Array, scale: jax.Array, offset: jax.Array) -> Any:
    mean = jnp.mean(x, axes, keepdims=True)
    # The barriers, here and below: XLA on CPU would compute the sums along rows again for every element of
    # the sums along columns, which takes ten times as long.
    mean, factor = lax.optimization_barrier((mean, lax.rsqrt(variance(x, axes) + epsilon)))
    y = (x - mean) * factor
    y = y if scale is None else y * scale
    return y if offset is None else y + offset, (x, mean, factor, scale, offset)


def _layer_norm_backward(axes: Axes, epsilon: float, kept: Any, dy: Any) -> Any:
    x, mean, factor, scale, offset = kept
    dy = lax.optimization_barrier(dy)
    y = (x - mean) * factor
    scaled = dy if scale is None else dy * scale
    sums = jnp.mean(scaled, axes, keepdims=True), jnp.mean(scaled * y, axes, keepdims=True)
    share, slope = lax.optimization_barrier(sums)
    dx, dy, y = lax.optimization_barrier((factor * (scaled - share - y * slope), dy, y))
    others = tuple(a for a in range(x.ndim) if a not in axes)
    d_scale = None if scale is None else jnp.sum(dy * y, others, keepdims=True)
    return dx, d_scale, None if offset is None else jnp.sum(dy, others, keepdims=True)


_layer_norm.defvjp(_layer_norm_forward, _layer_norm_backward)


@op(name="LayerNorm", same_dtype=False)
def layer_norm_op(
    x: jax.Array, *rest: jax.Array, axes: Axes, epsilon: float, has_scale: bool, has_offset: bool
) -> jax.Array:
    """`x` normalised over `axes`, then times scale and plus offset as far as `rest` has them."""
    wide = _widened(x)
    shape = [x.shape[a] if a in axes else 1 for a in range(x.ndim)]
    given = [p.reshape(shape).astype(wide.dtype) for p in rest]
    scale, offset = given[0] if has_scale else None, given[-1] if has_offset else None
    y: Any = _layer_norm(axes, epsilon, wide, scale, offset)
    return y.astype(x.dtype)


@op(name="GroupNorm", same_dtype=False)
def group_norm_op(
    x: jax.Array,
    *rest: jax.Array,
    axis: int,
    groups: int,
    epsilon: float,
    has_scale: bool,
    has_offset: bool,
    has_mask: bool,
) -> jax.Array:
    """`x` normalised over all axes of a sample, each group of channels by itself.

    `rest` is scale, offset and mask, as far as there are any.
    """
    wide = _widened(x)
    parts = (*x.shape[:axis], groups, x.shape[axis] // groups, *x.shape[axis + 1 :])
    grouped = wide.reshape(parts)
    over = tuple(a for a in range(1, len(parts)) if a != axis)
    if has_mask:
        weights = jnp.broadcast_to(rest[-1], x.shape).reshape(parts).astype(wide.dtype)
        total = jnp.sum(weights, over, keepdims=True)
        share = jnp.where(total == 0, jnp.zeros((), wide.dtype), weights / jnp.where(total == 0, 1, total))
        mean = jnp.sum(share * grouped, over, keepdims=True)
        spread = jnp.sum(share * jnp.square(grouped - mean), over, keepdims=True)
    else:
        mean, spread = jnp.mean(grouped, over, keepdims=True), variance(grouped, over)
    y = ((grouped - mean) * lax.rsqrt(spread + epsilon)).reshape(x.shape)
    shape = [x.shape[a] if a == axis else 1 for a in range(x.ndim)]
    return _scaled(y, rest, shape, has_scale, has_offset).astype(x.dtype)
