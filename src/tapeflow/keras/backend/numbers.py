"""Arithmetic, comparisons, reductions and products."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras import config
from tapeflow.keras.annotations import AxisLike


def _as_number(x: TensorLike) -> Any:
    """Truth values count as 0 and 1."""
    return tf.cast(x, config.floatx()) if getattr(x, "dtype", None) == tf.bool else x


def max(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The largest element."""
    return tf.reduce_max(x, axis, keepdims)


def min(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The smallest element."""
    return tf.reduce_min(x, axis, keepdims)


def sum(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The sum."""
    return tf.reduce_sum(x, axis, keepdims)


def prod(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The product."""
    return tf.reduce_prod(x, axis, keepdims)


def mean(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The mean; of truth values, the share that is true."""
    return tf.reduce_mean(_as_number(x), axis, keepdims)


def var(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The variance."""
    return tf.math.reduce_variance(_as_number(x), axis, keepdims)


def std(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The standard deviation."""
    return tf.math.reduce_std(_as_number(x), axis, keepdims)


def any(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Whether one element is true, or not 0."""
    return tf.reduce_any(tf.cast(x, tf.bool), axis, keepdims)


def all(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Whether all elements are true, or not 0."""
    return tf.reduce_all(tf.cast(x, tf.bool), axis, keepdims)


def argmax(x: TensorLike, axis: int | Sequence[int] = -1) -> Tensor:
    """The index of the largest element."""
    return tf.argmax(x, axis)


def argmin(x: TensorLike, axis: int | Sequence[int] = -1) -> Tensor:
    """The index of the smallest element."""
    return tf.argmin(x, axis)


def logsumexp(x: TensorLike, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """log(sum(exp(x))), without overflow."""
    return tf.reduce_logsumexp(x, axis, keepdims)


def cumsum(x: TensorLike, axis: int | Sequence[int] = 0) -> Tensor:
    """Sums of all elements up to each."""
    return tf.cumsum(x, axis)


def cumprod(x: TensorLike, axis: AxisLike = 0) -> Tensor:
    """Products of all elements up to each."""
    return tf.math.cumprod(x, axis)


def square(x: TensorLike) -> Tensor:
    """x²."""
    return tf.square(x)


def abs(x: TensorLike) -> Tensor:
    """The size of x."""
    return tf.abs(x)


def sqrt(x: TensorLike) -> Tensor:
    """The square root; of negative numbers, 0."""
    return tf.sqrt(tf.maximum(x, 0.0))


def exp(x: TensorLike) -> Tensor:
    """The exponential."""
    return tf.exp(x)


def log(x: TensorLike) -> Tensor:
    """The natural logarithm."""
    return tf.math.log(x)


def round(x: TensorLike) -> Tensor:
    """The nearest integer; of two, the even one."""
    return tf.round(x)


def sign(x: TensorLike) -> Tensor:
    """-1, 0 or 1."""
    return tf.sign(x)


def pow(x: TensorLike, a: TensorLike) -> Tensor:
    """x to the power `a`."""
    return tf.pow(x, a)


def sin(x: TensorLike) -> Tensor:
    """The sine."""
    return tf.sin(x)


def cos(x: TensorLike) -> Tensor:
    """The cosine."""
    return tf.cos(x)


def clip(x: TensorLike, min_value: Any, max_value: TensorLike) -> Tensor:
    """x, between the two values; `None` is no bound."""
    if isinstance(min_value, (int, float)) and isinstance(max_value, (int, float)):
        max_value = np.maximum(min_value, max_value)
    low = -np.inf if min_value is None else min_value
    high = np.inf if max_value is None else max_value
    return tf.clip_by_value(x, low, high)


def equal(x: TensorLike, y: TensorLike) -> Tensor:
    """x == y, element by element."""
    return tf.equal(x, y)


def not_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """x != y, element by element."""
    return tf.not_equal(x, y)


def greater(x: TensorLike, y: TensorLike) -> Tensor:
    """x > y, element by element."""
    return tf.greater(x, y)


def greater_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """x >= y, element by element."""
    return tf.greater_equal(x, y)


def less(x: TensorLike, y: TensorLike) -> Tensor:
    """x < y, element by element."""
    return tf.less(x, y)


def less_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """x <= y, element by element."""
    return tf.less_equal(x, y)


def maximum(x: TensorLike, y: TensorLike) -> Tensor:
    """The larger of each two elements."""
    return tf.maximum(x, y)


def minimum(x: TensorLike, y: TensorLike) -> Tensor:
    """The smaller of each two elements."""
    return tf.minimum(x, y)


def dot(x: Tensor, y: Variable) -> Tensor:
    """The matrix product; over more axes, of the last axis of `x` with the last but one of `y`."""
    if len(x.shape) <= 2 and len(y.shape) <= 2:
        return tf.matmul(x, y)
    return tf.tensordot(x, y, [[len(x.shape) - 1], [len(y.shape) - 2]])


def batch_dot(x: Any, y: Any, axes: Any = None) -> Tensor:
    """The product of each sample of `x` with the same sample of `y`, over one axis of each.

    Args:
        x: a tensor of at least two axes, the first for samples.
        y: another.
        axes: the axis of each to sum over; by default the last of `x` and the last but one of `y`, or its
            last if it has two.

    Returns:
        The remaining axes of `x`, then those of `y`; at least two axes.
    """
    x_rank, y_rank = len(x.shape), len(y.shape)
    shapes = f"{tuple(x.shape)} and {tuple(y.shape)}"
    if x_rank < 2 or y_rank < 2:
        raise ValueError(
            f"Cannot do batch_dot on inputs with rank < 2. Received inputs with shapes {shapes}."
        )
    if None not in (x.shape[0], y.shape[0]) and x.shape[0] != y.shape[0]:
        raise ValueError(
            f"Cannot do batch_dot on inputs with different batch sizes. Received inputs with shapes {shapes}."
        )
    if axes is None:
        axes = (x_rank - 1, y_rank - 1 if y_rank == 2 else y_rank - 2)
    pair = (axes, axes) if isinstance(axes, int) else tuple(axes)
    if not (len(pair) == 2 and isinstance(pair[0], int) and isinstance(pair[1], int)):
        raise ValueError(
            f"Multiple target dimensions are not supported. Expected: None, int, (int, int), Provided: {axes}"
        )
    x_axis, y_axis = pair[0] % x_rank, pair[1] % y_rank
    if 0 in (x_axis, y_axis):
        raise ValueError(
            "Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy batch "
            "dimension to your inputs using K.expand_dims(x, 0)"
        )
    sizes = (x.shape[x_axis], y.shape[y_axis])
    if None not in sizes and sizes[0] != sizes[1]:
        raise ValueError(
            f"Cannot do batch_dot on inputs with shapes {shapes} with axes={[x_axis, y_axis]}. "
            f"x.shape[{x_axis}] != y.shape[{y_axis}] ({sizes[0]} != {sizes[1]})."
        )
    letters = string.ascii_lowercase
    x_letters = list(letters[:x_rank])
    y_letters = [letters[0], *letters[x_rank : x_rank + y_rank - 1]]
    y_letters[y_axis] = x_letters[x_axis]
    kept = [letter for letter in x_letters if letter != x_letters[x_axis]]
    kept += [letter for letter in y_letters[1:] if letter != x_letters[x_axis]]
    product = tf.einsum(f"{''.join(x_letters)},{''.join(y_letters)}->{''.join(kept)}", x, y)
    return tf.expand_dims(product, 1) if len(kept) == 1 else product
