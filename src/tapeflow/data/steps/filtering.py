"""`filter`: the elements for which the user's function holds.

Where elements have numbers, a block of them is looked at once, and what is not wanted yet is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.functions.calls import call, isolated_recording, value_of
from tapeflow.data.functions.randomness import (
    ElementCounters,
    drawn_seed,
    place_state,
    places_of,
    restored_place,
)
from tapeflow.data.functions.recording import FEWEST_ROWS, Recorded, recorded_or_none
from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.data.structure import Flat
from tapeflow.engine.values.dtypes import bool as bool_dtype
from tapeflow.engine.values.tensor import Tensor

_BLOCK = 64


class Filter(Step):
    """The elements for which `predicate` holds."""

    def __init__(self, source: Pipe, predicate: Callable[..., Any]) -> None:
        super().__init__(source)
        self.predicate = predicate
        self.seed = drawn_seed(None)

    @property
    def cardinality(self) -> int:
        return counting.UNKNOWN

    @cached_property
    def _recorded(self) -> Recorded | None:
        if not self.source.rows.width:
            return None
        found = recorded_or_none(self.predicate, self.source.structure, self.source.specs)
        if (
            found is None
            or found.draws
            or [(s.dtype, s.shape.rank) for s in found.specs] != [(bool_dtype, 0)]
        ):
            return None
        return found

    def keep(self, handles: np.ndarray, places: np.ndarray) -> np.ndarray:
        """For which of the elements the predicate holds; `places` are their passes and numbers."""
        rows, recorded = self.source.rows, self._recorded
        if recorded is not None and (len(handles) >= FEWEST_ROWS or recorded.draws_inside):
            return recorded.over(rows.gather(handles, _BLOCK), self.seed, places, _BLOCK)[0]
        pairs = zip(rows.elements(handles), places.tolist(), strict=True)
        return np.array([self._keeps(element, place) for element, place in pairs], bool)

    def _keeps(self, element: Flat, place: tuple[int, int]) -> bool:
        with isolated_recording(ElementCounters(self.seed, place)):
            result = call(self.predicate, self.source.structure, element)
            if not isinstance(result, Tensor) or result.dtype is not bool_dtype or result.ndim:
                raise ValueError(
                    "tf.data.Dataset.filter expected a predicate that returns a truth value: invalid "
                    "`predicate`, `predicate` must return a `tf.bool` scalar tensor; got "
                    f"{result!r}. Compare, or use tf.reduce_any or tf.reduce_all."
                )
            return bool(value_of(result))

    def stream(self, iteration: Iteration) -> Stream:
        return _Filtered(self, iteration)


class _Filtered(Stream):
    def __init__(self, pipe: Filter, iteration: Iteration) -> None:
        self._pipe, self._iteration = pipe, iteration
        self._pass, self._at = iteration.next_pass(pipe), 0
        self._inner = pipe.source.stream(iteration)
        self._ready = pipe.rows.empty()
        # Elements that are made by reading them are read no further than need be.
        self._block = _BLOCK if pipe.rows.width else 1
        self._is_over = False

    def take(self, count: int) -> np.ndarray:
        while len(self._ready) < count and not self._is_over:
            wanted = max(self._block, count - len(self._ready))
            handles = self._inner.take(wanted)
            self._is_over = len(handles) < wanted
            if len(handles):
                at, self._at = self._at, self._at + len(handles)
                kept = self._pipe.keep(handles, places_of(self._pass, at, self._at))
                self._ready = np.concatenate([self._ready, handles[kept]])
        found, self._ready = self._ready[:count], self._ready[count:]
        return found

    def state(self) -> State:
        return {
            **place_state(self._pipe, self._iteration, self._pass, self._at),
            "ready": self._ready.copy(),
            "is_over": self._is_over,
            "inner": self._inner.state(),
        }

    def restore(self, state: State) -> None:
        self._pass, self._at = restored_place(self._pipe, self._iteration, state)
        self._ready, self._is_over = state["ready"], state["is_over"]
        self._inner.restore(state["inner"])
