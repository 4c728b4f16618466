"""Random numbers in the user's functions: a key of its own for every draw of every element.

A key is a hash of the transform's seed, the pass, the element's number in it and the draw's number. So it
does not matter in which order, in which thread or how many at a time elements are computed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeflow.data.pipe import PASS_BITS, Iteration, State
from tapeflow.engine.random import Counter, counter_for, fold_key, fresh_number, global_seed
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.recording.trace import state
from tapeflow.engine.values.tensor import Tensor

_MASK = (1 << 64) - 1
_DATASETS = int.from_bytes(b"datasets", "little")

_PASS = (1 << PASS_BITS) - 1


class Seed(NamedTuple):
    """What a random transform starts from; fixed if a seed was given or the global one is set."""

    high: int
    low: int
    is_fixed: bool = True


def drawn_seed(seed: int | None) -> Seed:
    """What a random transform starts from: its own seed and the global one, or a draw of its own.

    Seeds are drawn from a counter of the datasets' own, so that making a dataset changes nothing else that
    is random; inside a function of an element they are drawn like its other random numbers.
    """
    if seed is not None:
        return Seed(int(seed) & _MASK, (global_seed() or 0) & _MASK)
    if state.counters is not None:
        return Seed(*counter_for(None).next_words())
    if global_seed() is None:
        return Seed(fresh_number(), 0, False)
    return Seed(*counter_for(_DATASETS).next_words())


def _mixed(value: np.ndarray) -> np.ndarray:
    """A 64-bit hash of each number (the finaliser of splitmix64)."""
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


def keys_of(seed: Seed, passes: np.ndarray, numbers: np.ndarray, draw: int) -> np.ndarray:
    """The key of a draw for each of several elements: uint32 of shape (n, 2)."""
    if seed.is_fixed:
        passes = passes & passes.dtype.type(_PASS)
    with np.errstate(over="ignore"):
        start = _mixed(_mixed(np.array([seed[0]], np.uint64)) + np.uint64(seed[1]))
        mixed = _mixed(_mixed(start + passes.astype(np.uint64)) + numbers.astype(np.uint64))
        keys = _mixed(mixed + np.uint64(draw))
    return np.stack([keys >> np.uint64(32), keys & np.uint64(0xFFFFFFFF)], axis=1).astype(np.uint32)


def places_of(number: int, start: int, end: int) -> np.ndarray:
    """The pass and the number in it of each of several elements, as keys are made of them."""
    return np.stack([np.full(end - start, number, np.int64), np.arange(start, end)], axis=1)


def place_state(pipe: Any, iteration: Iteration, number: int, at: int) -> State:
    """Where a pass over a transform that may draw is."""
    return {"pass": number, "at": at, "passes": iteration.passes[pipe], "seed": tuple(pipe.seed)}


def restored_place(pipe: Any, iteration: Iteration, state: State) -> tuple[int, int]:
    """Pass and number from a state; the transform goes on with the seed and passes that it had."""
    iteration.passes[pipe], pipe.seed = state["passes"], Seed(*state["seed"])
    iteration.number = state["pass"] >> PASS_BITS
    return state["pass"], state["at"]


def order_state(pipe: Any, iteration: Iteration) -> State:
    """What later passes over a step that is random anew in each depend on."""
    return {"iterators": pipe.iterators, "passes": iteration.passes.get(pipe), "seed": tuple(pipe.seed)}


def restore_order(pipe: Any, iteration: Iteration, state: State) -> None:
    """Have later passes be those that would have come."""
    pipe.iterators, pipe.seed = state["iterators"], Seed(*state["seed"])
    if state["passes"] is not None:
        iteration.passes[pipe] = state["passes"]


class ElementCounters:
    """The counters that one element's call draws from: one for each seed an op may have."""

    def __init__(self, seed: Seed, place: tuple[int, int]) -> None:
        self._seed = seed
        self._place = place
        self._made: dict[int | None, _ElementCounter] = {}

    def __call__(self, op_seed: int | None) -> Counter:
        found = self._made.get(op_seed)
        if found is None:
            seed = self._seed if op_seed is None else drawn_seed(op_seed)
            found = self._made[op_seed] = _ElementCounter(seed, self._place)
        return found

    @property
    def draws(self) -> list[tuple[int | None, int]]:
        """The draws that were made: the op's seed and the number of the draw."""
        return [(op_seed, i) for op_seed, c in self._made.items() for i in range(c.count)]


class _ElementCounter(Counter):
    __slots__ = ("_own", "_place", "is_drawn_inside")

    def __init__(self, seed: Seed, place: tuple[int, int]) -> None:
        super().__init__(0)
        self.is_drawn_inside = False
        self._own = seed
        self._place = np.array(place, np.uint64)

    def next_key(self) -> Tensor:
        self.is_drawn_inside |= len(state.bodies) > 1
        return super().next_key()

    def words(self, count: int) -> tuple[int, int]:
        high, low = keys_of(self._own, self._place[:1], self._place[1:], count)[0].tolist()
        return high, low


class RowCounters:
    """Counters for recording a function once for all rows: keys are rows of a tensor, one for each draw."""

    def __init__(self, draws: list[tuple[int | None, int]], keys: Tensor) -> None:
        self._index = {draw: i for i, draw in enumerate(draws)}
        self._keys = keys
        self._made: dict[int | None, _RowCounter] = {}

    def __call__(self, op_seed: int | None) -> Counter:
        return self._made.setdefault(op_seed, _RowCounter(self, op_seed))

    def key(self, op_seed: int | None, draw: int) -> Tensor:
        """The key of a draw."""
        return self._keys[self._index[op_seed, draw]]


class _RowCounter(Counter):
    __slots__ = ("_op_seed", "_rows")

    def __init__(self, rows: RowCounters, op_seed: int | None) -> None:
        super().__init__(0)
        self._rows, self._op_seed = rows, op_seed

    def next_key(self) -> Tensor:
        draw, self.count = self.count, self.count + 1
        state.drawn.append(self)
        key = self._rows.key(self._op_seed, draw)
        for iteration in state.bodies[1:]:  # the first is the body over the rows, which has keys of its own
            key = fold_key(key, tensor_of(iteration))
        return key


def draws_inside() -> bool:
    """Whether a body that is being recorded drew in a branch or loop inside it."""
    return any(isinstance(c, _ElementCounter) and c.is_drawn_inside for c in state.drawn)


def draws_elsewhere() -> bool:
    """Whether a body that is being recorded drew from a counter that is not of the pipeline."""
    return any(not isinstance(c, (_ElementCounter, _RowCounter)) for c in state.drawn)
