"""Features brought to mean 0 and variance 1 by moments that are known."""

from __future__ import annotations

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.dtypes import DType


@op(name="Standardize", same_dtype=False)
def standardize_op(
    x: jax.Array,
    mean: jax.Array,
    spread: jax.Array,
    *,
    shape: tuple[int, ...],
    epsilon: float,
    is_inverse: bool,
    dtype: DType,
) -> jax.Array:
    """`(x - mean) / sqrt(variance)`, or back again; the moments are reshaped to `shape`."""
    wide = x.astype(mean.dtype)
    centre = mean.reshape(shape)
    width = jnp.maximum(jnp.sqrt(spread.reshape(shape)), epsilon)
    y = centre + wide * width if is_inverse else (wide - centre) / width
    return y.astype(dtype.as_numpy_dtype)


@op(name="JoinMoments", same_dtype=False, differentiable=False)
def join_moments_op(
    x: jax.Array, mean: jax.Array, spread: jax.Array, count: jax.Array, *, over: tuple[int, ...]
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """The moments and the count of what was seen before, with `x` seen too."""
    wide = x.astype(mean.dtype)
    new_mean = jnp.mean(wide, over)
    new_spread = jnp.mean(jnp.square(wide - jnp.mean(wide, over, keepdims=True)), over)
    size = 1
    for axis in over:
        size *= x.shape[axis]
    total = count + jnp.asarray(size, count.dtype)
    share = (size / total.astype(mean.dtype)).astype(mean.dtype)
    merged = mean * (1 - share) + new_mean * share
    old_part = (spread + jnp.square(mean - merged)) * (1 - share)
    return merged, old_part + (new_spread + jnp.square(new_mean - merged)) * share, total
