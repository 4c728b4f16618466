"""The step-phase record of a profile: a JSON object a line. docs/profiler.md has the format.

A record that ends in the middle of a line is that of a process that was killed; lines that are no rows are counted and
passed over, and rows of a kind that is not known here are left to whoever knows them.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from typing import Any, SupportsInt

from tapeflow.summary.event_files.reader import open_regular

PHASES = ("input", "compile", "dispatch", "device", "callbacks", "host")
VERSION = 1
_MOST_BYTES = 256 << 20
_MOST_LINE = 1 << 20


@dataclass(frozen=True)
class Step:
    """A step, or `count` of them that ran as one program. Times are in seconds.

    Attributes:
        name: 'train', 'test', 'predict', or the name of the user's `Trace`.
        number: the number of the first one.
        count: how many.
        at: when it began, from the beginning of the profile.
        wall: how long it took: the sum of its phases.
        phases: how long each phase took, by name.
    """

    name: str
    number: int
    count: int
    at: float
    wall: float
    phases: dict[str, float]


@dataclass(frozen=True)
class Compile:
    """A program that was compiled. Times are in seconds.

    Attributes:
        name: what it is of.
        at: when it was ready.
        trace: how long JAX traced it.
        lower: how long it was lowered.
        compile: how long XLA compiled it, or fetched it from the cache.
        is_cached: whether it came from the cache of an earlier run.
    """

    name: str
    at: float
    trace: float
    lower: float
    compile: float
    is_cached: bool

    @property
    def wall(self) -> float:
        """How long it took in all."""
        return self.trace + self.lower + self.compile


@dataclass(frozen=True)
class Memory:
    """How much memory was in use at a time: by the process, and by arrays."""

    at: float
    rss_bytes: int
    live_bytes: int


@dataclass(frozen=True)
class Pipeline:
    """Where batches came from.

    Attributes:
        reads: how many elements were read.
        wall: how long reading them took, on whatever thread.
        steps: the methods of the Dataset from its source on, each with its arguments, and with how long the user's
            function was busy; for other sources their kind.
    """

    reads: int
    wall: float
    steps: list[dict[str, Any]]


@dataclass
class Record:
    """What a step-phase record holds.

    Attributes:
        about: the first row: host, pid, device, cores, wall_time.
        duration: how long the profile took, in seconds, as far as is known.
        total: how the thread that was profiled spent all its time, by phase; empty if the record ends early.
        hooks: the names of hooks of callbacks that were called between steps, each with its seconds.
        callbacks: the classes of callbacks that were called in steps, each with its seconds.
        damages: what could not be read.
    """

    about: dict[str, Any] = field(default_factory=dict)
    duration: float = 0.0
    total: dict[str, float] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    compiles: list[Compile] = field(default_factory=list)
    memory: list[Memory] = field(default_factory=list)
    pipelines: list[Pipeline] = field(default_factory=list)
    hooks: list[tuple[str, float]] = field(default_factory=list)
    callbacks: list[tuple[str, float]] = field(default_factory=list)
    damages: list[str] = field(default_factory=list)


def read_record(path: str | os.PathLike[str], follows_links: bool = True) -> Record:
    """The record in a file.

    Raises:
        ValueError: it is too large, is no record, or one of a later version.
    """
    place = os.fspath(path)
    found, bad, is_cut = Record(), 0, False
    with open_regular(place, follows_links) as file:
        size = os.fstat(file.fileno()).st_size
        if size > _MOST_BYTES:
            raise ValueError(f"{place!r} expected at most {_MOST_BYTES} bytes of steps; got {size} bytes.")
        while line := file.readline(_MOST_LINE):
            is_cut = not line.endswith(b"\n")
            try:
                _take(found, json.loads(line, parse_constant=_no_constant))
            except (ValueError, TypeError, KeyError, RecursionError):
                bad += not is_cut
    version = found.about.get("version")
    if version is None:
        raise ValueError(
            f"{place!r} expected the record of a profile, which begins with a row of kind 'profile'; got none."
        )
    if version != VERSION:
        raise ValueError(
            f"{place!r} expected a record of version {VERSION}; got version={version!r}. Update TapeFlow to read it."
        )
    if bad:
        found.damages.append(f"{bad} lines of {os.path.basename(place)} could not be read")
    if is_cut:
        found.damages.append(f"{os.path.basename(place)} ends in the middle of a line")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _take(found: Record, row: Any) -> None:
    if type(row) is not dict:
        raise TypeError("a row is an object")
    kind = row.get("kind")
    if kind == "profile":
        found.about = row
        return
    at = _seconds(row, "at_ns") if "at_ns" in row else 0.0
    if kind == "step":
        phases = _phases(row)
        count = max(1, _whole(row, "count"))
        found.steps.append(Step(_text(row), int(row["step"]), count, at, math.fsum(phases.values()), phases))
    elif kind == "compile":
        parts = [_seconds(row, f"{part}_ns") for part in ("trace", "lower", "compile")]
        found.compiles.append(Compile(_text(row), at, *parts, is_cached=bool(row.get("is_cached"))))
    elif kind == "memory":
        found.memory.append(Memory(at, _whole(row, "rss_bytes"), _whole(row, "live_bytes")))
    elif kind == "pipeline":
        steps = [_checked_step(step) for step in row["steps"]]
        found.pipelines.append(Pipeline(_whole(row, "reads"), _seconds(row, "read_ns"), steps))
    elif kind == "hook":
        found.hooks.append((_text(row), _seconds(row, "wall_ns")))
    elif kind == "callback":
        found.callbacks.append((_text(row), _seconds(row, "wall_ns")))
    elif kind == "total":
        found.total = _phases(row)
    found.duration = max(found.duration, at)


def _phases(row: dict[str, Any]) -> dict[str, float]:
    return {phase: _seconds(row, f"{phase}_ns") for phase in PHASES}


def _seconds(row: dict[str, Any], key: str) -> float:
    return _whole(row, key) / 1e9


def _whole(row: dict[str, Any], key: str) -> int:
    value = row[key]
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise ValueError(f"{key}={value!r}")
    return value


def _text(row: dict[str, Any]) -> str:
    value = row["name"]
    if type(value) is not str:
        raise TypeError(f"name={value!r}")
    return value


def _checked_step(step: SupportsInt) -> dict[str, Any]:
    if type(step) is not dict or type(step.get("method")) is not str:
        raise TypeError(f"a step of a pipeline: {step!r}")
    for key in ("busy_ns", "calls", "workers"):
        _whole({key: 0} | step, key)
    return step
