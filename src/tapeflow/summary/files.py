"""The writer that appends to an event file, with a queue and a thread of its own."""

from __future__ import annotations

import atexit
import functools
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal, SupportsInt

import numpy as np

from tapeflow.summary.event_files import encoding
from tapeflow.summary.event_files.event_file import EventFile
from tapeflow.summary.event_files.records import record
from tapeflow.summary.event_files.remote_event_file import RemoteEventFile
from tapeflow.summary.event_files.tensors import tensor_bytes
from tapeflow.summary.hooks import Pending
from tapeflow.summary.processes import before_executors_end
from tapeflow.summary.remote import is_remote
from tapeflow.summary.writer import Prepared, Source, SummaryWriter, now

FLUSH_MILLIS = 1000
MAX_QUEUE = 4096
_MOST_QUEUED = 65536
_MOST_BYTES = 256 << 20
_LONGEST_WAIT_S = 5.0
_PATIENCE_S = 2.0  # a training step that has begun is dispatched by then

_writers: weakref.WeakSet[FileWriter] = weakref.WeakSet()


def create_file_writer(
    logdir: str | os.PathLike[str],
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
    *,
    on_error: Literal["log", "raise"] = "log",
) -> SummaryWriter:
    """Create a writer to a new event file in `logdir`; the folder is created if necessary.

    The file appears when the writer is made and is brought up to date every second. What cannot be written
    (a full disk, a folder that may not be written to) is said once, in the log, and training goes on.

    Args:
        logdir: the folder, or its address (`s3://bucket/run`, `gs://`, `az://`, `sftp://`); one folder is one run on
            the board.
        max_queue: write as soon as so many summaries wait; 4096 unless given.
        flush_millis: write at least so often; 1000 unless given.
        filename_suffix: what the file's name ends with; ".v2" unless given.
        name: ignored.
        experimental_trackable: ignored.
        experimental_mesh: ignored.
        on_error: "raise" has the next summary or flush after a failure raise an OSError.

    >>> writer = tf.summary.create_file_writer("logs/my run")
    >>> with writer.as_default():
    ...     tf.summary.scalar("loss", 0.25, step=1)
    """
    if logdir is None:
        raise ValueError(
            "tf.summary.create_file_writer expected a folder; got logdir=None. Argument `logdir` "
            "cannot be None."
        )
    if not isinstance(logdir, (str, os.PathLike)):
        text = np.asarray(logdir).item()  # a string tensor
        logdir = text.decode() if isinstance(text, bytes) else str(text)
    for key, value in (("max_queue", max_queue), ("flush_millis", flush_millis)):
        if value is not None and int(value) < 0:
            raise ValueError(
                f"tf.summary.create_file_writer expected {key} to be at least 0; got {key}={value!r}."
            )
    if on_error not in ("log", "raise"):
        raise ValueError(
            f"tf.summary.create_file_writer expected on_error to be 'log' or 'raise'; got on_error={on_error!r}."
        )
    return FileWriter(
        os.fspath(logdir),
        max_queue=MAX_QUEUE if max_queue is None else int(max_queue),
        flush_s=(FLUSH_MILLIS if flush_millis is None else int(flush_millis)) / 1000,
        suffix=".v2" if filename_suffix is None else filename_suffix,
        raises=on_error == "raise",
    )


class FileWriter(SummaryWriter):
    """Writes to one event file.

    `_drain` empties the queue into the file; the thread calls it now and then, `flush` at once. A lock
    keeps it to one at a time, so the order of the queue is the order of the file.

    One that is held makes no file and only keeps what it is given, until `release` or `close`.
    """

    def __init__(
        self,
        logdir: str,
        max_queue: int = MAX_QUEUE,
        flush_s: float = FLUSH_MILLIS / 1000,
        suffix: str = ".v2",
        raises: bool = False,
        is_held: bool = False,
        on_new_file: Callable[[str], None] | None = None,
    ) -> None:
        self._is_closed = True  # until it is whole
        self.last_step = 0  # that has been written
        self.is_remote = is_remote(logdir)
        self._file = (RemoteEventFile if self.is_remote else EventFile)(logdir, suffix, on_new_file)
        self._max_queue = max(max_queue, 1)
        self._flush_s = flush_s
        self._patience_s = max(2 * flush_s, _PATIENCE_S)
        self._raises = raises
        self._start_afresh()
        self._is_closed = False
        _writers.add(self)
        if self.is_remote:
            _end_early()
        self._is_held = is_held
        if not is_held:
            with self._lock:
                self._file.open()
            self._raise_failure()

    def _start_afresh(self) -> None:
        self._queue: deque[Any] = deque()
        self._sources: dict[Hashable, Source] = {}
        self._lock = threading.RLock()
        self._wake = threading.Event()  # there is something in the queue
        self._hurry = threading.Event()  # there is much in it
        self._thread: threading.Thread | None = None
        self._nbytes = 0

    @property
    def logdir(self) -> str:
        """The folder written to."""
        return self._file.folder

    @property
    def path(self) -> str | None:
        """The file written to, once there is one."""
        return self._file.path

    def add(
        self,
        tag: str,
        value: object,
        step: Any,
        metadata: bytes = b"",
        wall_time: float | None = None,
    ) -> None:
        """Write one tagged value; see the top of `writer.py`."""
        self._put((now() if wall_time is None else wall_time, step, tag, value, metadata))
        if type(value) is not float:
            self._nbytes += _size(value)
            if self._nbytes > _MOST_BYTES:
                self._wait_for_room()

    def add_columns(
        self, columns: Mapping[str, Any], steps: Sequence[int], wall_times: Sequence[float], metadata: bytes
    ) -> None:
        """Write for each of some steps a scalar of each tag; see the top of `writer.py`."""
        self._put((wall_times, steps, ", ".join(columns), Columns(columns), metadata))

    def add_summary(self, summary: Any, step: SupportsInt, wall_time: float | None = None) -> None:
        """Write a whole Summary message, serialised, or something that gives one."""
        self._put((now() if wall_time is None else wall_time, step, None, summary, None))

    def add_graph(self, graph: Any, wall_time: float | None = None) -> None:
        """Write a GraphDef message, serialised, or something that gives one."""
        self._put((now() if wall_time is None else wall_time, 0, None, graph, b"graph"))

    def source(self, key: Hashable, make: Callable[[], Source]) -> Any:
        """The source of a key, made when it is first asked for."""
        # Without the lock: its holder may be waiting for a value that this thread computes.
        found = self._sources.get(key)
        return self._sources.setdefault(key, make()) if found is None else found

    def add_captured(self, tag: str, value: str | float, step: int, metadata: bytes) -> None:
        """Write a value that nobody logged: it raises nothing, and is left out once the writer is closed."""
        if not self._is_closed:
            self._queue.append(Captured((now(), step, tag, value, metadata)))
            if not self._is_held:
                self._start()

    def _put(self, entry: tuple[Any, ...]) -> None:
        if self._raises:
            self._check_open()
            self._raise_failure()
        elif self._is_closed:
            self._file.report("closed", "a summary came after the writer was closed, and is left out")
            return
        queue = self._queue
        queue.append(entry)
        if self._is_held:
            return
        if not self._wake.is_set():
            self._start()
        elif len(queue) >= self._max_queue:
            self._hurry.set()
            if len(queue) >= _MOST_QUEUED:
                self._wait_for_room()

    def _start(self) -> None:
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=_run,
                        args=(weakref.ref(self), self._wake, self._hurry),
                        daemon=True,
                        name="tapeflow.summary",
                    )
                    self._thread.start()
        self._wake.set()

    def _wait_for_room(self) -> None:
        """Let the thread catch up; not for ever, as it may itself wait for the training thread."""
        end = time.monotonic() + _LONGEST_WAIT_S
        self._hurry.set()
        while self._is_full and time.monotonic() < end:
            time.sleep(0.001)

    @property
    def _is_full(self) -> bool:
        return len(self._queue) >= _MOST_QUEUED or self._nbytes > _MOST_BYTES

    def release(self) -> None:
        """Write what was held back, and from now on what comes."""
        if self._is_held:
            self._is_held = False
            if self._queue:
                self._start()

    def discard(self) -> None:
        """Forget what is held back."""
        if self._is_held:
            self._queue.clear()

    def flush(self) -> None:
        """Have everything written so far in the file when this returns."""
        if not self._is_closed and not self._is_held:
            self._drain(waits=True)
            self._raise_failure()

    def close(self) -> None:
        """Flush and close the file; the writer accepts no more summaries."""
        if self._is_closed:
            return
        self._is_held = False
        try:
            self._drain(waits=True)
        finally:
            self._is_closed = True
            self._hurry.set()
            self._wake.set()
            with self._lock:
                self._file.close()
        self._raise_failure()

    def __del__(self) -> None:
        # Nobody can add any more: what waits is written, unless the interpreter is going down.
        if not self._is_closed and not _is_exiting:
            self._raises = False
            self.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise RuntimeError(
                f"SummaryWriter expected to be open; got one that is already closed (logdir={self.logdir!r}). "
                "Make a new one with tf.summary.create_file_writer."
            )

    def _raise_failure(self) -> None:
        if self._raises and self._file.failure is not None:
            failure, self._file.failure = self._file.failure, None
            raise failure

    def _drain(self, waits: bool) -> None:
        """Write what is in the queue, up to the first value that is not there yet unless `waits`."""
        with self._lock:
            queue, out = self._queue, []
            try:
                for _ in range(len(queue)):
                    if not waits and not _is_ready(queue[0], self._patience_s):
                        break
                    self._make(queue.popleft(), out)
                for source in list(self._sources.values()):
                    for entry in source.due(is_flush=waits):
                        self._make(entry, out)
            finally:  # also what was made before an interrupt
                self._nbytes = 0
                if out or self._file.has_backlog:
                    self._file.append(out)

    def _make(self, entry: Any, out: list[Any]) -> None:
        try:
            if type(entry[3]) is Columns:
                out += _records(*entry)
            elif (event := _event(*entry)) is not None:
                out.append(record(event))
            if type(entry) is not Captured:
                self.last_step = _last_step(entry[1])
        except Exception as error:  # noqa: BLE001 - whatever a user's data does, the rest is written
            self._file.report("value", f"a summary of {entry[2]!r} could not be made: {error}")


def open_files() -> set[str]:
    """The files that writers of this process write to."""
    return {writer.path for writer in list(_writers) if writer.path is not None and not writer._is_closed}


def flush_below(path: str) -> None:
    """Flush the writers of this process to a file, a folder or folders below it."""
    place = path.rstrip("/") if is_remote(path) else os.path.abspath(path)
    separator = "/" if is_remote(path) else os.sep
    for writer in list(_writers):
        if writer.path == place or (writer.logdir + separator).startswith(
            place.rstrip(separator) + separator
        ):
            writer.flush()


def _size(value: object) -> int:
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, Prepared):
        return sum(v.nbytes for v in value.values if isinstance(v, np.ndarray))
    return 0


class Captured(tuple[Any, ...]):
    """An entry that nobody logged."""


class Columns:
    """By tag, a scalar for each of some steps."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values


def _records(
    wall_times: Sequence[float], steps: Sequence[int], _: str, columns: Columns, meta: bytes
) -> list[bytes]:
    """Columns as records, step by step: as they would have been added one by one."""
    rows = zip(*[_numbers(column) for column in columns.values.values()], strict=True)
    return [
        record(encoding.scalar_event(time, step, tag, value, meta))
        for time, step, row in zip(wall_times, steps, rows, strict=True)
        for tag, value in zip(columns.values, row, strict=True)
    ]


def _numbers(column: Any) -> list[float]:
    found = column.function(*column.values) if type(column) is Prepared else column
    return np.asarray(found, np.float64).tolist()


def _is_ready(entry: Any, patience_s: float) -> bool:
    wall_time, step, _, value, _ = entry
    if (type(value) is float and type(step) is int) or type(value) is Columns:
        return True
    parts = [step, *(value.values if type(value) is Prepared else (value,))]
    waiting = [p for p in parts if isinstance(p, Pending) and not p.is_ready()]
    # What nobody has asked for in this time is asked for here, so that it is seen.
    return not waiting or time.time() - wall_time > patience_s


def _event(
    wall_time: float, step: SupportsInt, tag: str | None, value: Any, meta: bytes | None
) -> bytes | None:
    """An entry of the queue as an event; None if it is not to be written after all."""
    if type(step) is not int:
        step = int(_found(step))
    if type(value) is float and tag is not None and meta is not None:
        return encoding.scalar_event(wall_time, step, tag, value, meta)
    if type(value) is Prepared:
        value = value.function(*[_found(v) for v in value.values])
        if value is None:
            return None
    else:
        value = _found(value)
    if tag is None or meta is None:
        if meta is not None:
            return encoding.graph_event(wall_time, value)
        return encoding.summary_event(wall_time, step, value)
    if type(value) is float:
        return encoding.scalar_event(wall_time, step, tag, value, meta)
    return encoding.tensor_event(wall_time, step, tag, tensor_bytes(value), meta)


def _last_step(step: SupportsInt) -> int:
    """The last of some steps, or the only one."""
    return int(_found(step[-1] if isinstance(step, (list, tuple, range)) else step))


def _found(value: object) -> Any:
    return value.get() if isinstance(value, Pending) else value


def _run(reference: weakref.ref[FileWriter], wake: threading.Event, hurry: threading.Event) -> None:
    """The thread: it holds no writer while it sleeps, so that one nobody holds goes away."""
    while True:
        wake.wait()
        writer = reference()
        if writer is None or writer._is_closed:
            return
        pause = writer._flush_s
        del writer
        hurry.wait(pause)
        writer = reference()
        if writer is None or writer._is_closed:
            return
        hurry.clear()
        wake.clear()
        writer._drain(waits=writer._is_full)
        if writer._queue or writer._file.has_backlog:
            wake.set()
        del writer


_is_exiting = False


@functools.cache
def _end_early() -> None:
    """Have remote files closed while connections can still be made."""
    before_executors_end(_close_remote)


def _close_remote() -> None:
    for writer in list(_writers):
        if writer.is_remote:
            writer._raises = False
            writer.close()


def close_all() -> None:
    """Write what waits in any writer of this process, and close them all, as at its end."""
    global _is_exiting
    for writer in list(_writers):
        writer._raises = False
        writer.close()
    _is_exiting = True


def _after_fork() -> None:
    """A child process goes on in a file of its own: the parent's, and what waits in the queue, are the parent's."""
    for writer in list(_writers):
        if not writer._is_closed:
            writer._start_afresh()
            writer._file.leave()


atexit.register(close_all)
if os.name == "posix":
    os.register_at_fork(after_in_child=_after_fork)
