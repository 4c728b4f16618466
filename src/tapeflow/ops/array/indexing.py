"""Reading elements at given places, and finding places: gather, slice, where, searchsorted.

Indices are inputs of a program, so other indices are the same program. JAX would clamp an index
out of range; TensorFlow on CPU raises, and so does this: at the call when the host knows the
indices, else when the program runs. So each op exists twice: for indices that have been looked at,
and for those the program must check.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording import checks
from tapeflow.engine.recording.checks import index_check
from tapeflow.engine.recording.op import op
from tapeflow.engine.recording.recorder import effect
from tapeflow.engine.recording.trace import is_staging, live_trace
from tapeflow.engine.values import dtypes
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.index_checks import check_places, ignores_bad_indices, looking_at, nd_check
from tapeflow.ops.host_args import (
    describe,
    index_tensor,
    invalid,
    known_value,
    read_axis,
    read_int,
    read_ints,
    read_value,
    same_dtype,
)


def _gather(params: jax.Array, indices: jax.Array, *, axis: int, batch_dims: int) -> jax.Array:
    def rows(params: jax.Array, indices: jax.Array) -> Any:
        return jnp.take(params, indices, axis=axis - batch_dims, mode="clip")

    for _ in range(batch_dims):
        rows = jax.vmap(rows)
    return rows(params, indices)


def _host_gather(
    params: jax.Array | np.ndarray, indices: jax.Array | np.ndarray, *, axis: int, batch_dims: int
) -> np.ndarray:
    if batch_dims:
        pairs = zip(params, indices, strict=True)
        return np.array([_host_gather(*p, axis=axis - 1, batch_dims=batch_dims - 1) for p in pairs])
    return np.take(params, indices, axis=axis)


_gather_known = op(name="GatherV2", same_dtype=False, moves=True, host=_host_gather)(_gather)
_gather_checked = op(
    name="GatherV2",
    same_dtype=False,
    moves=True,
    check=index_check(1, lambda arrays, statics: arrays[0].shape[statics["axis"]]),
    check_text="tf.gather: indices = {value} is not in [0, {limit}).",
)(_gather)


def _gather_nd(params: jax.Array, indices: jax.Array, *, batch_dims: int, fill: bool) -> jax.Array:
    def elements(params: jax.Array, indices: jax.Array) -> jax.Array:
        if not indices.shape[-1]:  # each place is the whole of params
            return jnp.broadcast_to(params, (*indices.shape[:-1], *params.shape))
        place = tuple([indices[..., i] for i in range(indices.shape[-1])])
        at = jnp.asarray(params).at[place]
        if fill:
            return at.get(mode="fill", fill_value=0, wrap_negative_indices=False)
        return at.get(mode="clip", wrap_negative_indices=False)

    for _ in range(batch_dims):
        elements = jax.vmap(elements)
    return elements(params, indices)


@looking_at(1)
def _gather_nd_check(
    xp: ModuleType, params: jax.Array, indices: jax.Array, *, batch_dims: int, fill: bool
) -> Any:
    del fill
    return nd_check(xp, params.shape[batch_dims:][: indices.shape[-1]], indices)


_gather_nd_known = op(name="GatherNd", same_dtype=False, moves=True)(_gather_nd)
_gather_nd_checked = op(
    name="GatherNd",
    same_dtype=False,
    moves=True,
    check=_gather_nd_check,
    check_text="tf.gather_nd expected every index in [0, {limit}) of its axis; got {value}.",
)(_gather_nd)


@op(name="SelectV2", same_dtype=False, moves=True)
def select_kernel(condition: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    """`x` where `condition` holds, else `y`."""
    return jnp.where(condition, x, y)


def _slice(x: jax.Array, begin: jax.Array, *, size: tuple[int, ...]) -> jax.Array:
    starts = [begin[i].astype(jnp.int32) for i in range(len(size))]
    return jax.lax.dynamic_slice(x, starts, size, allow_negative_indices=False)


@looking_at(1)
def _slice_check(xp: ModuleType, x: jax.Array, begin: jax.Array, *, size: tuple[int, ...]) -> Any:
    return nd_check(xp, tuple([d - s + 1 for d, s in zip(x.shape, size, strict=True)]), begin)


_slice_known = op(name="Slice", same_dtype=False, moves=True)(_slice)
_slice_checked = op(
    name="Slice",
    same_dtype=False,
    moves=True,
    check=_slice_check,
    check_text="tf.slice expected every begin in [0, {limit}) for its size; got begin={value}.",
)(_slice)


@op(name="SearchSorted", differentiable=False)
def searchsorted_kernel(sequence: jax.Array, values: jax.Array, *, side: str, dtype: Any) -> jax.Array:
    """Where each value would be put into a sorted row."""

    def search(sequence: jax.Array, values: jax.Array) -> jax.Array:
        return jnp.searchsorted(sequence, values, side=side).astype(dtype.as_numpy_dtype)

    rows = (math.prod(sequence.shape[:-1]), sequence.shape[-1])
    found = jax.vmap(search)(jnp.reshape(sequence, rows), jnp.reshape(values, (rows[0], values.shape[-1])))
    return jnp.reshape(found, values.shape)


def take(params: Tensor, indices: np.ndarray, axis: int) -> Tensor:
    """Elements of `params` at indices the host has found; for ops whose shape depends on data."""
    return _gather_known(params, indices, axis=axis, batch_dims=0)


def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: Any = None,
    axis: TensorLike | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """Slices of `params` along `axis` at `indices`.

    Args:
        params: where to read.
        indices: integers in `[0, params.shape[axis])`, of any shape; it takes the place of `axis`.
        validate_indices: ignored, as in TensorFlow: indices are always checked.
        axis: the axis to read along; `batch_dims` if not given.
        batch_dims: so many leading axes are common to `params` and `indices`.

    >>> tf.gather([10, 20, 30], [2, 0])
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([30, 10], dtype=int32)>
    """
    del validate_indices, name
    params, indices = convert_to_tensor(params), index_tensor(indices, "tf.gather")
    dims, rank = params.spec.shape, len(params.spec.shape)
    batch = read_int(batch_dims, "tf.gather", "batch_dims")
    batch += len(indices.spec.shape) if batch < 0 else 0
    at = read_axis(batch if axis is None else axis, rank, "tf.gather")
    if not 0 <= batch <= min(at, len(indices.spec.shape)) or (dims[:batch] != indices.spec.shape[:batch]):
        raise invalid(
            "tf.gather expected batch_dims leading axes common to params and indices, before "
            f"axis; got batch_dims={batch_dims}, axis={at}, params {describe(params)} and indices "
            f"{describe(indices)}. Check that their first axes have the same sizes."
        )
    known = known_value(indices)
    is_bad = known is not None and known.size and not (known.min() >= 0 and known.max() < dims[at])
    if known is None:
        return _gather_checked(params, indices, axis=at, batch_dims=batch)
    if is_bad and is_staging() and not live_trace().is_body:
        found = _gather_checked(params, indices, axis=at, batch_dims=batch)
        effect(checks.settle)  # the call raises, unless the function does not use the result
        return found
    if is_bad:
        bad = np.argwhere((known < 0) | (known >= dims[at]))[0]
        place = f"[{','.join(map(str, bad))}]" if known.ndim else ""
        raise invalid(
            f"tf.gather expected indices within axis {at} of params {describe(params)}; got "
            f"indices{place} = {known[tuple(bad)]} is not in [0, {dims[at]}). "
            "Negative indices do not count from the end here."
        )
    return _gather_known(params, indices, axis=at, batch_dims=batch)


def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """Elements or slices of `params` at rows of indices, one for each leading axis.

    Args:
        params: where to read.
        indices: the last axis holds one place in the leading axes of `params`.
        batch_dims: so many leading axes are common to `params` and `indices`.
        bad_indices_policy: "IGNORE" gives zeros for places out of range; otherwise they raise.
    """
    del name
    where = "tf.gather_nd"
    params, indices = convert_to_tensor(params), index_tensor(indices, where)
    fill = ignores_bad_indices(bad_indices_policy, where)
    dims, places = params.spec.shape, indices.spec.shape
    batch = read_int(batch_dims, where, "batch_dims")
    if batch and not 0 <= batch < len(places):
        raise ValueError(
            f"{where} expected batch_dims below the rank of indices; got batch_dims={batch} and "
            f"indices {describe(indices)}. The last axis of indices is the place itself."
        )
    if not places or places[-1] > len(dims) - batch or dims[:batch] != places[:batch]:
        raise invalid(
            f"{where} expected indices whose last axis holds at most {len(dims) - batch} numbers "
            f"and whose first {batch} axes are those of params; got indices {describe(indices)} "
            f"for params {describe(params)}. Each row of indices names one place."
        )
    known = known_value(indices)
    if known is None and not fill:
        return _gather_nd_checked(params, indices, batch_dims=batch, fill=False)
    if known is not None and not fill:
        check_places(known, dims[batch:], where, "params")
    return _gather_nd_known(params, indices, batch_dims=batch, fill=fill)


def where(condition: Any, x: Any = None, y: TensorLike | None = None, name: str | None = None) -> Tensor:
    """`x` where `condition` holds, else `y`; without them, the places where it holds.

    The three broadcast against each other. With one argument the shape of the result depends on the
    values, so the condition is run at once.

    >>> tf.where([True, False, True], [1, 2, 3], 0)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 0, 3], dtype=int32)>
    """
    del name
    if x is None and y is None:
        condition = convert_to_tensor(condition)
        if not condition.spec.shape:
            raise invalid(
                "tf.where expected a condition of rank 1 or more, without x and y; got a scalar "
                f"{describe(condition)}. Reshape it to [1] first."
            )
        return convert_to_tensor(np.argwhere(read_value(condition)).astype(np.int64))
    if x is None or y is None:
        raise ValueError(
            "tf.where expected x and y, or neither: x and y must both be non-None or both be None; "
            f"got x={x!r} and y={y!r}. Pass both to choose between them."
        )
    condition = convert_to_tensor(condition, dtypes.bool if _is_empty(condition) else None)
    if not condition.spec.dtype.is_bool:
        raise TypeError(
            f"tf.where expected a boolean condition; got one {describe(condition)}. "
            "Compare it first, as in `condition != 0`."
        )
    x, y = same_dtype("SelectV2", x, y)
    try:
        np.broadcast_shapes(condition.spec.shape, x.spec.shape, y.spec.shape)
    except ValueError:
        raise invalid(
            "tf.where expected condition, x and y that must be broadcastable; got condition "
            f"{describe(condition)}, x {describe(x)} and y {describe(y)}. Add axes of size 1 to "
            "align them."
        ) from None
    return select_kernel(condition, x, y)


def _is_empty(value: TensorLike | None) -> bool:
    """Whether it is a list that says nothing of its dtype."""
    return isinstance(value, (list, tuple)) and not value


def slice(
    input_: TensorLike, begin: TensorLike, size: Sequence[Any] | None, name: str | None = None
) -> Tensor:
    """A box of `input_`: `size[i]` elements of axis `i`, from `begin[i]`; -1 means up to the end.

    `begin` may be a tensor that has no value yet, as long as no size is -1.
    """
    del name
    input_ = convert_to_tensor(input_)
    dims = input_.spec.shape
    lengths = read_ints(size, "tf.slice", "size")
    start = index_tensor(begin, "tf.slice", "begin")
    if len(lengths) != len(dims) or start.spec.shape != (len(dims),):
        raise invalid(
            f"tf.slice expected one begin and one size for each of {len(dims)} axes; got begin "
            f"{describe(start)} and size={list(lengths)} for a tensor {describe(input_)}. "
            "Use 0 and -1 for an axis to keep whole."
        )
    known = known_value(start)
    if known is None and -1 in lengths:
        known = read_value(start)
    if known is None:
        if any(not 0 <= s <= d for s, d in zip(lengths, dims, strict=True)):
            raise invalid(_slice_message(["?"] * len(dims), lengths, input_))
        return _slice_checked(input_, start, size=lengths)
    starts = known.tolist()
    full = tuple([d - b if s == -1 else s for d, b, s in zip(dims, starts, lengths, strict=True)])
    if any(b < 0 or s < 0 or b + s > d for d, b, s in zip(dims, starts, full, strict=True)):
        raise invalid(_slice_message(starts, lengths, input_))
    return _slice_known(input_, known, size=full)


def _slice_message(begin: list[Any], size: tuple[int, ...], input_: Tensor) -> str:
    return (
        f"tf.slice expected begin and begin + size within each axis; got begin={begin}, "
        f"size={list(size)} for a tensor {describe(input_)}. Use a size of -1 for up to the end."
    )


def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The index at which each of `values` would be inserted to keep its row sorted.

    Args:
        sorted_sequence: rows in ascending order along the last axis.
        values: what to look for, with the same leading axes.
        side: before ("left") or after ("right") equal elements.
        out_type: the dtype of the result.
    """
    del name
    if side not in ("left", "right"):
        raise ValueError(
            f"tf.searchsorted expected side to be 'left' or 'right'; got side={side!r}. "
            "'right' counts equal elements too."
        )
    sequence, values = same_dtype("SearchSorted", sorted_sequence, values)
    if (
        not sequence.spec.shape
        or sequence.spec.shape[:-1] != values.spec.shape[:-1]
        or (not values.spec.shape)
    ):
        raise invalid(
            "tf.searchsorted expected values with the leading axes of the sequence; got "
            f"sorted_sequence {describe(sequence)} and values {describe(values)}. "
            "Pass values of rank 1 or more, one row for each row of the sequence."
        )
    return searchsorted_kernel(sequence, values, side=side, dtype=as_dtype(out_type))


def unravel_index(indices: TensorLike, dims: TensorLike, name: str | None = None) -> Tensor:
    """Flat indices as coordinates in an array of shape `dims`, one row for each axis."""
    del name
    indices = index_tensor(indices, "tf.unravel_index")
    shape = read_ints(dims, "tf.unravel_index", "dims")
    return unravel_kernel(indices, dims=shape)


@op(
    name="UnravelIndex",
    check=index_check(0, lambda arrays, statics: math.prod(statics["dims"])),
    check_text="tf.unravel_index expected every index in [0, {limit}); got {value}.",
)
def unravel_kernel(indices: jax.Array, *, dims: tuple[int, ...]) -> jax.Array:
    """Flat indices taken apart, the last axis first."""
    rows = []
    for size in reversed(dims):
        rows.append(indices % jnp.asarray(size, indices.dtype))
        indices = indices // jnp.asarray(size, indices.dtype)
    return jnp.stack(rows[::-1])


@looking_at(0)
def _permutation_check(xp: ModuleType, x: jax.Array | np.ndarray) -> jax.Array | np.ndarray:
    if x.size == 0:
        return xp.zeros((3,), xp.int64)
    found = xp.sort(x.astype(xp.int64))
    bad = found != xp.arange(x.size, dtype=xp.int64)
    return xp.stack([xp.any(bad).astype(xp.int64), found[xp.argmax(bad)], xp.asarray(x.size, xp.int64)])


@op(
    name="InvertPermutation",
    check=_permutation_check,
    check_text="tf.math.invert_permutation expected each number in [0, {limit}) once; got {value}, "
    "which is duplicated or out of range.",
)
def invert_permutation_kernel(x: jax.Array) -> jax.Array:
    """Where each number stands."""
    return jnp.argsort(x).astype(x.dtype)


def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """The permutation that undoes `x`: element `x[i]` of the result is `i`."""
    del name
    x = index_tensor(x, "tf.math.invert_permutation", "x")
    if len(x.spec.shape) != 1:
        raise invalid(f"tf.math.invert_permutation expected a vector; got x {describe(x)}. Pass a flat list.")
    return invert_permutation_kernel(x)
