"""Steps that remember: scan, take_while, unique, rebatch; and ignore_errors, which forgets."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.functions.calls import (
    arguments_of,
    call,
    isolated_recording,
    results_of,
    value_of,
    values_of,
)
from tapeflow.data.functions.inference import Inferred, inferred
from tapeflow.data.functions.randomness import ElementCounters, drawn_seed, place_state, restored_place
from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.data.rows import OBJECTS, objects, split_rows, stacked
from tapeflow.data.specs import spec_of_component
from tapeflow.data.steps.stepping import ElementStream, Reader
from tapeflow.data.structure import Flat, Structure, as_tensor, flattened
from tapeflow.engine import errors
from tapeflow.engine.values.dtypes import bool as bool_dtype
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.tensor_spec import TensorSpec


class Scan(Step):
    """`function(state, element)` gives the next state and an element."""

    def __init__(
        self, source: Pipe, start: Flat, start_structure: Structure, function: Callable[..., Any]
    ) -> None:
        super().__init__(source, OBJECTS)
        self.start, self.start_structure, self.function = start, start_structure, function
        self.seed = drawn_seed(None)
        self.input = _WithState(source, start, start_structure)

    @cached_property
    def _inferred(self) -> Inferred:
        return inferred(self.input, lambda state, element: self._pair(state, element)[1])

    @property
    def structure(self) -> Structure:
        return self._inferred.structure

    @property
    def specs(self) -> tuple[Any, ...]:
        return self._inferred.specs

    def _pair(self, state: Tensor, element: Tensor) -> tuple[Any, Any]:
        found = self.function(state, element)
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise TypeError(
                "tf.data.Dataset.scan expected scan_func to return a pair of the new state and an element; "
                f"got {found!r}."
            )
        return results_of(found[0]), results_of(found[1])

    def advance(self, state: Flat, element: Flat, place: tuple[int, int]) -> tuple[Flat, Flat]:
        """The next state and an element."""
        tensors = tuple([as_tensor(part) for part in (*state, *element)])
        with isolated_recording(ElementCounters(self.seed, place)):
            following, made = self._pair(*arguments_of(self.input.structure, tensors))
            after, result = values_of(following), values_of(made)
        wanted, found = ([getattr(v, "dtype", type(v)) for v in flat] for flat in (self.start, after))
        if wanted != found:
            raise TypeError(
                "tf.data.Dataset.scan expected scan_func to return a state like initial_state: the element "
                f"types for the new state must match the initial state, {wanted}; got {found}. Use tf.cast."
            )
        return after, result

    def stream(self, iteration: Iteration) -> Stream:
        return _Scanned(self, iteration)


class _WithState(Step):
    """Elements together with the state they meet: what the function of a scan is called with."""

    def __init__(self, source: Pipe, start: Flat, structure: Structure) -> None:
        super().__init__(source, OBJECTS)
        self._start = start
        self._structure = Structure((structure.template, source.structure.template))

    @property
    def structure(self) -> Structure:
        return self._structure

    @property
    def specs(self) -> tuple[Any, ...]:
        # The shape of a state may grow from element to element.
        states = [spec_of_component(s) for s in self._start]
        return (*states, *self.source.specs)

    def stream(self, iteration: Iteration) -> Stream:
        return _Paired(self._start, self.source, iteration)


class _Paired(Stream):
    def __init__(self, start: Flat, source: Pipe, iteration: Iteration) -> None:
        self._start, self._rows, self._inner = start, source.rows, source.stream(iteration)

    def take(self, count: int) -> np.ndarray:
        return objects([(*self._start, *e) for e in self._rows.elements(self._inner.take(count))])

    def state(self) -> State:
        return self._inner.state()

    def restore(self, state: State) -> None:
        self._inner.restore(state)


class _Scanned(ElementStream):
    def __init__(self, pipe: Scan, iteration: Iteration) -> None:
        self._pipe, self._iteration = pipe, iteration
        self._reader = Reader(pipe.source, iteration)
        self._pass, self._at = iteration.next_pass(pipe), 0
        self._state = pipe.start

    def next_element(self) -> Flat | None:
        element = self._reader.next()
        if element is None:
            return None
        at, self._at = self._at, self._at + 1
        self._state, made = self._pipe.advance(self._state, element, (self._pass, at))
        return made

    def state(self) -> State:
        place = place_state(self._pipe, self._iteration, self._pass, self._at)
        return {**place, "state": self._state, "reader": self._reader.state()}

    def restore(self, state: State) -> None:
        self._pass, self._at = restored_place(self._pipe, self._iteration, state)
        self._state = tuple(state["state"])
        self._reader.restore(state["reader"])


class TakeWhile(Step):
    """The elements before the first for which `predicate` does not hold."""

    def __init__(self, source: Pipe, predicate: Callable[..., Any]) -> None:
        super().__init__(source, OBJECTS)
        self.predicate = predicate

    @property
    def cardinality(self) -> int:
        return counting.UNKNOWN

    def holds(self, element: Flat) -> bool:
        """Whether the element is wanted."""
        with isolated_recording():
            result = flattened(call(self.predicate, self.source.structure, element))
            if len(result) != 1 or not isinstance(result[0], Tensor) or result[0].dtype is not bool_dtype:
                raise ValueError(
                    "tf.data.Dataset.take_while expected a predicate that returns a truth value: `predicate` "
                    f"must return a `tf.bool` scalar tensor; got {result!r}."
                )
            return bool(value_of(result[0]))

    def stream(self, iteration: Iteration) -> Stream:
        return _TakenWhile(self, iteration)


class _TakenWhile(ElementStream):
    def __init__(self, pipe: TakeWhile, iteration: Iteration) -> None:
        self._pipe = pipe
        self._reader = Reader(pipe.source, iteration)

    def next_element(self) -> Flat | None:
        element = self._reader.next()
        if element is not None and self._pipe.holds(element):
            return element
        self._reader.is_over = True
        return None

    def state(self) -> State:
        return self._reader.state()

    def restore(self, state: State) -> None:
        self._reader.restore(state)


class Unique(Step):
    """Drop repeated elements."""

    def __init__(self, source: Pipe) -> None:
        super().__init__(source, OBJECTS)
        if len(source.specs) != 1 or not isinstance(source.specs[0], TensorSpec):
            raise TypeError(
                "tf.data.Dataset.unique expected elements of one tensor; got "
                f"{source.structure.specs(source.specs)!r}."
            )

    @property
    def cardinality(self) -> int:
        return counting.UNKNOWN

    def stream(self, iteration: Iteration) -> Stream:
        return _Seen(self, iteration)


class _Seen(ElementStream):
    def __init__(self, pipe: Unique, iteration: Iteration) -> None:
        self._reader = Reader(pipe.source, iteration)
        self._seen: set[Any] = set()

    def next_element(self) -> Flat | None:
        while (element := self._reader.next()) is not None:
            array = np.asarray(element[0])
            key = (array.shape, tuple(array.ravel()) if array.dtype == object else array.tobytes())
            if key not in self._seen:
                self._seen.add(key)
                return element
        return None

    def state(self) -> State:
        return {"seen": list(self._seen), "reader": self._reader.state()}

    def restore(self, state: State) -> None:
        self._seen = set(state["seen"])
        self._reader.restore(state["reader"])


class Rebatch(Step):
    """Batches cut anew, into batches of the given sizes in turn."""

    def __init__(self, source: Pipe, sizes: Sequence[int], drop_remainder: bool) -> None:
        super().__init__(source, OBJECTS)
        self.sizes, self.drop_remainder = list(sizes), drop_remainder

    @property
    def specs(self) -> tuple[Any, ...]:
        size = self.sizes[0] if self.drop_remainder and len(set(self.sizes)) == 1 else None
        return tuple([TensorSpec([size, *s.shape[1:]], s.dtype) for s in self.source.specs])

    @property
    def cardinality(self) -> int:
        return counting.INFINITE if self.source.cardinality == counting.INFINITE else counting.UNKNOWN

    def stream(self, iteration: Iteration) -> Stream:
        return _Rebatched(self, iteration)


class _Rebatched(ElementStream):
    def __init__(self, pipe: Rebatch, iteration: Iteration) -> None:
        self._pipe = pipe
        self._reader = Reader(pipe.source, iteration)
        self._rows: list[Flat] = []
        self._number = 0

    def next_element(self) -> Flat | None:
        size = self._pipe.sizes[self._number % len(self._pipe.sizes)]
        while len(self._rows) < size:
            element = self._reader.next()
            if element is None:
                break
            self._rows += split_rows(element)
        if not self._rows or (len(self._rows) < size and self._pipe.drop_remainder):
            return None
        self._number += 1
        batch, self._rows = self._rows[:size], self._rows[size:]
        return stacked(batch)

    def state(self) -> State:
        return {"rows": list(self._rows), "number": self._number, "reader": self._reader.state()}

    def restore(self, state: State) -> None:
        self._rows, self._number = list(state["rows"]), state["number"]
        self._reader.restore(state["reader"])


class IgnoreErrors(Step):
    """The elements that can be made; those whose making raises are left out."""

    def __init__(self, source: Pipe, logs: bool) -> None:
        super().__init__(source, OBJECTS)
        self.logs = logs

    @property
    def cardinality(self) -> int:
        return counting.UNKNOWN

    def stream(self, iteration: Iteration) -> Stream:
        return _Tolerant(self, iteration)


class _Tolerant(ElementStream):
    def __init__(self, pipe: IgnoreErrors, iteration: Iteration) -> None:
        self._pipe = pipe
        self._reader = Reader(pipe.source, iteration)

    def next_element(self) -> Flat | None:
        while True:
            try:
                return self._reader.next()
            except (errors.OpError, ValueError, TypeError, ArithmeticError) as error:
                if self._pipe.logs:
                    logging.getLogger("tapeflow").warning("tf.data.Dataset.ignore_errors: %s", error)

    def state(self) -> State:
        return self._reader.state()

    def restore(self, state: State) -> None:
        self._reader.restore(state)
