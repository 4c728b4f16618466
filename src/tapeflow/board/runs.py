"""One run: what has been read of its files."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import secrets
import time
from collections.abc import Iterator
from functools import cached_property
from typing import Any, BinaryIO

import numpy as np
from google.protobuf.message import DecodeError

from tapeflow.board.blobs import facts_of
from tapeflow.board.decoding import WHOLE_EVENT, Decoded
from tapeflow.board.health import vitals
from tapeflow.board.health.alerts import alerts_of
from tapeflow.board.health.rules import Finding
from tapeflow.board.health.vitals import Vitals, status_of
from tapeflow.board.hparams import PLUGIN as HPARAMS
from tapeflow.board.hparams import hparams_of
from tapeflow.board.logdirs import FileStatus, FoundRun, natural, shown
from tapeflow.board.notes import RUNS, joined
from tapeflow.board.run_tags import RunTags
from tapeflow.board.schema import Note, RunState, Setting, UnusualRun, UsualRun
from tapeflow.board.schema import Run as RunAnswer
from tapeflow.board.series import ENTRY_COLUMNS, SCALAR_COLUMNS, Series
from tapeflow.summary.captured import messages as captured
from tapeflow.summary.event_files.reader import Batch, Damage, open_regular
from tapeflow.summary.event_files.values import Value, value_of
from tapeflow.summary.protos import message

LIVE_S = 30.0
MOST_TAGS = 50_000
MOST_SAMPLES = 1000  # of one step
_MOST_HPARAMS = 1000
_MOST_DESCRIPTION = 20_000
_MOST_TAG_LENGTH = 2000
_MOST_CONTENT = 4 << 20
_MOST_DAMAGES = 20
_GENERATION_BITS = 40
_Piece = tuple[np.ndarray, ...]  # rows, steps, wall times, values
_Entry = tuple[int | float, ...]  # what `ENTRY_COLUMNS` has


class Gone(LookupError):
    """Something that was in a file is there no more."""


def _entry(number: int, one: Decoded, facts: tuple[int, ...]) -> _Entry:
    other = one.other
    return other.event.step, other.event.wall_time, number, other.offset, other.nbytes, one.place, *facts


def signature(status: FileStatus | os.stat_result) -> tuple[int, ...]:
    """What differs if anything about a file has changed."""
    return status.st_dev, status.st_ino, status.st_size, status.st_ctime_ns


def size_in(found: tuple[int, ...]) -> int:
    """The size of the file that a signature is of."""
    return found[2]


class Run(RunTags):
    """A run as far as it has been read.

    Everything is changed by the reading threads while they hold the store's lock.

    Attributes:
        found: where it is.
        generation: counts how often it was begun anew, because a file was replaced, cut or deleted. It begins
            anywhere, so that no other run of this name, in another log folder or after this one, has its URLs.
        state: "waiting", "loading", "ready" or "broken".
        failure: why it is broken, or None.
        hparams: hyperparameters, by name.
        start_time, last_time: earliest and latest wall time.
        changed_at: when something was last read that had just been written.
        bad_bytes: how many bytes could not be read.
        seen: how its files were when they were last read.
        retry_at: when it is tried again if it is broken, by the monotonic clock.
        is_checked: whether the checksums of data are looked at from the first.
        unchecked: how far files have been read without that.
        was_live: what was last told about it.
        bytes_saved: how much of it is in the index.
        vitals: what it says of its process.
        findings: what is wrong with it, when `judged` points had been looked at; `judged_saved` is in the index.
    """

    def __init__(self, found: FoundRun, generation: int | None = None, is_checked: bool = False) -> None:
        super().__init__()
        self.found = found
        self.generation = secrets.randbits(_GENERATION_BITS) if generation is None else generation
        self.is_checked = is_checked
        self.seen: dict[str, tuple[int, ...]] = {}
        self.retry_at = 0.0
        self.unchecked: dict[str, int] = {}
        self.was_live = False
        self._known_profiles: dict[str, str] = {}
        self.bytes_saved = 0
        self.state: RunState = "broken" if found.refusal else "waiting"
        self.failure = found.refusal
        self.hparams: dict[str, Setting] = {}
        self.start_time: float | None = None
        self.last_time: float | None = None
        self.changed_at = max((s.st_mtime for s in found.files.values()), default=0.0)
        self.damages: list[Damage] = []
        self.bad_bytes = 0
        self.tags_left_out = 0
        self.samples_left_out = 0
        self.vitals: Vitals = {}
        self.findings: list[Finding] = []
        self.judged = self.judged_saved = 0

    @property
    def id(self) -> str:
        """Short, and the same at every start."""
        return self.found.id

    @property
    def name(self) -> str:
        """The name TensorBoard gives it."""
        return self.found.name

    @property
    def is_read(self) -> bool:
        """Whether reading it has come to its end, well or not."""
        return self.state in ("ready", "broken")

    @property
    def is_live(self) -> bool:
        """Whether it is still being written."""
        return time.time() - self.changed_at < LIVE_S

    @property
    def bytes_total(self) -> int:
        """The size of its files."""
        return sum(s.st_size for s in self.found.files.values())

    @cached_property
    def sort_key(self) -> list[tuple[int, int, str]]:
        """Where it stands among the others."""
        return natural(self.name)

    def profiles(self) -> dict[str, str]:
        """The names of its profiles, each with a text that is another one when its files have changed."""
        found = self.found.profiles
        if not found:
            return {}
        return {
            name: hashlib.blake2s(
                repr(sorted((p, s.st_ino, s.st_size, s.st_mtime_ns) for p, s in files.items())).encode(),
                digest_size=6,
            ).hexdigest()
            for name, files in found.items()
        }

    def has_new_profiles(self) -> bool:
        """Whether there are others than when this was last asked."""
        before, self._known_profiles = self._known_profiles, self.profiles()
        return before != self._known_profiles

    def cursor(self, series: Series) -> str:
        """How much of a series there is, for a client to go on from."""
        return f"{self.generation}.{len(series)}"

    # Reading

    def take(self, path: str, batch: Batch, values: list[Decoded]) -> set[Series]:
        """Add what was read of a file, and its decoded values; gives the series that have grown."""
        number = list(self.readers).index(path)
        pieces: dict[Series, list[_Piece]] = {}
        entries: dict[Series, list[_Entry]] = {}
        for damage in batch.damages:
            self._damaged(damage)
        for column in batch.columns:
            series = self._of(self.scalars, column.tag, True)
            if series is None:
                continue
            if column.metadata and not series.plugin:
                self._describe(series, message("SummaryMetadata").FromString(column.metadata))
            if column.is_simple and not series.plugin:
                series.plugin, series.is_old = "scalars", True
            piece = column.rows, column.steps, column.wall_times, column.values
            pieces.setdefault(series, []).append(piece)
            self._span(float(np.fmin.reduce(column.wall_times)), float(np.fmax.reduce(column.wall_times)))
        for other in batch.others:
            self._span(other.event.wall_time, other.event.wall_time)
        for one in values:
            if one.place == WHOLE_EVENT:
                self._take_event(number, one, entries)
            elif one.value is None:
                self._take_metadata(number, one, entries)
            else:
                self._take_value(number, one, one.value, pieces, entries)
        for series, parts in pieces.items():
            self._append(series, parts)
        for series, rows in entries.items():
            columns = zip(ENTRY_COLUMNS, zip(*rows, strict=True), strict=True)
            series.columns.append({name: np.array(column) for name, column in columns})
            self.points += len(rows)
        return {*pieces, *entries}

    def _append(self, series: Series, pieces: list[_Piece]) -> None:
        """Add numbers, which were decoded by the length of their records, in the order of the file."""
        rows, *columns = pieces[0] if len(pieces) == 1 else map(np.concatenate, zip(*pieces, strict=True))
        if (rows[1:] < rows[:-1]).any():
            order = np.argsort(rows, kind="stable")
            columns = [column[order] for column in columns]
        series.columns.append(dict(zip(SCALAR_COLUMNS, columns, strict=True)))
        self.points += len(rows)

    def _take_event(self, number: int, one: Decoded, entries: dict[Series, list[_Entry]]) -> None:
        event = one.other.event
        kind = event.WhichOneof("what")
        tag = event.tagged_run_metadata.tag if kind == "tagged_run_metadata" else ""
        series = self._of(self.entries, tag or kind, False)
        if series is not None:
            series.plugin = kind
            entries.setdefault(series, []).append(_entry(number, one, (1, 0, 0, 0)))

    def _take_value(
        self,
        number: int,
        one: Decoded,
        value: Value,
        pieces: dict[Series, list[_Piece]],
        entries: dict[Series, list[_Entry]],
    ) -> None:
        array, other = value.array, one.other
        known = self.scalars.get(value.tag)
        plugin = value.plugin or (known.plugin if known else "")
        if array.ndim == 0 and array.dtype.kind in "fiub" and plugin == "scalars":
            series = self._of(self.scalars, value.tag, True)
            if series is not None:
                row = (other.row, other.event.step, other.event.wall_time, float(array))
                pieces.setdefault(series, []).append(tuple(np.array([cell]) for cell in row))
        else:
            series = self._of(self.entries, value.tag, False)
            if plugin == captured.PLUGIN or (series is not None and series.plugin == captured.PLUGIN):
                vitals.take(self.vitals, value.tag, array, other.event.step, other.event.wall_time)
            if series is not None:
                value.plugin = value.plugin or series.plugin
                samples, *facts = facts_of(value)
                self.samples_left_out += max(samples - MOST_SAMPLES, 0)
                facts = (min(samples, MOST_SAMPLES), *facts)
                entries.setdefault(series, []).append(_entry(number, one, facts))
        if series is not None and value.plugin and not series.plugin:
            series.plugin, series.is_old = value.plugin, not one.proto.HasField("tensor")
            self._describe(series, one.proto.metadata)

    def _take_metadata(self, number: int, one: Decoded, entries: dict[Series, list[_Entry]]) -> None:
        """A tag without a value: what it has to say is in its metadata, as PyTorch does with hparams."""
        series = self._of(self.entries, one.proto.tag, False)
        if series is not None:
            entries.setdefault(series, []).append(_entry(number, one, (0, 0, 0, 0)))
            self._describe(series, one.proto.metadata)

    def _of(self, where: dict[str, Series], tag: str, is_scalar: bool) -> Series | None:
        found = where.get(tag)
        if found is None:
            if len(self.scalars) + len(self.entries) >= MOST_TAGS or len(tag) > _MOST_TAG_LENGTH:
                self.tags_left_out += 1
                return None
            found = where[tag] = Series(tag, is_scalar)
        return found

    def _describe(self, series: Series, metadata: Any) -> None:
        data = metadata.plugin_data
        series.plugin = data.plugin_name or series.plugin
        series.display_name = metadata.display_name[:_MOST_TAG_LENGTH]
        series.description = metadata.summary_description[:_MOST_DESCRIPTION]
        series.content = data.content if len(data.content) <= _MOST_CONTENT else b""
        if series.plugin == HPARAMS:
            found = {**self.hparams, **hparams_of(series.content)}
            self.hparams = dict(itertools.islice(found.items(), _MOST_HPARAMS))

    def _span(self, first: float, last: float) -> None:
        if first > 0 and (self.start_time is None or first < self.start_time):
            self.start_time = first
        if last > 0 and (self.last_time is None or last > self.last_time):
            self.last_time = last

    def _damaged(self, damage: Damage) -> None:
        self.bad_bytes += damage.nbytes
        if len(self.damages) < _MOST_DAMAGES:
            self.damages.append(damage)

    # What stands in the files

    def event(self, series: Series, index: int) -> Any:
        """The event an entry of a series stands in, read from its file.

        Raises:
            Gone: there is no such entry any more.
        """
        columns = series.columns
        if not 0 <= index < columns.count:
            raise Gone(f"{series.tag!r} has {columns.count} steps; got index={index}")
        path = list(self.readers)[int(columns["files"][index])]
        try:
            with open_regular(path, follows_links=False) as file:
                return _event_in(file, series, index)
        except (OSError, DecodeError) as error:
            raise Gone(f"{shown(os.path.basename(path))} has changed: {error}") from None

    def value(self, series: Series, index: int) -> Value:
        """A value that is not a number, read from its file.

        Raises:
            Gone: there is no such value any more.
        """
        return _value_in(self.event(series, index), series, index)

    def values(self, series: Series, rows: range) -> Iterator[Value | None]:
        """Values that are not numbers, each file opened once for those in a row; None for what is gone."""
        paths, files = list(self.readers), series.columns["files"]
        with contextlib.ExitStack() as opened:
            path, file = "", None
            for row in rows:
                wanted = paths[int(files[row])]
                try:
                    if file is None or wanted != path:
                        opened.close()
                        path, file = wanted, None
                        file = opened.enter_context(open_regular(path, follows_links=False))
                    yield _value_in(_event_in(file, series, row), series, row)
                except (OSError, DecodeError, Gone):
                    yield None

    # What is told

    @property
    def may_have_notes(self) -> bool:
        """Whether there may be something wrong with it: quickly answered, as nothing is with most of thousands."""
        is_whole = self.bytes_read == self.bytes_total
        left_out = self.tags_left_out or self.samples_left_out
        return bool(not is_whole or self.failure or self.bad_bytes or left_out)

    def notes(self) -> list[Note]:
        """What is wrong with it."""
        found = [self.failure] if self.failure else []
        if self.bad_bytes:
            first = self.damages[0]
            file = shown(os.path.basename(first.path))
            found.append(
                RUNS("damage", n=self.bad_bytes, offset=first.offset, file=file, reason=first.reason)
            )
        left = self.bytes_total - self.bytes_read
        if self.state == "ready" and left > 0 and not self.is_live:
            found.append(RUNS("cut", n=left))
        if self.tags_left_out:
            found.append(RUNS("tags", n=self.tags_left_out))
        if self.samples_left_out:
            found.append(RUNS("samples", n=self.samples_left_out, most=MOST_SAMPLES))
        return found

    def answer(self) -> RunAnswer:
        """The run as the API gives it."""
        usual: UsualRun = {
            "live": False,
            "bad_bytes": 0,
            "damages": [],
            "message": "",
            "notes": [],
            "hparams": {},
            "profiles": {},
            "status": "",
            "alerts": [],
        }
        return {
            "id": self.id,
            "name": self.name,
            "path": self.name.split("/"),
            "logdir": self.found.logdir,
            "state": self.state,
            "start_time": self.start_time,
            "last_time": self.last_time,
            "points": self.points,
            "bytes_total": self.bytes_total,
            "bytes_read": self.bytes_read,
            **usual,
            **self.unusual(),
        }

    def unusual(self) -> UnusualRun:
        """What its answer has that is not as with most runs."""
        self.was_live = self.is_live
        found: UnusualRun = {}
        if self.was_live and self.state != "broken":
            found["live"] = True
        if self.may_have_notes and (notes := self.notes()):
            found["notes"], found["message"] = notes, joined(notes)
        if self.bad_bytes:
            found["bad_bytes"] = self.bad_bytes
            found["damages"] = [
                {
                    "file": shown(os.path.basename(d.path)),
                    "offset": d.offset,
                    "nbytes": d.nbytes,
                    "reason": d.reason,
                }
                for d in self.damages
            ]
        if self.hparams:
            found["hparams"] = self.hparams
        if self.found.profiles:
            found["profiles"] = self.profiles()
        status = status_of(self.vitals)
        if status:
            found["status"] = status
        if alerts := alerts_of(self, status):
            found["alerts"] = alerts
        return found


def _event_in(file: BinaryIO, series: Series, index: int) -> Any:
    file.seek(int(series.columns["offsets"][index]))
    return message("Event").FromString(file.read(int(series.columns["nbytes"][index])))


def _value_in(event: Any, series: Series, index: int) -> Value:
    place = int(series.columns["places"][index])
    try:
        found = value_of(event.summary.value[place])
    except (IndexError, ValueError):
        found = None
    if found is None or found.tag != series.tag:
        raise Gone(f"{series.tag!r} is no longer where it was")
    found.plugin = found.plugin or series.plugin
    found.content = found.content or series.content  # writers say it once
    return found
