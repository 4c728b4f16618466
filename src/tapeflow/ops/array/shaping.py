"""The shape of a tensor: asking for it, changing it, broadcasting it.

Shapes are always known when an op is recorded, so everything here that returns a shape is a value
the host already has, and every shape argument is static.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values import dtypes
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype
from tapeflow.engine.values.shape import TensorShape, as_shape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import (
    axis_message,
    describe,
    invalid,
    read_array,
    read_int,
    read_ints,
    read_shape,
)


@op(name="Reshape", host=lambda x, shape: np.reshape(x, shape), moves=True, keeps_elements=True)
def reshape_kernel(x: jax.Array, *, shape: tuple[int, ...]) -> jax.Array:
    """`x` with another shape of as many elements."""
    return jnp.reshape(x, shape)


@op(name="Transpose", moves=True)
def transpose_kernel(x: jax.Array, *, perm: tuple[int, ...], conjugate: bool) -> jax.Array:
    """`x` with its axes in another order."""
    x = jnp.transpose(x, perm)
    return jnp.conj(x) if conjugate else x


@op(name="BroadcastTo", moves=True)
def broadcast_kernel(x: jax.Array, *, shape: tuple[int, ...]) -> jax.Array:
    """`x` repeated along axes of size one and along new leading axes."""
    return jnp.broadcast_to(x, shape)


@op(name="Identity", host=lambda x: x, moves=True, keeps_elements=True)
def identity_kernel(x: jax.Array) -> jax.Array:
    """`x` itself."""
    return x


@op(name="StopGradient", differentiable=False, host=lambda x: x, moves=True)
def stop_gradient_kernel(x: jax.Array) -> jax.Array:
    """`x`, as a constant for every tape."""
    return jax.lax.stop_gradient(x)


def shape(input: TensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The shape of `input` as an integer vector, known to the host at once."""
    del name
    return _host_integer(convert_to_tensor(input).spec.shape, out_type)


def shape_n(
    input: Sequence[Any], out_type: DTypeLike = dtypes.int32, name: str | None = None
) -> list[Tensor]:
    """The shapes of several tensors."""
    return [shape(x, out_type, name) for x in input]


def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of dimensions of `input`, an int32 scalar."""
    del name
    return _host_integer(len(convert_to_tensor(input).spec.shape), None)


def size(input: TensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The number of elements of `input`, an integer scalar."""
    del name
    return _host_integer(math.prod(convert_to_tensor(input).spec.shape), out_type)


def _host_integer(value: object, out_type: Any) -> Tensor:
    dtype = dtypes.int32 if out_type is None else as_dtype(out_type)
    return convert_to_tensor(np.asarray(value, dtype=dtype.as_numpy_dtype))


def reshape(tensor: TensorLike, shape: ShapeLike | Tensor | None, name: str | None = None) -> Tensor:
    """`tensor` with another shape; one dimension may be -1, to be worked out.

    >>> tf.reshape([1, 2, 3, 4, 5, 6], [2, -1])
    <tf.Tensor: shape=(2, 3), dtype=int32, numpy=
    array([[1, 2, 3],
           [4, 5, 6]], dtype=int32)>
    """
    del name
    tensor = convert_to_tensor(tensor)
    dims = read_ints(shape, "tf.reshape", "shape", scalar=True)
    return reshape_kernel(tensor, shape=_worked_out(tensor, dims))


def _worked_out(tensor: Tensor, dims: tuple[int, ...]) -> tuple[int, ...]:
    """`dims` with the -1 replaced, checked against the elements of `tensor`."""
    count = math.prod(tensor.spec.shape)
    if dims.count(-1) > 1 or min(dims, default=0) < -1:
        raise invalid(
            "tf.reshape expected dimensions of at least 0, of which one may be -1; got "
            f"shape={list(dims)}. Give all dimensions but one."
        )
    if -1 not in dims:
        if math.prod(dims) != count:
            raise invalid(
                f"tf.reshape expected a shape of {count} elements; got shape={list(dims)}, which "
                f"has {math.prod(dims)}, for a tensor {describe(tensor)}. Use -1 for one dimension "
                "to have it worked out."
            )
        return dims
    at = dims.index(-1)
    known = math.prod(d for d in dims if d != -1)
    if known == 0 and count == 0:
        # Nothing to go by but the other dimensions, so zeros are left out of both products.
        count = math.prod(d for d in tensor.spec.shape if d)
        known = math.prod(d for d in dims if d > 0)
    elif known == 0 or count % known:
        raise invalid(
            f"tf.reshape expected known dimensions that divide {count} elements; got "
            f"shape={list(dims)} for a tensor {describe(tensor)}. The known ones multiply to "
            f"{known}."
        )
    return (*dims[:at], count // known, *dims[at + 1 :])


def transpose(
    a: TensorLike, perm: TensorLike | None = None, conjugate: bool = False, name: str | None = "transpose"
) -> Tensor:
    """`a` with its axes reordered: axis `i` of the result is axis `perm[i]` of `a`.

    Without `perm` the order of the axes is reversed. `conjugate` also conjugates complex values.
    """
    del name
    a = convert_to_tensor(a)
    ndim = len(a.spec.shape)
    if perm is None:
        order = tuple(range(ndim))[::-1]
    else:
        given = read_ints(perm, "tf.transpose", "perm")
        order = tuple([p + ndim if p < 0 else p for p in given])
        if sorted(order) != list(range(ndim)):
            raise invalid(
                f"tf.transpose expected each of the {ndim} axes once; got perm={list(given)} for a "
                f"tensor {describe(a)}. Pass a permutation of {list(range(ndim))}."
            )
    return transpose_kernel(a, perm=order, conjugate=conjugate and a.spec.dtype.is_complex)


def squeeze(input: TensorLike, axis: TensorLike | None = None, name: str | None = None) -> Tensor:
    """`input` without its axes of size one, or without those given."""
    del name
    input = convert_to_tensor(input)
    dims = input.spec.shape
    axes = () if axis is None else read_ints(axis, "tf.squeeze", "axis", scalar=True, error=TypeError)
    if axes:
        gone = {_squeezed(a, input) for a in axes}
    else:
        gone = {i for i, d in enumerate(dims) if d == 1}
    return reshape_kernel(input, shape=tuple([d for i, d in enumerate(dims) if i not in gone]))


def _squeezed(axis: int, input: Tensor) -> int:
    """One axis to squeeze, counted from the front."""
    dims = input.spec.shape
    if not -len(dims) <= axis < len(dims):
        raise invalid(axis_message("tf.squeeze", "axis", axis, len(dims)))
    if dims[axis] != 1:
        raise invalid(
            f"tf.squeeze expected an axis of size 1; got axis={axis} of size {dims[axis]} in a "
            f"tensor {describe(input)}. Leave axis out to drop every axis of size 1."
        )
    return axis % len(dims)


def expand_dims(input: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """`input` with a new axis of size one at `axis`.

    >>> tf.expand_dims([1, 2], -1).shape
    TensorShape([2, 1])
    """
    del name
    input = convert_to_tensor(input)
    dims = input.spec.shape
    at = read_int(axis, "tf.expand_dims", "axis")
    if not -len(dims) - 1 <= at <= len(dims):
        raise invalid(
            f"tf.expand_dims expected axis in [{-len(dims) - 1}, {len(dims)}]; got axis={at} for a "
            f"tensor {describe(input)}. Use tf.reshape to add more than one axis."
        )
    at += len(dims) + 1 if at < 0 else 0
    return reshape_kernel(input, shape=(*dims[:at], 1, *dims[at:]))


def broadcast_to(input: TensorLike, shape: Any, name: str | None = None) -> Tensor:
    """`input` repeated to `shape` along new leading axes and axes of size one."""
    del name
    input = convert_to_tensor(input)
    dims, given = read_shape(shape, "tf.broadcast_to"), input.spec.shape
    tail = dims[len(dims) - len(given) :]
    if len(given) > len(dims) or any(g not in (1, d) for g, d in zip(given, tail, strict=True)):
        raise invalid(
            f"tf.broadcast_to expected a shape that ends with the input's, where a 1 may grow; got "
            f"shape={list(dims)} for a tensor {describe(input)}. Reshape the input first."
        )
    return broadcast_kernel(input, shape=dims)


def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The shape two static shapes broadcast to, unknown dimensions included."""
    x, y = as_shape(shape_x), as_shape(shape_y)
    if x.rank is None or y.rank is None:
        return TensorShape(None)
    dims: list[int | None] = []
    for i in range(-max(x.rank, y.rank), 0):
        a = x.as_list()[i] if -i <= x.rank else 1
        b = y.as_list()[i] if -i <= y.rank else 1
        if a is not None and b is not None and a != b and 1 not in (a, b):
            raise ValueError(
                "tf.broadcast_static_shape expected dimensions that are equal or 1; got "
                f"shape_x={x} and shape_y={y}, Incompatible shapes for broadcasting. "
                "Add axes of size 1 where the shapes should be aligned."
            )
        if a == 1 or b == 1:
            dims.append(b if a == 1 else a)
        else:
            dims.append(b if a is None else a)
    return TensorShape(dims)


def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> Tensor:
    """The shape two shapes given as vectors broadcast to, as a vector the host knows."""
    x = read_array(shape_x, "tf.broadcast_dynamic_shape", "shape_x")
    y = read_array(shape_y, "tf.broadcast_dynamic_shape", "shape_y")
    try:
        dims = np.broadcast_shapes(tuple(x.tolist()), tuple(y.tolist()))
    except ValueError:
        raise invalid(
            "tf.broadcast_dynamic_shape expected dimensions that are equal or 1; got "
            f"shape_x={x.tolist()} and shape_y={y.tolist()}, Incompatible shapes. "
            "Add axes of size 1 where the shapes should be aligned."
        ) from None
    wide = any(getattr(s, "dtype", None) == dtypes.int64 for s in (shape_x, shape_y))
    return _host_integer(dims, dtypes.int64 if wide else dtypes.int32)


def ensure_shape(x: TensorLike, shape: Any, name: str | None = None) -> Tensor:
    """`x`, after checking its shape; `None` in `shape` allows any size."""
    del name
    x = convert_to_tensor(x)
    expected = as_shape(shape)
    if not expected.is_compatible_with(x.shape):
        raise invalid(
            f"tf.ensure_shape expected shape {expected}; got a tensor {describe(x)}. "
            "Use None for the dimensions that may vary."
        )
    return x


def identity(input: Any, name: str | None = None) -> Tensor:
    """A tensor with the value of `input` now: for a Variable, a snapshot."""
    del name
    return identity_kernel(input)


def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """The same as `identity`: the compiler detects constants itself."""
    return identity(input)


def identity_n(input: Sequence[float], name: str | None = None) -> list[Tensor]:
    """`identity` of each."""
    return [identity(x, name) for x in input]


def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """`input` as a constant: no gradient flows through it."""
    del name
    return stop_gradient_kernel(input)
