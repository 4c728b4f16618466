"""`tf.train.Coordinator`: threads that stop together, and an error in one that all hear of."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow.engine import errors


class Coordinator:
    """Lets any of several threads ask all of them to stop, and wait for that.

    Args:
        clean_stop_exception_types: exceptions that end the work without being errors: `OutOfRangeError`, the end of
            the data, unless given.

    >>> coordinator = tf.train.Coordinator()
    >>> def work():
    ...     while not coordinator.should_stop():
    ...         coordinator.request_stop()
    >>> thread = threading.Thread(target=work)
    >>> thread.start()
    >>> coordinator.join([thread])
    """

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        given = clean_stop_exception_types or (errors.OutOfRangeError,)
        self._clean = tuple(given) if isinstance(given, (list, tuple)) else (given,)
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._error: BaseException | None = None
        self._threads: set[threading.Thread] = set()
        self._joined = False

    def should_stop(self) -> bool:
        """Whether a stop has been requested."""
        return self._stopped.is_set()

    def request_stop(self, ex: BaseException | tuple[Any, ...] | None = None) -> None:
        """Ask all threads to stop; the first error given is raised by `join`."""
        error = ex[1] if isinstance(ex, tuple) else ex
        with self._lock:
            if error is not None and self._error is None and not isinstance(error, self._clean):
                if self._joined:
                    raise error
                self._error = error
            self._stopped.set()

    def clear_stop(self) -> None:
        """Begin anew, for other threads."""
        with self._lock:
            self._joined, self._error = False, None
            self._stopped.clear()

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait until somebody asks to stop; whether that was so in time."""
        return self._stopped.wait(timeout)

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Ask to stop if the block raises, and raise it no further: `join` does."""
        try:
            yield
        except BaseException as error:  # noqa: BLE001 - it is raised where the threads are joined
            self.request_stop(error)

    def register_thread(self, thread: threading.Thread) -> None:
        """Have `join` wait for this thread too."""
        with self._lock:
            self._threads.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Wait until all threads have ended; raise the error that one of them gave.

        Args:
            threads: those to wait for, besides the registered ones.
            stop_grace_period_secs: how long they may take once somebody has asked to stop.
            ignore_live_threads: whether to go on, silently, without those that took longer.

        Raises:
            RuntimeError: threads took longer.
        """
        with self._lock:
            waiting = list(self._threads | set(threads or ()))
        while not self._stopped.is_set() and any(t.is_alive() for t in waiting):
            self._stopped.wait(0.05)
        last = time.monotonic() + stop_grace_period_secs
        for thread in waiting:
            thread.join(max(0.0, last - time.monotonic()))
        late = [t.name for t in waiting if t.is_alive()]
        with self._lock:
            self._joined = True
            self._threads.clear()
        self.raise_requested_exception()
        if late and not ignore_live_threads:
            raise RuntimeError(
                f"Coordinator.join expected all threads to end within {stop_grace_period_secs} seconds: Coordinator "
                f"stopped with threads still running: {' '.join(late)}."
            )

    @property
    def joined(self) -> bool:
        """Whether `join` has been called."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raise the error that was given to `request_stop`, if there is one."""
        error, self._error = self._error, None
        if error is not None:
            raise error
