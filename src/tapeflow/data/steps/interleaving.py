"""Datasets made of elements by the user's function, and read in turn: flat_map and interleave."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.deferral import deferring_steps
from tapeflow.data.functions.calls import call, isolated_recording
from tapeflow.data.functions.randomness import ElementCounters, drawn_seed, place_state, restored_place
from tapeflow.data.pipe import Iteration, Part, Pipe, State, Step, Stream
from tapeflow.data.piped import Piped
from tapeflow.data.rows import OBJECTS
from tapeflow.data.steps.ordering import joined
from tapeflow.data.structure import Flat, Structure, flattened
from tapeflow.data.window_state import opened_windows, sealed_windows
from tapeflow.engine import errors
from tapeflow.engine.values.dtypes import string


class Interleave(Step):
    """The elements of datasets that `function` makes of the elements, `block` of each in turn.

    `cycle` datasets are open at a time; one that ends gives its place to the next. With one of them it is
    `flat_map`.
    """

    defers = True

    def __init__(
        self, source: Pipe, function: Callable[..., Any], cycle: int, block: int, where: str
    ) -> None:
        super().__init__(source, OBJECTS)
        self.function, self.cycle, self.block, self.where = function, cycle, block, where
        self.seed = drawn_seed(None)
        self._structure: Structure | None = None

    @cached_property
    def _first(self) -> Pipe:
        """What the function makes of the first element, to learn what it is like."""
        handles = self.source.stream(Iteration(is_trial=True)).take(1)
        if not len(handles):
            raise ValueError(
                f"{self.where} expected at least one element, to find out what map_func returns; got none."
            )
        return self.opened(self.source.rows.elements(handles)[0], (0, 0))

    @property
    def structure(self) -> Structure:
        return self._structure or self._first.structure

    @property
    def specs(self) -> tuple[Any, ...]:
        return self._first.specs

    @property
    def cardinality(self) -> int:
        return counting.UNKNOWN

    @property
    def opens_files(self) -> bool:
        """Whether the elements are names of files that the function's datasets read."""
        specs = self.source.specs
        return len(specs) == 1 and specs[0].dtype is string and reads_files(self._first)

    def opened(self, element: Flat, place: tuple[int, int]) -> Pipe:
        """The dataset made of an element; `place` is the pass and the element's number in it."""
        with isolated_recording(ElementCounters(self.seed, place)):
            found = flattened(call(self.function, self.source.structure, element))
        if len(found) != 1 or not isinstance(found[0], Piped):
            raise TypeError(
                f"{self.where} expected map_func to return a `Dataset` object; got {found!r}. Use map for a "
                "function that returns tensors."
            )
        return found[0]._pipe

    def stream(self, iteration: Iteration) -> Stream:
        return _Interleaved(self, iteration)


def reads_files(pipe: Pipe) -> bool:
    """Whether a step of a pipeline reads files that can be split between workers."""
    return (isinstance(pipe, Interleave) and pipe.opens_files) or any(map(reads_files, pipe.inputs))


class OwnFiles(Stream):
    """Of the names of files, every so-manieth: those of one worker."""

    def __init__(self, names: Stream, part: Part, where: str) -> None:
        self._names, self._part, self._where = names, part, where
        self._skip = 0  # names up to the next of ours; those of the first round are counted
        self._is_fresh = True

    def take(self, count: int) -> np.ndarray:
        if not count:
            return self._names.take(0)
        parts = []
        if self._is_fresh:
            parts.append(self._first_of_ours())
            self._is_fresh, self._skip, count = False, self._part.index, count - 1
        if count:
            skip, self._skip = self._skip, self._part.count - 1
            step = self._part.count
            parts.append(self._names.take(skip + (count - 1) * step + 1)[skip::step])
        return joined(parts, OBJECTS)

    def _first_of_ours(self) -> np.ndarray:
        part, names = self._part, self._names.take(self._part.count)
        if len(names) < part.count:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{self._where} expected a file for each worker: Could not apply FILE based sharding: the dataset "
                f"only has {len(names)} file(s), which is not enough for the required {part.count} shards/workers. "
                "Use AutoShardPolicy.AUTO, DATA or OFF, or more files.",
            )
        return names[part.index : part.index + 1]

    def state(self) -> State:
        return {"skip": self._skip, "is_fresh": self._is_fresh, "names": self._names.state()}

    def restore(self, state: State) -> None:
        self._skip, self._is_fresh = state["skip"], state["is_fresh"]
        self._names.restore(state["names"])


class _Interleaved(Stream):
    def __init__(self, pipe: Interleave, iteration: Iteration) -> None:
        self._pipe, self._iteration = pipe, iteration
        self._pass, self._at = iteration.next_pass(pipe), 0
        part = iteration.part
        if part is not None and part.splits_files and pipe.opens_files:
            self._iteration = iteration.of_all_files()
            self._inner: Stream = OwnFiles(pipe.source.stream(self._iteration), part, pipe.where)
        else:
            self._inner = pipe.source.stream(iteration)
        self._is_over = False
        # Of each open dataset: the element it was made of and its number, the pipe, the pass over it.
        self._open: list[tuple[tuple[Flat, int], Pipe, Stream] | None] = [None] * pipe.cycle
        self._place = 0
        self._left = pipe.block

    def _next_open(self) -> tuple[tuple[Flat, int], Pipe, Stream] | None:
        handles = self._inner.take(1)
        if not len(handles):
            self._is_over = True
            return None
        element = self._pipe.source.rows.elements(handles)[0]
        number, self._at = self._at, self._at + 1
        made = self._pipe.opened(element, (self._pass, number))
        if self._pipe._structure is None:
            self._pipe._structure = made.structure
        return (element, number), made, self._begun(made)

    def _begun(self, made: Pipe) -> Stream:
        """A pass over an open dataset."""
        if self._pipe in self._iteration.deferring:
            self._iteration.deferring.update(deferring_steps(made))
        return made.stream(self._iteration)

    def take(self, count: int) -> np.ndarray:
        parts, missing, idle = [OBJECTS.empty()], count, 0
        while missing and idle < len(self._open):
            slot = self._open[self._place]
            if slot is None and not self._is_over:
                slot = self._open[self._place] = self._next_open()
            if slot is None:
                idle += 1
                self._advance()
                continue
            idle = 0
            _, made, stream = slot
            wanted = min(self._left, missing)
            found = stream.take(wanted)
            parts.append(made.rows.elements(found))
            missing -= len(found)
            self._left -= len(found)
            if len(found) < wanted:
                self._open[self._place] = None
                self._advance()
            elif not self._left:
                self._advance()
        return np.concatenate(parts)

    def _advance(self) -> None:
        self._place = (self._place + 1) % len(self._open)
        self._left = self._pipe.block

    def state(self) -> State:
        return {
            **place_state(self._pipe, self._iteration, self._pass, self._at),
            "inner": self._inner.state(),
            "is_over": self._is_over,
            "open": [
                None if s is None else {"element": s[0], "stream": sealed_windows(s[2].state(), s[1])}
                for s in self._open
            ],
            "place": self._place,
            "left": self._left,
        }

    def restore(self, state: State) -> None:
        self._pass, self._at = restored_place(self._pipe, self._iteration, state)
        self._inner.restore(state["inner"])
        self._is_over, self._place, self._left = state["is_over"], state["place"], state["left"]
        for i, saved in enumerate(state["open"]):
            if saved is not None:
                element, number = saved["element"]
                made = self._pipe.opened(element, (self._pass, number))
                stream = self._begun(made)
                stream.restore(opened_windows(saved["stream"], made))
                self._open[i] = (saved["element"], made, stream)
