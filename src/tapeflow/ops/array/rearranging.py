"""Repeating, padding and reordering elements along axes: tile, repeat, pad, reverse, roll."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.checks import index_check
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.indexing import take
from tapeflow.ops.array.shaping import identity_kernel, reshape_kernel, stop_gradient
from tapeflow.ops.host_args import (
    axis_message,
    describe,
    index_tensor,
    invalid,
    read_array,
    read_axis,
    read_ints,
)

_MIRRORS = {"REFLECT": "reflect", "SYMMETRIC": "symmetric"}


@op(name="Tile", host=lambda x, multiples: np.tile(x, multiples), moves=True)
def tile_kernel(x: jax.Array, *, multiples: tuple[int, ...]) -> jax.Array:
    """`x` repeated whole, so many times along each axis."""
    return jnp.tile(x, multiples)


@op(name="Repeat", moves=True)
def repeat_kernel(x: jax.Array, *, repeats: int, axis: int) -> jax.Array:
    """Each element repeated; a broadcast, which costs less than a gather."""
    shape = x.shape
    x = jnp.broadcast_to(jnp.expand_dims(x, axis + 1), (*shape[: axis + 1], repeats, *shape[axis + 1 :]))
    return jnp.reshape(x, (*shape[:axis], shape[axis] * repeats, *shape[axis + 1 :]))


@op(name="PadV2")
def pad_kernel(x: jax.Array, value: jax.Array, *, paddings: tuple[tuple[int, int], ...]) -> jax.Array:
    """`x` with `value` around it."""
    return jax.lax.pad(x, value, [(before, after, 0) for before, after in paddings])


@op(name="MirrorPad")
def mirror_pad_kernel(x: jax.Array, *, paddings: tuple[tuple[int, int], ...], mode: str) -> jax.Array:
    """`x` continued by its own mirror image."""
    return jnp.pad(x, paddings, mode=mode)


@op(name="ReverseV2", moves=True)
def reverse_kernel(x: jax.Array, *, axes: tuple[int, ...]) -> jax.Array:
    """`x` back to front along some axes."""
    return jax.lax.rev(x, axes)


@op(name="Roll", same_dtype=False, moves=True)
def roll_kernel(x: jax.Array, shift: Any, *, axes: tuple[int, ...]) -> jax.Array:
    """`x` shifted around the end; `shift` is an input, so a changing one is the same program."""
    return jnp.roll(x, tuple([shift[i] for i in range(len(axes))]), axes)


@op(
    name="ReverseSequence",
    same_dtype=False,
    check=index_check(1, lambda arrays, statics: arrays[0].shape[statics["seq_axis"]] + 1),
    check_text="tf.reverse_sequence expected every length in [0, {limit}); got length={value}.",
)
def reverse_sequence_kernel(x: jax.Array, lengths: jax.Array, *, seq_axis: int, batch_axis: int) -> jax.Array:
    """The first `lengths[b]` elements of each sequence back to front, the rest as they are."""
    lengths = jnp.expand_dims(lengths.astype(jnp.int32), 1)
    place = jax.lax.broadcasted_iota(jnp.int32, (lengths.shape[0], x.shape[seq_axis]), 1)
    source = jnp.where(place < lengths, lengths - 1 - place, place)
    moved = jnp.moveaxis(x, (batch_axis, seq_axis), (0, 1))
    rows = jax.vmap(lambda row, i: jnp.take(row, i, axis=0, mode="clip"))(moved, source)
    return jnp.moveaxis(rows, (0, 1), (batch_axis, seq_axis))


def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """`input` repeated `multiples[i]` times along axis `i`."""
    del name
    input = convert_to_tensor(input)
    counts = read_ints(multiples, "tf.tile", "multiples")
    if len(counts) != len(input.spec.shape) or min(counts, default=0) < 0:
        raise invalid(
            f"tf.tile expected one count of at least 0 for each of {len(input.spec.shape)} axes; "
            f"got multiples={list(counts)} for a tensor {describe(input)}. Use 1 for an axis to "
            "keep."
        )
    return tile_kernel(input, multiples=counts)


def repeat(input: Any, repeats: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each element of `input` repeated, along `axis` or, without one, in flat order.

    >>> tf.repeat([1, 2], [2, 1])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 1, 2], dtype=int32)>
    """
    del name
    input = convert_to_tensor(input)
    if axis is None:
        axis = 0
        input = reshape_kernel(input, shape=(math.prod(input.spec.shape),))
    elif not input.spec.shape:
        input = reshape_kernel(input, shape=(1,))  # as in TensorFlow: a scalar counts as a vector of one
    shape = input.spec.shape
    at = read_axis(axis, len(shape), "tf.repeat", error=ValueError)
    counts = read_array(repeats, "tf.repeat", "repeats", error=TypeError)
    if counts.ndim > 1 or counts.size not in (1, shape[at]):
        raise ValueError(
            f"tf.repeat expected one count, or one for each of {shape[at]} elements of axis {at}; "
            f"got repeats={counts.tolist()} for a tensor {describe(input)}. Pass an int to repeat "
            "all alike."
        )
    if (counts < 0).any():
        raise invalid(
            f"tf.repeat expected counts of at least 0; got repeats={counts.tolist()}. "
            "Use 0 to leave an element out."
        )
    if counts.size == 1:
        return repeat_kernel(input, repeats=int(counts.reshape(())), axis=at)
    return take(input, np.repeat(np.arange(shape[at], dtype=np.int32), counts), at)


def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """`tensor` with `paddings[i] = [before, after]` elements added around axis `i`.

    Args:
        tensor: what to pad.
        paddings: two counts for each axis.
        mode: "CONSTANT", "REFLECT" (mirrored without the edge element) or "SYMMETRIC" (with it).
        constant_values: the value around it, for "CONSTANT".
    """
    del name
    if not isinstance(mode, str) or mode.upper() not in ("CONSTANT", *_MIRRORS):
        raise ValueError(
            "tf.pad expected mode to be 'CONSTANT', 'REFLECT' or 'SYMMETRIC'; "
            f"got mode={mode!r}. The default is 'CONSTANT'."
        )
    mode = mode.upper()
    tensor = convert_to_tensor(tensor)
    dims = tensor.spec.shape
    counts = read_array(paddings, "tf.pad", "paddings")
    if counts.shape != (len(dims), 2) or (counts < 0).any():
        raise invalid(
            f"tf.pad expected two counts of at least 0 for each of {len(dims)} axes; got "
            f"paddings={counts.tolist()} for a tensor {describe(tensor)}. "
            "Pass [[before, after], ...], with [0, 0] for an axis to keep."
        )
    pairs = tuple([(before, after) for before, after in counts.tolist()])
    if mode == "CONSTANT":
        value = _scalar(constant_values, tensor)
        if any(map(any, pairs)):
            return pad_kernel(tensor, value, paddings=pairs)
        return identity_kernel(tensor)
    most = 1 if mode == "REFLECT" else 0
    for axis, (before, after) in enumerate(pairs):
        if max(before, after) > dims[axis] - most:
            raise invalid(
                f"tf.pad expected at most {max(dims[axis] - most, 0)} elements on a side of axis "
                f"{axis} in mode {mode!r}; got paddings={counts.tolist()} for a tensor "
                f"{describe(tensor)}. A mirror image is no longer than the tensor."
            )
    if not any(map(any, pairs)):
        return identity_kernel(tensor)
    return mirror_pad_kernel(tensor, paddings=pairs, mode=_MIRRORS[mode])


def _scalar(value: TensorLike, like: Tensor) -> Tensor:
    """The padding value, in the dtype of what is padded."""
    is_default = type(value) is int and value == 0
    value = convert_to_tensor(False if is_default and like.dtype.is_bool else value, dtype=like.dtype)
    if value.spec.shape != ():
        raise invalid(
            f"tf.pad expected one number for constant_values; got a tensor {describe(value)}. Pass a scalar."
        )
    return stop_gradient(value)  # as in TensorFlow, whose gradient for it is None


def reverse(tensor: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """`tensor` back to front along the axes given, a list."""
    del name
    tensor = convert_to_tensor(tensor)
    rank = len(tensor.spec.shape)
    given = read_ints(axis, "tf.reverse", "axis")
    for a in given:
        if not -rank <= a < rank:
            raise invalid(axis_message("tf.reverse", "axis", a, rank))
    axes = tuple([a % rank for a in given])
    if len(set(axes)) != len(axes):
        raise invalid(
            f"tf.reverse expected each axis at most once; got axis={list(given)} for a tensor "
            f"{describe(tensor)}. An axis specified more than once would come back as it was."
        )
    return reverse_kernel(tensor, axes=axes)


def roll(input: TensorLike, shift: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """`input` shifted along axes; what falls off one end comes back at the other."""
    del name
    input = convert_to_tensor(input)
    rank = len(input.spec.shape)
    given = read_ints(axis, "tf.roll", "axis", scalar=True)
    for a in given:
        if not -rank <= a < rank:
            raise invalid(axis_message("tf.roll", "axis", a, rank))
    shift = index_tensor(shift, "tf.roll", "shift")
    count = math.prod(shift.spec.shape)
    if len(shift.spec.shape) > 1 or count != len(given):
        raise invalid(
            f"tf.roll expected one shift for each axis; got a shift {describe(shift)} for "
            f"axis={list(given)}. Pass lists of the same length."
        )
    return roll_kernel(input, reshape_kernel(shift, shape=(count,)), axes=tuple([a % rank for a in given]))


def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: Any = None,
    batch_axis: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Each sequence of a batch reversed up to its own length.

    Args:
        input: the sequences.
        seq_lengths: the length of each, an integer vector.
        seq_axis: the axis along a sequence.
        batch_axis: the axis along the batch, 0 if not given.
    """
    del name
    where = "tf.reverse_sequence"
    input = convert_to_tensor(input)
    dims = input.spec.shape
    along = read_axis(seq_axis, len(dims), where, "seq_axis")
    batch = read_axis(0 if batch_axis is None else batch_axis, len(dims), where, "batch_axis")
    lengths = index_tensor(seq_lengths, where, "seq_lengths")
    if along == batch or lengths.spec.shape != (dims[batch],):
        raise invalid(
            f"{where} expected two different axes and one length for each sequence; got "
            f"seq_axis={along}, batch_axis={batch} and seq_lengths {describe(lengths)} for a "
            f"tensor {describe(input)}. Pass {dims[batch]} lengths."
        )
    return reverse_sequence_kernel(input, lengths, seq_axis=along, batch_axis=batch)
