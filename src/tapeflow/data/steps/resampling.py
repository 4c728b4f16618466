"""`rejection_resample`: elements left out so that their classes are distributed as wished."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.functions.calls import call, isolated_recording, value_of
from tapeflow.data.functions.randomness import Seed, drawn_seed
from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.data.rows import OBJECTS
from tapeflow.data.steps.shuffling import generator_for
from tapeflow.data.steps.stepping import ElementStream, Reader
from tapeflow.data.structure import Flat, Structure, flattened
from tapeflow.engine.values.dtypes import int32
from tapeflow.engine.values.tensor_spec import TensorSpec


class Resample(Step):
    """Pairs of class and element; an element of class c is kept with chance target[c] / seen[c], scaled."""

    def __init__(
        self,
        source: Pipe,
        function: Callable[..., Any],
        target: np.ndarray,
        initial: np.ndarray | None,
        seed: int | None,
    ) -> None:
        super().__init__(source, OBJECTS)
        self.function, self.target, self.initial = function, target, initial
        self.seed = drawn_seed(seed)
        self._structure = Structure((0, source.structure.template))

    @property
    def structure(self) -> Structure:
        return self._structure

    @property
    def specs(self) -> tuple[Any, ...]:
        return (TensorSpec((), int32), *self.source.specs)

    @property
    def cardinality(self) -> int:
        return counting.UNKNOWN

    def class_of(self, element: Flat) -> int:
        """The class of an element."""
        with isolated_recording():
            found = int(value_of(flattened(call(self.function, self.source.structure, element))[0]))
        if not 0 <= found < len(self.target):
            raise ValueError(
                "tf.data.Dataset.rejection_resample expected class_func to return a class below "
                f"{len(self.target)}; got {found}."
            )
        return found

    def stream(self, iteration: Iteration) -> Stream:
        return _Resampled(self, iteration)


class _Resampled(ElementStream):
    def __init__(self, pipe: Resample, iteration: Iteration) -> None:
        self._pipe = pipe
        self._reader = Reader(pipe.source, iteration)
        number = 0 if pipe.seed.is_fixed else iteration.number
        self._random = generator_for(*pipe.seed[:2], number)
        self._seen = np.zeros(len(pipe.target))

    def next_element(self) -> Flat | None:
        pipe = self._pipe
        while (element := self._reader.next()) is not None:
            found = pipe.class_of(element)
            self._seen[found] += 1
            share = pipe.initial if pipe.initial is not None else (self._seen + 1) / (self._seen + 1).sum()
            ratios = pipe.target / np.maximum(share, 1e-16)
            if self._random.random() < ratios[found] / ratios.max():
                return (np.array(found, np.int32), *element)
        return None

    def state(self) -> State:
        return {
            "reader": self._reader.state(),
            "random": self._random.bit_generator.state,
            "seen": self._seen.copy(),
            "seed": tuple(self._pipe.seed),
        }

    def restore(self, state: State) -> None:
        self._reader.restore(state["reader"])
        self._random.bit_generator.state = state["random"]
        self._seen = np.array(state["seen"])
        self._pipe.seed = Seed(*state["seed"])
