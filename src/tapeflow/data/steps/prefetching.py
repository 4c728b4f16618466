"""`prefetch`: a thread that keeps the next few elements ready.

The thread knows the stream and the queue but not who reads from it, so that an iterator which is dropped
ends its thread; what the source raises is raised where the element would have come.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections import deque
from typing import Any

import numpy as np

from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.data.rows import objects
from tapeflow.data.structure import Flat
from tapeflow.engine.devices import forking

_AUTOTUNED = range(4, 17)
"""How many elements `AUTOTUNE` keeps ready: the more, the smaller they are."""

_AUTOTUNED_BYTES = 1 << 24

_BLOCK_SECONDS = 0.001
"""Elements made faster than this are handed over several at a time: a hand-over costs some 20 us."""


class Prefetch(Step):
    """The source's elements, read up to `size` ahead."""

    passes_deferred = True

    def __init__(self, source: Pipe, size: int) -> None:
        super().__init__(source)
        self.size = size

    def stream(self, iteration: Iteration) -> Stream:
        inner = self.source.stream(iteration)
        # Numbers of elements are ready at once; reading ahead pays where elements are made.
        if self.rows.width or not self.size:
            return inner
        # What is read ahead is part of the state, which processes with other data may go on from.
        is_alone = iteration.share is None and iteration.part is None
        return _Prefetched(inner, self.size) if is_alone else _Direct(inner)


class _Queue:
    """What the thread and the reader share."""

    def __init__(self, stream: Stream, size: int) -> None:
        self.stream = stream
        self.size = _AUTOTUNED[0] if size < 0 else size
        self.ready: deque[Any] = deque()
        self.error: BaseException | None = None
        self.is_over = False
        self.is_closed = False
        self._is_autotuned = size < 0
        self.begun = forking.forks
        self.changed = threading.Condition()
        self.reading = threading.Lock()  # held while the stream moves: its state is whole when it is free

    def fill(self) -> None:
        """The thread: read until the source ends or nobody wants more.

        A full queue is filled again when a quarter of it is gone, so that quick elements come in blocks.
        """
        pace = 1
        while not (self.is_over or self.is_closed):
            with self.reading:
                began = time.perf_counter()
                count = min(pace, self.size - len(self.ready))
                found, error = self._read(count)
                is_quick = time.perf_counter() - began < _BLOCK_SECONDS
                with self.changed:
                    self.ready.extend(found)
                    self.is_over = len(found) < count
                    self.error = error
                    self.changed.notify_all()
            if self._is_autotuned and found:
                self._is_autotuned = False
                self.size = _autotuned(found[0])
            pace = min(2 * pace, max(1, self.size // 2)) if is_quick else 1
            with self.changed:
                if len(self.ready) >= self.size:
                    self.changed.wait_for(lambda: self.is_closed or self.has_room)

    @property
    def has_room(self) -> bool:
        """Whether waking the thread is worth it."""
        return self.size - len(self.ready) >= max(1, self.size // 4)

    def _read(self, count: int) -> tuple[list[Any], BaseException | None]:
        """The next `count` elements, or those before the end or before what the source raised."""
        found: list[Any] = []
        try:
            while len(found) < count and len(taken := self.stream.take(1)):
                found.append(taken[0])
        except BaseException as error:  # noqa: BLE001 (it crosses to the reader)
            return found, error
        return found, None

    def close(self) -> None:
        """End the thread; it may take as long as the element being made."""
        if self.begun != forking.forks:
            return  # it is not in this process, and may have held the lock
        with self.changed:
            self.is_closed = True
            self.ready.clear()
            self.changed.notify_all()


_queues: weakref.WeakSet[_Queue] = weakref.WeakSet()
_threads: weakref.WeakSet[threading.Thread] = weakref.WeakSet()


class _Prefetched(Stream):
    def __init__(self, inner: Stream, size: int) -> None:
        self._queue = _Queue(inner, size)
        self._thread: threading.Thread | None = None

    def _start(self) -> None:
        queue = self._queue
        thread = threading.Thread(target=queue.fill, name="tf.data prefetch", daemon=True)
        self._thread = thread
        weakref.finalize(self, queue.close)
        _queues.add(queue)
        _threads.add(thread)
        thread.start()

    def take(self, count: int) -> np.ndarray:
        if self._thread is None and not self._queue.is_over:
            self._queue.begun = forking.forks
            self._start()
        queue, found = self._queue, []
        forking.check_threads(queue.begun, "Iterating a dataset with prefetch")
        while len(found) < count:
            with queue.changed:
                queue.changed.wait_for(lambda: queue.ready or queue.is_over)
                if queue.ready:
                    found.append(queue.ready.popleft())
                    if queue.has_room:
                        queue.changed.notify_all()
                    continue
                error, queue.error = queue.error, None
            if error is not None:
                raise error
            break
        return objects(found)

    def state(self) -> State:
        queue = self._queue
        with queue.reading, queue.changed:
            return {"ready": list(queue.ready), "is_over": queue.is_over, "inner": queue.stream.state()}

    def restore(self, state: State) -> None:
        queue = self._queue
        queue.stream.restore(state["inner"])
        queue.ready.extend(state["ready"])
        queue.is_over = state["is_over"]


class _Direct(Stream):
    """Reads nothing ahead; its state is that of a stream that does."""

    def __init__(self, inner: Stream) -> None:
        self._inner = inner
        self._ready: deque[Any] = deque()
        self._is_over = False

    def take(self, count: int) -> np.ndarray:
        found = [self._ready.popleft() for _ in range(min(count, len(self._ready)))]
        if len(found) < count and not self._is_over:
            taken = self._inner.take(count - len(found))
            self._is_over = len(found) + len(taken) < count
            found.extend(taken)
        return objects(found)

    def state(self) -> State:
        return {"ready": list(self._ready), "is_over": self._is_over, "inner": self._inner.state()}

    def restore(self, state: State) -> None:
        self._inner.restore(state["inner"])
        self._ready.extend(state["ready"])
        self._is_over = state["is_over"]


def _autotuned(element: Flat) -> int:
    """How many elements like this to keep ready."""
    if not all(isinstance(part, np.ndarray) for part in element):
        return _AUTOTUNED[0]
    size = max(1, sum(part.nbytes for part in element))
    return min(max(_AUTOTUNED_BYTES // size, _AUTOTUNED[0]), _AUTOTUNED[-1])


@atexit.register
def _close_all() -> None:
    """Let no thread be inside the engine while the interpreter goes down."""
    for queue in list(_queues):
        queue.close()
    for thread in list(_threads):
        thread.join(timeout=2.0)
