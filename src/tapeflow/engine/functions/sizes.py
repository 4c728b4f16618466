"""Sizes that follow from integer arguments: `tf.zeros([n])` in a `tf.function` that is given a tensor `n`.

A program is of fixed shapes. So a record holds for one value of such an argument, as it holds for one shape of the
others, and the function is recorded again for the next value. It is no trace of its own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tapeflow.engine.recording.node import Node, Spec
from tapeflow.engine.recording.op import Instance

MOST_VALUES = 32
"""For so many values of its size arguments a function is recorded; then it runs as plain Python."""
_MOST_OPS = 64
_MOST_AXES = 8


def may_be_size(spec: Spec) -> bool:
    """Whether an argument may decide sizes: a whole number, or a few that make a shape."""
    return spec.dtype.is_integer and (
        not spec.shape or (len(spec.shape) == 1 and spec.shape[0] <= _MOST_AXES)
    )


class Sizes:
    """The integer arguments of a call that is being recorded, and which of them have decided a size.

    Args:
        arguments: by the `id` of its node, the number of an argument that the host knows, and its value.
        changes: whether a node holds what changes from call to call without being an argument: a Variable's value.

    Attributes:
        deciding: the numbers of the arguments that have decided a size.
    """

    def __init__(
        self, arguments: dict[int, tuple[int, np.ndarray]], changes: Callable[[Node], bool] = lambda _: False
    ) -> None:
        self._arguments = arguments
        self._changes = changes
        self.deciding: set[int] = set()

    def value_of(self, node: Node) -> np.ndarray | None:
        """The value of a node that is computed from these arguments and constants alone; None for any other.

        The arguments decide sizes from now on.
        """
        found = _Evaluation(self._arguments, self._changes)
        value = found.value(node) if self._arguments else None
        if value is not None:
            self.deciding |= found.used
        return value

    def known_value(self, node: Node) -> np.ndarray | None:
        """The value of a node, if only arguments that have decided a size, and constants, are in it."""
        if not self.deciding:
            return None
        found = _Evaluation(self._arguments, self._changes)
        value = found.value(node)
        return value if found.used <= self.deciding else None


class _Evaluation:
    """Values computed on the host, without running anything that is pending."""

    def __init__(self, arguments: dict[int, tuple[int, np.ndarray]], changes: Callable[[Node], bool]) -> None:
        self._arguments, self._changes = arguments, changes
        self._values: dict[int, np.ndarray | None] = {}
        self.used: set[int] = set()

    def value(self, node: Node) -> np.ndarray | None:
        """The value of a node; None if it is computed from something else, too."""
        known = id(node) in self._values
        if not known:
            self._values[id(node)] = self._computed(node) if len(self._values) < _MOST_OPS else None
        return self._values[id(node)]

    def _computed(self, node: Node) -> np.ndarray | None:
        argument = self._arguments.get(id(node))
        if argument is not None:
            self.used.add(argument[0])
            return argument[1]
        if self._changes(node):
            return None
        if node.host:
            return node.array()
        if not node.inputs or not isinstance(node.instance, Instance) or type(node.spec) is tuple:
            return None
        values = [self.value(n) for n in node.inputs]
        function = node.instance.on_host(tuple([n.spec for n in node.inputs]))
        if function is None or any(v is None for v in values):
            return None
        return np.asarray(function(*values)[0])
