"""Special functions: the error function and its inverses, gamma, beta, zeta, Bessel functions.

Parameters that TensorFlow gives no gradient, such as the order of `polygamma`, have a zero one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.scipy.special as jsp

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import FLOATING, binary, unary

lax = jax.lax


def _erfcinv(x: jax.Array) -> jax.Array:
    return -jsp.ndtri(x / 2) * jnp.asarray(math.sqrt(0.5), x.dtype)


def _lbeta(x: jax.Array) -> jax.Array:
    total = jnp.sum(x, -1, dtype=x.dtype)
    return jnp.sum(lax.lgamma(x), -1, dtype=x.dtype) - lax.lgamma(total)


def _polygamma(a: jax.Array, x: jax.Array) -> jax.Array:
    a = lax.stop_gradient(a)
    is_order = (a >= 0) & (a == jnp.floor(a))
    a, x = jnp.broadcast_arrays(jnp.where(is_order, a, 1), x)
    sign = jnp.where(a % 2 == 0, jnp.asarray(-1, x.dtype), jnp.asarray(1, x.dtype))
    value = sign * lax.exp(lax.lgamma(a + 1)) * jsp.zeta(a + 1, x)
    value = jnp.where(a == 0, lax.digamma(x), value)
    return jnp.where(is_order, value, jnp.asarray(jnp.nan, x.dtype))


def _zeta(x: jax.Array, q: jax.Array) -> jax.Array:
    return jsp.zeta(lax.stop_gradient(x), q)


def _of_one_shape(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """A function of two arrays of one shape, for two that broadcast."""

    def of_one_shape(x: jax.Array, y: jax.Array) -> jax.Array:
        return function(*jnp.broadcast_arrays(x, y))

    return of_one_shape


@op(name="Betainc")
def _betainc(a: jax.Array, b: jax.Array, x: jax.Array) -> jax.Array:
    FLOATING.check("Betainc", x=x)
    return jsp.betainc(lax.stop_gradient(a), lax.stop_gradient(b), x)


_erf = unary("Erf", FLOATING, lax.erf)
_erfc = unary("Erfc", FLOATING, lax.erfc)
_erfinv = unary("Erfinv", FLOATING, lax.erf_inv)
_erfcinv_op = unary("Erfcinv", FLOATING, _erfcinv)
_ndtri = unary("Ndtri", FLOATING, jsp.ndtri)
_lgamma = unary("Lgamma", FLOATING, lax.lgamma)
_digamma = unary("Digamma", FLOATING, lax.digamma)
_polygamma_op = binary("Polygamma", FLOATING, _polygamma)
_zeta_op = binary("Zeta", FLOATING, _zeta)
_igamma = binary("Igamma", FLOATING, jsp.gammainc)
_igammac = binary("Igammac", FLOATING, jsp.gammaincc)
_igamma_grad_a = binary("IgammaGradA", FLOATING, _of_one_shape(lax.igamma_grad_a))
_random_gamma_grad = binary(
    "RandomGammaGrad",
    FLOATING,
    _of_one_shape(lax.random_gamma_grad),
)
_lbeta_op = unary("Lbeta", FLOATING, _lbeta)
_bessel_i0 = unary("BesselI0", FLOATING, jsp.i0)
_bessel_i0e = unary("BesselI0e", FLOATING, jsp.i0e)
_bessel_i1 = unary("BesselI1", FLOATING, jsp.i1)
_bessel_i1e = unary("BesselI1e", FLOATING, jsp.i1e)


def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """The error function."""
    return _erf(x)


def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """1 - erf(x), exact where erf is close to 1."""
    return _erfc(x)


def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `erf` on [-1, 1]."""
    return _erfinv(x)


def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `erfc` on [0, 2]."""
    return _erfcinv_op(x)


def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """The quantile of the standard normal distribution."""
    return _ndtri(x)


def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """log(|Gamma(x)|)."""
    return _lgamma(x)


def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of `lgamma`."""
    return _digamma(x)


def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of order a of `digamma`."""
    return _polygamma_op(a, x)


def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """Hurwitz's zeta function: the sum of (q + n) ** -x over n = 0, 1, 2, ..."""
    return _zeta_op(x, q)


def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The lower regularised incomplete gamma function."""
    return _igamma(a, x)


def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The upper regularised incomplete gamma function, 1 - igamma(a, x)."""
    return _igammac(a, x)


def igamma_derivative(a: TensorLike, x: TensorLike) -> Tensor:
    """The derivative of `igamma(a, x)` by `a`, for libraries that write it down; it has none of its own."""
    return _igamma_grad_a(a, x)


def random_gamma_derivative(alpha: TensorLike, sample: TensorLike) -> Tensor:
    """The derivative of a sample of the gamma distribution by its parameter; it has none of its own."""
    return _random_gamma_grad(alpha, sample)


def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The regularised incomplete beta function; only x has a gradient."""
    return _betainc(a, b, x)


def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the multivariate beta function over the last axis."""
    return _lbeta_op(x)


def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 0."""
    return _bessel_i0(x)


def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(-|x|) * bessel_i0(x)."""
    return _bessel_i0e(x)


def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 1."""
    return _bessel_i1(x)


def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(-|x|) * bessel_i1(x)."""
    return _bessel_i1e(x)
