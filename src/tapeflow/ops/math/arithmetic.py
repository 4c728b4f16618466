"""Arithmetic on numbers: sums, products, quotients, signs, and the larger and smaller of two.

Gradients follow TensorFlow where JAX differs: at a tie `maximum` and `minimum` give it all to
`x`, and the slope of `abs` is 0 at 0. Integers divided with `/` give float64, or float32 if they
have 16 bits or less.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import Op, op
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype, string
from tapeflow.engine.values.shape import TensorShape, as_shape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import ANY, FLOATING, INEXACT, INTEGER, NUMERIC, REAL, binary, unary
from tapeflow.ops.host_args import describe

lax = jax.lax


def as_fractions(x: jax.Array) -> jax.Array:
    """x, for kernels: integers as the floats that dividing them gives, anything else as it is."""
    if x.dtype not in INTEGER:
        return x
    return x.astype(jnp.float32 if x.dtype.itemsize <= 2 else jnp.float64)


@jax.custom_jvp
def larger(x: jax.Array, y: Any) -> jax.Array:
    """The larger of two arrays, for kernels: a tie's gradient goes to x."""
    return jnp.maximum(x, y)


@larger.defjvp
def _larger_jvp(
    primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    x, y = primals
    return larger(x, y), jnp.where(x >= y, *tangents)


@jax.custom_jvp
def smaller(x: jax.Array, y: Any) -> jax.Array:
    """The smaller of two arrays, for kernels: a tie's gradient goes to x."""
    return jnp.minimum(x, y)


@smaller.defjvp
def _smaller_jvp(
    primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    x, y = primals
    return smaller(x, y), jnp.where(x <= y, *tangents)


@jax.custom_jvp
def _magnitude(x: jax.Array) -> jax.Array:
    return lax.abs(x)


@_magnitude.defjvp
def _magnitude_jvp(
    primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    # JAX's own slope of |x| is 1 at zero.
    (x,), (tx,) = primals, tangents
    return lax.abs(x), tx * lax.sign(x)


def _abs(x: jax.Array) -> jax.Array:
    return _magnitude(x) if x.dtype in FLOATING else jnp.abs(x)


@jax.custom_jvp
def _nextafter(x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.nextafter(x, y)


@_nextafter.defjvp
def _nextafter_jvp(
    primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    after = _nextafter(*primals)
    return after, jnp.broadcast_to(tangents[0], after.shape)


def _squared_difference(x: jax.Array, y: jax.Array) -> jax.Array:
    difference = x - y
    return difference * jnp.conj(difference)


def _true_divide(x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.divide(as_fractions(x), as_fractions(y))


def _host_true_divide(x: np.ndarray, y: np.ndarray) -> Any:
    return x.astype(np.float64) / y


add_op = binary("Add", NUMERIC, jnp.add, host=np.add)
subtract_op = binary("Subtract", NUMERIC, jnp.subtract, host=np.subtract)
multiply_op = binary("Multiply", ANY, jnp.multiply, host=np.multiply)
divide_op = binary("Divide", NUMERIC, _true_divide, host=_host_true_divide)
negative_op = unary("Negative", NUMERIC, lax.neg, host=np.negative)
abs_op = unary("Abs", NUMERIC, _abs, host=np.abs)
_maximum = binary("Maximum", REAL, larger, host=np.maximum)
_minimum = binary("Minimum", REAL, smaller, host=np.minimum)
_sign = unary("Sign", NUMERIC, lax.sign, host=np.sign)
_square = unary("Square", NUMERIC, lax.square, host=np.square)
_sqrt = unary("Sqrt", INEXACT, lax.sqrt)
_rsqrt = unary("Rsqrt", INEXACT, lax.rsqrt)
_reciprocal = unary("Reciprocal", INEXACT, jnp.reciprocal)
_realdiv = binary("RealDiv", INEXACT, jnp.divide)
_nextafter_op = binary("NextAfter", FLOATING, _nextafter)
_squared_difference_op = binary("SquaredDifference", NUMERIC, _squared_difference)


@op(name="AddN")
def _add_n(*inputs: jax.Array) -> jax.Array:
    NUMERIC.check("AddN", inputs=inputs[0])
    for tensor in inputs[1:]:
        if tensor.shape != inputs[0].shape:
            # AddN does not broadcast; the engine adds the op and all shapes to this.
            raise ValueError("every input must have the shape of the first")
    return functools.reduce(operator.add, inputs)


def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x + y."""
    return add_op(x, y)


def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x - y."""
    return subtract_op(x, y)


def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y, elementwise; for bools, whether both hold."""
    return multiply_op(x, y)


def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, with a fraction even for integers; infinite or NaN where y is 0."""
    return divided(divide_op, x, y)


def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y; the same as `divide`."""
    return divided(divide_op, x, y)


def divided(quotient: Op, x: TensorLike, y: TensorLike) -> Tensor:
    """`quotient(x, y)`; dtypes that do not fit raise what TensorFlow raises for divisions alone.

    Raises:
        TypeError: the dtypes differ, or are not those of numbers.
    """
    try:
        return quotient(x, y)
    except errors.InvalidArgumentError:
        first = convert_to_tensor(x, dtype_hint=getattr(y, "dtype", None))
        second = convert_to_tensor(y, dtype_hint=first.dtype)
        got = f"x {describe(first)} and y {describe(second)}"
        if first.dtype is not second.dtype:
            raise TypeError(
                f"{quotient.name} expected x and y of one dtype: `x` and `y` must have the same dtype, got "
                f"{first.dtype!r} != {second.dtype!r}; got {got}. Use tf.cast to give them one."
            ) from None
        if first.dtype.is_bool or first.dtype is string:
            raise TypeError(
                f"{quotient.name} expected numbers: invalid dtype {first.dtype!r}; got {got}. "
                "Use tf.cast or tf.strings.to_number first."
            ) from None
        raise


def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y for floating-point and complex tensors only."""
    return _realdiv(x, y)


def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """-x."""
    return negative_op(x)


def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """The absolute value; of a complex number, its real-valued length."""
    return abs_op(x)


def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """-1, 0 or 1; x / |x| for a complex number. Its gradient is zero, not `None`."""
    return _sign(x)


def square(x: TensorLike, name: str | None = None) -> Tensor:
    """x * x."""
    return _square(x)


def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """The square root; NaN below 0, with an infinite gradient at 0."""
    return _sqrt(x)


def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / sqrt(x)."""
    return _rsqrt(x)


def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x."""
    return _reciprocal(x)


def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """(x - y)**2; the squared length of the difference if complex."""
    return _squared_difference_op(x, y)


def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The larger of x and y, or NaN if one is. A tie passes its gradient to x."""
    return _maximum(x, y)


def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The smaller of x and y, or NaN if one is. A tie passes its gradient to x."""
    return _minimum(x, y)


def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """The next number after x1 in the direction of x2; for gradients, x1 itself."""
    return _nextafter_op(x1, x2)


def add_n(inputs: Iterable[Any], name: str | None = None) -> Tensor:
    """The sum of several tensors of one shape; nothing is broadcast.

    Raises:
        ValueError: there is no input.
    """
    tensors = list(inputs)
    if not tensors:
        raise ValueError(
            "tf.add_n expected at least one tensor; got inputs=[]. Use tf.zeros for an empty sum."
        )
    return _add_n(*tensors)


def accumulate_n(
    inputs: Iterable[Any],
    shape: ShapeLike | None = None,
    tensor_dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`add_n`, after checking that the inputs have `shape` and `tensor_dtype` if these are given.

    Raises:
        TypeError: an input has another dtype.
        ValueError: there is no input, or one has another shape.
    """
    tensors = [convert_to_tensor(t) for t in inputs]
    if not tensors:
        raise ValueError(
            "tf.math.accumulate_n expected at least one tensor; got inputs=[]. Use tf.zeros for an empty sum."
        )
    wanted = TensorShape(tensors[0].spec.shape) if shape is None else as_shape(shape)
    dtype = tensors[0].dtype if tensor_dtype is None else as_dtype(tensor_dtype)
    for i, tensor in enumerate(tensors):
        if not wanted.is_compatible_with(tensor.shape):
            raise ValueError(
                f"tf.math.accumulate_n expected every input to have shape {wanted}; "
                f"got inputs[{i}] {describe(tensor)}. Reshape it first."
            )
        if tensor.dtype is not dtype:
            raise TypeError(
                f"tf.math.accumulate_n expected every input to have dtype {dtype.name}; "
                f"got inputs[{i}] {describe(tensor)}. Cast it first."
            )
    return _add_n(*tensors)


def scalar_mul(scalar: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """x times a scalar.

    Raises:
        ValueError: `scalar` is not a scalar.
    """
    x = convert_to_tensor(x)
    factor = convert_to_tensor(scalar, dtype=x.dtype)
    if factor.spec.shape != ():
        raise ValueError(
            f"tf.scalar_mul expected a scalar; got scalar {describe(factor)}. "
            "Use tf.multiply to multiply by a tensor."
        )
    return multiply_op(factor, x)


def polyval(coeffs: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The polynomial with `coeffs`, highest power first, at x.

    Raises:
        ValueError: `coeffs` is not a list.
    """
    if not isinstance(coeffs, (list, tuple)):
        raise ValueError(
            "tf.math.polyval expected a list of coefficients; got coeffs of type "
            f"{type(coeffs).__name__}. Put them into a list, or use tf.unstack on a tensor."
        )
    x = convert_to_tensor(x)
    if not coeffs:
        return subtract_op(x, x)
    result: Any = coeffs[0]
    for coefficient in coeffs[1:]:
        result = add_op(coefficient, multiply_op(result, x))
    return convert_to_tensor(result, dtype_hint=x.dtype)
