"""The Bessel functions J, Y and K of the orders 0 and 1, of `tf.math.special`.

Near zero they are power series. Further out all of them are one integral of a smooth function that falls like
exp(-v^2), in which the trapezoidal rule is exact to rounding with some forty points: of the real line for K, and of a
complex one for the Hankel function J + iY.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import FLOATING, unary

_NEAR = 2.0
_STEP, _POINTS = 0.15, 44
_TERMS = 14


def _series(order: int, sign: int, x: jax.Array) -> tuple[Any, Any]:
    """J or (sign 1) I of an order without its power of x / 2, and the sum that goes with its logarithm in Y and K."""
    q = sign * x * x / 4
    plain, weighted = jnp.zeros_like(x), jnp.zeros_like(x)
    for k in reversed(range(_TERMS)):  # Horner's scheme needs the ratio of one term to the next
        harmonic = sum(1 / n for n in range(1, k + 1))
        if order:
            harmonic += sum(1 / n for n in range(1, k + 2))
        scale = 1 / (math.factorial(k) * math.factorial(k + order))
        plain = plain * q + scale
        weighted = weighted * q + scale * harmonic
    return plain, weighted


_SQUARES = (np.arange(_POINTS) * _STEP) ** 2
_WEIGHTS = np.exp(-_SQUARES) * _STEP * 2 / math.sqrt(math.pi)
_WEIGHTS[0] /= 2


def _integral(order: int, root: Any) -> jax.Array:
    """The sum over the points of the integrand, whose root, or for order 0 its inverse, is given."""
    weights = 2 * _WEIGHTS * _SQUARES if order else _WEIGHTS
    return jnp.sum(root * jnp.asarray(weights, root.dtype), -1)


def _hankel(order: int, x: jax.Array) -> tuple[Any, Any]:
    """J and Y for x from 2 on; the root of 1 + ia is worked out by its parts, as complex ones compile slowly."""
    a = jnp.asarray(_SQUARES, x.dtype) / (2 * x[..., None])
    size = jnp.sqrt(1 + a * a)
    real = jnp.sqrt((size + 1) / 2)
    imaginary = a / (2 * real)
    if not order:
        real, imaginary = real / size, -imaginary / size
    p, q = _integral(order, real), _integral(order, imaginary)
    phase = x - (2 * order + 1) * math.pi / 4
    scale, cosine, sine = jnp.sqrt(2 / (math.pi * x)), jnp.cos(phase), jnp.sin(phase)
    return scale * (p * cosine - q * sine), scale * (p * sine + q * cosine)


def _decaying(order: int, x: jax.Array) -> jax.Array:
    """K for x from 2 on, times exp(x)."""
    root = jnp.sqrt(1 + jnp.asarray(_SQUARES, x.dtype) / (2 * x[..., None]))
    return jnp.sqrt(math.pi / (2 * x)) * _integral(order, root if order else 1 / root)


def _j(order: int) -> Callable[[Any], Any]:
    def function(x: jax.Array) -> Any:
        size = jnp.abs(x)
        is_near = size < _NEAR
        near = _series(order, -1, jnp.where(is_near, size, 1))[0] * (size / 2) ** order
        far = _hankel(order, jnp.where(is_near | jnp.isinf(size), _NEAR, size).astype(x.dtype))[0]
        found = jnp.where(is_near, near, jnp.where(jnp.isinf(size), 0, far)).astype(x.dtype)
        return jnp.where(x < 0, -found, found) if order else found

    return function


def _y(order: int) -> Callable[[Any], Any]:
    def function(x: jax.Array) -> Any:
        is_near = x < _NEAR
        inner = jnp.where(is_near & (x > 0), x, 1)
        plain, weighted = _series(order, -1, inner)
        log = jnp.log(inner / 2)
        if order:
            near = (-2 / inner + inner * ((log + np.euler_gamma) * plain - weighted / 2)) / math.pi
        else:
            near = 2 / math.pi * ((log + np.euler_gamma) * plain - weighted)
        far = _hankel(order, jnp.where(is_near | jnp.isinf(x), _NEAR, x).astype(x.dtype))[1]
        found = jnp.where(is_near, near, jnp.where(jnp.isinf(x), 0, far))
        return _outside(x, found, -jnp.inf)

    return function


def _k(order: int, is_scaled: bool) -> Callable[[Any], Any]:
    def function(x: jax.Array) -> Any:
        is_near = x < _NEAR
        inner = jnp.where(is_near & (x > 0), x, 1)
        plain, weighted = _series(order, 1, inner)
        log = jnp.log(inner / 2) + np.euler_gamma
        near = 1 / inner + inner / 2 * (log * plain - weighted / 2) if order else weighted - log * plain
        outer = jnp.where(is_near | jnp.isinf(x), _NEAR, x).astype(x.dtype)
        far = jnp.where(jnp.isinf(x), 0, _decaying(order, outer))
        if is_scaled:
            near = near * jnp.exp(inner)
        else:
            far = far * jnp.exp(-outer)
        return _outside(x, jnp.where(is_near, near, far), jnp.inf)

    return function


def _outside(x: jax.Array, found: Any, at_zero: float) -> jax.Array:
    """A function of positive numbers, with what it is at zero, and below."""
    found = jnp.where(x <= 0, at_zero, found)
    return jnp.where(jnp.isnan(x), x, found).astype(x.dtype)


def _with_slope(function: Callable[[Any], Any], slope: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """A function whose derivative is `slope(x, value)`."""
    smooth = jax.custom_jvp(function)

    @smooth.defjvp
    def smooth_jvp(primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]) -> Any:
        value = smooth(primals[0])
        return value, slope(primals[0], value) * tangents[0]

    return smooth


def _ratio(value: jax.Array, x: jax.Array) -> jax.Array:
    """J1(x) / x, which is a half at zero."""
    is_zero = x == 0
    return jnp.where(is_zero, 0.5, value / jnp.where(is_zero, 1, x)).astype(x.dtype)


_j0: Callable[[Any], Any] = _with_slope(_j(0), lambda x, v: -_j1(x))
_j1: Callable[[Any], Any] = _with_slope(_j(1), lambda x, v: _j0(x) - _ratio(v, x))
_y0: Callable[[Any], Any] = _with_slope(_y(0), lambda x, v: -_y1(x))
_y1: Callable[[Any], Any] = _with_slope(_y(1), lambda x, v: _y0(x) - v / x)
_k0: Callable[[Any], Any] = _with_slope(_k(0, False), lambda x, v: -_k1(x))
_k1: Callable[[Any], Any] = _with_slope(_k(1, False), lambda x, v: -_k0(x) - v / x)
_k0e: Callable[[Any], Any] = _with_slope(_k(0, True), lambda x, v: v - _k1e(x))
_k1e: Callable[[Any], Any] = _with_slope(_k(1, True), lambda x, v: v * (1 - 1 / x) - _k0e(x))

_j0_op, _j1_op = unary("BesselJ0", FLOATING, _j0), unary("BesselJ1", FLOATING, _j1)
_y0_op, _y1_op = unary("BesselY0", FLOATING, _y0), unary("BesselY1", FLOATING, _y1)
_k0_op, _k1_op = unary("BesselK0", FLOATING, _k0), unary("BesselK1", FLOATING, _k1)
_k0e_op, _k1e_op = unary("BesselK0e", FLOATING, _k0e), unary("BesselK1e", FLOATING, _k1e)


def bessel_j0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind, of order 0."""
    return _j0_op(x)


def bessel_j1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind, of order 1."""
    return _j1_op(x)


def bessel_y0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind, of order 0."""
    return _y0_op(x)


def bessel_y1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind, of order 1."""
    return _y1_op(x)


def bessel_k0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 0."""
    return _k0_op(x)


def bessel_k1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 1."""
    return _k1_op(x)


def bessel_k0e(x: TensorLike, name: str | None = None) -> Tensor:
    """`bessel_k0` times exp(x), which does not underflow."""
    return _k0e_op(x)


def bessel_k1e(x: TensorLike, name: str | None = None) -> Tensor:
    """`bessel_k1` times exp(x), which does not underflow."""
    return _k1e_op(x)
