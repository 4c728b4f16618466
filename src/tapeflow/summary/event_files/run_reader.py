"""`tf.summary.read`: a run as columns of steps, times and values for each tag."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tapeflow.summary.captured.messages import PLUGIN, SYSTEM_PLUGIN
from tapeflow.summary.captured.reading import Captured
from tapeflow.summary.event_files.reader import Batch, Damage, EventFileReader
from tapeflow.summary.event_files.tag_series import Series
from tapeflow.summary.event_files.values import Value, plugin_of, value_of
from tapeflow.summary.files import flush_below
from tapeflow.summary.remote import is_remote

_ATTEMPTS = 10
_SYSTEM = SYSTEM_PLUGIN.encode()


def read(path: str | os.PathLike[str]) -> Run:
    """Read every event of a run: of one event file, or of all event files in a folder.

    Args:
        path: the file or the folder. Folders inside it are runs of their own: see `Run.inner`.

    >>> run = tf.summary.read("logs/train")
    >>> run["loss"].steps, run["loss"].values
    (array([0, 1, 2]), array([1.  , 0.5 , 0.25]))
    >>> run.to_pandas()
    >>> run.lost_bytes  # of damaged files
    0
    """
    place = os.fspath(path)
    if is_remote(place):
        raise ValueError(
            f"tf.summary.read expected a file or a folder of this machine; got path={place!r}. Copy it first, or "
            "look at it with `tapeflow board --logdir`."
        )
    if not os.path.exists(place):
        raise FileNotFoundError(
            f"tf.summary.read expected a file or a folder; got path={place!r}, which does not exist."
        )
    flush_below(place)
    run = Run(place)
    run.refresh()
    if not run.files and not os.path.isfile(place):
        inner = inner_runs(place)
        advice = f" There are some in {', '.join(map(repr, inner[:5]))}: read one of those." if inner else ""
        raise FileNotFoundError(
            f"tf.summary.read expected a folder with event files in it; got path={place!r}, which has none.{advice}"
        )
    return run


def event_files(folder: str) -> list[str]:
    """The event files in a folder, oldest first."""
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [
        os.path.join(folder, n) for n in sorted(names) if "tfevents" in n and not n.endswith(".profile-empty")
    ]


def inner_runs(folder: str) -> list[str]:
    """The folders below one that have event files in them, as relative paths."""
    found = [os.path.relpath(top, folder) for top, _, _ in os.walk(folder) if event_files(top)]
    return sorted(f for f in found if f != ".")


class Run(Mapping[str, Series]):
    """The logged data of a run: a `Series` per tag.

    Attributes:
        path: the file or folder.
        files: the event files read.
        graphs: serialised GraphDef messages.
        run_metadata: serialised RunMetadata messages, by tag.
        damages: what could not be read.
        captured: what the run captured by itself: facts, state, console output, alerts, system metrics.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._readers: dict[str, EventFileReader] = {}
        self._forget()

    def _forget(self) -> None:
        self._series: dict[str, Series] = {}
        self.captured = Captured()
        self.graphs: list[bytes] = []
        self.run_metadata: dict[str, bytes] = {}
        self._damages: dict[str, list[Damage]] = {}
        self._tail: dict[str, int] = {}

    @property
    def files(self) -> list[str]:
        """The event files read."""
        return list(self._readers)

    @property
    def damages(self) -> list[Damage]:
        """What could not be read, in order; a file whose last record is incomplete ends with one."""
        found = [d for damages in self._damages.values() for d in damages]
        for path, nbytes in self._tail.items():
            if nbytes:
                found.append(Damage(path, self._readers[path].offset, nbytes, "incomplete"))
        return found

    @property
    def lost_bytes(self) -> int:
        """How many bytes could not be read."""
        return sum(d.nbytes for d in self.damages)

    @property
    def inner(self) -> list[str]:
        """The runs in folders below this one."""
        return inner_runs(self.path) if os.path.isdir(self.path) else []

    @property
    def scalars(self) -> dict[str, Series]:
        """The tags whose values are numbers."""
        return {tag: series for tag, series in self._series.items() if series.is_scalar}

    def refresh(self) -> int:
        """Read what has been written since; returns how many events there were.

        If a file has been replaced or cut, or has gone, everything is read again.
        """
        for _ in range(_ATTEMPTS):
            count = 0
            for path in [self.path] if os.path.isfile(self.path) else event_files(self.path):
                self._readers.setdefault(path, EventFileReader(path))
            restarted = False
            for number, (path, reader) in enumerate(self._readers.items()):
                for batch in reader.batches():
                    restarted |= batch.is_restart
                    if restarted:
                        break
                    count += batch.count
                    self._take(path, number, batch)
                self._tail[path] = max(_size(path) - reader.offset, 0)
            if not restarted:
                self._series = dict(sorted(self._series.items(), key=lambda item: item[1].first_row))
                return count
            self._readers = {}
            self._forget()
        return 0  # replaced faster than it can be read: the next call may have more luck

    def _take(self, path: str, number: int, batch: Batch) -> None:
        base = number << 40  # files follow one another
        self._damages.setdefault(path, []).extend(batch.damages)
        for column in batch.columns:
            is_system = _SYSTEM in column.metadata and plugin_of(column.metadata)[0] == SYSTEM_PLUGIN
            series = self._of(column.tag, self.captured.system if is_system else self._series)
            if not series.plugin and column.metadata:
                series.describe(*plugin_of(column.metadata))
            if not series.plugin and column.is_simple:
                series.plugin = "scalars"
            series.add(column.rows + base, column.steps, column.wall_times, column.values)
        for other in batch.others:
            event = other.event
            kind = event.WhichOneof("what")
            if kind == "graph_def":
                self.graphs.append(event.graph_def)
            elif kind == "tagged_run_metadata":
                self.run_metadata[event.tagged_run_metadata.tag] = event.tagged_run_metadata.run_metadata
            elif kind == "summary":
                for proto in event.summary.value:
                    try:
                        value = value_of(proto)
                    except ValueError as error:
                        self._damages[path].append(Damage(path, other.offset, other.nbytes, str(error)))
                        continue
                    if value is None:
                        continue
                    if value.plugin == PLUGIN:
                        self.captured.take(value, event.step, event.wall_time)
                    else:
                        self._take_value(base + other.row, event, value)

    def _take_value(self, row: int, event: Any, value: Value) -> None:
        series = self._of(value.tag)
        if value.plugin and not series.plugin:
            series.describe(value.plugin, value.content, value.description)
        values = np.empty(1, dtype=object)
        values[0] = value.array
        if value.array.ndim == 0 and value.array.dtype.kind in "fiub" and series.plugin == "scalars":
            values = value.array.reshape(1).astype(np.float64)
        series.add(np.array([row]), np.array([event.step]), np.array([event.wall_time]), values)

    def _of(self, tag: str, where: dict[str, Series] | None = None) -> Series:
        tags = self._series if where is None else where
        found = tags.get(tag)
        if found is None:
            found = tags[tag] = Series(tag)
        return found

    def __getitem__(self, tag: str) -> Series:
        try:
            return self._series[tag]
        except KeyError:
            raise KeyError(
                f"{tag!r} is no tag of this run; it has {', '.join(map(repr, self._series)) or 'none'}."
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._series)

    def __len__(self) -> int:
        return len(self._series)

    def __repr__(self) -> str:
        lost = f", {self.lost_bytes} bytes lost" if self.lost_bytes else ""
        return f"<Run {self.path!r}: {len(self)} tags, {sum(map(len, self.values()))} values{lost}>"

    # Elsewhere

    def _columns(self) -> dict[str, np.ndarray]:
        series = list(self.scalars.values())
        names = [s.tag for s in series]
        return {
            "tag": np.repeat(np.array(names, dtype=object), [len(s) for s in series]),
            "step": np.concatenate([s.steps for s in series] or [np.zeros(0, np.int64)]),
            "wall_time": np.concatenate([s.wall_times for s in series] or [np.zeros(0)]),
            "value": np.concatenate([s.values for s in series] or [np.zeros(0)]),
        }

    def to_pandas(self) -> Any:
        """The scalars as a DataFrame with a row a point: tag, step, wall_time, value."""
        import pandas  # optional

        return pandas.DataFrame(self._columns())

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """The scalars as a CSV file with a row a point: tag, step, wall_time, value."""
        columns = self._columns()
        with open(path, "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            out.writerow(columns)
            out.writerows(zip(*[c.tolist() for c in columns.values()], strict=True))

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """The scalars as a Parquet file with a row a point; needs pyarrow."""
        try:
            from pyarrow import parquet, table  # optional
        except ImportError:
            raise ImportError(
                "Run.to_parquet expected pyarrow, which is not installed. Install it with `pip install pyarrow`, "
                "or write CSV with to_csv."
            ) from None
        parquet.write_table(table(self._columns()), os.fspath(path))


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
