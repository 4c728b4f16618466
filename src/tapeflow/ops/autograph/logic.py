"""`and`, `or`, `not` and `assert` in converted code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow.engine.recording.trace import NeedsValue
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.autograph.branches import chosen_value
from tapeflow.ops.autograph.state import is_staged, is_test, leave_to_python
from tapeflow.ops.debugging.assertion import Assert
from tapeflow.ops.math import comparison

Operand = Callable[[], Any]


def and_(*operands: Operand) -> Any:
    """`a and b and c`: over a tensor, the truth of both."""
    return _joined(operands, is_and=True)


def or_(*operands: Operand) -> Any:
    """`a or b or c`: over a tensor, the truth of either."""
    return _joined(operands, is_and=False)


def _joined(operands: tuple[Operand, ...], is_and: bool) -> Any:
    value = operands[0]()
    if len(operands) == 1:
        return value
    rest = operands[1:]
    if is_staged(value) and value.dtype.is_bool:
        try:
            return _joined_in_program(value, rest, is_and)
        except NeedsValue as error:
            leave_to_python(f"`{'and' if is_and else 'or'}` over a tensor", error)
    if is_and:
        return _joined(rest, is_and) if value else value
    return value if value else _joined(rest, is_and)


def _joined_in_program(value: Tensor, rest: tuple[Operand, ...], is_and: bool) -> Tensor:
    """Both operands, the second computed only if the first leaves it open."""

    def others() -> Tensor:
        other = _joined(rest, is_and)
        if isinstance(other, (bool, TensorBase)):
            return convert_to_tensor(other)
        raise NeedsValue("an operand is neither a tensor nor a truth value")

    first = convert_to_tensor(value)
    if is_and:
        return chosen_value(first, others, lambda: convert_to_tensor(False))
    return chosen_value(first, lambda: convert_to_tensor(True), others)


def not_(value: Any) -> Any:
    """`not value`."""
    if is_staged(value) and value.dtype.is_bool:
        return comparison.logical_not(value)
    return not value


def assert_(test: Operand, message: Operand | None) -> None:
    """`assert test, message`: of a tensor, a check that the program makes."""
    if not __debug__:
        return
    value = test()
    if is_test(value):
        said = "an `assert` statement failed" if message is None else message()
        Assert(value, [said])
    elif not value:
        raise AssertionError(*([] if message is None else [message()]))
