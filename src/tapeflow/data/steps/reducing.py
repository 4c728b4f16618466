"""`group_by_reducer`: all elements with one key as one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.functions.calls import arguments_of, isolated_recording, results_of, values_of
from tapeflow.data.functions.randomness import ElementCounters, drawn_seed, place_state, restored_place
from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.data.rows import OBJECTS
from tapeflow.data.specs import spec_of_component
from tapeflow.data.steps.grouping import key_of
from tapeflow.data.steps.stepping import ElementStream, Reader
from tapeflow.data.structure import Flat, Structure, as_tensor

_WHERE = "tf.data.experimental.group_by_reducer"


class Reducer(NamedTuple):
    """The functions that reduce all elements with one key to one element.

    Args:
        init_func: the first state for a key.
        reduce_func: the next state of a state and an element.
        finalize_func: the result of the last state.
    """

    init_func: Callable[[Any], Any]
    reduce_func: Callable[..., Any]
    finalize_func: Callable[..., Any]


class _Group(NamedTuple):
    structure: Structure
    state: Flat


class GroupByReducer(Step):
    """What a reducer makes of all elements with one key, for each key in order."""

    def __init__(self, source: Pipe, key: Callable[..., Any], reducer: Reducer) -> None:
        super().__init__(source, OBJECTS)
        self._key_function, self._reducer = key, reducer
        self.seed = drawn_seed(None)

    @cached_property
    def _first(self) -> tuple[Structure, tuple[Any, ...]]:
        element = Reader(self.source, Iteration(is_trial=True)).next()
        if element is None:
            raise ValueError(
                f"{_WHERE} expected at least one element, to find out what the reducer returns; got none."
            )
        groups: dict[int, _Group] = {}
        self.add(groups, element, (0, 0))
        [group] = groups.values()
        with isolated_recording(ElementCounters(self.seed, (0, 1))):
            found = self._finished(group)
            return Structure(found), tuple([spec_of_component(v) for v in values_of(found)])

    @property
    def structure(self) -> Structure:
        return self._first[0]

    @property
    def specs(self) -> tuple[Any, ...]:
        return self._first[1]

    @property
    def cardinality(self) -> int:
        return counting.UNKNOWN

    def add(self, groups: dict[int, _Group], element: Flat, place: tuple[int, int]) -> None:
        """Put an element to those with its key; `place` is the pass and the element's number in it."""
        with isolated_recording(ElementCounters(self.seed, place)):
            key = key_of(_WHERE, self._key_function, self.source.structure, element)
            group = groups.get(key)
            if group is None:
                first = results_of(self._reducer.init_func(as_tensor(np.array(key, np.int64))))
                group = _Group(Structure(first), values_of(first))
            before = group.structure.pack([as_tensor(part) for part in group.state])
            given = self.source.structure.pack([as_tensor(part) for part in element])
            after = values_of(results_of(self._reducer.reduce_func(before, given)))
        kinds = [[getattr(v, "dtype", type(v)) for v in flat] for flat in (group.state, after)]
        if kinds[0] != kinds[1]:
            raise TypeError(
                f"{_WHERE} expected reduce_func to return a state like init_func's: The element types for the new "
                f"state {kinds[1]} do not match the element types of the old state {kinds[0]}. Use tf.cast."
            )
        groups[key] = _Group(group.structure, after)

    def _finished(self, group: _Group) -> dict[str, Any]:
        state = tuple([as_tensor(part) for part in group.state])
        return results_of(self._reducer.finalize_func(*arguments_of(group.structure, state)))

    def finish(self, group: _Group, place: tuple[int, int]) -> Flat:
        """The result for a key."""
        with isolated_recording(ElementCounters(self.seed, place)):
            return values_of(self._finished(group))

    def stream(self, iteration: Iteration) -> Stream:
        return _Reduced(self, iteration)


class _Reduced(ElementStream):
    """Reads everything when the first result is asked for; results are in the order of their keys."""

    def __init__(self, pipe: GroupByReducer, iteration: Iteration) -> None:
        self._pipe, self._iteration = pipe, iteration
        self._pass, self._at = iteration.next_pass(pipe), 0
        self._reader = Reader(pipe.source, iteration)
        self._results: list[Flat] | None = None

    def next_element(self) -> Flat | None:
        if self._results is None:
            self._results = self._reduced()
        return self._results.pop(0) if self._results else None

    def _reduced(self) -> list[Flat]:
        groups: dict[int, _Group] = {}
        while (element := self._reader.next()) is not None:
            self._pipe.add(groups, element, (self._pass, self._at))
            self._at += 1
        return [
            self._pipe.finish(group, (self._pass, self._at + i))
            for i, (_, group) in enumerate(sorted(groups.items()))
        ]

    def state(self) -> State:
        place = place_state(self._pipe, self._iteration, self._pass, self._at)
        return {**place, "reader": self._reader.state(), "results": self._results}

    def restore(self, state: State) -> None:
        self._pass, self._at = restored_place(self._pipe, self._iteration, state)
        self._reader.restore(state["reader"])
        self._results = None if state["results"] is None else list(state["results"])
