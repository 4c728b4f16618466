"""`assert_cardinality`: a number of elements that is said, and checked on the way."""

from __future__ import annotations

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.engine import errors


class AssertCardinality(Step):
    """The source's elements, which are `count`."""

    def __init__(self, source: Pipe, count: int) -> None:
        super().__init__(source)
        self.count = count

    @property
    def cardinality(self) -> int:
        return self.count

    def stream(self, iteration: Iteration) -> Stream:
        return _Counted(self, iteration)


class _Counted(Stream):
    def __init__(self, pipe: AssertCardinality, iteration: Iteration) -> None:
        self._count, self._inner, self._seen = pipe.count, pipe.source.stream(iteration), 0

    def take(self, count: int) -> np.ndarray:
        found = self._inner.take(count)
        self._seen += len(found)
        is_over = len(found) < count
        if self._count >= 0 and (self._seen > self._count or (is_over and self._seen < self._count)):
            raise self._wrong("more than " if self._seen > self._count else "", min(self._seen, self._count))
        if self._count == counting.INFINITE and is_over:
            raise self._wrong("", self._seen)
        return found

    def _wrong(self, more: str, seen: int) -> errors.FailedPreconditionError:
        return errors.FailedPreconditionError(
            None,
            None,
            f"tf.data.experimental.assert_cardinality expected {self._count} elements: input dataset was "
            f"expected to contain {self._count} elements but contained {more}{seen}.",
        )

    def state(self) -> State:
        return {"seen": self._seen, "inner": self._inner.state()}

    def restore(self, state: State) -> None:
        self._seen = state["seen"]
        self._inner.restore(state["inner"])
