"""Reductions over axes: sums, means, extremes, norms, and whether all or any hold.

`axis` is an int, several ints, a tensor of them, or `None` for every axis; negative ones count from
the end and an empty list reduces nothing. Reductions keep the dtype: the mean of integers is an
integer, rounded towards zero. A tie of `reduce_max` shares its gradient evenly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import Op, op
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, int64
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import ANY, BOOLEAN, FLOATING, INEXACT, INTEGER, NUMERIC, REAL, Domain
from tapeflow.ops.host_args import axis_message, describe, invalid, read_ints
from tapeflow.ops.math.arithmetic import larger

lax = jax.lax
Axes = tuple[int, ...]


def read_axes(axis: Any, rank: int, where: str) -> Axes:
    """The axes to reduce, counted from the front and in order; all of them for `None`."""
    if axis is None:
        return tuple(range(rank))
    given = (axis,) if type(axis) is int else read_ints(axis, where, "axis", scalar=True, error=TypeError)
    for one in given:
        if not -rank <= one < rank:
            raise invalid(f"{axis_message(where, 'axis', one, rank)} The input has rank {rank}.")
    axes = {one % rank for one in given}
    if len(axes) < len(given):
        raise invalid(
            f"{where} expected every axis once; got axis={axis!r}, which names one twice for an "
            f"input of rank {rank}. Negative axes count from the end."
        )
    return tuple(sorted(axes))


def _count(x: jax.Array, axis: Axes) -> int:
    return math.prod(x.shape[a] for a in axis)


def _sum(x: jax.Array, axis: Axes, keepdims: bool) -> jax.Array:
    return jnp.sum(x, axis, dtype=x.dtype, keepdims=keepdims)


def _mean(x: jax.Array, axis: Axes, keepdims: bool) -> jax.Array:
    if x.dtype not in INTEGER:
        return jnp.mean(x, axis, keepdims=keepdims)  # float16 is summed in float32
    # A wide sum, so that the mean of small integers does not overflow.
    wide = jnp.uint64 if jnp.issubdtype(x.dtype, jnp.unsignedinteger) else jnp.int64
    total = jnp.sum(x, axis, dtype=wide, keepdims=keepdims)
    return lax.div(total, jnp.full_like(total, max(_count(x, axis), 1))).astype(x.dtype)


def _prod(x: jax.Array, axis: Axes, keepdims: bool) -> jax.Array:
    return jnp.prod(x, axis, dtype=x.dtype, keepdims=keepdims)


def _limit(dtype: np.dtype[Any], largest: bool) -> float:
    if dtype in INTEGER:
        return jnp.iinfo(dtype).max if largest else jnp.iinfo(dtype).min
    return jnp.inf if largest else -jnp.inf


def _max(x: jax.Array, axis: Axes, keepdims: bool) -> jax.Array:
    if _count(x, axis) == 0:
        return _of_nothing(x, axis, keepdims, _limit(x.dtype, largest=False))
    return jnp.max(x, axis, keepdims=keepdims)


def _min(x: jax.Array, axis: Axes, keepdims: bool) -> jax.Array:
    if _count(x, axis) == 0:
        return _of_nothing(x, axis, keepdims, _limit(x.dtype, largest=True))
    return jnp.min(x, axis, keepdims=keepdims)


def _of_nothing(x: jax.Array, axis: Axes, keepdims: bool, value: float) -> jax.Array:
    """`value` in the shape of a reduction; JAX has no extreme of an empty array."""
    kept = (1 if a in axis else d for a, d in enumerate(x.shape) if keepdims or a not in axis)
    return jnp.full(tuple(kept), value, x.dtype)


def _logsumexp(x: jax.Array, axis: Axes, keepdims: bool) -> jax.Array:
    top = _max(lax.stop_gradient(x), axis, keepdims=True)
    top = jnp.where(jnp.isfinite(top), top, jnp.zeros((), x.dtype))
    total = lax.log(_sum(lax.exp(x - top), axis, keepdims=True)) + top
    return total if keepdims else lax.squeeze(total, axis)


def _variance(x: jax.Array, axis: Axes, keepdims: bool) -> jax.Array:
    difference = x - _mean(x, axis, keepdims=True)
    return _mean(jnp.real(difference * jnp.conj(difference)), axis, keepdims)


def _std(x: jax.Array, axis: Axes, keepdims: bool) -> jax.Array:
    return lax.sqrt(_variance(x, axis, keepdims))


def _euclidean_norm(x: jax.Array, axis: Axes, keepdims: bool) -> jax.Array:
    total = _sum(x * jnp.conj(x), axis, keepdims)
    if x.dtype in INTEGER:
        return lax.sqrt(total.astype(jnp.float64)).astype(x.dtype)
    return lax.sqrt(total)


def _all(x: jax.Array, axis: Axes, keepdims: bool) -> jax.Array:
    return jnp.all(x, axis, keepdims=keepdims)


def _any(x: jax.Array, axis: Axes, keepdims: bool) -> jax.Array:
    return jnp.any(x, axis, keepdims=keepdims)


def _reduction(name: str, domain: Domain, function: Callable[..., Any], host: Any = None) -> Op:
    def on_host(x: np.ndarray, *, axis: Axes, keepdims: bool) -> Any:
        return host(x, axis=axis, keepdims=keepdims)

    def kernel(x: jax.Array, *, axis: Axes, keepdims: bool) -> jax.Array:
        domain.check(name, input_tensor=x)
        return function(x, axis, keepdims)

    kernel.__name__ = name
    return op(name=name, host=None if host is None else on_host)(kernel)


_sum_op = _reduction("Sum", NUMERIC, _sum, np.sum)
_mean_op = _reduction("Mean", NUMERIC, _mean)
_prod_op = _reduction("Prod", NUMERIC, _prod, np.prod)
_max_op = _reduction("Max", REAL, _max)
_min_op = _reduction("Min", REAL, _min)
_logsumexp_op = _reduction("LogSumExp", FLOATING, _logsumexp)
_variance_op = _reduction("Variance", INEXACT, _variance)
_std_op = _reduction("Std", INEXACT, _std)
_euclidean_norm_op = _reduction("EuclideanNorm", NUMERIC, _euclidean_norm)
_all_op = _reduction("All", BOOLEAN, _all)
_any_op = _reduction("Any", BOOLEAN, _any)


@op(name="CountNonzero", differentiable=False)
def _count_nonzero(x: jax.Array, *, axis: Axes, keepdims: bool, dtype: DType) -> jax.Array:
    ANY.check("CountNonzero", input=x)
    wanted = dtype.as_numpy_dtype
    return jnp.sum((x != 0).astype(wanted), axis, dtype=wanted, keepdims=keepdims)


@op(name="ZeroFraction", differentiable=False)
def _zero_fraction(x: jax.Array) -> jax.Array:
    zeros = jnp.sum((x == 0).astype(jnp.int64), dtype=jnp.int64)
    return zeros.astype(jnp.float32) / jnp.asarray(x.size, jnp.float32)


@op(name="L2Normalize")
def _l2_normalize(x: jax.Array, epsilon: jax.Array, *, axis: Axes) -> jax.Array:
    INEXACT.check("L2Normalize", x=x)
    total = _sum(jnp.real(x * jnp.conj(x)), axis, keepdims=True)
    return x * lax.rsqrt(larger(total, jnp.real(epsilon)))


def _reduce(reduction: Op, where: str, value: TensorLike, axis: Any, keepdims: bool) -> Tensor:
    tensor = value if type(value) is Tensor else convert_to_tensor(value)
    axes = read_axes(axis, len(tensor.spec.shape), where)
    return reduction(tensor, axis=axes, keepdims=bool(keepdims))


def reduce_sum(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The sum over `axis`.

    >>> tf.reduce_sum(tf.constant([[1., 2.], [3., 4.]]), axis=0).numpy()
    array([4., 6.], dtype=float32)
    """
    return _reduce(_sum_op, "tf.reduce_sum", input_tensor, axis, keepdims)


def reduce_mean(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean over `axis`; of integers an integer, rounded towards zero. NaN over nothing."""
    return _reduce(_mean_op, "tf.reduce_mean", input_tensor, axis, keepdims)


def reduce_prod(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The product over `axis`; its gradient is right at zeros too."""
    return _reduce(_prod_op, "tf.reduce_prod", input_tensor, axis, keepdims)


def reduce_max(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The largest element over `axis`, or NaN if there is one; the lowest number over nothing."""
    return _reduce(_max_op, "tf.reduce_max", input_tensor, axis, keepdims)


def reduce_min(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The smallest element over `axis`, or NaN if there is one; the highest number over nothing."""
    return _reduce(_min_op, "tf.reduce_min", input_tensor, axis, keepdims)


def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """log(sum(exp(x))) over `axis`, without overflow."""
    return _reduce(_logsumexp_op, "tf.reduce_logsumexp", input_tensor, axis, keepdims)


def reduce_variance(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The variance over `axis`, dividing by the number of elements; real-valued if complex.

    Raises:
        TypeError: the tensor holds integers.
    """
    tensor = _refuse_integers("tf.math.reduce_variance", input_tensor)
    return _reduce(_variance_op, "tf.math.reduce_variance", tensor, axis, keepdims)


def reduce_std(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The standard deviation over `axis`, dividing by the number of elements.

    Raises:
        TypeError: the tensor holds integers.
    """
    tensor = _refuse_integers("tf.math.reduce_std", input_tensor)
    return _reduce(_std_op, "tf.math.reduce_std", tensor, axis, keepdims)


def _refuse_integers(where: str, value: TensorLike) -> Tensor:
    tensor = convert_to_tensor(value)
    if tensor.dtype.is_integer:
        raise TypeError(
            f"{where} expected a floating-point or complex tensor; got input_tensor "
            f"{describe(tensor)}. Cast it with tf.cast(x, tf.float32)."
        )
    return tensor


def reduce_euclidean_norm(
    input_tensor: TensorLike, axis: int | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """sqrt(sum(|x|**2)) over `axis`, in the tensor's dtype; its gradient is NaN where it is 0."""
    return _reduce(_euclidean_norm_op, "tf.math.reduce_euclidean_norm", input_tensor, axis, keepdims)


def reduce_all(
    input_tensor: TensorLike,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Whether all elements over `axis` are true; true for no elements."""
    return _reduce(_all_op, "tf.reduce_all", _as_bools(input_tensor), axis, keepdims)


def reduce_any(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Whether any element over `axis` is true; false for no elements."""
    return _reduce(_any_op, "tf.reduce_any", _as_bools(input_tensor), axis, keepdims)


def _as_bools(value: TensorLike) -> Any:
    # An empty Python list has no dtype of its own.
    is_empty = isinstance(value, list) and not value
    return convert_to_tensor(value, dtype="bool") if is_empty else value


def count_nonzero(
    input: TensorLike,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = int64,
    name: str | None = None,
) -> Tensor:
    """The number of nonzero elements over `axis`; NaN counts as nonzero."""
    tensor = convert_to_tensor(input)
    axes = read_axes(axis, len(tensor.spec.shape), "tf.math.count_nonzero")
    return _count_nonzero(tensor, axis=axes, keepdims=bool(keepdims), dtype=as_dtype(dtype))


def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """The share of elements that are zero, a float32 scalar."""
    return _zero_fraction(value)


def l2_normalize(
    x: TensorLike,
    axis: int | Sequence[int] | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Sequence[int] | None = None,
) -> Tensor:
    """x / sqrt(max(sum(x**2), epsilon)), the sum over `axis`; `dim` is an older name of it."""
    tensor = convert_to_tensor(x)
    where = "tf.math.l2_normalize"
    axes = read_axes(dim if axis is None else axis, len(tensor.spec.shape), where)
    return _l2_normalize(tensor, epsilon, axis=axes)
