"""Functions of each element: exponentials, trigonometry, rounding, the parts of complex numbers.

The table of ops comes first, then the public functions, each a thin face of one. Rounding has no
gradient, as in TensorFlow: a tape gives `None`, not zero.
"""

from __future__ import annotations

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import FLOATING, INEXACT, INTEGER, NUMERIC, REAL, binary, unary
from tapeflow.ops.math.stable_math import softplus as softplus_of

lax = jax.lax


def _softsign(x: jax.Array) -> jax.Array:
    return x / (1 + jnp.abs(x))


def _round(x: jax.Array) -> jax.Array:
    if x.dtype in INTEGER:
        return x
    return lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)


def _angle(x: jax.Array) -> jax.Array:
    if x.dtype not in FLOATING:
        return lax.atan2(jnp.imag(x), jnp.real(x))
    # Not atan2: TensorFlow gives 0 for NaN and for -0.0.
    return jnp.where(x < 0, jnp.asarray(jnp.pi, x.dtype), jnp.zeros((), x.dtype))


_exp = unary("Exp", INEXACT, lax.exp)
_expm1 = unary("Expm1", INEXACT, lax.expm1)
_log = unary("Log", INEXACT, lax.log)
_log1p = unary("Log1p", INEXACT, lax.log1p)
_sin = unary("Sin", INEXACT, lax.sin)
_cos = unary("Cos", INEXACT, lax.cos)
_tan = unary("Tan", INEXACT, lax.tan)
_asin = unary("Asin", INEXACT, lax.asin)
_acos = unary("Acos", INEXACT, lax.acos)
_atan = unary("Atan", INEXACT, lax.atan)
_sinh = unary("Sinh", INEXACT, lax.sinh)
_cosh = unary("Cosh", INEXACT, lax.cosh)
_tanh = unary("Tanh", INEXACT, lax.tanh)
_asinh = unary("Asinh", INEXACT, lax.asinh)
_acosh = unary("Acosh", INEXACT, lax.acosh)
_atanh = unary("Atanh", INEXACT, lax.atanh)
_atan2 = binary("Atan2", FLOATING, jnp.arctan2)
_sigmoid = unary("Sigmoid", INEXACT, lax.logistic)
_softplus = unary("Softplus", FLOATING, softplus_of)
_log_sigmoid = unary("LogSigmoid", FLOATING, lambda x: -softplus_of(-x))
_softsign_op = unary("Softsign", FLOATING, _softsign)
_floor = unary("Floor", FLOATING, lax.floor, differentiable=False)
_ceil = unary("Ceil", FLOATING, lax.ceil, differentiable=False)
_round_op = unary("Round", REAL, _round, differentiable=False)
_rint = unary("Rint", FLOATING, _round, differentiable=False)
_is_nan = unary("IsNan", FLOATING, jnp.isnan, differentiable=False)
_is_inf = unary("IsInf", FLOATING, jnp.isinf, differentiable=False)
_is_finite = unary("IsFinite", FLOATING, lax.is_finite, differentiable=False)
_real = unary("Real", NUMERIC, jnp.real)
_imag = unary("Imag", NUMERIC, jnp.imag)
_imag_of_real = unary("Imag", NUMERIC, jnp.zeros_like, differentiable=False)
_conj = unary("Conj", NUMERIC, jnp.conj)
_angle_op = unary("Angle", INEXACT, _angle)


def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """e to the power of x."""
    return _exp(x)


def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(x) - 1, exact for small x."""
    return _expm1(x)


def log(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm; -inf at 0, NaN below."""
    return _log(x)


def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + x), exact for small x."""
    return _log1p(x)


def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The sine of an angle in radians."""
    return _sin(x)


def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The cosine of an angle in radians."""
    return _cos(x)


def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """The tangent of an angle in radians."""
    return _tan(x)


def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle whose sine is x, in [-pi/2, pi/2]; NaN outside of [-1, 1]."""
    return _asin(x)


def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle whose cosine is x, in [0, pi]; NaN outside of [-1, 1]."""
    return _acos(x)


def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle whose tangent is x, in (-pi/2, pi/2)."""
    return _atan(x)


def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The angle of the point (x, y), in (-pi, pi]."""
    return _atan2(y, x)


def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic sine."""
    return _sinh(x)


def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic cosine."""
    return _cosh(x)


def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic tangent."""
    return _tanh(x)


def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `sinh`."""
    return _asinh(x)


def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `cosh`; NaN below 1."""
    return _acosh(x)


def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `tanh`; infinite at -1 and 1, NaN beyond."""
    return _atanh(x)


def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)), without overflow."""
    return _sigmoid(x)


def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + exp(x)), without overflow."""
    return _softplus(features)


def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), which is -softplus(-x): finite where the sigmoid rounds to 0."""
    return _log_sigmoid(x)


def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """x / (1 + |x|)."""
    return _softsign_op(features)


def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """The largest integer not above x, in x's dtype."""
    return _floor(x)


def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """The smallest integer not below x, in x's dtype."""
    return _ceil(x)


def round(x: TensorLike, name: str | None = None) -> Tensor:
    """Round to the nearest integer; halves are rounded to the even one, as in Python and unlike in C."""
    return _round_op(x)


def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """Round to the nearest integer; halves are rounded to the even one."""
    return _rint(x)


def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether each element is NaN."""
    return _is_nan(x)


def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether each element is infinite."""
    return _is_inf(x)


def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether each element is neither infinite nor NaN."""
    return _is_finite(x)


def real(input: TensorLike, name: str | None = None) -> Tensor:
    """The real part; a real tensor is its own."""
    input = convert_to_tensor(input)
    return _real(input) if input.dtype.is_complex else input


def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """The imaginary part; zeros for a real tensor."""
    input = convert_to_tensor(input)
    return _imag(input) if input.dtype.is_complex else _imag_of_real(input)


def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """The complex conjugate; a real tensor is its own.

    Raises:
        TypeError: x holds no numbers.
    """
    x = convert_to_tensor(x)
    if x.dtype.is_complex:
        return _conj(x)
    if x.dtype.is_floating or x.dtype.is_integer:
        return x
    raise TypeError(
        f"tf.math.conj expected a number tensor; got x of dtype {x.dtype.name} "
        f"(shape {list(x.spec.shape)}). Cast it first."
    )


def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """The argument of a complex number in (-pi, pi]; pi for a negative real one and 0 otherwise."""
    return _angle_op(input)
