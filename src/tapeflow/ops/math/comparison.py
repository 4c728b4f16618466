"""Comparisons, logic on bools, and bits of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import Op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import ANY, BITS, BOOLEAN, INTEGER, REAL, Domain, binary, unary
from tapeflow.ops.strings.deferred import compare, is_deferred

lax = jax.lax


def _shift(function: Callable[..., Any]) -> Callable[..., Any]:
    """A shift by at most the width of the type less one, which C leaves open beyond."""

    def shift(x: jax.Array, y: jax.Array) -> jax.Array:
        x, y = jnp.broadcast_arrays(x, y)
        most = jnp.asarray(x.dtype.itemsize * 8 - 1, y.dtype)
        return function(x, jnp.clip(y, jnp.zeros((), y.dtype), most))

    return shift


def _right_shift(x: jax.Array, y: jax.Array) -> jax.Array:
    is_unsigned = jnp.issubdtype(x.dtype, jnp.unsignedinteger)
    return lax.shift_right_logical(x, y) if is_unsigned else lax.shift_right_arithmetic(x, y)


def _comparison(name: str, domain: Domain, function: Callable[..., Any], host: Callable[..., Any]) -> Op:
    return binary(name, domain, function, differentiable=False, host=host)


equal_op = _comparison("Equal", ANY, jnp.equal, np.equal)
not_equal_op = _comparison("NotEqual", ANY, jnp.not_equal, np.not_equal)
less_op = _comparison("Less", REAL, jnp.less, np.less)
less_equal_op = _comparison("LessEqual", REAL, jnp.less_equal, np.less_equal)
greater_op = _comparison("Greater", REAL, jnp.greater, np.greater)
greater_equal_op = _comparison("GreaterEqual", REAL, jnp.greater_equal, np.greater_equal)
_logical_and = binary("LogicalAnd", BOOLEAN, jnp.logical_and)
_logical_or = binary("LogicalOr", BOOLEAN, jnp.logical_or)
_logical_xor = binary("LogicalXor", BOOLEAN, jnp.logical_xor)
_logical_not = unary("LogicalNot", BOOLEAN, jnp.logical_not)
_bitwise_and = binary("BitwiseAnd", INTEGER, jnp.bitwise_and, host=np.bitwise_and)
_bitwise_or = binary("BitwiseOr", INTEGER, jnp.bitwise_or, host=np.bitwise_or)
_bitwise_xor = binary("BitwiseXor", INTEGER, jnp.bitwise_xor, host=np.bitwise_xor)
_invert = unary("Invert", INTEGER, jnp.bitwise_not, host=np.invert)
_left_shift = binary("LeftShift", INTEGER, _shift(lax.shift_left))
_right_shift_op = binary("RightShift", INTEGER, _shift(_right_shift))
# What the operators &, |, ^ and ~ do: bits of integers, logic of bools.
and_op = binary("And", BITS, jnp.bitwise_and, host=np.bitwise_and)
or_op = binary("Or", BITS, jnp.bitwise_or, host=np.bitwise_or)
xor_op = binary("Xor", BITS, jnp.bitwise_xor, host=np.bitwise_xor)
not_op = unary("Not", BITS, jnp.bitwise_not, host=np.invert)


def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x and y are equal; NaN equals nothing. Shapes that do not broadcast are an error."""
    return _compare_strings(x, y, True) if _is_string(x) or _is_string(y) else equal_op(x, y)


def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x and y differ. Shapes that do not broadcast are an error."""
    return _compare_strings(x, y, False) if _is_string(x) or _is_string(y) else not_equal_op(x, y)


def _is_string(value: TensorLike) -> bool:
    return isinstance(value, (str, bytes)) or getattr(value, "dtype", None) is string


def _compare_strings(x: TensorLike, y: TensorLike, is_equal: bool) -> Tensor:
    """On the host, where strings live."""
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    if x.dtype is not y.dtype:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Equal expected tensors of one dtype; got x {x.spec!r} and y {y.spec!r}. "
            "A string compares only with strings.",
        )
    if is_deferred(x) or is_deferred(y):
        return compare(x, y, is_equal)
    left, right = np.asarray(x.numpy(), object), np.asarray(y.numpy(), object)
    try:
        return convert_to_tensor((left == right) if is_equal else (left != right))
    except ValueError:
        said = " vs. ".join(f"[{','.join(map(str, s.shape))}]" for s in (left, right))
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Incompatible shapes: {said}. Equal expected strings whose shapes broadcast. Reshape one of them.",
        ) from None


def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x < y."""
    return less_op(x, y)


def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x <= y."""
    return less_equal_op(x, y)


def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x > y."""
    return greater_op(x, y)


def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether x >= y."""
    return greater_equal_op(x, y)


def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Logical AND, element by element."""
    return _logical_and(x, y)


def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Logical OR, element by element."""
    return _logical_or(x, y)


def logical_xor(x: TensorLike, y: TensorLike, name: str | None = "LogicalXor") -> Tensor:
    """Logical XOR, element by element."""
    return _logical_xor(x, y)


def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether x does not hold."""
    return _logical_not(x)


def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits set in both."""
    return _bitwise_and(x, y)


def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits set in at least one."""
    return _bitwise_or(x, y)


def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits set in exactly one."""
    return _bitwise_xor(x, y)


def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """Every bit flipped: -x - 1 for a signed integer."""
    return _invert(x)


def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits of x moved up by y places; y is clipped to the width of the type."""
    return _left_shift(x, y)


def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits of x moved down by y places, keeping the sign; y is clipped to the type's width."""
    return _right_shift_op(x, y)
