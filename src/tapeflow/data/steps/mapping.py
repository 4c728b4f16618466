"""`map`: what the user's function makes of each element.

Where elements have numbers and the function can be recorded, nothing is computed until somebody gathers:
then the function runs once, for all rows of the block. Its random draws depend on the pass and on the
element's number alone, which travel in the handles, so shuffling or repeating afterwards changes nothing.
Elsewhere a block of elements that are alike is computed at once too, if somebody asks for a block; else
the function is called for each element, on a few threads if it is asked for.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np

from tapeflow.data import debugging
from tapeflow.data.deferral import deferred, made
from tapeflow.data.functions.calls import call, isolated_recording, values_of
from tapeflow.data.functions.inference import Inferred, inferred
from tapeflow.data.functions.randomness import (
    ElementCounters,
    drawn_seed,
    place_state,
    places_of,
    restored_place,
)
from tapeflow.data.functions.recording import FEWEST_ROWS, Recorded, recorded_or_none
from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.data.rows import OBJECTS, Rows, beside, objects, split_rows, stacked
from tapeflow.data.specs import no_rows, spec_of_component
from tapeflow.data.structure import Flat, Structure
from tapeflow.engine.devices import forking
from tapeflow.engine.programs import phases

_MOST_BYTES = 1 << 16
"""Elements larger than this, such as batches, are not worth stacking; each is worth a program."""


class Map(Step):
    """What `function` makes of each element.

    Args:
        source: where elements come from.
        function: the user's.
        workers: how many calls may run at a time; negative leaves it open.
    """

    defers = True
    passes_deferred = True

    def __init__(self, source: Pipe, function: Callable[..., Any], workers: int = 1) -> None:
        super().__init__(source)
        self.function = function
        self._structure: Structure | None = None
        self._records: dict[Any, Recorded | None] = {}
        self.recorded = self._record(source.specs) if source.rows.width else None
        self.seed = drawn_seed(None)
        self.workers = 1 if debugging.is_on else min(8, os.cpu_count() or 1) if workers < 0 else workers
        self.rows = OBJECTS if self.recorded is None else _MappedRows(self, self.recorded)

    def _record(self, specs: Sequence[Any]) -> Recorded | None:
        return None if debugging.is_on else recorded_or_none(self.function, self.source.structure, specs)

    def recorded_for(self, element: Flat) -> Recorded | None:
        """The function recorded for elements like this one, if it can be."""
        specs = tuple([spec_of_component(part) for part in element])
        if specs not in self._records:
            record = self._record(specs)
            if record is not None and record.draws_inside and self.recorded is None:
                record = None  # elements of other shapes will not come as blocks
            self._records[specs] = record
            if record is not None:
                self._structure = self._structure or record.structure
        return self._records[specs]

    def has_program(self, element: Flat) -> bool:
        """Whether such an element is computed by a program of its own, which needs no threads of ours."""
        return _is_large(element) and self.recorded_for(element) is not None

    @cached_property
    def _inferred(self) -> Inferred:
        return inferred(self.source, self.function)

    @property
    def structure(self) -> Structure:
        return (self.recorded and self.recorded.structure) or self._structure or self._inferred.structure

    @property
    def specs(self) -> tuple[Any, ...]:
        return self.recorded.specs if self.recorded else self._inferred.specs

    def apply(self, element: Flat, place: tuple[int, int]) -> Flat:
        """The new element; `place` is the pass and the element's number in it."""
        log, began = phases.log, time.perf_counter_ns()
        by_program = self.recorded is not None and self.recorded.draws_inside
        recorded = self.recorded_for(element) if by_program or _is_large(element) else None
        if recorded is not None:
            made = recorded.over([part[None] for part in element], self.seed, np.array([place]))
            row = tuple([part[0, ...] for part in made])
        else:
            with isolated_recording(ElementCounters(self.seed, place)):
                results = call(self.function, self.source.structure, element)
                if self._structure is None:
                    self._structure = Structure(results)
                row = values_of(results)
        if log is not None:
            log.note_busy(self, began, 1)
        return row

    def apply_to_rows(self, recorded: Recorded, rows: Flat, places: np.ndarray, most: int) -> Flat:
        """The new elements for a block of elements that are alike, as rows; a full block has `most`."""
        log, began = phases.log, time.perf_counter_ns()
        results = recorded.over(rows, self.seed, places, most)
        if log is not None:
            log.note_busy(self, began, len(places))
        return results

    def make(self, notes: Sequence[tuple[Any, tuple[int, int]]]) -> Sequence[Flat]:
        """The new elements for handles of the source, each with its place: what was deferred."""
        handles, places = zip(*notes, strict=True)
        if self.source.rows.width:
            elements = self.source.rows.elements(np.array(handles))
        else:
            elements = made(objects(handles))
        recorded = self.recorded_for(elements[0]) if _are_alike(elements) else None
        if recorded is not None:
            return split_rows(
                self.apply_to_rows(recorded, stacked(list(elements)), np.array(places), len(places))
            )
        if self.workers == 1 or self.has_program(elements[0]):
            return [self.apply(element, place) for element, place in zip(elements, places, strict=True)]
        with ThreadPoolExecutor(self.workers, "tf.data map") as pool:
            return list(pool.map(self.apply, elements, places))

    def stream(self, iteration: Iteration) -> Stream:
        if self in iteration.deferring:
            return _Deferring(self, iteration)
        if self.recorded is None:
            return _Mapped(self, iteration)
        return _Numbered(self, iteration) if self.recorded.draws else self.source.stream(iteration)


class _MappedRows(Rows):
    """Rows of the source with a function on them, computed when they are gathered."""

    is_computed = True

    def __init__(self, pipe: Map, recorded: Recorded) -> None:
        self._pipe, self._recorded = pipe, recorded
        self._source = pipe.source.rows
        self.width = self._source.width + (2 if recorded.draws else 0)

    def _split(self, handles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The source's handles, and the places for random draws."""
        if not self._recorded.draws:
            return handles, handles
        own = handles[:, :-2]
        return own[:, 0] if self._source.width == 1 else own, handles[:, -2:]

    def gather(self, handles: np.ndarray, most: int = 0) -> Flat:
        if not len(handles):
            return tuple([no_rows(s) for s in self._recorded.specs])
        if max(len(handles), most) < FEWEST_ROWS and not self._recorded.draws_inside:
            return stacked(list(self.elements(handles)))
        own, places = self._split(handles)
        return self._pipe.apply_to_rows(self._recorded, self._source.gather(own, most), places, most)

    def elements(self, handles: np.ndarray) -> np.ndarray:
        own, places = self._split(handles)
        elements = self._source.elements(own)
        if not self._recorded.draws:
            return objects([self._pipe.apply(e, (0, 0)) for e in elements])
        return objects([self._pipe.apply(e, p) for e, p in zip(elements, places.tolist(), strict=True)])


class _Numbered(Stream):
    """The source's handles, each with the pass and its number in it."""

    def __init__(self, pipe: Map, iteration: Iteration) -> None:
        self._pipe, self._iteration = pipe, iteration
        self._inner = pipe.source.stream(iteration)
        self._pass = iteration.next_pass(pipe)
        self._at = 0

    def take(self, count: int) -> np.ndarray:
        handles = self._inner.take(count)
        at, self._at = self._at, self._at + len(handles)
        return beside([handles, places_of(self._pass, at, self._at)])

    def state(self) -> State:
        return {
            **place_state(self._pipe, self._iteration, self._pass, self._at),
            "inner": self._inner.state(),
        }

    def restore(self, state: State) -> None:
        self._pass, self._at = restored_place(self._pipe, self._iteration, state)
        self._inner.restore(state["inner"])


class _Mapped(Stream):
    """The function called for a block of elements at once, or for each: here, or ahead on threads.

    Results come in the elements' order. The state holds the elements whose results nobody has taken; they
    are computed again.
    """

    def __init__(self, pipe: Map, iteration: Iteration) -> None:
        self._pipe, self._iteration = pipe, iteration
        self._inner = pipe.source.stream(iteration)
        self._pass = iteration.next_pass(pipe)
        self._at = 0
        self._pool: ThreadPoolExecutor | None = None
        self._begun = forking.forks
        self._pending: deque[tuple[Flat, Future[Flat]]] = deque()
        self._is_over = False

    def take(self, count: int) -> np.ndarray:
        pipe = self._pipe
        if self._pool is not None:
            return self._take_ahead(count)
        elements = pipe.source.rows.elements(self._inner.take(count))
        recorded = pipe.recorded_for(elements[0]) if _are_alike(elements) else None
        if recorded is None and pipe.workers > 1 and len(elements) and not pipe.has_program(elements[0]):
            self._submit(elements)
            return self._take_ahead(count)
        at, self._at = self._at, self._at + len(elements)
        places = places_of(self._pass, at, self._at)
        if recorded is not None:
            rows = pipe.apply_to_rows(recorded, stacked(list(elements)), places, count)
            return objects(split_rows(rows))
        pairs = zip(elements, places.tolist(), strict=True)
        return objects([pipe.apply(element, place) for element, place in pairs])

    def _take_ahead(self, count: int) -> np.ndarray:
        pipe, results = self._pipe, []
        forking.check_threads(self._begun, "Iterating a dataset with parallel calls")
        while len(results) < count:
            while not self._is_over and len(self._pending) < pipe.workers:
                handles = self._inner.take(1)
                self._is_over = not len(handles)
                self._submit(pipe.source.rows.elements(handles))
            if not self._pending:
                break
            results.append(self._pending.popleft()[1].result())
        if self._is_over and not self._pending and self._pool is not None:
            self._pool.shutdown(wait=False)
        return objects(results)

    def _submit(self, elements: np.ndarray | Sequence[Flat]) -> None:
        if self._pool is None:
            self._pool, self._begun = ThreadPoolExecutor(self._pipe.workers, "tf.data map"), forking.forks
        for element in elements:
            place = (self._pass, self._at)
            self._pending.append((element, self._pool.submit(self._pipe.apply, element, place)))
            self._at += 1

    def state(self) -> State:
        return {
            **place_state(self._pipe, self._iteration, self._pass, self._at - len(self._pending)),
            "pending": [element for element, _ in self._pending],
            "is_over": self._is_over,
            "inner": self._inner.state(),
        }

    def restore(self, state: State) -> None:
        self._pass, self._at = restored_place(self._pipe, self._iteration, state)
        self._is_over = state["is_over"]
        if state["pending"]:
            self._submit(state["pending"])
        self._inner.restore(state["inner"])


class _Deferring(Stream):
    """The function is called when somebody wants the results; the state is that of a stream that calls it at once."""

    def __init__(self, pipe: Map, iteration: Iteration) -> None:
        self._pipe, self._iteration = pipe, iteration
        self._inner = pipe.source.stream(iteration)
        self._pass = iteration.next_pass(pipe)
        self._at = 0
        self._pending: list[Any] = []  # elements that another stream had read ahead

    def take(self, count: int) -> np.ndarray:
        ahead, self._pending = self._pending[:count], self._pending[count:]
        found = objects([self._pipe.apply(element, self._next_place()) for element in ahead])
        if len(ahead) == count:
            return found
        handles = self._inner.take(count - len(ahead))
        later = deferred(self._pipe, [(handle, self._next_place()) for handle in handles])
        return np.concatenate([found, later])

    def _next_place(self) -> tuple[int, int]:
        self._at += 1
        return self._pass, self._at - 1

    def state(self) -> State:
        return {
            **place_state(self._pipe, self._iteration, self._pass, self._at),
            "pending": list(self._pending),
            "is_over": False,
            "inner": self._inner.state(),
        }

    def restore(self, state: State) -> None:
        self._pass, self._at = restored_place(self._pipe, self._iteration, state)
        self._pending = list(state["pending"])
        self._inner.restore(state["inner"])


def _are_alike(elements: np.ndarray) -> bool:
    """Whether elements are worth stacking: enough of them, small, and of one shape."""
    if len(elements) < FEWEST_ROWS or not all(isinstance(part, np.ndarray) for part in elements[0]):
        return False
    shapes = [part.shape for part in elements[0]]
    return not _is_large(elements[0]) and all(
        [part.shape for part in element] == shapes for element in elements
    )


def _is_large(element: Flat) -> bool:
    sizes = [part.nbytes if isinstance(part, np.ndarray) else 0 for part in element]
    return sum(sizes) > _MOST_BYTES
