"""`cache`: what the first full pass gave, kept in memory for the passes after it."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Any

import numpy as np

from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.data.rows import Rows
from tapeflow.data.steps.ordering import joined
from tapeflow.data.structure import Flat
from tapeflow.engine.devices import host_memory

Key = tuple[int, int] | None
"""Which of how many workers made a pass; None for passes over everything."""


class Cache(Step):
    """The source's first full pass, again and again.

    Its handles are kept, which for elements with numbers are numbers; what a function computes for them
    is kept too.
    """

    name = "CacheDataset"

    def __init__(self, source: Pipe) -> None:
        super().__init__(source, _KeptRows(source.rows) if source.rows.is_computed else source.rows)
        self.kept: dict[Key, np.ndarray] = {}

    def stream(self, iteration: Iteration) -> Stream:
        return _Cached(self, iteration)


class _Cached(Stream):
    """A pass over what is kept; the first remembers what it sees, and keeps it if it sees all."""

    def __init__(self, pipe: Cache, iteration: Iteration) -> None:
        self._pipe, self._iteration = pipe, iteration
        self._at = 0
        part = iteration.part
        self._key = None if part is None else (part.index, part.count)
        self._inner = None if self._key in pipe.kept else pipe.source.stream(iteration)
        self._seen: list[np.ndarray] = []
        self._count = 0

    def take(self, count: int) -> np.ndarray:
        if self._inner is None:
            kept = self._pipe.kept[self._key]
            at, self._at = self._at, self._at + count
            return kept[at : self._at]
        found = self._inner.take(count)
        self._seen.append(found)
        self._count += len(found)
        # Who knows how many there are, as `fit` does, never asks for one more.
        is_whole = len(found) < count or self._count == self._pipe.source.cardinality
        if is_whole and self._key not in self._pipe.kept:
            self._pipe.kept[self._key] = joined(self._seen, self._pipe.rows)
        return found

    def state(self) -> State:
        if self._inner is None:
            # What is kept of one worker's data is none of the others', who may go on from here.
            return {"kept": None if self._key else self._pipe.kept[self._key], "at": self._at}
        return {"seen": joined(self._seen, self._pipe.rows), "inner": self._inner.state()}

    def restore(self, state: State) -> None:
        if "kept" in state:
            self._at, self._inner = state["at"], None
            if state["kept"] is not None:
                self._pipe.kept[self._key] = state["kept"]
            elif self._key not in self._pipe.kept:
                self._inner = self._pipe.source.stream(self._iteration)
            return
        self._inner = self._inner or self._pipe.source.stream(self._iteration)
        self._seen, self._count = [state["seen"]], len(state["seen"])
        self._inner.restore(state["inner"])


class _KeptRows(Rows):
    """Rows of a source that computes them, each computed once. A handle says all there is to an element."""

    def __init__(self, source: Rows) -> None:
        self._source = source
        self.width = source.width
        self._places: dict[Hashable, int] = {}
        self._columns: list[np.ndarray] = []
        self._lock = threading.Lock()

    def gather(self, handles: np.ndarray, most: int = 0) -> Flat:
        keys: list[Any] = handles.tolist() if self.width == 1 else [h.tobytes() for h in handles]
        with self._lock:
            missing = [i for i, key in enumerate(keys) if key not in self._places]
            if missing or not self._columns:
                self._keep([keys[i] for i in missing], self._source.gather(handles[missing], most))
            places = np.array([self._places[key] for key in keys], np.int64)
            return tuple([host_memory.taken(c, places) for c in self._columns])

    def _keep(self, keys: list[Any], columns: Flat) -> None:
        start = len(self._places)
        for number, key in enumerate(keys):
            self._places[key] = start + number
        end = start + len(keys)
        if not self._columns or end > len(self._columns[0]):
            room = max(2 * end, 16)
            fresh = [np.empty((room, *c.shape[1:]), c.dtype) for c in columns]
            for new, old in zip(fresh, self._columns, strict=False):
                new[:start] = old[:start]
            self._columns = fresh
        for kept, column in zip(self._columns, columns, strict=True):
            kept[start:end] = column
