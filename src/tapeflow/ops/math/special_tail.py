"""The integrals of Dawson, Fresnel and Spence, and the exponential integral, of `tf.math.special`."""

from __future__ import annotations

from typing import Any

import jax.scipy.special as jsp

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import FLOATING, unary

_dawsn = unary("Dawsn", FLOATING, jsp.dawsn)
_expint = unary("Expint", FLOATING, jsp.expi)
_fresnel_cos = unary("FresnelCos", FLOATING, lambda x: jsp.fresnel(x)[1])
_fresnel_sin = unary("FresnelSin", FLOATING, lambda x: jsp.fresnel(x)[0])
_spence = unary("Spence", FLOATING, lambda x: _dilogarithm(x))


@jax.custom_jvp
def _dilogarithm(x: Any) -> Any:
    return jsp.spence(x)


@_dilogarithm.defjvp
def _dilogarithm_jvp(
    primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    """JAX's own derivative is NaN where another branch of its formula would be."""
    (x,) = primals
    is_one = x == 1
    away = jnp.where(is_one, jnp.asarray(2, x.dtype), x)
    slope = jnp.where(is_one, jnp.asarray(-1, x.dtype), jnp.log(away) / (1 - away))
    return _dilogarithm(x), slope * tangents[0]


def dawsn(x: TensorLike, name: str | None = None) -> Tensor:
    """Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x."""
    return _dawsn(x)


def expint(x: TensorLike, name: str | None = None) -> Tensor:
    """The exponential integral Ei: the integral of exp(t) / t up to x."""
    return _expint(x)


def fresnel_cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The integral of cos(pi t^2 / 2) from 0 to x."""
    return _fresnel_cos(x)


def fresnel_sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The integral of sin(pi t^2 / 2) from 0 to x."""
    return _fresnel_sin(x)


def spence(x: TensorLike, name: str | None = None) -> Tensor:
    """Spence's function: the integral of log(t) / (1 - t) from 1 to x."""
    return _spence(x)
