"""Batch normalisation as the layer needs it: one op for a training step, one for inference.

Statistics are taken and applied in the dtype of the moving moments, float32 for inputs of half precision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.ops.math.stable_math import variance

lax = jax.lax
Axes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BatchNormOptions:
    """What does not change from step to step; one object, as a static is looked up at every call."""

    axes: Axes  # the axes that keep statistics of their own
    epsilon: float
    momentum: float
    has_scale: bool
    has_offset: bool
    is_unbiased: bool  # keep the variance of the population, as TensorFlow's kernel for images does
    has_mask: bool


def _as_broadcastable(vector: jax.Array, x: jax.Array, axes: Axes) -> jax.Array:
    """A parameter, a vector or of full rank, against `x`."""
    return vector.reshape([x.shape[a] if a in axes else 1 for a in range(x.ndim)])


def _scale_and_offset(rest: tuple[Any, ...], x: jax.Array, options: BatchNormOptions) -> tuple[Any, Any]:
    given = rest[: options.has_scale + options.has_offset]
    found = [_as_broadcastable(p, x, options.axes).astype(x.dtype) for p in given]
    return found[0] if options.has_scale else None, found[-1] if options.has_offset else None


def _masked_moments(x: jax.Array, mask: jax.Array, over: Axes) -> tuple[Any, Any]:
    weights = jnp.broadcast_to(mask.astype(x.dtype)[..., None], x.shape)
    total = jnp.sum(weights, over, keepdims=True)
    share = jnp.where(total == 0, jnp.zeros((), x.dtype), weights / jnp.where(total == 0, 1, total))
    mean = jnp.sum(share * x, over, keepdims=True)
    return mean, jnp.sum(share * jnp.square(x - mean), over, keepdims=True)


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _normalised(
    over: Axes, epsilon: float, x: jax.Array, scale: jax.Array, offset: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """`x` normalised over some axes, and its moments, through which no gradient goes."""
    return _normalised_forward(over, epsilon, x, scale, offset)[0]


def _normalised_forward(over: Axes, epsilon: float, x: jax.Array, scale: jax.Array, offset: jax.Array) -> Any:
    mean, spread = jnp.mean(x, over, keepdims=True), variance(x, over)
    factor = lax.rsqrt(spread + epsilon)
    return (_scaled(x - mean, factor, scale, offset), mean, spread), (x, mean, factor, scale, offset)


def _normalised_backward(
    over: Axes,
    epsilon: float,
    kept: tuple[jax.Array, jax.Array, jax.Array, jax.Array, jax.Array],
    gradients: tuple[jax.Array, jax.Array, jax.Array],
) -> Any:
    """Two sums over the batch and one pass over `x`, where automatic differentiation takes four and two."""
    x, mean, factor, scale, offset = kept
    dy = gradients[0]
    slope = factor if scale is None else factor * scale
    centred = x - mean
    share = jnp.mean(dy, over, keepdims=True)
    turn = jnp.mean(dy * centred, over, keepdims=True) * jnp.square(factor)
    dx = slope * (dy - share - centred * turn)
    d_scale = None if scale is None else jnp.sum(dy * centred, over, keepdims=True) * factor
    return dx, d_scale, None if offset is None else jnp.sum(dy, over, keepdims=True)


_normalised.defvjp(_normalised_forward, _normalised_backward)


def _scaled(centred: jax.Array, factor: jax.Array, scale: jax.Array, offset: jax.Array) -> jax.Array:
    y = centred * (factor if scale is None else factor * scale)
    return y if offset is None else y + offset


@op(name="BatchNormTraining", same_dtype=False)
def batch_norm_training_op(
    x: jax.Array,
    moving_mean: jax.Array,
    moving_variance: jax.Array,
    *rest: jax.Array,
    options: BatchNormOptions,
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """`x` normalised by its own moments, and the moving moments after this step.

    `rest` is scale, offset and mask, as far as there are any.
    """
    wide = x.astype(moving_mean.dtype)
    over = tuple(a for a in range(x.ndim) if a not in options.axes)
    scale, offset = _scale_and_offset(rest, wide, options)
    if options.has_mask:
        mean, spread = _masked_moments(wide, rest[-1], over)
        y = _scaled(wide - mean, lax.rsqrt(spread + options.epsilon), scale, offset)
    else:
        found: Any = _normalised(over, options.epsilon, wide, scale, offset)
        y, mean, spread = found
    seen_mean, seen_spread = lax.stop_gradient((mean, spread))
    if options.is_unbiased:
        count = math.prod(x.shape[a] for a in over)
        seen_spread = seen_spread * (count / max(count - 1, 1))
    rate = 1 - options.momentum
    new_mean = moving_mean - (moving_mean - seen_mean.reshape(moving_mean.shape)) * rate
    new_spread = moving_variance - (moving_variance - seen_spread.reshape(moving_variance.shape)) * rate
    return y.astype(x.dtype), new_mean, new_spread


@op(name="BatchNormInference", same_dtype=False)
def batch_norm_inference_op(
    x: jax.Array, mean: jax.Array, spread: jax.Array, *rest: jax.Array, options: BatchNormOptions
) -> jax.Array:
    """`x` normalised by moments that are given; `rest` is scale and offset, as far as there are any."""
    wide = x.astype(mean.dtype)
    scale, offset = _scale_and_offset(rest, wide, options)
    factor = lax.rsqrt(_as_broadcastable(spread, x, options.axes) + options.epsilon)
    factor = factor if scale is None else factor * scale
    shift = -_as_broadcastable(mean, x, options.axes) * factor
    return (wide * factor + (shift if offset is None else shift + offset)).astype(x.dtype)
