"""`shuffle`: a buffer from which the next element is drawn at random.

The law is TensorFlow's: a buffer of `buffer_size` elements is filled, each draw takes one of them with
equal chance and the next element of the source takes its place. Blocks of draws are worked out at once:
draw i gives what draw j, the last before it at the same place of the buffer, put there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.data.functions.randomness import drawn_seed, order_state, restore_order
from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.data.rows import Rows


def generator_for(*numbers: int) -> np.random.Generator:
    """The random numbers that these integers determine."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(numbers)))


class Shuffle(Step):
    """The source's elements in random order; another order in each pass, unless asked not to."""

    passes_deferred = True

    def __init__(self, source: Pipe, size: int, seed: int | None, reshuffles: bool) -> None:
        super().__init__(source)
        self.size, self.reshuffles = size, reshuffles
        self.seed = drawn_seed(seed)
        self.iterators = 0

    def stream(self, iteration: Iteration) -> Stream:
        order = iteration.next_order(self) if self.reshuffles else 0
        return _Shuffled(self, order, iteration)


class _Shuffled(Stream):
    def __init__(self, pipe: Shuffle, order: int, iteration: Iteration) -> None:
        self._pipe, self._iteration = pipe, iteration
        self._random = generator_for(*pipe.seed[:2], order)
        self._inner: Stream | None = pipe.source.stream(iteration)
        self._buffer: np.ndarray | None = None
        self._size = pipe.size
        self._rows: Rows = pipe.rows

    def take(self, count: int) -> np.ndarray:
        if self._buffer is None:
            self._fill()
        buffer = self._buffer
        if buffer is None:
            return self._rows.empty()
        if self._inner is None:
            self._buffer = buffer[count:]
            return buffer[:count]
        fresh = self._inner.take(count)
        drawn = self._exchange(buffer, fresh) if len(fresh) else fresh
        if len(fresh) == count:
            return drawn
        self._finish(buffer)
        return np.concatenate([drawn, self.take(count - len(fresh))])

    def _fill(self) -> None:
        if self._inner is None:
            return
        if self._size < 0:  # as large as the source
            self._buffer = _all_of(self._inner, self._rows)
            self._finish(self._buffer)
            return
        self._buffer = self._inner.take(self._size).copy()
        if len(self._buffer) < self._size:
            self._finish(self._buffer)

    def _finish(self, buffer: np.ndarray) -> None:
        """The source has ended: what is left comes in random order."""
        self._inner = None
        self._buffer = self._random.permutation(buffer)

    def _exchange(self, buffer: np.ndarray, fresh: np.ndarray) -> np.ndarray:
        """Draw as many as there are fresh elements; each of these takes the drawn one's place."""
        # One double a draw, so that the numbers do not depend on how draws are grouped.
        places = (self._random.random(len(fresh)) * len(buffer)).astype(np.int64)
        order = np.argsort(places, kind="stable")
        sorted_places = places[order]
        is_first = np.empty(len(order), bool)
        is_first[0] = True
        np.not_equal(sorted_places[1:], sorted_places[:-1], out=is_first[1:])
        drawn = np.empty_like(fresh)
        drawn[order[is_first]] = buffer[sorted_places[is_first]]
        again = np.flatnonzero(~is_first)
        drawn[order[again]] = fresh[order[again - 1]]
        is_last = np.append(is_first[1:], True)
        buffer[sorted_places[is_last]] = fresh[order[is_last]]
        return drawn

    def state(self) -> State:
        return {
            **order_state(self._pipe, self._iteration),
            "random": self._random.bit_generator.state,
            "buffer": None if self._buffer is None else self._buffer.copy(),
            "inner": None if self._inner is None else self._inner.state(),
        }

    def restore(self, state: State) -> None:
        restore_order(self._pipe, self._iteration, state)
        self._random.bit_generator.state = state["random"]
        self._buffer = None if state["buffer"] is None else np.array(state["buffer"])
        if state["inner"] is None:
            self._inner = None
        elif self._inner is not None:
            self._inner.restore(state["inner"])


def _all_of(stream: Stream, rows: Rows, block: int = 4096) -> np.ndarray:
    parts: list[Any] = [rows.empty()]
    while len(part := stream.take(block)):
        parts.append(part)
        if len(part) < block:
            break
    return np.concatenate(parts)
