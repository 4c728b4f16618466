"""Streams that make one element at a time, for steps whose next element depends on what came before."""

from __future__ import annotations

import numpy as np

from tapeflow.data.pipe import Iteration, Pipe, State, Stream
from tapeflow.data.rows import objects
from tapeflow.data.structure import Flat


class ElementStream(Stream):
    """A stream whose elements are their own handles, made one by one."""

    def next_element(self) -> Flat | None:
        """The next element; None at the end, and from then on."""
        raise NotImplementedError

    def take(self, count: int) -> np.ndarray:
        found: list[Flat] = []
        while len(found) < count:
            element = self.next_element()
            if element is None:
                break
            found.append(element)
        return objects(found)


class Reader:
    """The elements of a pipe one by one, and where in it they come from."""

    def __init__(self, pipe: Pipe, iteration: Iteration) -> None:
        self._pipe = pipe
        self._stream = pipe.stream(iteration)
        self.is_over = False

    def next(self) -> Flat | None:
        """The next element, or None at the end."""
        if self.is_over:
            return None
        handles = self._stream.take(1)
        self.is_over = not len(handles)
        return None if self.is_over else self._pipe.rows.elements(handles)[0]

    def state(self) -> State:
        """Where the reader is."""
        return {"is_over": self.is_over, "stream": self._stream.state()}

    def restore(self, state: State) -> None:
        """Go on where another was."""
        self.is_over = state["is_over"]
        self._stream.restore(state["stream"])
