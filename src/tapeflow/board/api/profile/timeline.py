"""Events cut for a screen, and packed in columns that a browser takes as they are.

Of a window with more events than a page should hold, those too short to be seen are merged with their neighbours of the
same lane; the longer ones always stay. Zooming in asks again, until every event is there.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
import orjson

from tapeflow.board.api.profile.schema import ProfileTrack, TimelineHead
from tapeflow.summary.profile.trace import Trace

MIME = "application/vnd.tapeflow.timeline"
MAGIC = b"TFT1"
MOST_SENT = 200_000
_FINEST = 4096  # parts of a window that are tried first


class Rows(NamedTuple):
    """What is sent: the first event of each row, how many it counts, when it begins and ends (picoseconds)."""

    first: np.ndarray
    counts: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    resolution: int


def message(trace: Trace, begin_ns: float | None, end_ns: float | None, most: int = MOST_SENT) -> bytes:
    """The events of a window, at most about so many rows."""
    begin = 0 if begin_ns is None else int(begin_ns * 1000)
    end = max(trace.end, 1) if end_ns is None else int(end_ns * 1000)
    chosen = np.flatnonzero((trace.starts <= end) & (trace.starts + trace.durations >= begin))
    rows = _merged(trace, chosen, begin, end, most)
    used, label_ids = np.unique(trace.label_ids[rows.first], return_inverse=True)
    labels = [trace.labels[i] for i in used.tolist()]
    head: TimelineHead = {
        "tracks": _tracks(trace, rows.first),
        "labels": [{"name": label.name, "kind": label.kind} for label in labels],
        "length": len(rows.first),
        "total": len(trace),
        "window_total": len(chosen),
        "begin": begin / 1000,
        "end": end / 1000,
        "resolution": rows.resolution / 1000,
        "is_raw": rows.resolution == 0,
        "left_out": trace.left_out,
    }
    columns = (
        (rows.starts / 1000).astype("<f8"),
        ((rows.ends - rows.starts) / 1000).astype("<f8"),
        label_ids.astype("<u4"),
        rows.first.astype("<u4"),
        rows.counts.astype("<u4"),
    )
    text = orjson.dumps(head)
    text += b" " * (-len(text) % 8)
    return b"".join([MAGIC, struct.pack("<I", len(text)), text, *[column.tobytes() for column in columns]])


def _merged(trace: Trace, chosen: np.ndarray, begin: int, end: int, most: int) -> Rows:
    starts, ends = trace.starts[chosen], (trace.starts + trace.durations)[chosen]
    if len(chosen) <= most:
        return Rows(chosen, np.ones(len(chosen), np.int64), starts, ends, 0)
    lane = np.searchsorted(_bounds(trace), chosen, "right")
    resolution = max((end - begin) // _FINEST, 1)
    while True:
        is_short = ends - starts < resolution
        part = np.where(is_short, np.maximum(starts, begin) // resolution, -1)
        # A row begins where the lane changes, at every long event and after it, and where a part of the window ends.
        begins = np.ones(len(chosen), bool)
        begins[1:] = (lane[1:] != lane[:-1]) | (part[1:] != part[:-1]) | ~is_short[1:]
        if begins.sum() <= most or resolution > end - begin:
            break
        resolution *= 2
    at = np.flatnonzero(begins)[:most]
    counts = np.diff(np.append(at, len(chosen) if len(at) < most else at[-1] + 1))
    return Rows(chosen[at], counts, starts[at], np.maximum.reduceat(ends, at), resolution)


def _bounds(trace: Trace) -> np.ndarray:
    """The first row of every lane but the first."""
    return np.array([first for track in trace.tracks for first in track.lanes[:-1]][1:], np.int64)


def _tracks(trace: Trace, rows: np.ndarray) -> list[ProfileTrack]:
    """All tracks, with how many of these rows lie in each lane."""
    found: list[ProfileTrack] = []
    for track in trace.tracks:
        lanes = np.diff(np.searchsorted(rows, track.lanes)).tolist()
        found.append({"process": track.process, "name": track.name, "lanes": lanes})
    return found
