"""`tf.debugging.check_numerics`: one tensor checked for NaN and Inf."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.recording.op import Op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.debugging.requirement import broken, check_later, check_op, is_recorded
from tapeflow.ops.host_args import describe, invalid


def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """The tensor itself, after asserting that it holds no NaN and no Inf.

    `tf.debugging.enable_check_numerics` checks every op, and gradients too.

    Args:
        tensor: a floating-point tensor.
        message: the beginning of the error message.
        name: ignored.

    Raises:
        InvalidArgumentError: an element is a NaN or an Inf.
    """
    x = convert_to_tensor(tensor)
    if not x.dtype.is_floating:
        raise invalid(
            "tf.debugging.check_numerics expected a floating-point tensor; got tensor "
            f"{describe(x)}. Only floating-point numbers can be NaN or Inf."
        )
    if is_recorded(x):
        for kind in _NUMERICS:
            check_later(_numerics_op(str(message), kind), x)
        return x
    value = np.asarray(x.numpy())
    for kind, is_found in _NUMERICS.items():
        if is_found(np, value):
            raise broken(_numerics_text(message, kind))
    return x


_NUMERICS: dict[str, Callable[[Any, Any], Any]] = {
    "Inf and NaN": lambda xp, x: xp.logical_and(xp.any(xp.isinf(x)), xp.any(xp.isnan(x))),
    "NaN": lambda xp, x: xp.any(xp.isnan(x)),
    "Inf": lambda xp, x: xp.any(xp.isinf(x)),
}


def _numerics_text(message: str, kind: str) -> str:
    return f"{message} : Tensor had {kind} values."


@lru_cache(maxsize=1024)
def _numerics_op(message: str, kind: str) -> Op:
    is_found = _NUMERICS[kind]

    def check(xp: ModuleType, x: jax.Array) -> jax.Array:
        zero = xp.zeros((), xp.int64)
        return xp.stack([is_found(xp, x).astype(xp.int64), zero, zero])

    return check_op("CheckNumerics", _numerics_text(message, kind), "", check)


def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """The tensor itself, after asserting that it holds no NaN and no Inf; see `check_numerics`."""
    return check_numerics(x, message)
