"""Elements of several datasets, chosen one at a time: choose_from_datasets and sample_from_datasets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.functions.randomness import drawn_seed, order_state, restore_order
from tapeflow.data.pipe import Iteration, Pipe, State, Stream
from tapeflow.data.rows import OBJECTS
from tapeflow.data.specs import common_specs
from tapeflow.data.steps.shuffling import generator_for
from tapeflow.data.steps.stepping import ElementStream, Reader
from tapeflow.data.structure import Flat, Structure
from tapeflow.engine import errors


class Choose(Pipe):
    """The next element of the source whose number comes next in `selector`.

    With `stops` it ends where the chosen source has; else sources that have ended are passed over.
    """

    name = "_DirectedInterleaveDataset"

    def __init__(self, sources: Sequence[Pipe], selector: Pipe, stops: bool) -> None:
        self.sources, self.selector, self.stops = tuple(sources), selector, stops
        self.rows = OBJECTS

    @property
    def inputs(self) -> tuple[Pipe, ...]:
        return (*self.sources, self.selector)

    @property
    def structure(self) -> Structure:
        return self.sources[0].structure

    @property
    def specs(self) -> tuple[Any, ...]:
        return common_specs([s.specs for s in self.sources])

    @property
    def cardinality(self) -> int:
        return counting.UNKNOWN

    def stream(self, iteration: Iteration) -> Stream:
        return _Chosen(self, iteration)


class _Chosen(ElementStream):
    def __init__(self, pipe: Choose, iteration: Iteration) -> None:
        self._pipe = pipe
        self._selector = Reader(pipe.selector, iteration)
        self._readers = [Reader(s, iteration) for s in pipe.sources]
        self._is_over = False

    def next_element(self) -> Flat | None:
        while not self._is_over and not all(r.is_over for r in self._readers):
            chosen = self._selector.next()
            if chosen is None:
                break
            number = int(chosen[0])
            if not 0 <= number < len(self._readers):
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"tf.data.Dataset.choose_from_datasets expected numbers of datasets: selector index out of "
                    f"range: {number} >= {len(self._readers)}.",
                )
            element = self._readers[number].next()
            if element is not None:
                return element
            self._is_over = self._pipe.stops
        self._is_over = True
        return None

    def state(self) -> State:
        return {
            "is_over": self._is_over,
            "selector": self._selector.state(),
            "sources": [r.state() for r in self._readers],
        }

    def restore(self, state: State) -> None:
        self._is_over = state["is_over"]
        self._selector.restore(state["selector"])
        for reader, own in zip(self._readers, state["sources"], strict=True):
            reader.restore(own)


class Sample(Choose):
    """Elements of sources chosen at random, with given weights."""

    def __init__(
        self,
        sources: Sequence[Pipe],
        weights: Sequence[float] | Pipe | None,
        seed: int | None,
        stops: bool,
        rerandomizes: bool,
    ) -> None:
        if isinstance(weights, Pipe):
            draws = Draws([1.0] * len(sources), seed, rerandomizes, weights)
        else:
            draws = Draws(weights or [1.0] * len(sources), seed, rerandomizes)
        super().__init__(sources, draws, stops)

    @property
    def cardinality(self) -> int:
        is_endless = any(s.cardinality == counting.INFINITE for s in self.sources)
        return counting.INFINITE if is_endless else counting.UNKNOWN


class Draws(Pipe):
    """Numbers drawn with weights, without end; the weights of each may come from a pipe of their own."""

    def __init__(
        self, weights: Sequence[float], seed: int | None, rerandomizes: bool, source: Pipe | None = None
    ) -> None:
        self.seed = drawn_seed(seed)
        self.weights, self.rerandomizes, self.source = np.asarray(weights, float), rerandomizes, source
        self.iterators = 0
        self.rows = OBJECTS

    @property
    def cardinality(self) -> int:
        return counting.INFINITE

    def stream(self, iteration: Iteration) -> Stream:
        is_new = self.rerandomizes or not self.seed.is_fixed
        return _Drawn(self, iteration.next_order(self) if is_new else 0, iteration)


class _Drawn(ElementStream):
    def __init__(self, pipe: Draws, order: int, iteration: Iteration) -> None:
        self._pipe, self._iteration = pipe, iteration
        self._random = generator_for(*pipe.seed[:2], order)
        self._weights = None if pipe.source is None else Reader(pipe.source, iteration)

    def next_element(self) -> Flat | None:
        weights = self._pipe.weights
        if self._weights is not None:
            found = self._weights.next()
            if found is None:
                return None
            weights = np.asarray(found[0], float)
        limits = np.cumsum(weights)
        drawn = self._random.random() * limits[-1]
        return (np.array(np.searchsorted(limits, drawn, side="right"), np.int64),)

    def state(self) -> State:
        weights = None if self._weights is None else self._weights.state()
        return {
            **order_state(self._pipe, self._iteration),
            "random": self._random.bit_generator.state,
            "weights": weights,
        }

    def restore(self, state: State) -> None:
        self._random.bit_generator.state = state["random"]
        restore_order(self._pipe, self._iteration, state)
        if self._weights is not None:
            self._weights.restore(state["weights"])
