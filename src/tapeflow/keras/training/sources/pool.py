"""`Pool`: several workers that fetch the batches of a Sequence, in order, some way ahead.

Threads share the Sequence. Processes are spawned and live as long as the pool; each has a copy of the
Sequence, read from a file that is written when the pool starts and again after an `on_epoch_end` may have
changed it. A Sequence that no other process can have, such as one whose class is defined in a function or a notebook,
is left to threads. This module imports no engine: a worker process need not start JAX.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache, partial
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

from tapeflow.keras.losses.shape_warning import warn_user
from tapeflow.keras.utils.sequence import Sequence

_told_of: weakref.WeakSet[type[Sequence]] = weakref.WeakSet()


def _ignore_interrupts() -> None:
    """In a worker process: Ctrl-C is for the main process, which then stops its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@lru_cache(maxsize=1)
def _received(path: str) -> Sequence:
    """In a worker process: its copy of the Sequence."""
    return pickle.loads(Path(path).read_bytes())


def _fetch_received(path: str, index: int) -> Any:
    return _received(path)[index]


def _why_not_received(path: str) -> str:
    """In a worker process: what keeps it from having the Sequence; "" for nothing."""
    try:
        _received(path)
    except Exception as error:  # noqa: BLE001 - the user's classes may raise anything; threads fetch the batches then
        return f"{type(error).__name__}: {error}"
    return ""


class Pool:
    """Workers for one Sequence; started by the first `fetch`."""

    def __init__(self, sequence: Sequence, workers: int, use_multiprocessing: bool, depth: int) -> None:
        self._sequence = sequence
        self._workers = workers
        self._depth = max(depth, workers)
        self._executor: Executor | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="sequence-") if use_multiprocessing else None
        self._copy: Path | None = None
        self._copies = 0

    def fetch(self, indices: Iterable[int]) -> Iterator[Any]:
        """The batches with these indices, in this order; at most `depth` of them are there unasked."""
        fetch = self._fetcher()
        if self._executor is None:
            self._executor = self._start()
        waiting: deque[Future[Any]] = deque()
        try:
            for index in indices:
                waiting.append(self._executor.submit(fetch, index))
                if len(waiting) > self._depth:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise RuntimeError(
                "Fetching batches with use_multiprocessing=True expected worker processes to start and stay "
                "alive; got one that ended. Workers import the main script anew: keep what trains in it "
                "under `if __name__ == '__main__':`, or use threads (use_multiprocessing=False)."
            ) from error
        finally:
            for future in waiting:
                future.cancel()

    def refresh(self) -> None:
        """Before an epoch: the copies of the Sequence are out of date if it has an `on_epoch_end`."""
        changes = type(self._sequence).on_epoch_end is not Sequence.on_epoch_end
        if self._copy is not None and changes:
            self._copy.unlink()
            self._copy = None

    def close(self) -> None:
        """Stop the workers, waiting only for what they are at."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None
        if self._folder is not None:
            self._folder.cleanup()

    def _fetcher(self) -> Callable[[int], Any]:
        """What a worker calls; for processes it names a file with the Sequence as it is now."""
        if self._folder is not None and self._copy is None:
            self._copies += 1
            copy = Path(self._folder.name, str(self._copies))
            reason = self._send(copy)
            if reason:
                self._use_threads(reason)
            else:
                self._copy = copy
        return self._sequence.__getitem__ if self._copy is None else partial(_fetch_received, str(self._copy))

    def _send(self, copy: Path) -> str:
        """Write the Sequence to a file for worker processes; why they cannot have it, or ""."""
        try:
            copy.write_bytes(ForkingPickler.dumps(self._sequence))
        except (pickle.PicklingError, AttributeError, TypeError, RuntimeError) as error:
            return str(error)
        if self._executor is not None:
            return ""
        self._executor = self._start()
        try:
            return self._executor.submit(_why_not_received, str(copy)).result()
        except BrokenProcessPool:
            return "a worker process ended while it was starting"

    def _use_threads(self, reason: str) -> None:
        self.close()
        self._folder = None
        kind = type(self._sequence)
        if kind not in _told_of:
            _told_of.add(kind)
            warn_user(
                "use_multiprocessing=True expected a Sequence that can be sent to another process (pickled); got "
                f"{kind.__name__}: {reason}. Its batches are fetched by threads. For processes, define its class in a "
                "module or script, keep what trains under `if __name__ == '__main__':`, and keep lambdas, open files "
                "and locks out of its attributes."
            )

    def _start(self) -> Executor:
        if self._folder is None:
            return ThreadPoolExecutor(self._workers, thread_name_prefix="sequence")
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._workers, context, initializer=_ignore_interrupts)
