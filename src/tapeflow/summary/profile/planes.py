"""XPlane files a piece at a time: what their planes and lines are, and the events of a line in batches.

A profile may hold millions of events, and as messages they take many times the room of the file. So only a batch of
them is parsed at once; the rest is walked over by the lengths in the file. A file that was cut is read up to there.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.message import DecodeError

from tapeflow.summary.protos import message

MOST_METADATA = 1_000_000
_BATCH = 10_000
_LINE, _EVENT = 3, 4  # the numbers of these fields
_VARINT, _EIGHT, _PIECE, _FOUR = 0, 1, 2, 5

Field = tuple[int, int, int, int]
"""The number of a field, where it begins, and where its value begins and ends."""


class Unreadable(ValueError):
    """Bytes that are no protobuf, or end too early."""


@dataclass
class Line:
    """A line of a plane: a thread, or a stream of a device.

    Attributes:
        about: its name and times: an XLine without events.
        places: where its events begin, and where the last one ends.
    """

    about: Any
    places: array[int]

    @property
    def name(self) -> str:
        """The name to show."""
        return self.about.display_name or self.about.name

    def __len__(self) -> int:
        return max(len(self.places) - 1, 0)


@dataclass
class Plane:
    """A plane: a device, or the threads of a host.

    Attributes:
        about: an XPlane without lines.
        spans: where its lines begin and end.
    """

    about: Any
    spans: list[tuple[int, int]]
    stat_names: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.stat_names = {key: stat.name for key, stat in self.about.stat_metadata.items()}

    @property
    def name(self) -> str:
        return self.about.name


class Space:
    """The planes in the bytes of an XPlane file.

    Attributes:
        damages: what was found to be wrong so far, in words.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.damages: list[str] = []

    def planes(self) -> Iterator[Plane]:
        """The planes, without the events of their lines."""
        for number, _, begin, end in self._fields(0, len(self.data)):
            if number == 1:
                spans, rest, metadata = [], [], 0
                for inner, at, start, stop in self._fields(begin, end):
                    metadata += inner != _LINE
                    if inner == _LINE:
                        spans.append((start, stop))
                    elif metadata <= MOST_METADATA:
                        rest.append(self.data[at:stop])
                if metadata > MOST_METADATA:
                    self._say(f"names beyond {MOST_METADATA} of a plane are left out")
                about = self._parsed("XPlane", b"".join(rest))
                if about is not None:
                    yield Plane(about, spans)

    def lines(self, plane: Plane) -> Iterator[Line]:
        """The lines of a plane, with the places of their events."""
        for begin, end in plane.spans:
            places, rest, last = array("q"), [], begin
            for number, at, _, stop in self._fields(begin, end):
                if number == _EVENT:
                    places.append(at)
                    last = stop
                else:
                    rest.append(self.data[at:stop])
            about = self._parsed("XLine", b"".join(rest))
            if about is not None:
                places.append(last)
                yield Line(about, places)

    def events(self, line: Line) -> Iterator[tuple[int, Any]]:
        """The events of a line in batches: the number of the first one, and a sequence of XEvents."""
        for first in range(0, len(line), _BATCH):
            until = min(first + _BATCH, len(line))
            part = self._parsed("XLine", self.data[line.places[first] : line.places[until]])
            if part is not None and len(part.events) == until - first:
                yield first, part.events

    def _parsed(self, kind: str, data: bytes) -> Any | None:
        try:
            return message(kind).FromString(data)
        except DecodeError:
            self._say(f"an {kind} could not be read")
            return None

    def _fields(self, at: int, end: int) -> Iterator[Field]:
        """The fields of a message; those before the place where it is cut or makes no sense."""
        data = self.data
        try:
            while at < end:
                begin = at
                tag, at = _varint(data, at, end)
                wire = tag & 7
                if wire == _PIECE:
                    size, at = _varint(data, at, end)
                    stop = at + size
                elif wire == _VARINT:
                    _, stop = _varint(data, at, end)
                elif wire in (_EIGHT, _FOUR):
                    stop = at + (8 if wire == _EIGHT else 4)
                else:
                    raise Unreadable(f"byte {begin} begins no field")
                if stop > end:
                    # What a cut plane or line still holds is read; what it claims is never allocated.
                    if wire == _PIECE and tag >> 3 in (1, _LINE) and end == len(data):
                        yield tag >> 3, begin, at, end
                    raise Unreadable(f"it ends in the middle of a field that begins at byte {begin}")
                yield tag >> 3, begin, at, stop
                at = stop
        except Unreadable as error:
            self._say(str(error))

    def _say(self, damage: str) -> None:
        if damage not in self.damages and len(self.damages) < 5:
            self.damages.append(damage)


def event_at(data: bytes) -> Any:
    """The XEvent that bytes from its field in a line on begin with.

    Raises:
        Unreadable: there is none.
    """
    _, at = _varint(data, 0, len(data))
    size, at = _varint(data, at, len(data))
    try:
        return message("XEvent").FromString(data[at : at + size])
    except DecodeError:
        raise Unreadable("the event could not be read") from None


def stat_value(stat: Any, names: dict[int, str]) -> Any:
    """The value of an XStat; "" if it has none."""
    kind = stat.WhichOneof("value")
    if kind == "ref_value":
        return names.get(stat.ref_value, "")
    return "" if kind is None else getattr(stat, kind)


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    if at < end and data[at] < 128:
        return data[at], at + 1
    value = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7
    raise Unreadable(f"byte {at} is in no number")
