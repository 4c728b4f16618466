"""Powers.

An exponent that is a small Python int is static, so `x ** 2` is a product and has an exact gradient
everywhere; any other exponent is a tensor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.checks import index_check
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.domains import FLOATING, INTEGER, NUMERIC, binary
from tapeflow.ops.host_args import invalid
from tapeflow.ops.math.division import are_integers

lax = jax.lax

# Larger ones are inputs, or the `t` of `rate ** t` would compile a program for each step.
_LARGEST_STATIC_EXPONENT = 16
_NEGATIVE = "{op} expected an exponent of at least 0 for integers; got {value}: integers to negative "
_NEGATIVE += "integer powers are not allowed. Cast to a floating dtype first."


@jax.custom_jvp
def _float_power(x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.power(x, y)


@_float_power.defjvp
def _float_power_jvp(
    primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    x, y = primals
    tx, ty = tangents
    power = _float_power(x, y)
    # The exponent's guard keeps 0 ** 0 from giving 0 * inf.
    less = jnp.where(y == 0, 1, y - 1)
    slope = jnp.where(y == 0, jnp.zeros((), x.dtype), y * _float_power(x, less))
    is_safe = x > 0 if x.dtype in FLOATING else x != 0
    logarithm = jnp.where(is_safe, lax.log(jnp.where(is_safe, x, 1)), jnp.zeros((), x.dtype))
    return power, slope * tx + power * logarithm * ty


def _power(x: jax.Array, y: jax.Array | np.ndarray) -> jax.Array:
    return jnp.power(x, y) if x.dtype in INTEGER else _float_power(x, y)


_AT_LEAST_0 = index_check(arg=1, limit=lambda arrays, statics: 2**62)
_POW = (
    binary("Pow", NUMERIC, _power),
    binary("Pow", NUMERIC, _power, check=_AT_LEAST_0, check_text=_NEGATIVE),
)


def _host_integer_power(x: np.ndarray, *, exponent: int) -> Any:
    return x**exponent


@op(name="Pow", host=_host_integer_power)
def _integer_pow(x: jax.Array, *, exponent: int) -> jax.Array:
    NUMERIC.check("Pow", x=x)
    return lax.integer_pow(x, exponent)


def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x to the power of y.

    Raises:
        InvalidArgumentError: an integer is raised to a negative power.
    """
    if type(y) is int and -_LARGEST_STATIC_EXPONENT <= y <= _LARGEST_STATIC_EXPONENT:
        if y < 0 and are_integers(x):
            raise invalid(_NEGATIVE.format(op="Pow", value=y))
        return _integer_pow(x, exponent=y)
    return _POW[are_integers(x, y)](x, y)
