"""Writing elements at given places: scatter_nd and the tensor_scatter_nd family.

Indices are inputs of the program and are checked as in `tapeflow.ops.array.indexing`. A place named twice
takes both updates, or, where the last one counts, gives its gradient to that one alone.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import Op, op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.index_checks import check_places, ignores_bad_indices, looking_at, nd_check
from tapeflow.ops.host_args import (
    describe,
    index_tensor,
    invalid,
    known_value,
    read_shape,
    same_dtype,
)


def _scatter(tensor: jax.Array, updates: jax.Array, indices: jax.Array, *, how: str) -> jax.Array:
    """`tensor` with `updates` put in at rows of `indices`; places out of range are skipped."""
    if how == "sub":
        how, updates = "add", -updates
    if how == "add" and updates.dtype == jnp.bool_:
        how = "max"
    if how in ("max", "min"):
        return _extreme(tensor, updates, indices, how)
    return getattr(_at(tensor, indices), how)(updates, mode="drop", wrap_negative_indices=False)


def _at(tensor: jax.Array, indices: jax.Array) -> Any:
    return jnp.asarray(tensor).at[tuple([indices[..., i] for i in range(indices.shape[-1])])]


@functools.partial(jax.custom_jvp, nondiff_argnums=(3,))
def _extreme(tensor: jax.Array, updates: jax.Array, indices: jax.Array, how: str) -> jax.Array:
    return getattr(_at(tensor, indices), how)(updates, mode="drop", wrap_negative_indices=False)


@_extreme.defjvp
def _extreme_jvp(
    how: str, primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    """JAX has no rule for it. As in TensorFlow, those who share the extreme share its gradient."""
    tensor, updates, indices = primals
    result = _extreme(tensor, updates, indices, how)
    found = _at(result, indices).get(mode="clip", wrap_negative_indices=False)
    is_kept, is_taken = tensor == result, updates == found
    sharing = _scatter(is_kept.astype(tensor.dtype), is_taken.astype(tensor.dtype), indices, how="add")
    share = 1 / jnp.maximum(sharing, 1)
    kept = jnp.where(is_kept, tangents[0] * share, jnp.zeros((), tensor.dtype))
    taken = tangents[1] * _at(share, indices).get(mode="clip", wrap_negative_indices=False)
    taken = jnp.where(is_taken, taken, jnp.zeros((), tensor.dtype))
    return result, _scatter(kept, taken, indices, how="add")


def _scatter_zeros(updates: jax.Array, indices: jax.Array, *, shape: tuple[int, ...]) -> jax.Array:
    return _scatter(jnp.zeros(shape, updates.dtype), updates, indices, how="add")


def _pair(name: str, where: str, kernel: Callable[..., Any], check: Callable[..., Any]) -> tuple[Op, Op]:
    """The same op for indices that have been looked at, and for those the program must check."""
    text = f"{where} expected every index in [0, {{limit}}) of its axis; got {{value}}."
    return (
        op(name=name, same_dtype=False)(kernel),
        op(name=name, same_dtype=False, check=check, check_text=text)(kernel),
    )


@looking_at(2)
def _check_scatter(
    xp: ModuleType, tensor: jax.Array, updates: jax.Array, indices: jax.Array, *, how: str
) -> Any:
    del updates, how
    return nd_check(xp, tensor.shape[: indices.shape[-1]], indices)


@looking_at(1)
def _check_zeros(xp: ModuleType, updates: jax.Array, indices: jax.Array, *, shape: tuple[int, ...]) -> Any:
    del updates
    return nd_check(xp, shape[: indices.shape[-1]], indices)


_scatter_known, _scatter_checked = _pair("TensorScatter", "tf.tensor_scatter_nd", _scatter, _check_scatter)
_zeros_known, _zeros_checked = _pair("ScatterNd", "tf.scatter_nd", _scatter_zeros, _check_zeros)


def scatter_nd(
    indices: TensorLike,
    updates: TensorLike,
    shape: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Zeros of `shape` with `updates` added at rows of `indices`.

    >>> tf.scatter_nd([[1], [3], [1]], [9, 10, 1], [5]).numpy()
    array([ 0, 10,  0, 10,  0], dtype=int32)
    """
    del name
    where = "tf.scatter_nd"
    indices, updates = index_tensor(indices, where), convert_to_tensor(updates)
    dims = read_shape(shape, where)
    is_sure = _is_sure(indices, updates, dims, bad_indices_policy, where)
    return (_zeros_known if is_sure else _zeros_checked)(updates, indices, shape=dims)


def _is_sure(indices: Tensor, updates: Tensor, dims: tuple[int, ...], policy: str, where: str) -> bool:
    """Check shapes, and the indices if the host has them; whether no later check is needed."""
    places = indices.spec.shape
    depth = places[-1] if places else 0
    if (
        not updates.spec.shape
        or not places
        or depth > len(dims)
        or updates.spec.shape != (*places[:-1], *dims[depth:])
    ):
        raise invalid(
            f"{where} expected updates of shape indices.shape[:-1] + shape[{depth}:]; got updates "
            f"{describe(updates)}, indices {describe(indices)} and shape {list(dims)}. "
            "Each row of indices names one place, of at most as many axes as there are."
        )
    if ignores_bad_indices(policy, where):
        return True
    known = known_value(indices)
    if known is not None:
        check_places(np.asarray(known), dims, where, "the tensor")
    return known is not None


def _tensor_scatter(
    how: str, tensor: TensorLike, indices: TensorLike, updates: TensorLike, policy: str, where: str
) -> Tensor:
    tensor, updates = same_dtype(where.removeprefix("tf."), tensor, updates)
    indices = index_tensor(indices, where)
    is_sure = _is_sure(indices, updates, tensor.spec.shape, policy, where)
    return (_scatter_known if is_sure else _scatter_checked)(tensor, updates, indices, how=how)


def tensor_scatter_nd_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """A copy of `tensor` with `updates` written at `indices`; of duplicates, the last one counts.

    >>> tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [8, 9]).numpy()
    array([8, 2, 9], dtype=int32)
    """
    del name
    return _tensor_scatter("set", tensor, indices, updates, "", "tf.tensor_scatter_nd_update")


def tensor_scatter_nd_add(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """`tensor` with `updates` added at rows of `indices`."""
    del name
    return _tensor_scatter("add", tensor, indices, updates, bad_indices_policy, "tf.tensor_scatter_nd_add")


def tensor_scatter_nd_sub(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """`tensor` with `updates` subtracted at rows of `indices`."""
    del name
    return _tensor_scatter("sub", tensor, indices, updates, bad_indices_policy, "tf.tensor_scatter_nd_sub")


def tensor_scatter_nd_max(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """`tensor`, raised to `updates` at rows of `indices` where those are larger."""
    del name
    return _tensor_scatter("max", tensor, indices, updates, bad_indices_policy, "tf.tensor_scatter_nd_max")


def tensor_scatter_nd_min(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """`tensor`, lowered to `updates` at rows of `indices` where those are smaller."""
    del name
    return _tensor_scatter("min", tensor, indices, updates, bad_indices_policy, "tf.tensor_scatter_nd_min")
