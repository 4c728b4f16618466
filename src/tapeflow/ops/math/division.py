"""Whole-number division and remainders, and quotients and products that are safe at zero.

`floordiv` and `floormod` round down, as Python does: `-7 // 2` is -4 and `-7 % 3` is 2. By zero
they raise for integers and give an infinity or NaN for floats.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.index_checks import looking_at
from tapeflow.ops.domains import INEXACT, INTEGER, NUMERIC, REAL, binary, unary
from tapeflow.ops.host_args import invalid
from tapeflow.ops.math.arithmetic import as_fractions, divided

lax = jax.lax

_BY_ZERO = "{op} expected a divisor other than 0; got an integer division by zero. "
_BY_ZERO += "Divide by tf.maximum(y, 1), or cast to a floating dtype."


def are_integers(*values: Any) -> bool:
    """Whether an op on these tensors and numbers surely works in integers."""
    for value in values:
        if type(value) is int:
            continue
        if type(value) is float:
            return False
        dtype = getattr(value, "dtype", None)
        if not (convert_to_tensor(value).dtype if dtype is None else as_dtype(dtype)).is_integer:
            return False
    return True


# -- division that rounds -------------------------------------------------------------------------


def _floor_divide(x: jax.Array, y: jax.Array) -> jax.Array:
    # Not jnp.floor_divide for floats: 1. // 0. is inf in TensorFlow and NaN there.
    return jnp.floor_divide(x, y) if x.dtype in INTEGER else jnp.floor(jnp.divide(x, y))


def _truncate_divide(x: jax.Array, y: jax.Array) -> jax.Array:
    x, y = jnp.broadcast_arrays(x, y)
    return lax.div(x, y) if x.dtype in INTEGER else jnp.trunc(lax.div(x, y))


def _truncate_mod(x: jax.Array, y: jax.Array) -> jax.Array:
    return lax.rem(*jnp.broadcast_arrays(x, y))


@looking_at(1)
def _zero_check(
    xp: ModuleType, x: jax.Array | np.ndarray, y: jax.Array | np.ndarray
) -> jax.Array | np.ndarray:
    del x
    bad = xp.any(y == 0).astype(xp.int64)
    return xp.stack([bad, xp.zeros_like(bad), xp.zeros_like(bad)])


def _on_host(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` on host integers, which the engine gives no run-time check."""

    def divide(x: np.ndarray, y: np.ndarray) -> Any:
        if np.any(y == 0):
            raise invalid(_BY_ZERO.format(op=name))
        return function(x, y)

    return divide


def _rounding_division(
    name: str, function: Callable[..., Any], host: Callable[..., Any] | None, differentiable: bool = False
) -> tuple[Any, Any]:
    """Two ops: for floats, and for integers with a check of the divisor."""
    return (
        binary(name, REAL, function, differentiable=differentiable),
        binary(
            name,
            REAL,
            function,
            check=_zero_check,
            check_text=_BY_ZERO,
            host=_on_host(name, host) if host is not None else None,
        ),
    )


_FLOORDIV = _rounding_division("FloorDiv", _floor_divide, np.floor_divide)
_FLOORMOD = _rounding_division("FloorMod", jnp.mod, np.mod, differentiable=True)
_TRUNCATEDIV = _rounding_division("TruncateDiv", _truncate_divide, None)
_TRUNCATEMOD = _rounding_division("TruncateMod", _truncate_mod, np.fmod, differentiable=True)


def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y rounded down. There is no gradient: a tape returns `None`."""
    return _FLOORDIV[are_integers(x, y)](x, y)


def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x - floordiv(x, y) * y, which has the sign of y."""
    return _FLOORMOD[are_integers(x, y)](x, y)


mod = floormod


def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y rounded towards 0, as in C."""
    return _TRUNCATEDIV[are_integers(x, y)](x, y)


def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x - truncatediv(x, y) * y, which has the sign of x, as in C."""
    return _TRUNCATEMOD[are_integers(x, y)](x, y)


# -- safe at zero ---------------------------------------------------------------------------------


@jax.custom_jvp
def _multiply_no_nan(x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.where(y == 0, jnp.zeros((), x.dtype), x * y)


@_multiply_no_nan.defjvp
def _multiply_no_nan_jvp(
    primals: tuple[jax.Array, ...], tangents: tuple[jax.Array, ...]
) -> tuple[jax.Array, jax.Array]:
    x, y = primals
    tx, ty = tangents
    return _multiply_no_nan(x, y), _multiply_no_nan(tx, y) + x * ty


def _divide_no_nan(x: jax.Array, y: jax.Array) -> jax.Array:
    x, y = as_fractions(x), as_fractions(y)
    # Both branches are finite, so the gradient of the one not taken is zero and not NaN.
    return jnp.where(y == 0, jnp.zeros((), x.dtype), x / jnp.where(y == 0, 1, y))


def _where_x(function: Callable[..., Any], safe: int) -> Callable[..., Any]:
    """`function(x, y)`, but 0 with a zero gradient where x is 0, whatever y is."""

    def guarded(x: jax.Array, y: jax.Array) -> jax.Array:
        is_zero = x == 0
        return jnp.where(is_zero, jnp.zeros((), x.dtype), function(x, jnp.where(is_zero, safe, y)))

    return guarded


_multiply_no_nan_op = binary("MultiplyNoNan", INEXACT, _multiply_no_nan)
_divide_no_nan_op = binary("DivideNoNan", NUMERIC, _divide_no_nan)
_reciprocal_no_nan = unary("ReciprocalNoNan", INEXACT, lambda x: _divide_no_nan(jnp.ones((), x.dtype), x))
_xdivy = binary("Xdivy", INEXACT, _where_x(lambda x, y: x / y, 1))
_xlogy = binary("Xlogy", INEXACT, _where_x(lambda x, y: x * lax.log(y), 1))
_xlog1py = binary("Xlog1py", INEXACT, _where_x(lambda x, y: x * lax.log1p(y), 0))


def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y, but 0 where y is 0 even if x is infinite or NaN."""
    return _multiply_no_nan_op(x, y)


def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, but 0 where y is 0; so are its gradients there."""
    return divided(_divide_no_nan_op, x, y)


def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x, but 0 where x is 0; so is its gradient there."""
    return _reciprocal_no_nan(x)


def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, but 0 where x is 0 even if y is 0 or NaN."""
    return _xdivy(x, y)


def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(y), but 0 where x is 0 even if y is 0 or NaN."""
    return _xlogy(x, y)


def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(1 + y), but 0 where x is 0 even if y is -1 or NaN."""
    return _xlog1py(x, y)
