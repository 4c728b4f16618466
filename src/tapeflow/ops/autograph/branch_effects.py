"""Printing and logging in one branch of two: done after the program has run, if the branch was taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.recording.body import Body
from tapeflow.engine.recording.node import Node
from tapeflow.engine.recording.recorder import Patient, effect, tensor_of
from tapeflow.engine.recording.trace import NeedsValue
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.creation import zeros

Effect = Callable[..., None]


class BranchEffects:
    """The effects of two branches.

    Attributes:
        pairs: for each value that a branch computes to show, the node of the first and of the second branch; the
            one that does not compute it has zeros there.
    """

    def __init__(self, bodies: Sequence[Body]) -> None:
        self.pairs: list[tuple[Node, Node]] = []
        self._effects: list[tuple[int, Effect, list[int | Tensor]]] = []
        for number, body in enumerate(bodies):
            for function, nodes in body.effects:
                shown = [self._shown(number, n) if body.makes(n) else tensor_of(n) for n in nodes]
                self._effects.append((number, function, shown))

    def _shown(self, number: int, node: Node) -> int:
        """The place in `pairs` of a value that a branch computes."""
        if node.spec.dtype is string:
            raise NeedsValue("it prints or logs strings that it computes")
        empty = zeros(node.spec.shape, node.spec.dtype)._node
        self.pairs.append((node, empty) if number == 0 else (empty, node))
        return len(self.pairs) - 1

    def record(self, chosen: Tensor, values: Sequence[Tensor]) -> None:
        """Make them effects of the record around, given which branch is taken and what it shows."""
        for number, function, shown in self._effects:
            tensors = [values[s] if isinstance(s, int) else s for s in shown]
            if isinstance(function, Patient):
                effect(Patient(_If(number, function.function)), chosen, *tensors)
            else:
                effect(_If(number, function), chosen, *tensors)


class _If:
    """An effect that happens if its branch was taken."""

    def __init__(self, number: int, function: Effect) -> None:
        self._number, self._function = number, function

    def __call__(self, chosen: jax.Array | np.ndarray, *values: Any) -> None:
        if int(np.asarray(chosen)) == self._number:
            self._function(*values)
