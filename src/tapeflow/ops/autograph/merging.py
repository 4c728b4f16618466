"""What a name holds after a branch, given what it holds after either of two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.recording.node import Node
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.recording.trace import NeedsValue
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import to_node
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.array.creation import zeros
from tapeflow.ops.autograph.state import NOTHING, RESULT, RETURNED, UNSET, Place, _Mark
from tapeflow.ops.control.tensor_array import Growing, TensorArray

Rebuild = Callable[[list[Tensor]], Any]


class Merged:
    """The values of some places after one of two branches: pairs of nodes to choose from, and what else is the same.

    Args:
        places: the names.
        first: what they hold after the first branch.
        second: what they hold after the second.
        what: what is merged, for messages: "`if`".
    """

    def __init__(self, places: list[Place], first: list[Any], second: list[Any], what: str) -> None:
        self._what = what
        self._is_flagged = any(p.name == RETURNED for p in places)
        self.pairs: list[tuple[Node, Node]] = []
        self._rebuilds = [self._place(p, a, b) for p, a, b in zip(places, first, second, strict=True)]

    def values(self, chosen: list[Tensor]) -> list[Any]:
        """What the places hold, given the chosen one of each pair."""
        return [rebuild(chosen) for rebuild in self._rebuilds]

    def _place(self, place: Place, a: Any, b: Any) -> Rebuild:
        if a is b:
            return lambda _: a
        if not place.is_live and not place.is_soft:
            return lambda _: UNSET
        if a is UNSET or b is UNSET:
            if place.is_soft:
                return lambda _: UNSET
            raise ValueError(
                f"{self._what} over a tensor expected {place.name!r} to be set in both branches, as it is used "
                f"afterwards; {place.name!r} must also be initialized in the {'if' if a is UNSET else 'else'} "
                "branch. Give it a value there, or before the branch."
            )
        if a is NOTHING or b is NOTHING:
            return self._returned(place, a, b)
        if place.is_soft:
            return self._soft(place, a, b)
        return self._value(place.name, a, b)

    def _soft(self, place: Place, a: Any, b: Any) -> Rebuild:
        count = len(self.pairs)
        try:
            return self._value(place.name, a, b)
        except (NeedsValue, TypeError):
            del self.pairs[count:]
            return lambda _: UNSET

    def _returned(self, place: Place, a: Any, b: _Mark) -> Rebuild:
        """A result that only one branch has; a flag tells whether it counts."""
        given = b if a is NOTHING else a
        if not self._is_flagged:
            raise one_branch_returns()
        filled = nest.map_structure(_empty, given)
        return self._value(place.name, *((filled, given) if a is NOTHING else (given, filled)))

    def _value(self, name: str, a: Any, b: Any) -> Rebuild:
        if nest.is_nested(a) or nest.is_nested(b):
            try:
                nest.assert_same_structure(a, b)
            except (TypeError, ValueError):
                raise NeedsValue(f"its branches give {_called(name)} different structures") from None
            leaves = [self._leaf(name, x, y) for x, y in zip(nest.flatten(a), nest.flatten(b), strict=True)]
            return lambda chosen: nest.pack_sequence_as(a, [leaf(chosen) for leaf in leaves])
        return self._leaf(name, a, b)

    def _leaf(self, name: str, a: Any, b: Any) -> Rebuild:
        if a is b or is_same(a, b):
            return lambda _: a
        if isinstance(a, TensorArray) and isinstance(b, TensorArray):
            return self._array(name, a, b)
        if not (is_tensor_like(a) and is_tensor_like(b)):
            raise NeedsValue(
                f"its branches give {_called(name)} different Python values", "Use numbers or tensors"
            )
        if isinstance(a, Variable) or isinstance(b, Variable):
            raise NeedsValue(f"its branches make {_called(name)} different Variables")
        first, second = to_node(a), to_node(b)
        if first.spec.dtype is not second.spec.dtype and not (
            isinstance(a, TensorBase) and isinstance(b, TensorBase)
        ):
            first, second = _widened(a, b, first, second)
        if string in (first.spec.dtype, second.spec.dtype):
            raise NeedsValue("it has to do with strings")
        if first.spec.dtype is not second.spec.dtype:
            raise TypeError(
                f"{self._what} over a tensor expected {_called(name)} to have the same dtype in both branches; got "
                f"{first.spec.dtype.name} and {second.spec.dtype.name}. Use tf.cast in one of them."
            )
        if first.spec.shape != second.spec.shape:
            raise NeedsValue(
                f"its branches give {_called(name)} different shapes, {first.spec.shape} and {second.spec.shape}",
                "Give it one shape, as tf.pad or tf.where do",
            )
        self.pairs.append((first, second))
        at = len(self.pairs) - 1
        return lambda chosen: chosen[at]

    def _array(self, name: str, a: TensorArray, b: TensorArray) -> Rebuild:
        """A `TensorArray` that one of the branches has written to, element by element."""
        if isinstance(a, Growing) and isinstance(b, Growing):
            rows, length = self._leaf(name, a.rows(), b.rows()), self._leaf(name, a.length, b.length)
            return lambda chosen: a.grown(rows(chosen), length(chosen))
        first, second = a.elements(), b.elements()
        if first is None or second is None:
            rows = a.rows(), b.rows()
            if rows[0] is None or rows[1] is None:
                raise NeedsValue(f"its branches write {_called(name)} in ways that do not fit")
            chosen_rows = self._leaf(name, *rows)
            return lambda chosen: a.of_rows(chosen_rows(chosen))
        if len(first) != len(second):
            raise NeedsValue(f"its branches give {_called(name)} different lengths")
        leaves = []
        for x, y in zip(first, second, strict=True):
            if (x is None) != (y is None):
                x, y = (_empty(y) if x is None else x), (_empty(x) if y is None else y)
            leaves.append(self._leaf(name, x, y))
        return lambda chosen: a.of_elements([leaf(chosen) for leaf in leaves], b)


def one_branch_returns() -> ValueError:
    """The error of a function that returns a value on some paths only."""
    return ValueError(
        "A function with control flow over tensors expected a value to be returned on every path; got a `return` in "
        "one branch only. If a value is returned from one branch, return one from all branches."
    )


def _called(name: str) -> str:
    return "the result of the function" if name == RESULT else repr(name)


def _widened(a: Any, b: Any, first: Node, second: Node) -> tuple[Node, Node]:
    """A Python number in the dtype of the tensor it meets, if that is of its kind: a float for float16, say."""
    if isinstance(a, TensorBase):
        return first, _fitted(b, first, second)
    if isinstance(b, TensorBase):
        return _fitted(a, second, first), second
    return first, second


def _fitted(number: Any, like: Node, node: Node) -> Node:
    dtype = like.spec.dtype
    if (isinstance(number, float) and dtype.is_floating) or (
        type(number) is int and dtype.is_integer and not dtype.is_bool
    ):
        return to_node(number, dtype)
    return node


def is_tensor_like(value: object) -> bool:
    """Whether a value is a tensor, or a number that can be one."""
    return isinstance(value, (TensorBase, bool, int, float, complex, np.ndarray, np.generic))


def is_same(a: TensorLike, b: TensorLike) -> bool:
    """Whether two Python values are one and the same."""
    if type(a) is not type(b) or isinstance(a, (TensorBase, TensorArray, np.ndarray)):
        return False
    try:
        return bool(a == b)
    except (TypeError, ValueError):
        return False


def _empty(value: Any) -> Any:
    """Zeros in the place of a tensor; anything else as it is."""
    if not is_tensor_like(value) or isinstance(value, Variable):
        return value
    spec = to_node(value).spec
    if spec.dtype is string:
        raise NeedsValue("it has to do with strings")
    return zeros(spec.shape, spec.dtype)


def tensor(value: TensorLike) -> Tensor:
    """A number or tensor as a tensor."""
    return tensor_of(to_node(value))
