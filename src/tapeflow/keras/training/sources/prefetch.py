"""`ahead`: run an iterator on a thread of its own, a few items ahead of who uses them.

    with ahead(source.epoch(0)) as groups:
        for group in groups:
            ...

Leaving the block stops the thread, however it is left; so does losing the last reference.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from typing import Any, Generic, Self, TypeVar

from tapeflow.engine.programs import phases

T = TypeVar("T")


class _Buffer:
    """What the two threads share. It knows no `Ahead`, so that an unused one can be collected."""

    def __init__(self, depth: int) -> None:
        self.items: deque[Any] = deque()
        self.depth = depth
        self.changed = threading.Condition()
        self.is_done = False
        self.is_stopped = False
        self.error: BaseException | None = None

    def fill(self, iterator: Iterator[Any]) -> None:
        """The thread's work: put items in, waiting while there are `depth` of them."""
        error = None
        try:
            for item in iterator:
                with self.changed:
                    self.changed.wait_for(lambda: self.is_stopped or len(self.items) < self.depth)
                    if self.is_stopped:
                        break
                    self.items.append(item)
                    self.changed.notify_all()
            if isinstance(iterator, Generator):
                iterator.close()  # its `finally` runs here, on the thread that ran the rest of it
        except BaseException as raised:  # noqa: BLE001 - it is raised where the items are used
            error = raised
        with self.changed:
            self.error = error
            self.is_done = True
            self.changed.notify_all()

    def stop(self) -> None:
        with self.changed:
            self.is_stopped = True
            self.items.clear()
            self.changed.notify_all()


class Ahead(Generic[T]):
    """An iterator over what a thread has prepared; exceptions come through at their place."""

    def __init__(self, iterable: Iterable[T], depth: int = 2) -> None:
        if depth < 1:
            raise ValueError(f"ahead expected depth to be positive; got depth={depth}. Use 1 or more.")
        self._buffer = _Buffer(depth)
        self._thread = threading.Thread(
            target=self._buffer.fill, args=(iter(iterable),), name="ahead", daemon=True
        )
        self._stop = weakref.finalize(self, self._buffer.stop)
        self._thread.start()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        buffer = self._buffer
        with buffer.changed:
            with phases.during("input"):
                buffer.changed.wait_for(lambda: buffer.items or buffer.is_done or buffer.is_stopped)
            if buffer.items:
                item = buffer.items.popleft()
                buffer.changed.notify_all()
                return item
        error, buffer.error = buffer.error, None
        if error is not None:
            raise error
        raise StopIteration

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the thread and wait until it has let go of the iterator."""
        self._stop()
        if self._thread is not threading.current_thread():
            self._thread.join()


def ahead(iterable: Iterable[T], depth: int = 2) -> Ahead[T]:
    """Iterate on a background thread, at most `depth` items ahead."""
    return Ahead(iterable, depth)
