"""`StreamSource`: batches that come one after another: datasets, generators, any iterable.

A stream that can be begun again is, at every epoch, unless the user gave a number of steps that is not its
length: then, as in Keras, each epoch takes up where the last one stopped. A generator cannot be begun again.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from tapeflow.keras.training.sources.group import Group, grouped
from tapeflow.keras.training.sources.source import Source, nothing_to_read


class StreamSource(Source):
    """Batches from an iterator that `begin` makes.

    Args:
        begin: Gives an iterator over the user's batches.
        prepare: Makes arrays of a batch.
        steps: Batches in an epoch, if known.
        restarts: Whether every epoch calls `begin`.
    """

    def __init__(
        self,
        begin: Callable[[], Iterator[Any]],
        prepare: Callable[[Any], Any],
        steps: int | None = None,
        restarts: bool = False,
    ) -> None:
        self.steps = steps
        self._begin = begin
        self._prepare = prepare
        self._restarts = restarts
        self._stream: Iterator[Any] | None = None
        self._is_fresh = False
        self._has_read = False

    def epoch(self, number: int, group: int = 1, start: int = 0) -> Iterator[Group]:
        stream = self._ready()
        self._is_fresh = self.ran_out = False
        if self._restarts:  # a stream that goes on stands where it stands
            stream = itertools.islice(stream, start, None)
        return grouped(self._counted(stream, start), group, start)

    def peek(self) -> Any:
        stream = self._ready()
        try:
            first = next(stream)
        except StopIteration:
            raise nothing_to_read() from None
        self._stream = itertools.chain([first], stream)
        return self._prepare(first)

    def rewind(self) -> None:
        if not self._is_fresh:
            self._stream = None

    def close(self) -> None:
        self._stream = None

    def _ready(self) -> Iterator[Any]:
        """The iterator the next batch comes from."""
        if self._stream is None or (self._restarts and not self._is_fresh):
            self._stream = self._begin()
            self._is_fresh = True
        return self._stream

    def _counted(self, stream: Iterator[Any], start: int) -> Iterator[Any]:
        """At most `steps` batches as arrays, noting how many there were."""
        steps, step = self.steps, start
        for batch in itertools.islice(stream, None if steps is None else steps - start):
            step += 1
            self._has_read = True
            yield self._prepare(batch)
        if not self._has_read and not start:
            raise nothing_to_read()
        if steps is None:
            self.steps = step
        else:
            self.ran_out = step < steps
