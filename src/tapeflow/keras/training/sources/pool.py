"""`Pool`: several workers that fetch the batches of a Sequence, in order, some way ahead.

Threads share the Sequence. Processes are spawned and live as long as the pool; each has a copy of the
Sequence, read from a file that is written when the pool starts and again after an `on_epoch_end` may have
changed it. This module imports no engine: a worker process need not start JAX.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache, partial
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

from tapeflow.keras.utils.sequence import Sequence


def _ignore_interrupts() -> None:
    """In a worker process: Ctrl-C is for the main process, which then stops its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@lru_cache(maxsize=1)
def _received(path: str) -> Sequence:
    """In a worker process: its copy of the Sequence."""
    return pickle.loads(Path(path).read_bytes())


def _fetch_received(path: str, index: int) -> Any:
    return _received(path)[index]


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
        if self._folder is None:
            return self._sequence.__getitem__
        if self._copy is None:
            self._copies += 1
            self._copy = Path(self._folder.name, str(self._copies))
            self._copy.write_bytes(_as_bytes(self._sequence))
        return partial(_fetch_received, str(self._copy))

    def _start(self) -> Executor:
        if self._folder is None:
            return ThreadPoolExecutor(self._workers, thread_name_prefix="sequence")
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._workers, context, initializer=_ignore_interrupts)


def _as_bytes(sequence: Sequence) -> bytes:
    try:
        return bytes(ForkingPickler.dumps(sequence))
    except (pickle.PicklingError, AttributeError, TypeError, RuntimeError) as error:
        raise ValueError(
            "use_multiprocessing=True expected a Sequence that can be sent to another process (pickled); got "
            f"{type(sequence).__name__}: {error}. Keep lambdas, open files and locks out of its attributes, "
            "or use threads (use_multiprocessing=False)."
        ) from error
