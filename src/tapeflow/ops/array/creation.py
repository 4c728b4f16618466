"""Tensors from nothing but numbers: zeros, ones, fill, eye, range, linspace, one_hot.

Small results are made by numpy, on the host: they cost no compilation and, being known, they can
serve as shapes and indices. Large ones are recorded, so that a program makes them where it needs
them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.primitives import cast_op
from tapeflow.engine.recording.op import op
from tapeflow.engine.values import dtypes
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.array.shaping import broadcast_kernel
from tapeflow.ops.host_args import (
    describe,
    index_tensor,
    invalid,
    read_array,
    read_int,
    read_shape,
    read_value,
    same_dtype,
)

_SMALL = 4096
"""Elements up to which a constant is made on the host."""


@op(name="Fill", same_dtype=False)
def full_kernel(*, shape: tuple[int, ...], value: int, dtype: DType) -> jax.Array:
    """A tensor of one number, made in the program."""
    return jnp.full(shape, value, dtype.as_numpy_dtype)


@op(name="Eye", same_dtype=False)
def eye_kernel(*, rows: int, columns: int, dtype: DType) -> jax.Array:
    """Ones on the diagonal."""
    return jnp.eye(rows, columns, dtype=dtype.as_numpy_dtype)


@op(name="LinSpace")
def linspace_kernel(start: jax.Array, stop: jax.Array, *, num: int, axis: int) -> jax.Array:
    """Evenly spaced numbers; the ends are exact."""
    start, stop = jnp.expand_dims(start, axis), jnp.expand_dims(stop, axis)
    if num == 1:
        return start
    inner = jax.lax.iota(start.dtype, num)[1:-1] if num > 2 else jnp.zeros((0,), start.dtype)
    places = [1] * start.ndim
    places[axis] = -1
    inner = jnp.reshape(inner, places)
    delta = (stop - start) / jnp.asarray(num - 1, start.dtype)
    return jnp.concatenate([start, start + delta * inner, stop], axis)


@op(name="OneHot", same_dtype=False)
def one_hot_kernel(indices: jax.Array, on: jax.Array, off: jax.Array, *, depth: int, axis: int) -> jax.Array:
    """`on` at each index, `off` elsewhere; an index out of range has no place, so all are `off`."""
    shape = [1] * (indices.ndim + 1)
    shape[axis] = depth
    places = jnp.reshape(jax.lax.iota(jnp.int64, depth), shape)
    return jnp.where(jnp.expand_dims(indices.astype(jnp.int64), axis) == places, on, off)


@op(name="SequenceMask", same_dtype=False, differentiable=False)
def sequence_mask_kernel(lengths: jax.Array, *, maxlen: int, dtype: DType) -> jax.Array:
    """Whether each place lies within each length."""
    places = jax.lax.iota(jnp.int64, maxlen)
    return (places < jnp.expand_dims(lengths, -1).astype(jnp.int64)).astype(dtype.as_numpy_dtype)


def zeros(
    shape: ShapeLike | Tensor | None,
    dtype: DTypeLike | None = dtypes.float32,
    name: str | None = None,
    layout: Any = None,
) -> Tensor:
    """A tensor of zeros (False for bool, empty for string)."""
    del name, layout
    return _full(read_shape(shape, "tf.zeros", scalar=True, error=TypeError), 0, as_dtype(dtype))


def ones(
    shape: ShapeLike | Tensor, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
) -> Tensor:
    """A tensor of ones (True for bool)."""
    del name, layout
    return _full(read_shape(shape, "tf.ones", scalar=True, error=TypeError), 1, as_dtype(dtype))


def zeros_like(input: TensorLike, dtype: Any = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Zeros with the shape of `input`, and its dtype unless another is given."""
    del name, layout
    spec = convert_to_tensor(input).spec
    return _full(spec.shape, 0, spec.dtype if dtype is None else as_dtype(dtype))


def ones_like(
    input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Ones with the shape of `input`, and its dtype unless another is given."""
    del name, layout
    spec = convert_to_tensor(input).spec
    return _full(spec.shape, 1, spec.dtype if dtype is None else as_dtype(dtype))


def _full(shape: tuple[int, ...], number: int, dtype: DType) -> Tensor:
    if dtype is dtypes.string:
        if number:
            raise TypeError(
                "tf.ones expected a dtype of numbers; got dtype=tf.string. Use tf.fill for strings."
            )
        return convert_to_tensor(np.full(shape, b"", object), dtypes.string)
    if math.prod(shape) <= _SMALL:
        return convert_to_tensor(np.full(shape, number, dtype.as_numpy_dtype))
    return full_kernel(shape=shape, value=number, dtype=dtype)


def fill(dims: TensorLike, value: TensorLike, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of shape `dims` holding `value`, a scalar, everywhere.

    >>> tf.fill([2, 2], 9)
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[9, 9],
           [9, 9]], dtype=int32)>
    """
    del name, layout
    shape = read_shape(dims, "tf.fill", "dims", scalar=True)
    tensor = convert_to_tensor(value)
    if tensor.spec.shape != ():
        raise invalid(
            f"tf.fill expected one number for value; got a tensor {describe(tensor)}. "
            "Use tf.broadcast_to or tf.tile to repeat a tensor."
        )
    known = None if isinstance(value, TensorBase) else tensor.host_value()
    if known is not None and (known.dtype == object or math.prod(shape) <= _SMALL):
        return convert_to_tensor(np.full(shape, known, known.dtype), tensor.dtype)
    return broadcast_kernel(tensor, shape=shape)


def eye(
    num_rows: Any,
    num_columns: TensorLike | None = None,
    batch_shape: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """A matrix with ones on its diagonal, or a batch of them."""
    del name
    rows = _count(num_rows, "num_rows")
    columns = rows if num_columns is None else _count(num_columns, "num_columns")
    dtype = as_dtype(dtype)
    if rows * columns <= _SMALL:
        matrix = convert_to_tensor(np.eye(rows, columns, dtype=dtype.as_numpy_dtype))
    else:
        matrix = eye_kernel(rows=rows, columns=columns, dtype=dtype)
    if batch_shape is None:
        return matrix
    batch = read_shape(batch_shape, "tf.eye", "batch_shape", error=TypeError)
    return broadcast_kernel(matrix, shape=(*batch, rows, columns))


def _count(value: TensorLike | None, name: str) -> int:
    if value is None or isinstance(value, (list, tuple, float)):
        raise TypeError(
            f"tf.eye expected a positive integer for {name}; got {name}={value!r}. "
            "Pass batch_shape for a batch of matrices."
        )
    (count,) = read_shape(value, "tf.eye", name, scalar=True, error=TypeError)
    return count


def range(
    start: Any,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = "range",
) -> Tensor:
    """The numbers from `start` (0 if only one is given) up to but not including `limit`.

    How many there are depends on the arguments, so tensors among them are run for their values.

    >>> tf.range(3, 18, 3)
    <tf.Tensor: shape=(5,), dtype=int32, numpy=array([ 3,  6,  9, 12, 15], dtype=int32)>
    """
    del name
    if limit is None:
        start, limit = 0, start
    found = [_number(v, dtype, n) for v, n in ((start, "start"), (limit, "limit"), (delta, "delta"))]
    wanted = as_dtype(dtype) if dtype is not None else as_dtype(_widest(found))
    first, last, step = (v.astype(wanted.as_numpy_dtype) for v in found)
    if step == 0 or (last != first and (last > first) != (step > 0)):
        raise invalid(
            f"tf.range expected a delta that leads from start to limit; got start={first}, "
            f"limit={last}, delta={step}. Requires start <= limit when delta > 0, start >= limit "
            "when delta < 0, and delta != 0."
        )
    if wanted.is_integer:
        return convert_to_tensor(np.arange(int(first), int(last), int(step)).astype(first.dtype))
    count = math.ceil(abs((float(last) - float(first)) / float(step)))
    return convert_to_tensor(first + np.arange(count).astype(first.dtype) * step)


def _number(value: object, dtype: Any, name: str) -> np.ndarray:
    tensor = convert_to_tensor(value, None if isinstance(value, TensorBase) else dtype)
    if tensor.spec.shape != ():
        raise invalid(
            f"tf.range expected a scalar for {name}; got a tensor {describe(tensor)}. "
            "Index it to get one number."
        )
    if not (tensor.spec.dtype.is_integer or tensor.spec.dtype.is_floating):
        raise TypeError(
            f"tf.range expected a number for {name}; got {name}={value!r} "
            f"({tensor.spec.dtype.name}). Pass integers or floats."
        )
    return read_value(tensor)


_RANGE_ORDER = (dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32)


def _widest(values: list[np.ndarray]) -> DType:
    """The dtype of a range: int32 < int64 < float16 < bfloat16 < float32 < float64."""
    found = [as_dtype(v.dtype) for v in values]
    return max(found, key=lambda d: _RANGE_ORDER.index(d) if d in _RANGE_ORDER else len(_RANGE_ORDER))


def linspace(start: Any, stop: Any, num: TensorLike, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, both included.

    Integers give float64, as in TensorFlow. With tensors, `axis` is where the new axis goes.
    """
    del name
    is_known = not isinstance(start, TensorBase) and not isinstance(stop, TensorBase)
    start, stop = same_dtype("LinSpace", start, stop)
    if start.spec.dtype.is_integer:
        start, stop = cast_op(start, dtype=dtypes.float64), cast_op(stop, dtype=dtypes.float64)
    count = read_int(num, "tf.linspace", "num")
    if count < 0:
        raise invalid(f"tf.linspace expected num of at least 0; got num={count}. Pass a count.")
    shape = np.broadcast_shapes(start.spec.shape, stop.spec.shape)
    start, stop = broadcast_kernel(start, shape=shape), broadcast_kernel(stop, shape=shape)
    rank = len(shape) + 1
    at = read_int(axis, "tf.linspace", "axis")
    if not -rank <= at < rank:
        raise invalid(f"tf.linspace expected axis in [{-rank}, {rank}); got axis={at}. The default is 0.")
    if count == 0:
        at %= rank
        return zeros((*shape[:at], 0, *shape[at:]), start.dtype)
    if is_known and not shape and 1 < count <= _SMALL:
        # A program multiplies and adds in one rounding: the middle of -2 to 2 would be 1e-16, no zero to a relu.
        first, last = read_value(start), read_value(stop)
        between = first + np.arange(count, dtype=first.dtype) * ((last - first) / first.dtype.type(count - 1))
        between[-1] = last
        return convert_to_tensor(between)
    return linspace_kernel(start, stop, num=count, axis=at % rank)


def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Indices as vectors of length `depth` with one element on; all are off for one out of range.

    Args:
        indices: integers of any shape.
        depth: the size of the new axis.
        on_value: 1 if not given.
        off_value: 0 if not given.
        axis: the position of the new axis; -1 (the last) by default.
        dtype: of the result; that of the values, else float32.

    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    del name
    if isinstance(indices, np.ndarray) and indices.dtype.kind == "f":
        indices = indices.astype(np.int64)  # as TensorFlow does with numpy's floats, and with no others
    indices = index_tensor(indices, "tf.one_hot")
    rank = len(indices.spec.shape)
    size = read_int(depth, "tf.one_hot", "depth")
    at = -1 if axis is None else read_int(axis, "tf.one_hot", "axis")
    if size < 0 or not -1 <= at <= rank:
        raise invalid(
            f"tf.one_hot expected a depth of at least 0 and an axis of -1 or in [0, {rank}]; got "
            f"depth={size}, axis={at} for indices {describe(indices)}. "
            "The axis says where the new axis goes."
        )
    on, off = _one_hot_values(on_value, off_value, dtype)
    return one_hot_kernel(indices, on, off, depth=size, axis=rank if at == -1 else at)


def _one_hot_values(on: Any, off: Any, dtype: DTypeLike | None) -> tuple[Tensor, Tensor]:
    """The two values as scalars of one dtype."""
    wanted = None if dtype is None else as_dtype(dtype)
    given = [None if v is None else convert_to_tensor(v, dtype_hint=wanted) for v in (on, off)]
    found = {t.dtype for t in given if t is not None} | ({wanted} if wanted is not None else set())
    if len(found) > 1:
        raise TypeError(
            "tf.one_hot expected on_value, off_value and dtype to agree; got dtypes "
            f"{', '.join(sorted(d.name for d in found))}. A dtype does not match: cast the values "
            "first."
        )
    used = next(iter(found), dtypes.float32)
    values = [
        convert_to_tensor(np.asarray(default, used.as_numpy_dtype)) if t is None else t
        for t, default in zip(given, (1, 0), strict=True)
    ]
    return values[0], values[1]


def sequence_mask(
    lengths: TensorLike,
    maxlen: TensorLike | None = None,
    dtype: DTypeLike = dtypes.bool,
    name: str | None = None,
) -> Tensor:
    """For each length, a row that is True up to it; `maxlen` long, else as long as the longest.

    >>> tf.sequence_mask([1, 2]).numpy()
    array([[ True, False],
           [ True,  True]])
    """
    del name
    lengths = convert_to_tensor(lengths)
    if maxlen is None:
        longest = int(read_value(lengths).max(initial=0))
    else:
        found = read_array(maxlen, "tf.sequence_mask", "maxlen", error=TypeError)
        if found.ndim:
            raise ValueError(
                f"tf.sequence_mask expected a scalar for maxlen; got maxlen={maxlen!r} "
                f"(shape {list(found.shape)}). Pass one number."
            )
        longest = int(found)
    if longest < 0:
        raise invalid(f"tf.sequence_mask expected maxlen of at least 0; got maxlen={longest}. Pass a count.")
    return sequence_mask_kernel(lengths, maxlen=longest, dtype=as_dtype(dtype))
