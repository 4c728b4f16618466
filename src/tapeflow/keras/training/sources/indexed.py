"""`SequenceSource`: batches of a `keras.utils.Sequence`, which can be asked for in any order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tapeflow.keras.training.sources.group import Group, grouped
from tapeflow.keras.training.sources.host_random import host_random, is_same_random, set_host_random
from tapeflow.keras.training.sources.pool import Pool
from tapeflow.keras.training.sources.source import Source, endless_without_steps, epoch_rng, nothing_to_read
from tapeflow.keras.utils.sequence import Sequence


class SequenceSource(Source):
    """The batches of a Sequence; several workers fetch ahead, in order.

    As in Keras, an epoch of more steps than the Sequence has begins it again if there are several workers,
    and runs out of data if there are not.
    """

    def __init__(
        self,
        sequence: Sequence,
        prepare: Callable[[Any], Any],
        steps: int | None = None,
        shuffle: bool | str = False,
        seed: int = 0,
        workers: int = 1,
        use_multiprocessing: bool = False,
        max_queue_size: int = 10,
    ) -> None:
        self._sequence = sequence
        self._prepare = prepare
        self._given_steps = steps
        self._shuffle = bool(shuffle)
        self._seed = seed
        self._pool = None
        self._workers = workers
        self._ends: list[Any] = []  # host random numbers before each end of an epoch
        self._began: Any = None  # and at the beginning of this one
        if workers > 1 or (workers and use_multiprocessing):
            self._pool = Pool(sequence, workers, use_multiprocessing, max_queue_size)
        self.steps = steps or sequence.num_batches
        if self.steps is None:
            raise endless_without_steps()
        if self.steps == 0:
            raise nothing_to_read()

    def description(self) -> dict[str, Any]:
        return {"method": "Sequence", "workers": self._workers}

    def epoch(self, number: int, group: int = 1, start: int = 0) -> Iterator[Group]:
        if self.is_tracked and not start:
            self._began = host_random()
        self._sequence.on_epoch_begin()
        self.steps = self._given_steps or self._sequence.num_batches
        self.ran_out = False
        if self._pool is not None:
            self._pool.refresh()
        return grouped(self._batches(number, start), group, start)

    def peek(self) -> Any:
        before = host_random()  # a look is not to change what the epochs draw
        batch = self._prepare(self._sequence[0])
        set_host_random(before)
        return batch

    def on_epoch_end(self) -> None:
        if self.is_tracked and type(self._sequence).on_epoch_end is not Sequence.on_epoch_end:
            self._ends.append(host_random())
        self._sequence.on_epoch_end()

    def state(self, step: int | None) -> Any:
        began = host_random() if step is None else self._began
        return {"steps": self.steps, "seed": self._seed, "ends": list(self._ends), "began": began}

    def restore(self, state: Any, number: int, step: int) -> bool:
        """End the earlier epochs again, and read this one again if reading draws random numbers."""
        self._seed, self._ends, self._began = state["seed"], list(state["ends"]), state["began"]
        for before in self._ends:
            set_host_random(before)
            self._sequence.on_epoch_end()
        if self._began is not None:
            set_host_random(self._began)
        if not step or self._pool is not None or self._began is None:
            return False
        indices = list(itertools.islice(self._indices(number), step))
        self._sequence[indices[0]]
        if is_same_random(self._began):
            return False
        for index in indices[1:]:
            self._sequence[index]
        return True

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()

    def _batches(self, number: int, start: int) -> Iterator[Any]:
        steps, step = self.steps, start
        indices = itertools.islice(self._indices(number), start, steps)
        fetched = (
            map(self._sequence.__getitem__, indices) if self._pool is None else self._pool.fetch(indices)
        )
        for batch in fetched:
            step += 1
            yield self._prepare(batch)
        self.ran_out = steps is not None and step < steps

    def _indices(self, number: int) -> Iterator[int]:
        """The order of an epoch's batches; a Sequence without a length goes on for ever."""
        length = self._sequence.num_batches
        if length is None:
            return itertools.count()
        order: Iterable[int] = range(length)
        if self._shuffle:
            order = epoch_rng(self._seed, number).permutation(length).tolist()
        return itertools.cycle(order) if self._pool is not None else iter(order)
