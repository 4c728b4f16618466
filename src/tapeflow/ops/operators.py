"""What `+`, `<`, `**` and the other operators do on tensors and Variables.

`==` is elementwise, as in TensorFlow 2. Between shapes that do not broadcast it is one False, and
so it is with `None`, since `in` and `list.index` compare things that have nothing in common.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine import errors
from tapeflow.engine.recording.op import Op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.math import arithmetic, comparison, division, power

Function = Callable[[Any, Any], Any]


def _matmul(x: Tensor, y: Tensor) -> Tensor:
    from tapeflow.ops.linalg.products import matmul  # needs the operators itself

    return matmul(x, y)


def _forward(function: Function, reflected: str) -> Function:
    """`tensor <operator> other`; a foreign type with a method of its own gets its turn."""
    function = function.operate if isinstance(function, Op) else function

    def operate(self: Any, other: TensorLike) -> Tensor:
        try:
            return function(self, other)
        except (TypeError, ValueError):
            if _is_foreign(other) and hasattr(type(other), reflected):
                return NotImplemented
            raise

    return operate


def _reflected(function: Function) -> Function:
    """`other <operator> tensor`, where other knows no better."""
    function = function.operate if isinstance(function, Op) else function

    def operate(self: TensorLike, other: float) -> Tensor:
        return function(other, self)

    return operate


def _is_foreign(value: TensorLike) -> bool:
    known = (TensorBase, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)
    return value is not None and not isinstance(value, known)


def _equal(self: Tensor, other: TensorLike | None) -> Any:
    return _compare(comparison.equal, self, other, False)


def _not_equal(self: Any, other: TensorLike) -> Any:
    return _compare(comparison.not_equal, self, other, True)


def _compare(function: Function, self: Tensor, other: TensorLike | None, if_apart: bool) -> Any:
    if other is None:
        return if_apart
    try:
        return function(self, other)
    except errors.InvalidArgumentError:
        mine, theirs = convert_to_tensor(self), convert_to_tensor(other, dtype_hint=self.dtype)
        try:
            np.broadcast_shapes(mine.spec.shape, theirs.spec.shape)
        except ValueError:
            return convert_to_tensor(if_apart)
        raise


# The operator's name, what it does, and what its mirror image is called.
_BINARY: tuple[tuple[str, Function, str], ...] = (
    ("add", arithmetic.add_op, "radd"),
    ("sub", arithmetic.subtract_op, "rsub"),
    ("mul", arithmetic.multiply_op, "rmul"),
    ("truediv", arithmetic.divide, "rtruediv"),
    ("floordiv", division.floordiv, "rfloordiv"),
    ("mod", division.floormod, "rmod"),
    ("pow", power.pow, "rpow"),
    ("matmul", _matmul, "rmatmul"),
    ("and", comparison.and_op, "rand"),
    ("or", comparison.or_op, "ror"),
    ("xor", comparison.xor_op, "rxor"),
    ("lt", comparison.less_op, "gt"),
    ("le", comparison.less_equal_op, "ge"),
    ("gt", comparison.greater_op, "lt"),
    ("ge", comparison.greater_equal_op, "le"),
)
_UNARY: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("neg", arithmetic.negative_op),
    ("abs", arithmetic.abs_op),
    ("invert", comparison.not_op),
)


def install() -> None:
    """Give `Tensor` and `Variable` their operators; called once, when the package is set up."""
    methods: dict[str, Callable[..., Any]] = {"__eq__": _equal, "__ne__": _not_equal}
    for name, function, mirror in _BINARY:
        methods[f"__{name}__"] = _forward(function, f"__{mirror}__")
        if mirror.startswith("r"):
            methods[f"__{mirror}__"] = _reflected(function)
    for name, function in _UNARY:
        methods[f"__{name}__"] = _unary(function)
    for owner in (Tensor, Variable):
        for name, method in methods.items():
            setattr(owner, name, method)


def _unary(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda self: function(self)
