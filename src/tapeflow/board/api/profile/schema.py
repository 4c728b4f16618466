"""What the profile panel's API gives; times are in seconds unless said otherwise."""

from __future__ import annotations

from typing import Literal, TypedDict

from tapeflow.summary.profile.remedies import RemedyKind

VerdictKind = Literal["input", "callbacks", "host", "device", "compile", "unknown"]
EventKind = Literal["xla", "framework", "input", "python", "runtime"]


class ProfileRemedy(TypedDict):
    """What to do, in a sentence; `subject` is the function or stage it is about, "" if it is about none."""

    kind: RemedyKind
    subject: str
    text: str


class ProfileVerdict(TypedDict):
    """What training waits for, and what to do; `share` is the share of step time."""

    kind: VerdictKind
    share: float
    text: str
    remedies: list[ProfileRemedy]


class ProfileSteps(TypedDict):
    """Steps in columns, in order; an entry with a `count` above 1 is that many steps that ran as one program.

    `names` are indices into `kinds`. `phases` holds seconds by phase. `total` counts those there are.
    """

    kinds: list[str]
    names: list[int]
    numbers: list[int]
    counts: list[int]
    starts: list[float]
    walls: list[float]
    phases: dict[str, list[float]]
    total: int


class ProfileOp(TypedDict):
    """What events of one name took: in all, and without what is nested in them (`own`).

    `type` is what it computes ('matmul', 'Relu', a stage, a file of Python); `detail` dtype and shape.
    """

    name: str
    kind: EventKind
    type: str
    module: str
    detail: str
    is_gradient: bool
    count: int
    total: float
    own: float


class ProfileMemory(TypedDict):
    """Memory in use over time, in bytes: of the process, in arrays, and what an allocator said. May be empty."""

    starts: list[float]
    process: list[int]
    arrays: list[int]
    allocator_starts: list[float]
    allocator: list[int]
    allocator_peak: int


class ProfileStage(TypedDict):
    """A step of an input pipeline; `busy` is what its function, or the stage itself, took in `calls` calls."""

    method: str
    function: str
    workers: int
    busy: float
    calls: int


class ProfilePipeline(TypedDict):
    """Where batches came from: `reads` of them took `wall` seconds, on whatever thread."""

    reads: int
    wall: float
    stages: list[ProfileStage]


class ProfileCompile(TypedDict):
    """A program that was compiled."""

    name: str
    start: float
    wall: float
    is_cached: bool


class ProfileOverview(TypedDict):
    """One host's part of a profile, but for its events.

    `breakdown` is seconds by phase of the steps the verdict is about; `is_measured` says that phases were measured by
    TapeFlow, and not judged from the trace. `hooks` has the seconds of callbacks between steps by hook, `callbacks`
    those in steps by class. `op_total` counts the names there are; `damages` say what could not be
    read.
    """

    run: str
    session: str
    host: str
    hosts: list[str]
    device: str
    duration: float
    is_measured: bool
    verdict: ProfileVerdict
    breakdown: dict[str, float]
    main: str
    steps: ProfileSteps
    ops: list[ProfileOp]
    op_total: int
    low_precision_share: float
    memory: ProfileMemory
    pipelines: list[ProfilePipeline]
    compiles: list[ProfileCompile]
    hooks: dict[str, float]
    callbacks: dict[str, float]
    events: int
    damages: list[str]


class ProfileTrack(TypedDict):
    """A thread or stream; `lanes` are how many rows of the columns lie in each of its lanes."""

    process: str
    name: str
    lanes: list[int]


class ProfileLabel(TypedDict):
    """What events are called."""

    name: str
    kind: EventKind


class TimelineHead(TypedDict):
    """The JSON at the head of a timeline.

    `length` rows follow, `total` events there are in all, `window_total` of them in the window from `begin` to `end`
    (nanoseconds). Where `is_raw` is false, events shorter than `resolution` nanoseconds that stand close together are
    merged: such a row counts several and has the label of the first.
    """

    tracks: list[ProfileTrack]
    labels: list[ProfileLabel]
    length: int
    total: int
    window_total: int
    begin: float
    end: float
    resolution: float
    is_raw: bool
    left_out: int


class ProfileEvent(TypedDict):
    """What a file says about one event; times are in nanoseconds."""

    name: str
    kind: EventKind
    process: str
    track: str
    start: float
    duration: float
    args: dict[str, str]
