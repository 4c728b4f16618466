"""Summary writers: what `create_file_writer` gives, and how events get from training into a file.

For plugins and callbacks, everything goes through one call, from any thread:

    writer.add(tag, value, step, metadata=b"", wall_time=None)

* `value`: a Python float makes a float32 scalar; a numpy array, a string or a list of strings makes a
  tensor of that kind; a `Prepared` (below) is a function of such values, called by the writer's thread, for
  what takes time (encoding a picture) or is still being computed; if it gives None, nothing is written.
  `hooks.value(data)` makes of a user's data an array of its own, or a `Pending` that `Prepared` takes. Arrays
  are not copied here: hand over ones that nobody changes.
* `step`: an int, or what `hooks.step(step)` gave.
* `metadata`: a serialised SummaryMetadata; `encoding.metadata("plugin", content, description)` makes one.
* `wall_time`: seconds since 1970; now unless given.

`writer.add_columns({tag: values, ...}, steps, wall_times, metadata)` takes the scalars of many steps at once.
`writer.add_summary(bytes, step)` and `writer.add_graph(bytes)` take serialised messages. Tags are taken as
they are. A function that users call (`tf.summary.figure`, say) is written with `context.recording_writer()`,
`emission.tag_of(name)`, which adds the name scope, and `emission.emit(...)`, which fills in the default step,
checks shapes, and inside a recorded function makes it happen at every run: `images.py` is an example.

What adds up over several calls before it is written (a confusion matrix, batch by batch) is a `Source`, which
`writer.source(key, make)` keeps and asks for events whenever it writes: see `totals.py`.

`add` returns in about a microsecond: it puts a tuple into a queue. A thread takes them out every
`flush_millis`, makes records and appends them to the file with one system call; `flush` does the same in the
caller's thread. So a process that is killed loses what was not flushed, and at most the last record in the
file is incomplete.
"""

from __future__ import annotations

import abc
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, SupportsInt

from tapeflow.summary.context import current

now = time.time


class Prepared:
    """A value to be made by the writer's thread: `function(*values)`, once every `Pending` of them is there."""

    __slots__ = ("function", "values")

    def __init__(self, function: Callable[..., Any], *values: Any) -> None:
        self.function = function
        self.values = values


class Entry(NamedTuple):
    """The arguments of `SummaryWriter.add`."""

    wall_time: float
    step: Any
    tag: str
    value: Any
    metadata: bytes


class Source(abc.ABC):
    """Something a writer asks for what it has to write; only one thread does so at a time."""

    @abc.abstractmethod
    def due(self, is_flush: bool) -> Iterable[Entry]:
        """What is to be written now; with `is_flush` everything there is."""


class SummaryWriter(abc.ABC):
    """Writes summaries to an event file while it is the default writer."""

    is_recording = True

    @abc.abstractmethod
    def add(
        self,
        tag: str,
        value: object,
        step: Any,
        metadata: bytes = b"",
        wall_time: float | None = None,
    ) -> None:
        """Write one tagged value."""

    @abc.abstractmethod
    def add_columns(
        self, columns: Mapping[str, Any], steps: Sequence[int], wall_times: Sequence[float], metadata: bytes
    ) -> None:
        """Write for each of some steps a scalar of each tag.

        A column may be a `Prepared` that gives an array, or one that is still being computed.
        """

    @abc.abstractmethod
    def add_summary(self, summary: Any, step: SupportsInt, wall_time: float | None = None) -> None:
        """Write a whole Summary message, serialised."""

    @abc.abstractmethod
    def add_graph(self, graph: bytes, wall_time: float | None = None) -> None:
        """Write a GraphDef message, serialised."""

    @abc.abstractmethod
    def source(self, key: Hashable, make: Callable[[], Source]) -> Any:
        """The source of a key, made when it is first asked for."""

    @abc.abstractmethod
    def flush(self) -> None:
        """Have everything written so far in the file when this returns."""

    @abc.abstractmethod
    def close(self) -> None:
        """Flush and close the file; the writer accepts no more summaries."""

    def init(self) -> None:
        """Do nothing: a writer is ready when it is made."""
        return

    @contextmanager
    def as_default(self, step: SupportsInt | None = None) -> Iterator[SummaryWriter]:
        """Make this the default writer, and `step`, if given, the default step, inside a `with` block.

        Leaving the block does not flush: in a training loop that would wait for the step just begun.
        """
        self._check_open()
        old, old_step = current.writer, current.step
        current.writer = self
        if step is not None:
            current.step = step
        try:
            yield self
        finally:
            current.writer = old
            if step is not None:
                current.step = old_step

    def set_as_default(self, step: SupportsInt | None = None) -> None:
        """Make this the default writer, and `step`, if given, the default step, of this thread."""
        self._check_open()
        current.writer = self
        if step is not None:
            current.step = step

    def _check_open(self) -> None:
        """Raise if the writer has been closed."""
        return


class NoopWriter(SummaryWriter):
    """Takes summaries and does nothing with them."""

    is_recording = False

    def add(
        self,
        tag: str,
        value: object,
        step: Any,
        metadata: bytes = b"",
        wall_time: float | None = None,
    ) -> None:
        """Nothing."""

    def add_columns(
        self, columns: Mapping[str, Any], steps: Sequence[int], wall_times: Sequence[float], metadata: bytes
    ) -> None:
        """Nothing."""

    def add_summary(self, summary: Any, step: SupportsInt, wall_time: float | None = None) -> None:
        """Nothing."""

    def add_graph(self, graph: bytes, wall_time: float | None = None) -> None:
        """Nothing."""

    def source(self, key: Hashable, make: Callable[[], Source]) -> Any:
        """A new one, which nobody asks for anything."""
        return make()

    def flush(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing: for the processes of a run that should not log."""
    return NoopWriter()


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Flush a writer: the default one unless given."""
    found = current.writer if writer is None else writer
    if found is not None:
        found.flush()
