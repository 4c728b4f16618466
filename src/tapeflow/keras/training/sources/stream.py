"""`StreamSource`: batches that come one after another: datasets, generators, any iterable.

A stream that can be begun again is, at every epoch, unless the user gave a number of steps that is not its
length: then, as in Keras, each epoch takes up where the last one stopped. A generator cannot be begun again.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from tapeflow.data.iterator import ArrayIterator
from tapeflow.data.worker_batches import WorkerBatches, check_workers, workers_of
from tapeflow.keras.training.sources.group import Group, grouped
from tapeflow.keras.training.sources.source import Source, nothing_to_read
from tapeflow.keras.utils.messages import say

_MARK_INTERVAL_S = 1.0
_PLACED = (ArrayIterator, WorkerBatches)


class StreamSource(Source):
    """Batches from an iterator that `begin` makes.

    Args:
        begin: Gives an iterator over the user's batches.
        prepare: Makes arrays of a batch.
        steps: Batches in an epoch, if known.
        restarts: Whether every epoch calls `begin`.
        is_in_step: Whether processes wait for one another in each batch.
    """

    def __init__(
        self,
        begin: Callable[[], Iterator[Any]],
        prepare: Callable[[Any], Any],
        steps: int | None = None,
        restarts: bool = False,
        is_in_step: bool = False,
    ) -> None:
        self.steps = steps
        self.is_in_step = is_in_step
        self._begin = begin
        self._prepare = prepare
        self._restarts = restarts
        self._stream: _Stream | None = None
        self._is_fresh = False
        self._is_placed = False
        self._has_read = False
        self._base = 0  # batches of the stream that earlier epochs have used

    def description(self) -> dict[str, Any]:
        return {"method": "generator"}

    def epoch(self, number: int, group: int = 1, start: int = 0) -> Iterator[Group]:
        stream = self._ready()
        self._is_fresh = self.ran_out = False
        self.used = start
        if self._is_placed:
            self._base = stream.count - start
        else:
            self._base = stream.count
            if self._restarts:  # a stream that goes on stands where it stands
                stream.skip(start)
        self._is_placed = False
        return grouped(self._counted(stream, start), group, start)

    def peek(self) -> Any:
        try:
            return self._prepare(self._ready().peek())
        except StopIteration:
            raise nothing_to_read() from None

    def rewind(self) -> None:
        if not self._is_fresh:
            self._stream = None

    def close(self) -> None:
        self._stream = None

    def state(self, step: int | None) -> Any:
        if step is not None and self._stream is not None:
            stream, used = self._stream, self._base + step
        else:
            stream = self._ready()
            used = stream.count
        mark = stream.mark_before(used)
        return {
            "steps": self.steps,
            "has_read": self._has_read,
            "used": used,
            "mark": mark,
            "workers": workers_of(stream.iterator),
        }

    def restore(self, state: Any, number: int, step: int) -> bool:
        self.steps, self._has_read = state["steps"], state["has_read"]
        peeked = self._stream
        is_same = peeked is not None and not isinstance(peeked.iterator, _PLACED) and not self._restarts
        self._stream = stream = (
            peeked if is_same and peeked is not None else _Stream(self._begin(), self.is_tracked)
        )
        check_workers(state.get("workers", 1), workers_of(stream.iterator))
        if state["mark"] is not None and isinstance(stream.iterator, _PLACED):
            stream.restore(*state["mark"])
        elif state["used"] and not self._restarts:
            say(f"Resuming: a generator is run again for the {state['used']} batches that were used.")
        stream.skip(state["used"] - stream.count)
        self._is_fresh = self._is_placed = True
        return not isinstance(stream.iterator, _PLACED)

    def _ready(self) -> _Stream:
        """The stream the next batch comes from."""
        if self._stream is None or (self._restarts and not self._is_fresh):
            self._stream = _Stream(self._begin(), self.is_tracked)
            self._is_fresh = True
        return self._stream

    def _counted(self, stream: _Stream, start: int) -> Iterator[Any]:
        """At most `steps` batches as arrays, noting how many there were."""
        steps, step = self.steps, start
        for batch in itertools.islice(stream, None if steps is None else max(0, steps - start)):
            step += 1
            self._has_read = True
            stream.let_go(self._base + self.used)
            yield self._prepare(batch)
        if not self._has_read and not start:
            raise nothing_to_read()
        if steps is None:
            self.steps = step
        else:
            self.ran_out = step < steps


class _Stream:
    """A user's iterator, how many batches of it have been taken, and, if asked for, where it was lately.

    A mark is a count and the iterator's state then. Who wants to go on at some batch begins at the last mark
    before it; marks are a second apart, since a state may hold a whole shuffle buffer.
    """

    def __init__(self, iterator: Iterator[Any], is_tracked: bool) -> None:
        self.iterator = iterator
        self.count = 0
        self._held: list[Any] = []
        self._marks: deque[tuple[int, Any]] = deque()
        self._is_tracked = is_tracked and isinstance(iterator, _PLACED)
        self._marked_at = time.monotonic()
        self._mark()

    def _mark(self) -> None:
        if self._is_tracked and isinstance(self.iterator, _PLACED):
            self._marks.append((self.count, self.iterator.state()))
            self._marked_at = time.monotonic()

    def peek(self) -> Any:
        if not self._held:
            self._held.append(next(self.iterator))
        return self._held[0]

    def __iter__(self) -> _Stream:
        return self

    def __next__(self) -> Any:
        element = self._held.pop() if self._held else next(self.iterator)
        self.count += 1
        if self._is_tracked and time.monotonic() - self._marked_at >= _MARK_INTERVAL_S:
            self._mark()
        return element

    def skip(self, count: int) -> None:
        """Read batches for nothing."""
        for _ in range(count):
            if next(self, None) is None:
                return

    def restore(self, count: int, state: Any) -> None:
        """Go on where an equal stream was after `count` batches."""
        if isinstance(self.iterator, _PLACED):
            self.iterator.restore(state)
        self.count = count
        self._held.clear()
        self._marks.clear()
        self._mark()

    def mark_before(self, count: int) -> tuple[int, Any] | None:
        """The last mark at or before a count; None if there is none. Meanwhile a thread may read, and mark."""
        return next((mark for mark in reversed(list(self._marks)) if mark[0] <= count), None)

    def let_go(self, used: int) -> None:
        """Forget marks before the last one that training, which has used so many batches, could go on from."""
        while len(self._marks) > 1 and self._marks[1][0] <= used:
            self._marks.popleft()
