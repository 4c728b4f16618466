"""Which elements come, and how often: repeat, take, skip, shard, concatenate. They move handles only."""

from __future__ import annotations

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.data.rows import OBJECTS, Rows
from tapeflow.data.specs import common_specs
from tapeflow.engine import errors


class Sequence(Stream):
    """Given handles, in order; or the integers below `count` (without end if it is negative)."""

    def __init__(self, handles: np.ndarray | None = None, count: int = -1) -> None:
        self._handles = handles
        self._count = count if handles is None else len(handles)
        self._at = 0

    def take(self, count: int) -> np.ndarray:
        at = self._at
        end = at + count if self._count < 0 else min(at + count, self._count)
        self._at = end
        return np.arange(at, end, dtype=np.int64) if self._handles is None else self._handles[at:end]

    def state(self) -> State:
        return {"at": self._at}

    def restore(self, state: State) -> None:
        self._at = state["at"]


class Given(Step):
    """Handles of another pipe that have been read already, as a pipe of their own."""

    def __init__(self, source: Pipe, handles: np.ndarray) -> None:
        super().__init__(source)
        self.handles = handles

    @property
    def cardinality(self) -> int:
        return len(self.handles)

    def stream(self, iteration: Iteration) -> Stream:
        return Sequence(self.handles)


class Repeat(Step):
    """Pass after pass over the source, `count` of them or without end."""

    passes_deferred = True

    def __init__(self, source: Pipe, count: int) -> None:
        super().__init__(source)
        self.count = count

    @property
    def cardinality(self) -> int:
        return counting.repeated(self.source.cardinality, self.count)

    def stream(self, iteration: Iteration) -> Stream:
        return _Repeated(self, iteration)


class _Repeated(Stream):
    def __init__(self, pipe: Repeat, iteration: Iteration) -> None:
        self._pipe, self._iteration = pipe, iteration
        self._inner: Stream | None = None
        self._passes = 0

    def take(self, count: int) -> np.ndarray:
        parts: list[np.ndarray] = []
        missing = count
        while missing:
            is_new = self._inner is None
            if self._inner is None:
                if self._passes == self._pipe.count:
                    break
                self._inner = self._pipe.source.stream(self._iteration)
                self._passes += 1
            part = self._inner.take(missing)
            if len(part):
                parts.append(part)
                missing -= len(part)
            elif is_new and self._pipe.count < 0:  # nothing to repeat without end
                self._pipe = Repeat(self._pipe.source, self._passes)
            if missing:
                self._inner = None
        return joined(parts, self._pipe.rows)

    def state(self) -> State:
        return {"passes": self._passes, "inner": None if self._inner is None else self._inner.state()}

    def restore(self, state: State) -> None:
        self._passes = state["passes"]
        if state["inner"] is not None:
            self._inner = self._pipe.source.stream(self._iteration)
            self._inner.restore(state["inner"])


def joined(parts: list[np.ndarray], rows: Rows) -> np.ndarray:
    """Handles of several blocks as one."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else rows.empty()


class Take(Step):
    """At most the first `count` elements; all of them if it is negative."""

    passes_deferred = True

    def __init__(self, source: Pipe, count: int) -> None:
        super().__init__(source)
        self.count = count

    @property
    def cardinality(self) -> int:
        return counting.taken(self.source.cardinality, self.count)

    def stream(self, iteration: Iteration) -> Stream:
        return self.source.stream(iteration) if self.count < 0 else _Taken(self, iteration)


class _Taken(Stream):
    def __init__(self, pipe: Take, iteration: Iteration) -> None:
        self._rows = pipe.rows
        self._inner = pipe.source.stream(iteration)
        self._left = pipe.count

    def take(self, count: int) -> np.ndarray:
        wanted = min(count, self._left)
        if not wanted:
            return self._rows.empty()
        found = self._inner.take(wanted)
        self._left = self._left - wanted if len(found) == wanted else 0
        return found

    def state(self) -> State:
        return {"left": self._left, "inner": self._inner.state()}

    def restore(self, state: State) -> None:
        self._left = state["left"]
        self._inner.restore(state["inner"])


class Skip(Step):
    """All but the first `count` elements; nothing if it is negative."""

    passes_deferred = True

    def __init__(self, source: Pipe, count: int) -> None:
        super().__init__(source)
        self.count = count

    @property
    def cardinality(self) -> int:
        return counting.skipped(self.source.cardinality, self.count)

    def stream(self, iteration: Iteration) -> Stream:
        return Sequence(self.rows.empty()) if self.count < 0 else _Skipped(self, iteration)


_SKIP_BLOCK = 4096


class _Skipped(Stream):
    def __init__(self, pipe: Skip, iteration: Iteration) -> None:
        self._inner = pipe.source.stream(iteration)
        self._left = pipe.count
        # Objects are elements: no more of them than need be are alive at a time.
        self._block = _SKIP_BLOCK if pipe.rows.width else 1

    def take(self, count: int) -> np.ndarray:
        while self._left:
            wanted = min(self._left, self._block)
            found = len(self._inner.take(wanted))
            self._left = self._left - wanted if found == wanted else 0
        return self._inner.take(count)

    def state(self) -> State:
        return {"left": self._left, "inner": self._inner.state()}

    def restore(self, state: State) -> None:
        self._left = state["left"]
        self._inner.restore(state["inner"])


SHARD_HINT = -1
"""In `shard`: the number of workers and of this one, which a strategy knows."""


class Shard(Step):
    """Every element whose position is `index` modulo `count`; both may be `SHARD_HINT`."""

    passes_deferred = True

    def __init__(self, source: Pipe, count: int, index: int) -> None:
        super().__init__(source)
        self.count, self.index = count, index

    @property
    def cardinality(self) -> int:
        if self.count == SHARD_HINT:
            count = self.source.cardinality
            return count if count < 0 else counting.UNKNOWN
        return counting.sharded(self.source.cardinality, self.count, self.index)

    def stream(self, iteration: Iteration) -> Stream:
        inner, part = self.source.stream(iteration), iteration.part
        if self.count != SHARD_HINT:
            return _Sharded(inner, self.count, self.index)
        if iteration.is_trial:
            return inner
        if part is None or part.splits_files:
            raise errors.FailedPreconditionError(
                None,
                None,
                "tf.data.Dataset.shard expected a strategy: `tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used "
                "in `tf.distribute.Strategy.experimental_distribute_dataset()` with "
                "`tf.data.experimental.AutoShardPolicy.HINT` policy. Give numbers, or set that policy.",
            )
        return _Sharded(inner, part.count, part.index)


class _Sharded(Stream):
    def __init__(self, inner: Stream, count: int, index: int) -> None:
        self._inner = inner
        self._count = count
        self._skip = index  # how many come before the next of ours
        self._has_begun = False

    def take(self, count: int) -> np.ndarray:
        if not count:
            return self._inner.take(0)
        skip, self._skip, self._has_begun = self._skip, self._count - 1, True
        return self._inner.take(skip + (count - 1) * self._count + 1)[skip :: self._count]

    def state(self) -> State:
        # The beginning is that of all shards: workers with others may go on from there.
        return {"skip": self._skip if self._has_begun else None, "inner": self._inner.state()}

    def restore(self, state: State) -> None:
        if state["skip"] is not None:
            self._skip, self._has_begun = state["skip"], True
        self._inner.restore(state["inner"])


class Concatenate(Pipe):
    """One pipe after the other."""

    passes_deferred = True

    def __init__(self, sources: tuple[Pipe, ...]) -> None:
        self.sources = sources
        first = sources[0].rows
        self.rows = first if all(s.rows is first for s in sources) else OBJECTS

    @property
    def inputs(self) -> tuple[Pipe, ...]:
        return self.sources

    @property
    def structure(self):
        return self.sources[0].structure

    @property
    def specs(self):
        return common_specs([s.specs for s in self.sources])

    @property
    def cardinality(self) -> int:
        return counting.total(s.cardinality for s in self.sources)

    def stream(self, iteration: Iteration) -> Stream:
        return _Concatenated(self, iteration)


class _Concatenated(Stream):
    def __init__(self, pipe: Concatenate, iteration: Iteration) -> None:
        self._pipe, self._iteration = pipe, iteration
        self._number = 0
        self._inner = pipe.sources[0].stream(iteration)

    def take(self, count: int) -> np.ndarray:
        pipe, parts, missing = self._pipe, [], count
        while missing:
            part = self._inner.take(missing)
            if len(part):
                rows = pipe.sources[self._number].rows
                parts.append(part if pipe.rows is rows else rows.elements(part))
                missing -= len(part)
            if missing:
                if self._number + 1 == len(pipe.sources):
                    break
                self._number += 1
                self._inner = pipe.sources[self._number].stream(self._iteration)
        return joined(parts, pipe.rows)

    def state(self) -> State:
        return {"number": self._number, "inner": self._inner.state()}

    def restore(self, state: State) -> None:
        self._number = state["number"]
        self._inner = self._pipe.sources[self._number].stream(self._iteration)
        self._inner.restore(state["inner"])
