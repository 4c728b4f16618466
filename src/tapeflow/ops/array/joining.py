"""Putting tensors together and taking them apart: concat, stack, unstack, split, meshgrid."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.shaping import broadcast_kernel, identity_kernel, reshape_kernel
from tapeflow.ops.host_args import (
    axis_message,
    describe,
    invalid,
    known_value,
    read_axis,
    read_int,
    read_ints,
    same_dtype,
)


@op(name="ConcatV2", host=lambda *xs, axis: np.concatenate(xs, axis), moves=True)
def concat_kernel(*xs: jax.Array, axis: int) -> jax.Array:
    """Tensors one after the other along an axis they have."""
    return jnp.concatenate(xs, axis)


@op(name="Pack", host=lambda *xs, axis: np.stack(xs, axis), moves=True)
def stack_kernel(*xs: jax.Array, axis: int) -> jax.Array:
    """Tensors side by side along a new axis."""
    return jnp.stack(xs, axis)


@op(name="Unpack", moves=True)
def unstack_kernel(x: jax.Array, *, axis: int) -> tuple[jax.Array, ...]:
    """The slices of `x` along an axis."""
    return tuple(
        jax.lax.index_in_dim(x, i, axis, keepdims=False)  # static, so that each is a plain slice
        for i in range(x.shape[axis])
    )


@op(name="Split", moves=True)
def split_kernel(x: jax.Array, *, sizes: tuple[int, ...], axis: int) -> tuple[jax.Array, ...]:
    """Consecutive parts of `x` along an axis."""
    return tuple(jax.lax.split(x, sizes, axis))


def concat(values: TensorLike, axis: TensorLike, name: str | None = "concat") -> Tensor:
    """Join tensors along an axis they have.

    >>> tf.concat([[1, 2], [3]], 0)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
    """
    del name
    if not isinstance(values, (list, tuple)):
        values = [values]
    at = read_int(axis, "tf.concat", "axis")
    if len(values) == 1:
        return identity_kernel(values[0])
    if not values:
        raise invalid(
            f"tf.concat expected at least one tensor; got values={values!r}. "
            "Use tf.zeros for an empty result."
        )
    tensors = same_dtype("ConcatV2", *values)
    shapes = [t.spec.shape for t in tensors]
    rank = len(shapes[0])
    if rank == 0:
        raise invalid(
            f"tf.concat expected tensors of rank 1 or more; got values={shapes} (shapes). "
            "Can't concatenate scalars, use tf.stack instead."
        )
    if not -rank <= at < rank:
        raise invalid(axis_message("tf.concat", "axis", at, rank))
    at %= rank
    for i, dims in enumerate(shapes):
        if len(dims) != rank or (*dims[:at], *dims[at + 1 :]) != (
            *shapes[0][:at],
            *shapes[0][at + 1 :],
        ):
            raise invalid(
                f"tf.concat expected shapes that differ only in axis {at}; got values[0] of shape "
                f"{list(shapes[0])} and values[{i}] of shape {list(dims)}. Reshape or pad one of "
                "them."
            )
    return concat_kernel(*tensors, axis=at)


def stack(values: TensorLike, axis: int = 0, name: str | None = "stack") -> Tensor:
    """Put tensors of one shape side by side, along a new axis.

    >>> tf.stack([[1, 2], [3, 4]], axis=1)
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 3],
           [2, 4]], dtype=int32)>
    """
    del name
    at = read_int(axis, "tf.stack", "axis")
    if not isinstance(values, (list, tuple)):
        values = convert_to_tensor(values)
        if not values.spec.shape:
            return values
        values = unstack(values)
    if not values:
        return convert_to_tensor(values)
    tensors = same_dtype("Pack", *values)
    first = tensors[0].spec.shape
    for i, tensor in enumerate(tensors):
        if tensor.spec.shape != first:
            raise invalid(
                f"tf.stack expected tensors of one shape; got values[0] of shape {list(first)} and "
                f"values[{i}] of shape {list(tensor.spec.shape)}. Use tf.concat to join along an "
                "axis they have."
            )
    rank = len(first) + 1
    if not -rank <= at < rank:
        raise ValueError(axis_message("tf.stack", "axis", at, rank))
    return stack_kernel(*tensors, axis=at % rank)


def parallel_stack(values: TensorLike, name: str | None = "parallel_stack") -> Tensor:
    """`stack` along a new first axis; XLA puts the parts in place as they are computed."""
    return stack(values)


def unstack(
    value: TensorLike, num: int | None = None, axis: int = 0, name: str | None = "unstack"
) -> list[Tensor]:
    """The slices of `value` along `axis`, as a list of tensors."""
    del name
    value = convert_to_tensor(value)
    dims = value.spec.shape
    at = read_axis(axis, len(dims), "tf.unstack", error=ValueError)
    if num is not None and num != dims[at]:
        raise invalid(
            f"tf.unstack expected as many slices as axis {at} has; got num={num} for a tensor "
            f"{describe(value)}. Leave num out."
        )
    known = known_value(value)
    if known is not None and value.spec.dtype.is_integer and len(dims) == 1:
        return [convert_to_tensor(v) for v in known]  # `b, h, w = tf.unstack(tf.shape(x))`
    return list(unstack_kernel(value, axis=at)) if dims[at] else []


def split(
    value: TensorLike,
    num_or_size_splits: TensorLike,
    axis: int = 0,
    num: int | None = None,
    name: str | None = "split",
) -> list[Tensor]:
    """Cut `value` along `axis` into equal parts, or into parts of the sizes given.

    Args:
        value: the tensor.
        num_or_size_splits: how many equal parts, or the size of each; one size may be -1.
        axis: the axis to split.
        num: how many sizes there are; only checked.
    """
    del name
    value = convert_to_tensor(value)
    dims = value.spec.shape
    at = read_axis(axis, len(dims), "tf.split")
    if isinstance(num_or_size_splits, (int, np.integer)):
        sizes = _equal_sizes(int(num_or_size_splits), dims[at], at, value)
    elif isinstance(num_or_size_splits, float) or getattr(num_or_size_splits, "shape", None) == ():
        raise ValueError(
            "tf.split expected a Python int or a vector of sizes; got "
            f"num_or_size_splits={num_or_size_splits!r}. Convert it with int() first."
        )
    else:
        given = read_ints(num_or_size_splits, "tf.split", "num_or_size_splits")
        if num is not None and num != len(given):
            raise invalid(
                f"tf.split expected num to be the number of sizes; got num={num} for {len(given)} "
                "sizes. Leave num out."
            )
        sizes = _given_sizes(given, dims[at], at, value)
    return list(split_kernel(value, sizes=sizes, axis=at))


def _equal_sizes(count: int, length: int, axis: int, value: Tensor) -> tuple[int, ...]:
    if count < 1 or length % count:
        raise invalid(
            f"tf.split expected a number of parts that divides axis {axis}, of size {length}; got "
            f"num_or_size_splits={count} for a tensor {describe(value)}. "
            "Pass a list of sizes for unequal parts."
        )
    return (length // count,) * count


def _given_sizes(given: tuple[int, ...], length: int, axis: int, value: Tensor) -> tuple[int, ...]:
    rest = length - sum(s for s in given if s != -1)
    sizes = tuple([rest if s == -1 else s for s in given])
    if given.count(-1) > 1 or min(sizes, default=0) < 0 or sum(sizes) != length:
        raise invalid(
            f"tf.split expected sizes that add up to {length}, the size of axis {axis}, of which "
            f"one may be -1; got num_or_size_splits={list(given)} for a tensor {describe(value)}. "
            "Use -1 for one size to have it worked out."
        )
    return sizes


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """The coordinates of every point of a grid, one tensor for each axis.

    Args:
        *args: the coordinates along each axis.
        **kwargs: `indexing`, "xy" (the default: the first two axes are swapped) or "ij"; `name`.
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(
            f"tf.meshgrid expected the keywords indexing and name; got {sorted(kwargs)[0]!r}, "
            "which is an invalid keyword argument for this function. Pass coordinates by position."
        )
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"tf.meshgrid expected indexing to be 'xy' or 'ij'; got indexing={indexing!r}. "
            "'ij' keeps the order of the arguments."
        )
    axes = [convert_to_tensor(a) for a in args]
    axes = [reshape_kernel(a, shape=(int(np.prod(a.spec.shape, dtype=np.int64)),)) for a in axes]
    order = list(range(len(axes)))
    if indexing == "xy" and len(axes) > 1:
        order[:2] = [1, 0]
    full = [axes[i].spec.shape[0] for i in order]
    grids = []
    for i, axis in enumerate(axes):
        alone = [1] * len(axes)
        alone[order.index(i)] = axis.spec.shape[0]
        grids.append(broadcast_kernel(reshape_kernel(axis, shape=tuple(alone)), shape=tuple(full)))
    return grids
