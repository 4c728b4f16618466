"""`OrderedEnqueuer` and `GeneratorEnqueuer`: batches fetched ahead, for training loops written by hand."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tapeflow.keras.training.sources.pool import Pool
from tapeflow.keras.training.sources.prefetch import ahead
from tapeflow.keras.utils.sequence import Sequence


class SequenceEnqueuer:
    """The base class of enqueuers: `start`, `get` and `stop`.

    Args:
        sequence: where the batches come from.
        use_multiprocessing: whether the workers are processes.
    """

    def __init__(self, sequence: Any, use_multiprocessing: bool = False) -> None:
        self.sequence = sequence
        self.use_multiprocessing = use_multiprocessing
        self.workers = 0
        self._depth = 0
        self._is_running = False

    def is_running(self) -> bool:
        """Whether it is between `start` and `stop`."""
        return self._is_running

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Let `get` fetch with so many workers, at most `max_queue_size` batches ahead."""
        self.workers, self._depth = workers, max_queue_size
        self._is_running = True

    def stop(self, timeout: float | None = None) -> None:
        """End: what `get` gave has no next batch any more."""
        self._is_running = False

    def get(self) -> Iterator[Any]:
        """The batches, one after the other; those that are None are left out."""
        if not self._is_running:
            raise RuntimeError(f"{type(self).__name__}.get expected start() before it; it is not running.")
        return self._taken()

    def _taken(self) -> Iterator[Any]:
        batches = self._batches()
        try:
            while self._is_running:
                batch = next(batches, self)
                if batch is self:
                    return
                if batch is not None and self._is_running:
                    yield batch
        finally:
            self._close()

    def _batches(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} expected a method `_batches(self)`; it has none.")

    def _close(self) -> None:
        """Let the workers go."""


class OrderedEnqueuer(SequenceEnqueuer):
    """The batches of a `Sequence` in order, epoch after epoch without end.

    Args:
        sequence: a `tf.keras.utils.Sequence`.
        use_multiprocessing: whether the workers are processes.
        shuffle: whether every epoch has an order of its own.
    """

    def __init__(self, sequence: Sequence, use_multiprocessing: bool = False, shuffle: bool = False) -> None:
        super().__init__(sequence, use_multiprocessing)
        self.shuffle = shuffle
        self._pool: Pool | None = None

    def _batches(self) -> Iterator[Any]:
        pool = self._pool = Pool(self.sequence, max(1, self.workers), self.use_multiprocessing, self._depth)
        while True:
            order = list(range(len(self.sequence)))
            if not order:
                return
            if self.shuffle:
                random.shuffle(order)
            yield from pool.fetch(order)
            self.sequence.on_epoch_end()
            pool.refresh()

    def _close(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None


class GeneratorEnqueuer(SequenceEnqueuer):
    """The batches of a generator, fetched ahead on a thread until it ends.

    Args:
        generator: the generator.
        use_multiprocessing: must be False: a generator cannot be handed to another process.
        random_seed: for worker processes; there are none.
    """

    def __init__(
        self, generator: Any, use_multiprocessing: bool = False, random_seed: int | None = None
    ) -> None:
        if use_multiprocessing:
            raise ValueError(
                "GeneratorEnqueuer expected use_multiprocessing=False: a generator cannot be sent to another process. "
                "Write a tf.keras.utils.Sequence and use OrderedEnqueuer."
            )
        super().__init__(generator)
        self.random_seed = random_seed
        self._ahead: Any = None

    def _batches(self) -> Iterator[Any]:
        self._ahead = ahead(self.sequence, max(1, self._depth))
        return self._ahead

    def _close(self) -> None:
        if self._ahead is not None:
            self._ahead.close()
            self._ahead = None
