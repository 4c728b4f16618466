"""The events of an XPlane file in columns: small enough to keep, quick to cut for a screen.

An event is a row: when it began, how long it took, what it is called, and in which lane of its track it lies so that
it overlaps no other; for events that are nested, as calls are, the lane is the depth. Rows are sorted by track, lane
and time. What else a file says about an event is read from it when somebody asks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tapeflow.summary.event_files.reader import open_regular
from tapeflow.summary.profile.planes import Line, Plane, Space, Unreadable, event_at, stat_value

MOST_EVENTS = 2_000_000
MOST_LANES = 64
_MOST_BYTES = 1 << 29
_MOST_NAMES = 200_000
_MOST_LETTERS = 500
_MOST_STATS = 100
_FARTHEST_PS = 1 << 61
_WANTED = ("hlo_op", "hlo_module", "program_id", "step_num", "bytes_allocated", "peak_bytes_in_use")

Kind = Literal["xla", "framework", "input", "python", "runtime"]


@dataclass(frozen=True)
class Label:
    """What events are called.

    Attributes:
        name: as in the file.
        kind: 'xla' for an instruction of a compiled program, 'framework' for an op of TensorFlow's, 'input' for a stage
            of a tf.data pipeline, 'python' for a function, else 'runtime'.
        module: the compiled module, for XLA's.
        program: its number.
    """

    name: str
    kind: Kind = "runtime"
    module: str = ""
    program: int = 0


@dataclass(frozen=True)
class Track:
    """A thread or stream: its plane, its name, and the first rows of its lanes, the end of the last one included."""

    process: str
    name: str
    lanes: list[int]


@dataclass(frozen=True)
class Mark:
    """An event that marks a step: its track, number, and when it was."""

    track: int
    name: str
    number: int
    start_ps: int
    duration_ps: int


@dataclass
class Trace:
    """The events of a profile.

    Attributes:
        labels: the names of events.
        tracks: the threads and streams.
        origin: the picoseconds, by the clock of the file, at which the first event began.
        starts, durations: picoseconds; the first event begins at 0.
        label_ids: which of the labels.
        places: where in the file an event begins.
        own: for each label the picoseconds of its events without those nested in them.
        marks: events that mark steps.
        memory: when (picoseconds), bytes in use, most bytes in use until then.
        modules: compiled modules by name and number, as HloProtos.
        left_out: events there was no room for.
        damages: what could not be read.
    """

    labels: list[Label] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    origin: int = 0
    starts: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    durations: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    label_ids: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    places: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    own: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    marks: list[Mark] = field(default_factory=list)
    memory: list[tuple[int, int, int]] = field(default_factory=list)
    modules: list[tuple[str, int, bytes]] = field(default_factory=list)
    left_out: int = 0
    damages: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def end(self) -> int:
        """When the last event ends, in picoseconds."""
        return int((self.starts + self.durations).max()) if len(self) else 0

    def rows_of(self, track: int) -> slice:
        """The rows of a track."""
        lanes = self.tracks[track].lanes
        return slice(lanes[0], lanes[-1])

    def totals(self) -> tuple[np.ndarray, np.ndarray]:
        """For each label how often there is an event of it, and how many picoseconds they took."""
        size = len(self.labels)
        counts = np.bincount(self.label_ids, minlength=size)
        walls = np.zeros(size, np.int64)
        np.add.at(walls, self.label_ids, self.durations)
        return counts, walls


def read_trace(path: str | os.PathLike[str], follows_links: bool = True) -> Trace:
    """The events of an XPlane file; of one that was cut those before the cut, and `damages` says so.

    Raises:
        ValueError: it is too large.
    """
    place = os.fspath(path)
    with open_regular(place, follows_links) as file:
        size = os.fstat(file.fileno()).st_size
        if size > _MOST_BYTES:
            raise ValueError(f"{place!r} expected at most {_MOST_BYTES} bytes of XPlanes; got {size} bytes.")
        space = Space(file.read(_MOST_BYTES))
    made = _Maker(space)
    for plane in space.planes():
        made.take_modules(plane)
        for line in space.lines(plane):
            made.take(plane, line)
    return made.finished(place, size)


def read_event(
    path: str | os.PathLike[str], place: int, track: Track, follows_links: bool = True
) -> dict[str, str]:
    """What the file says about the event that begins at a place, by name.

    Raises:
        ValueError: there is none any more.
    """
    with open_regular(os.fspath(path), follows_links) as file:
        data = file.read(_MOST_BYTES)
    space = Space(data)
    event = event_at(data[place : place + (1 << 20)])
    for plane in space.planes():
        if any(begin <= place < end for begin, end in plane.spans) and plane.name == track.process:
            metadata = plane.about.event_metadata.get(event.metadata_id)
            stats = [*event.stats, *(metadata.stats if metadata is not None else ())][:_MOST_STATS]
            found = {plane.stat_names.get(s.metadata_id, "?"): stat_value(s, plane.stat_names) for s in stats}
            return {shortened(name): _text(value) for name, value in found.items() if name[:1] != "_"}
    raise Unreadable("the file has changed: load the profile again")


def shortened(text: str) -> str:
    """A name that is not too long to keep and to show."""
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


def _text(value: object) -> str:
    return f"{len(value)} bytes" if isinstance(value, bytes) else shortened(str(value))


class _Maker:
    """Takes in line after line."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.found = Trace()
        self.ids: dict[Label, int] = {}
        self.parts: list[tuple[np.ndarray, ...]] = []
        self.base_ns: int | None = None
        self.count = self.negative = 0

    def take_modules(self, plane: Plane) -> None:
        """The compiled modules that the plane of metadata holds."""
        for event in plane.about.event_metadata.values():
            for stat in event.stats:
                if plane.stat_names.get(stat.metadata_id) == "Hlo Proto":
                    name, _, number = event.name.rpartition("(")
                    if number.rstrip(")").isdecimal():
                        self.found.modules.append((name, int(number.rstrip(")")), stat.bytes_value))

    def take(self, plane: Plane, line: Line) -> None:
        """The events of a line."""
        if self.base_ns is None:
            self.base_ns = line.about.timestamp_ns
        shift = max(-_FARTHEST_PS, min(_FARTHEST_PS, (line.about.timestamp_ns - self.base_ns) * 1000))
        is_ops = plane.name.startswith("/device:") and line.name == "XLA Ops"
        parts = []
        for first, events in self.space.events(line):
            room = MOST_EVENTS - self.count
            rows = np.array([(e.offset_ps, e.duration_ps, e.metadata_id, 0) for e in events], np.int64)
            self.found.left_out += max(0, len(rows) - room)
            rows = rows[: max(room, 0)]
            if not len(rows):
                continue
            self.negative += int((rows[:, 1] < 0).sum())
            rows[:, 0] = np.clip(rows[:, 0], -_FARTHEST_PS, _FARTHEST_PS) + shift
            rows[:, 1] = np.clip(rows[:, 1], 0, _FARTHEST_PS)
            rows[:, 3] = line.places[first : first + len(rows)]
            known, inverse = np.unique(rows[:, 2], return_inverse=True)
            plain = [self._label(plane, number, {}, is_ops) for number in known.tolist()]
            for i, stats in self._stats(plane, events, len(rows)):
                own = self._label(plane, int(rows[i, 2]), stats, is_ops)
                self._note(stats, own, int(rows[i, 0]), int(rows[i, 1]))
                rows[i, 2] = ~own
            rows[:, 2] = np.where(rows[:, 2] < 0, ~rows[:, 2], np.array(plain)[inverse])
            # An event that counts many is at no time. They are rare: only those that begin at 0 are looked at.
            sums = [i for i in np.flatnonzero(rows[:, 0] == shift) if events[i].num_occurrences]
            parts.append(np.delete(rows, sums, 0) if sums else rows)
            self.count += len(parts[-1])
        if parts:
            self._lay_out(plane, line, np.concatenate(parts))

    def _stats(self, plane: Plane, events: Any, count: int) -> Iterator[tuple[int, dict[str, Any]]]:
        """Of the first so many events those that have something to keep, and what that is."""
        names = plane.stat_names
        wanted = {number for number, name in names.items() if name in _WANTED}
        for i, event in enumerate(events[: count if wanted else 0]):
            found = {
                names[s.metadata_id]: stat_value(s, names) for s in event.stats if s.metadata_id in wanted
            }
            if found:
                yield i, found

    def _label(self, plane: Plane, metadata_id: int, stats: dict[str, Any], is_op: bool) -> int:
        metadata = plane.about.event_metadata.get(metadata_id)
        name = _name(metadata) if metadata is not None else ""
        if "hlo_op" in stats or is_op:
            program = str(stats.get("program_id", 0))
            label = Label(
                shortened(str(stats.get("hlo_op", name))),
                "xla",
                shortened(str(stats.get("hlo_module", ""))),
                int(program) if program.isdecimal() else 0,
            )
        else:
            label = Label(shortened(name), kind_of(name))
        found = self.ids.get(label)
        if found is None:
            if len(self.ids) >= _MOST_NAMES:
                label = Label("…")
            found = self.ids.setdefault(label, len(self.ids))
            if found == len(self.found.labels):
                self.found.labels.append(label)
        return found

    def _note(self, stats: dict[str, Any], label: int, start: int, duration: int) -> None:
        """Keep what marks a step or tells how much memory is in use."""
        step = stats.get("step_num")
        if step is not None and str(step).lstrip("-").isdecimal():
            name = self.found.labels[label].name
            self.found.marks.append(Mark(len(self.found.tracks), name, int(step), start, duration))
        in_use = stats.get("bytes_allocated")
        if isinstance(in_use, int) and 0 <= in_use < 1 << 53:
            peak = stats.get("peak_bytes_in_use")
            self.found.memory.append((start, in_use, max(in_use, peak if isinstance(peak, int) else 0)))

    def _lay_out(self, plane: Plane, line: Line, rows: np.ndarray) -> None:
        rows = rows[np.lexsort((-rows[:, 1], rows[:, 0]))]
        lanes, own = _lanes(rows[:, 0].tolist(), rows[:, 1].tolist())
        sums = np.zeros(len(self.found.labels), np.int64)
        np.add.at(sums, rows[:, 2], np.array(own))
        sums[: len(self.found.own)] += self.found.own
        self.found.own = sums
        lane = np.array(lanes, np.int64)
        rows = rows[np.argsort(lane, kind="stable")]
        begin = sum(len(part[0]) for part in self.parts)
        bounds = np.concatenate([[0], np.cumsum(np.bincount(lane))]) + begin
        self.found.tracks.append(Track(shortened(plane.name), shortened(line.name), bounds.tolist()))
        self.parts.append(
            (rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2].astype(np.int32), rows[:, 3].copy())
        )

    def finished(self, place: str, size: int) -> Trace:
        """All that was taken in."""
        found = self.found
        found.own = np.concatenate([found.own, np.zeros(len(found.labels) - len(found.own), np.int64)])
        if self.parts:
            columns = zip(*self.parts, strict=True)
            found.starts, found.durations, found.label_ids, found.places = map(np.concatenate, columns)
            first = int(found.starts.min())
            found.starts -= first
            found.origin = (self.base_ns or 0) * 1000 + first
            found.marks = [
                Mark(m.track, m.name, m.number, m.start_ps - first, m.duration_ps) for m in found.marks
            ]
            found.memory = sorted((at - first, in_use, peak) for at, in_use, peak in found.memory)
        if self.space.damages:
            found.damages.append(
                f"{place!r} expected an XPlane file; got {size} bytes of which {len(found)} events could be read "
                f"({self.space.damages[0]}). It may have been cut: take the profile again."
            )
        if found.left_out:
            found.damages.append(f"{found.left_out} events beyond {MOST_EVENTS} are left out")
        if self.negative:
            found.damages.append(f"{self.negative} events last less than no time; they are shown as moments")
        return found


def _name(metadata: Any) -> str:
    """What to call events: those of TensorFlow's by their name, as what is displayed is their type alone."""
    is_long = kind_of(metadata.name) in ("framework", "input")
    return metadata.name if is_long else metadata.display_name or metadata.name


def _lanes(starts: list[int], durations: list[int]) -> tuple[list[int], list[int]]:
    """For events in order of time: lanes in which none overlap, and the time of each without those nested in it."""
    ends: list[int] = []
    holders: list[int] = []
    lanes, own = [0] * len(starts), list(durations)
    for i, start in enumerate(starts):
        lane, end = 0, start + durations[i]
        while lane < len(ends) and ends[lane] > start:
            lane += 1
        if lane == len(ends):
            if lane == MOST_LANES:
                lane -= 1
            else:
                ends.append(end)
                holders.append(i)
        if lane and ends[lane - 1] >= end:
            own[holders[lane - 1]] = max(0, own[holders[lane - 1]] - durations[i])
        ends[lane], holders[lane], lanes[i] = end, i, lane
    return lanes, own


def kind_of(name: str) -> Kind:
    """What an event is, as far as its name tells."""
    if name.startswith("$"):
        return "python"
    if name.startswith("Iterator::") or "IteratorGetNext" in name:
        return "input"
    path, _, kind = name.rpartition(":")
    is_op = path and not path.endswith(":") and kind.replace("_", "").isalnum() and " " not in name
    return "framework" if is_op and kind.lstrip("_")[:1].isupper() else "runtime"
