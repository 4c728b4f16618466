"""`tf.keras.ops` of each element: a table of Keras 3's names and the functions of `tf` that they stand for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.ops.conversion import alike, floating, tensor

One = Callable[[Any], Any]
Two = Callable[[Any, Any], Any]


def _of_any(function: Callable[..., Any]) -> One:
    def call(x: TensorLike) -> Any:
        return function(tensor(x))

    return _documented(call, function)


def _of_floats(function: Callable[..., Any]) -> One:
    def call(x: TensorLike) -> Tensor:
        return function(floating(x))

    return _documented(call, function)


def _of_two(function: Callable[..., Any]) -> Two:
    def call(x1: TensorLike, x2: TensorLike) -> Tensor:
        return function(*alike(x1, x2))

    return _documented(call, function)


def _of_two_floats(function: Callable[..., Any]) -> Two:
    def call(x1: TensorLike, x2: TensorLike) -> Tensor:
        return function(*map(floating, alike(x1, x2)))

    return _documented(call, function)


def _of_truths(function: Callable[..., Any]) -> Two:
    def call(x1: TensorLike, x2: TensorLike) -> Any:
        return function(*(tf.cast(tensor(x), tf.bool) for x in (x1, x2)))

    return _documented(call, function)


def _documented(call: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    call.__doc__ = function.__doc__
    return call


absolute = abs = _of_any(tf.abs)
negative = _of_any(tf.negative)
sign = _of_any(tf.sign)
square = _of_any(tf.square)
conj = conjugate = _of_any(tf.math.conj)
real = _of_any(tf.math.real)
imag = _of_any(tf.math.imag)
angle = _of_floats(tf.math.angle)
bitwise_not = bitwise_invert = _of_any(tf.bitwise.invert)
ceil = _of_floats(tf.math.ceil)
floor = _of_floats(tf.floor)
exp = _of_floats(tf.exp)
expm1 = _of_floats(tf.math.expm1)
log = _of_floats(tf.math.log)
log1p = _of_floats(tf.math.log1p)
sqrt = _of_floats(tf.sqrt)
rsqrt = _of_floats(tf.math.rsqrt)
reciprocal = _of_floats(tf.math.reciprocal)
sin, cos, tan = _of_floats(tf.sin), _of_floats(tf.cos), _of_floats(tf.tan)
sinh, cosh, tanh = _of_floats(tf.sinh), _of_floats(tf.cosh), _of_floats(tf.tanh)
arcsin, arccos, arctan = _of_floats(tf.asin), _of_floats(tf.acos), _of_floats(tf.atan)
arcsinh, arccosh, arctanh = _of_floats(tf.asinh), _of_floats(tf.acosh), _of_floats(tf.atanh)
erf, erfc, erfinv = _of_floats(tf.math.erf), _of_floats(tf.math.erfc), _of_floats(tf.math.erfinv)
isfinite, isinf, isnan = (
    _of_floats(tf.math.is_finite),
    _of_floats(tf.math.is_inf),
    _of_floats(tf.math.is_nan),
)
i0 = _of_floats(tf.math.bessel_i0)

add = _of_two(tf.add)
subtract = _of_two(tf.subtract)
multiply = _of_two(tf.multiply)
divide = true_divide = _of_two_floats(tf.divide)
divide_no_nan = _of_two_floats(tf.math.divide_no_nan)
floor_divide = _of_two(tf.math.floordiv)
mod = _of_two(tf.math.floormod)
fmod = _of_two(tf.truncatemod)
power = _of_two(tf.pow)
maximum = _of_two(tf.maximum)
minimum = _of_two(tf.minimum)
equal, not_equal = _of_two(tf.equal), _of_two(tf.not_equal)
greater, greater_equal = _of_two(tf.greater), _of_two(tf.greater_equal)
less, less_equal = _of_two(tf.less), _of_two(tf.less_equal)
arctan2 = _of_two_floats(tf.atan2)
nextafter = _of_two_floats(tf.math.nextafter)
logical_and, logical_or = _of_truths(tf.logical_and), _of_truths(tf.logical_or)
logical_xor = _of_truths(tf.math.logical_xor)
bitwise_and, bitwise_or = _of_two(tf.bitwise.bitwise_and), _of_two(tf.bitwise.bitwise_or)
bitwise_xor = _of_two(tf.bitwise.bitwise_xor)
bitwise_left_shift = left_shift = _of_two(tf.bitwise.left_shift)
bitwise_right_shift = right_shift = _of_two(tf.bitwise.right_shift)


def logical_not(x: TensorLike) -> Tensor:
    """Whether it is false or zero."""
    return tf.logical_not(tf.cast(tensor(x), tf.bool))


def fabs(x: TensorLike) -> Tensor:
    """The distance from 0, as a fraction."""
    return tf.abs(floating(x))


def exp2(x: TensorLike) -> Tensor:
    """Two to the power of `x`."""
    return tf.exp(floating(x) * math.log(2.0))


def log2(x: TensorLike) -> Tensor:
    """The logarithm to base 2."""
    return tf.math.log(floating(x)) / math.log(2.0)


def log10(x: TensorLike) -> Tensor:
    """The logarithm to base 10."""
    return tf.math.log(floating(x)) / math.log(10.0)


def logaddexp(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The logarithm of the sum of the exponentials."""
    one, two = map(floating, alike(x1, x2))
    return tf.maximum(one, two) + tf.math.log1p(tf.exp(-tf.abs(one - two)))


def logaddexp2(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The same to base 2."""
    scale = math.log(2.0)
    return logaddexp(floating(x1) * scale, floating(x2) * scale) / scale


def cbrt(x: TensorLike) -> Tensor:
    """The third root."""
    x = floating(x)
    return tf.sign(x) * tf.pow(tf.abs(x), 1.0 / 3.0)


def deg2rad(x: TensorLike) -> Tensor:
    """Degrees as radians."""
    return floating(x) * (math.pi / 180.0)


def rad2deg(x: TensorLike) -> Tensor:
    """Radians as degrees."""
    return floating(x) * (180.0 / math.pi)


def sinc(x: TensorLike) -> Tensor:
    """`sin(pi x) / (pi x)`."""
    x = floating(x) * math.pi
    safe = tf.where(tf.equal(x, 0.0), tf.ones_like(x), x)
    return tf.where(tf.equal(x, 0.0), tf.ones_like(x), tf.sin(safe) / safe)


def hypot(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The length of the long side."""
    one, two = map(floating, alike(x1, x2))
    return tf.sqrt(tf.square(one) + tf.square(two))


def heaviside(x1: TensorLike, x2: TensorLike) -> Tensor:
    """0 below zero, 1 above, and `x2` there."""
    one, two = map(floating, alike(x1, x2))
    return tf.where(tf.equal(one, 0.0), two + tf.zeros_like(one), tf.cast(one > 0, one.dtype))


def ldexp(x1: TensorLike, x2: TensorLike) -> Tensor:
    """`x1` times two to the power of `x2`."""
    one = floating(x1)
    return one * tf.pow(tf.constant(2.0, one.dtype), tf.cast(tensor(x2), one.dtype))


def gcd(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The greatest common divisor."""
    return tf.experimental.numpy.gcd(*alike(x1, x2))


def lcm(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The least common multiple."""
    return tf.experimental.numpy.lcm(*alike(x1, x2))


def fmax(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The larger; of NaN and a number, the number."""
    one, two = map(floating, alike(x1, x2))
    return tf.where(tf.math.is_nan(one), two, tf.where(tf.math.is_nan(two), one, tf.maximum(one, two)))


def fmin(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The smaller; of NaN and a number, the number."""
    one, two = map(floating, alike(x1, x2))
    return tf.where(tf.math.is_nan(one), two, tf.where(tf.math.is_nan(two), one, tf.minimum(one, two)))


def round(x: Tensor, decimals: int = 0) -> Tensor:
    """Rounded, halves to even, to a number of decimals."""
    x = tensor(x)
    if not x.dtype.is_floating:
        if decimals >= 0:
            return x
        factor = tf.cast(10**-decimals, x.dtype)
        return tf.cast(tf.round(tf.cast(x, "float32") / tf.cast(factor, "float32")), x.dtype) * factor
    factor = 10.0**decimals
    return tf.round(x * factor) / factor if decimals else tf.round(x)


def trunc(x: Tensor) -> Tensor:
    """Without what is behind the point."""
    x = tensor(x)
    return tf.where(x < 0, tf.math.ceil(x), tf.floor(x)) if x.dtype.is_floating else x


def clip(x: Tensor, x_min: TensorLike, x_max: TensorLike) -> Tensor:
    """Numbers below `x_min` or above `x_max` at these."""
    x = tensor(x)
    low, high = (tf.cast(tensor(end), x.dtype) for end in (x_min, x_max))
    return tf.minimum(tf.maximum(x, low), high)


def isclose(
    x1: TensorLike, x2: TensorLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Whether numbers are about equal."""
    one, two = map(floating, alike(x1, x2))
    near = tf.logical_or(tf.abs(one - two) <= atol + rtol * tf.abs(two), tf.equal(one, two))
    return (
        tf.logical_or(near, tf.logical_and(tf.math.is_nan(one), tf.math.is_nan(two))) if equal_nan else near
    )


def isneginf(x: TensorLike) -> Tensor:
    """Whether it is minus infinity."""
    return tf.equal(floating(x), -np.inf)


def isposinf(x: TensorLike) -> Tensor:
    """Whether it is infinity."""
    return tf.equal(floating(x), np.inf)


def isreal(x: Tensor) -> Tensor:
    """Whether there is no imaginary part."""
    x = tensor(x)
    return tf.equal(tf.math.imag(x), 0) if x.dtype.is_complex else tf.ones_like(x, dtype=tf.bool)


def signbit(x: Tensor) -> Tensor:
    """Whether the sign is set."""
    x = tensor(x)
    if not x.dtype.is_floating:
        return x < 0
    return tf.logical_or(x < 0, tf.logical_and(tf.equal(x, 0), 1.0 / x < 0))


def nan_to_num(x: Tensor, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """Numbers in the place of NaN and infinities."""
    x = tensor(x)
    if not x.dtype.is_floating:
        return x
    for where, value in (
        (tf.math.is_nan(x), nan),
        (tf.equal(x, np.inf), x.dtype.max if posinf is None else posinf),
        (tf.equal(x, -np.inf), x.dtype.min if neginf is None else neginf),
    ):
        x = tf.where(where, tf.constant(value, x.dtype), x)
    return x


def where(condition: Any, x1: TensorLike | None = None, x2: TensorLike | None = None) -> Any:
    """`x1` where the condition holds and `x2` elsewhere; without them, where it holds."""
    condition = tf.cast(tensor(condition), tf.bool)
    if x1 is None and x2 is None:
        return nonzero(condition)
    return tf.where(condition, *alike(x1, x2))


def nonzero(x: TensorLike) -> tuple[Any, ...]:
    """The places of what is not zero, axis by axis."""
    indices = tf.where(tf.cast(tensor(x), tf.bool))
    return tuple(tf.cast(part, "int32") for part in tf.unstack(indices, axis=1))


def select(condlist: Sequence[np.ndarray], choicelist: Sequence[np.ndarray], default: Any = 0) -> Tensor:
    """The choice of the first condition that holds."""
    *choices, selected = alike(*choicelist, default)
    for condition, choice in reversed(list(zip(condlist, choices, strict=True))):
        selected = tf.where(tensor(condition), choice, selected)
    return selected


def polar(abs_: Any, angle: Any) -> Tensor:
    """Complex numbers of a length and an angle."""
    length, turn = map(floating, alike(abs_, angle))
    return tf.complex(length * tf.cos(turn), length * tf.sin(turn))
