"""Printing and logging in a recorded loop: done after the program has run, turn by turn.

A loop of known length gives back what each turn shows, stacked. A loop that a tensor ends does not know how much that
will be: it hands over the values of each turn to a `Watcher` while it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.recording.body import Body
from tapeflow.engine.recording.node import Node
from tapeflow.engine.recording.recorder import Patient, effect, tensor_of
from tapeflow.engine.recording.trace import NeedsValue, state
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.control.loop_kernel import Watcher

_MOST_BYTES = 1 << 26
"""So much is kept of what the turns of one loop show."""


class LoopEffects:
    """The effects of a turn.

    Attributes:
        shown: the nodes of the turn whose values they need.
    """

    def __init__(self, body: Body) -> None:
        self.shown: list[Node] = []
        self._outside: list[Tensor] = []
        self._effects: list[tuple[Callable[..., None], list[tuple[bool, int]]]] = []
        for function, nodes in body.effects:
            self._effects.append((function, [self._place(body, n) for n in nodes]))

    def _place(self, body: Body, node: Node) -> tuple[bool, int]:
        """Where a value is: whether among those of the turn, and its number there or outside."""
        if not body.makes(node):
            self._outside.append(tensor_of(node))
            return False, len(self._outside) - 1
        if node.spec.dtype is string:
            raise NeedsValue("it prints or logs strings that it computes")
        self.shown.append(node)
        return True, len(self.shown) - 1

    def __bool__(self) -> bool:
        return bool(self._effects)

    def check_size(self, count: int) -> None:
        """Raise `NeedsValue` if so many turns show more than is kept."""
        if count * sum(n.spec.nbytes for n in self.shown) > _MOST_BYTES:
            raise NeedsValue("it prints or logs too much to keep until it ends")

    def record_stacked(self, count: int, stacked: Sequence[Tensor]) -> None:
        """Make them effects of the record around, given what each of `count` turns shows."""
        if not self:
            return
        width = len(stacked)

        def happen(*values: jax.Array) -> None:
            rows = [np.asarray(v) for v in values[:width]]
            for turn in range(count):
                self._happen([r[turn] for r in rows], values[width:])

        function = Patient(happen) if all(isinstance(f, Patient) for f, _ in self._effects) else happen
        effect(function, *stacked, *self._outside)

    def watcher(self) -> Watcher | None:
        """What a loop of unknown length hands its turns to, if there is something to hand over.

        Raises:
            NeedsValue: the loop is part of another one.
        """
        if not self:
            return None
        if len(state.bodies) > 0:
            raise NeedsValue("it prints or logs in a loop of unknown length within a loop or branch")
        return Watcher()

    def record_watched(self, turns: Tensor, watcher: Watcher) -> None:
        """Make them effects of the record around, given how many turns there were."""

        def happen(made: jax.Array, *outside: Any) -> None:
            for row in watcher.last(int(np.asarray(made))):
                self._happen(row, outside)

        effect(happen, turns, *self._outside)

    def _happen(self, row: Sequence[Any], outside: Sequence[Any]) -> None:
        for function, places in self._effects:
            function(*[row[i] if is_shown else outside[i] for is_shown, i in places])
