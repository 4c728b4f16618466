"""Norms of vectors and matrices, and division by them.

A Euclidean norm has no derivative at 0; as in TensorFlow its gradient there is NaN, while those of
the 1-norm and the maximum norm are 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import INEXACT, NUMERIC
from tapeflow.ops.host_args import read_axis

lax = jax.lax
Axes = tuple[int, ...]
_MATRIX_ORDERS = ("euclidean", "fro", 1, 2, np.inf)


def _size(x: jax.Array) -> jax.Array:
    """|x|, with a slope of 0 at 0."""
    is_complex = jnp.issubdtype(x.dtype, jnp.complexfloating)
    return jnp.abs(x) if is_complex else x * lax.sign(x)


def _euclidean(x: jax.Array, axes: Axes) -> jax.Array:
    return lax.sqrt(jnp.sum(x * jnp.conj(x), axes, keepdims=True, dtype=x.dtype))


def _vector_norm(x: jax.Array, order: Any, axes: Axes) -> jax.Array:
    if order == 1:
        size = _size(x)
        return jnp.sum(size, axes, keepdims=True, dtype=size.dtype)
    if order == np.inf:
        return jnp.max(_size(x), axes, keepdims=True)
    INEXACT.check("Norm", tensor=x)
    if order in ("euclidean", 2):
        return _euclidean(x, axes)
    return jnp.sum(_size(x) ** order, axes, keepdims=True) ** (1 / order)


def _matrix_norm(x: jax.Array, order: Any, axes: Axes) -> jax.Array:
    rows, columns = axes
    if order == 1 or order == np.inf:
        summed, compared = (rows, columns) if order == 1 else (columns, rows)
        size = _size(x)
        total = jnp.sum(size, summed, keepdims=True, dtype=size.dtype)
        return jnp.max(total, compared, keepdims=True)
    INEXACT.check("Norm", tensor=x)
    if order in ("euclidean", "fro"):
        return _euclidean(x, axes)
    stack = jnp.moveaxis(x, axes, (-2, -1))
    # The largest by comparison, not by position: equal singular values then share the gradient.
    largest = jnp.max(lax.linalg.svd(stack, compute_uv=False), -1)
    return jnp.expand_dims(largest, axes)


def _norm_array(x: jax.Array, order: Any, axis: int | Axes | None) -> jax.Array:
    """The norm with the reduced axes kept."""
    if isinstance(axis, tuple):
        return _matrix_norm(x, order, axis)
    return _vector_norm(x, order, tuple(range(x.ndim)) if axis is None else (axis,))


@op(name="Norm")
def _norm(x: jax.Array, *, order: Any, axis: int | Axes | None, keepdims: bool) -> jax.Array:
    NUMERIC.check("Norm", tensor=x)
    size = _norm_array(x, order, axis)
    if keepdims:
        return size
    return lax.squeeze(size, tuple(range(x.ndim)) if axis is None else _as_tuple(axis))


@op(name="Normalize")
def _normalize(x: jax.Array, *, order: Any, axis: int | Axes | None) -> tuple[jax.Array, jax.Array]:
    INEXACT.check("Normalize", tensor=x)
    size = _norm_array(x, order, axis).astype(x.dtype)
    return x / size, size


def _as_tuple(axis: int | Axes) -> Axes:
    return axis if isinstance(axis, tuple) else (axis,)


def _read_axis(where: str, rank: int, axis: Any) -> int | Axes | None:
    if axis is None:
        return None
    if not isinstance(axis, (list, tuple)):
        return read_axis(axis, rank, where)
    pair = tuple(read_axis(one, rank, where) for one in axis) if len(axis) == 2 else ()
    if len(set(pair)) != 2:
        raise ValueError(
            f"{where} expected axis to be None, an integer, or a tuple of 2 unique integers; got "
            f"axis={axis!r} for a tensor of rank {rank}."
        )
    return pair


def _read_order(where: str, ord: Any, is_matrix: bool) -> Any:
    if is_matrix and ord not in _MATRIX_ORDERS:
        raise ValueError(
            f"{where} expected ord to be a supported matrix norm, one of {list(_MATRIX_ORDERS)}; "
            f"got ord={ord!r}."
        )
    if not is_matrix and not (ord == "euclidean" or _is_positive(ord)):
        raise ValueError(
            f"{where} expected ord to be a supported vector norm, 'euclidean' or a positive "
            f"number; got ord={ord!r}. For a matrix norm give two axes, as in axis=(-2, -1)."
        )
    return ord if isinstance(ord, str) else float(ord)


def _is_positive(value: object) -> bool:
    return isinstance(value, (int, float, np.number)) and bool(value > 0)


def norm(
    tensor: TensorLike,
    ord: TensorLike | None = "euclidean",
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """The norm of a vector or matrix.

    Args:
        tensor: a number tensor.
        ord: 'euclidean', a positive number p for a vector's p-norm, `np.inf` for the largest
            magnitude; for matrices 'euclidean' or 'fro', 1, 2 (the largest singular value) or
            `np.inf`.
        axis: None for one vector of all elements, an int for vectors, two ints for matrices.
        keepdims: keep the reduced axes with length 1.
        name: ignored.

    >>> tf.norm([3.0, 4.0]).numpy()
    np.float32(5.0)
    """
    x = convert_to_tensor(tensor)
    axes = _read_axis("tf.norm", len(x.spec.shape), axis)
    order = _read_order("tf.norm", ord, isinstance(axes, tuple))
    return _norm(x, order=order, axis=axes, keepdims=bool(keepdims))


def normalize(
    tensor: TensorLike, ord: TensorLike = "euclidean", axis: int | None = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """A tensor divided by its norm, and the norm with the reduced axes kept."""
    x = convert_to_tensor(tensor)
    axes = _read_axis("tf.linalg.normalize", len(x.spec.shape), axis)
    order = _read_order("tf.linalg.normalize", ord, isinstance(axes, tuple))
    return _normalize(x, order=order, axis=axes)
