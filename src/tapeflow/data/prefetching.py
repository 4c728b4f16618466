"""`prefetch`: a thread that keeps the next few elements ready.

The thread knows the stream and the queue but not who reads from it, so that an iterator which is dropped
ends its thread; what the source raises is raised where the element would have come.
"""

from __future__ import annotations

import atexit
import threading
import weakref
from collections import deque
from typing import Any

import numpy as np

from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.data.rows import objects

_AUTOTUNED = 4


class Prefetch(Step):
    """The source's elements, read up to `size` ahead."""

    def __init__(self, source: Pipe, size: int) -> None:
        super().__init__(source)
        self.size = _AUTOTUNED if size < 0 else size

    def stream(self, iteration: Iteration) -> Stream:
        inner = self.source.stream(iteration)
        # Numbers of elements are ready at once; reading ahead pays where elements are made.
        return inner if self.rows.width or not self.size else _Prefetched(inner, self.size)


class _Queue:
    """What the thread and the reader share."""

    def __init__(self, stream: Stream, size: int) -> None:
        self.stream, self.size = stream, size
        self.ready: deque[Any] = deque()
        self.error: BaseException | None = None
        self.is_over = False
        self.is_closed = False
        self.changed = threading.Condition()
        self.reading = threading.Lock()  # held while the stream moves: its state is whole when it is free

    def fill(self) -> None:
        """The thread: read until the source ends or nobody wants more."""
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.is_closed or len(self.ready) < self.size)
                if self.is_closed:
                    return
            with self.reading:
                try:
                    found = self.stream.take(1)
                except BaseException as error:  # noqa: BLE001 (it crosses to the reader)
                    with self.changed:
                        self.error, self.is_over = error, True
                        self.changed.notify_all()
                    return
                with self.changed:
                    self.is_over = not len(found)
                    self.ready.extend(found)
                    self.changed.notify_all()
                    if self.is_over:
                        return

    def close(self) -> None:
        """End the thread; it may take as long as the element being made."""
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
            self._start()
        queue, found = self._queue, []
        while len(found) < count:
            with queue.changed:
                queue.changed.wait_for(lambda: queue.ready or queue.is_over)
                if queue.ready:
                    found.append(queue.ready.popleft())
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


@atexit.register
def _close_all() -> None:
    """Let no thread be inside the engine while the interpreter goes down."""
    for queue in list(_queues):
        queue.close()
    for thread in list(_threads):
        thread.join(timeout=2.0)
