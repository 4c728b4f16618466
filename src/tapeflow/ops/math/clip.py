"""Clipping of values and of norms."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import float32
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import FLOATING, REAL
from tapeflow.ops.host_args import describe
from tapeflow.ops.math.arithmetic import larger, smaller
from tapeflow.ops.math.casting import cast
from tapeflow.ops.math.reduction import Axes, read_axes

lax = jax.lax


@op(name="ClipByValue")
def _clip_by_value(t: jax.Array, low: jax.Array, high: jax.Array) -> jax.Array:
    REAL.check("ClipByValue", t=t)
    return larger(smaller(t, high), low)


@op(name="ClipByNorm")
def _clip_by_norm(t: jax.Array, clip_norm: jax.Array, *, axis: Axes) -> jax.Array:
    FLOATING.check("ClipByNorm", t=t)
    return within_norm(t, larger(clip_norm, jnp.zeros((), t.dtype)), axis)


def within_norm(t: Any, limit: TensorLike, axis: Axes | None = None) -> Any:
    """An array scaled down to a norm over `axis` of at most `limit`, for kernels."""
    total = jnp.sum(t * t, axis, dtype=t.dtype, keepdims=True)
    # The square root only where it has a finite gradient: a zero tensor passes through.
    is_positive = total > 0
    norm = jnp.where(is_positive, lax.sqrt(jnp.where(is_positive, total, 1)), total)
    return t * limit / larger(norm, limit)


@op(name="GlobalNorm")
def _global_norm(*tensors: jax.Array) -> jax.Array:
    for tensor in tensors:
        FLOATING.check("GlobalNorm", t_list=tensor)
    return common_norm(tensors)


def common_norm(arrays: Sequence[Any]) -> Any:
    """The norm of all arrays together, for kernels."""
    squares = [jnp.sum(t * t, dtype=t.dtype) for t in arrays]
    return lax.sqrt(functools.reduce(operator.add, squares))


@op(name="ClipByGlobalNorm")
def _clip_by_global_norm(norm: jax.Array, clip_norm: jax.Array, *tensors: jax.Array) -> tuple[jax.Array, ...]:
    FLOATING.check("ClipByGlobalNorm", use_norm=norm)
    scale = scale_within(norm, clip_norm)
    return tuple(t * scale for t in tensors)


def scale_within(norm: Any, limit: Any) -> Any:
    """What brings arrays of a common norm to at most `limit`, for kernels."""
    scale = limit * smaller(1 / norm, 1 / limit)
    # An infinite norm would scale to zeros, and hide that something is wrong.
    return jnp.where(jnp.isfinite(norm), scale, jnp.asarray(jnp.nan, norm.dtype))


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Tensor:
    """t with every element brought into `[clip_value_min, clip_value_max]`.

    The gradient passes inside and on the border. If the bounds cross, the lower one wins.

    Raises:
        ValueError: a bound has a shape that would change that of t.
    """
    clipped = _clip_by_value(t, clip_value_min, clip_value_max)
    return _with_shape_of(t, clipped, "tf.clip_by_value", "clip_value_min and clip_value_max")


def clip_by_norm(
    t: TensorLike, clip_norm: TensorLike, axes: int | Sequence[int] | None = None, name: str | None = None
) -> Tensor:
    """t, scaled down where its L2 norm over `axes` is above `clip_norm`.

    Raises:
        ValueError: `clip_norm` has a shape that would change that of t.
    """
    tensor = convert_to_tensor(t)
    axis = read_axes(axes, len(tensor.spec.shape), "tf.clip_by_norm")
    if hasattr(clip_norm, "dtype"):
        clip_norm = cast(clip_norm, tensor.dtype)
    clipped = _clip_by_norm(tensor, clip_norm, axis=axis)
    return _with_shape_of(tensor, clipped, "tf.clip_by_norm", "clip_norm")


def _with_shape_of(t: TensorLike, clipped: Tensor, where: str, name: str) -> Tensor:
    tensor = convert_to_tensor(t)
    if tensor.spec.shape != clipped.spec.shape:
        raise ValueError(
            f"{where} expected {name} to broadcast to the shape of t; got t {describe(tensor)}, "
            f"which would become {describe(clipped)}. Shapes are incompatible: broadcast t first."
        )
    return clipped


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """The L2 norm of all tensors together; `None`s among them are left out.

    Raises:
        TypeError: `t_list` is not a list of tensors.
    """
    tensors = [t for t in _read_list("tf.linalg.global_norm", t_list) if t is not None]
    return _global_norm(*tensors) if tensors else convert_to_tensor(0.0, dtype=float32)


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: TensorLike, use_norm: TensorLike | None = None, name: str | None = None
) -> tuple[list[Tensor | None], Tensor]:
    """All tensors scaled by one factor so that their common norm is at most `clip_norm`.

    Args:
        t_list: tensors, and `None`s, which stay.
        clip_norm: the largest norm.
        use_norm: the norm, if it is known already.
        name: ignored.

    Returns:
        The scaled tensors and the norm from before. All are NaN if the norm is not finite.
    """
    given = _read_list("tf.clip_by_global_norm", t_list)
    norm = global_norm(given) if use_norm is None else convert_to_tensor(use_norm)
    tensors = [t for t in given if t is not None]
    if not tensors:
        return list(given), norm
    clipped = iter(_clip_by_global_norm(norm, clip_norm, *tensors))
    return [None if t is None else next(clipped) for t in given], norm


def _read_list(where: str, t_list: TensorLike) -> list[Any]:
    if not isinstance(t_list, Sequence) or isinstance(t_list, (str, bytes)):
        raise TypeError(
            f"{where} expected a list of tensors; got t_list of type {type(t_list).__name__}. "
            "Put a single tensor into a list."
        )
    return list(t_list)
