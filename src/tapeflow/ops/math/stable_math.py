"""Array functions that stay finite where the textbook formula overflows, with derivatives to match.

These are plain JAX functions, shared by the kernels of activations, cross-entropies and
normalisation. Each has a `custom_jvp` rule instead of what differentiating its body would give: the
rule is the short formula (softmax minus labels, x minus mean), which is cheaper and more exact. It
is itself differentiable, so nested tapes see the right higher orders. Half-precision inputs are
computed in float32 and come back in their own dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from tapeflow.engine.backend import jax, jnp

lax = jax.lax
Axes = int | tuple[int, ...]


def in_float32(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function(x, ...)` computed in float32 when `x` is float16 or bfloat16, and cast back."""

    @wraps(function)
    def wrapped(x: jax.Array, *args: Any) -> jax.Array:
        if x.dtype not in (jnp.float16, jnp.bfloat16):
            return function(x, *args)
        return function(x.astype(jnp.float32), *args).astype(x.dtype)

    return wrapped


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _softmax(x: jax.Array, axis: int) -> jax.Array:
    if x.size == 0:
        return x
    unscaled = jnp.exp(x - jnp.max(x, axis, keepdims=True))
    return unscaled / jnp.sum(unscaled, axis, keepdims=True)


@_softmax.defjvp
def _softmax_jvp(
    axis: int, primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    (dx,) = tangents
    y = _softmax(*primals, axis)
    return y, y * (dx - jnp.sum(y * dx, axis, keepdims=True))


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _log_softmax(x: jax.Array, axis: int) -> jax.Array:
    if x.size == 0:
        return x
    shifted = x - jnp.max(x, axis, keepdims=True)
    return shifted - jnp.log(jnp.sum(jnp.exp(shifted), axis, keepdims=True))


@_log_softmax.defjvp
def _log_softmax_jvp(
    axis: int, primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    (dx,) = tangents
    y = _log_softmax(*primals, axis)
    return y, dx - jnp.sum(_softmax(*primals, axis) * dx, axis, keepdims=True)


softmax = in_float32(_softmax)
"""exp(x) over its sum along one axis."""

log_softmax = in_float32(_log_softmax)
"""The logarithm of `softmax`, finite where the softmax rounds to 0."""


@jax.custom_jvp
def softplus(x: jax.Array) -> jax.Array:
    """log(1 + exp(x)); its derivative is the sigmoid, at every order."""
    return jnp.maximum(x, 0) + lax.log1p(lax.exp(-jnp.abs(x)))


@softplus.defjvp
def _softplus_jvp(
    primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    (x,), (dx,) = primals, tangents
    return softplus(x), lax.logistic(x) * dx


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def variance(x: jax.Array, axes: tuple[int, ...]) -> jax.Array:
    """The mean squared distance from the mean over `axes`, kept as axes of length 1.

    The mean is the point of least squared distance, so to first order the variance does not depend
    on it; the rule leaves that term out and the gradient is one pass over `x`.
    """
    centred = x - jnp.mean(x, axes, keepdims=True)
    return jnp.mean(jnp.square(centred), axes, keepdims=True)


@variance.defjvp
def _variance_jvp(
    axes: tuple[int, ...], primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> Any:
    (x,), (dx,) = primals, tangents
    centred = x - jnp.mean(x, axes, keepdims=True)
    return variance(x, axes), 2 * jnp.mean(centred * dx, axes, keepdims=True)
