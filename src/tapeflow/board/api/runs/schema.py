"""What the runs panel gives and takes."""

from __future__ import annotations

from typing import Literal, TypedDict

from tapeflow.board import schema as common

RunStanding = Literal[
    "reading", "unreadable", "running", "finished", "stopped", "stalled", "crashed", "ended"
]
RunHParamKind = Literal["number", "string", "bool"]


class RunRow(TypedDict):
    """A run as its user sees it: a folder, and the `train` and `validation` in it.

    `id` is that of the run whose settings count for the row; `runs` has the ids of all. `standing` is `ended` where
    nothing is written any more and the files do not tell how it ended.
    """

    id: str
    name: str
    runs: list[str]
    standing: RunStanding
    host: str


class RunHParam(TypedDict):
    """An hparam; `values` has one for each row, null where it was not set.

    In a column of numbers NaN and infinities are strings. Values of several types under one name are strings.
    """

    name: str
    kind: RunHParamKind
    differs: bool
    values: list[common.Setting | None]


class RunsTable(TypedDict):
    """The head of the message in columns that is the table; the ids and names are of its rows, as in `RunRow`.

    `members` has, by the number of the row, the ids of rows that are not one run alone. The columns are the places of
    standing and host in `standings` and `hosts`, the start, the duration in seconds and the number of points of every
    row, and then six for each of `scalars`, which names them: last value and step, least value and step, largest value
    and step. NaN stands for what there is not; a step is NaN only where a row does not have the scalar. `version` is
    that of the overview that has the same runs.
    """

    version: int
    ids: list[str]
    names: list[str]
    members: dict[str, list[str]]
    standings: list[RunStanding]
    hosts: list[str]
    hparams: list[RunHParam]
    scalars: list[str]
    left_out: str
    notes: list[common.Note]
    columns: list[list[str | int | float | None]]


class RunScalar(TypedDict):
    """A series of numbers of a run; NaN and infinities are strings."""

    name: str
    run: str
    tag: str
    count: int
    last: float | str
    last_step: int
    least: float | str
    least_step: int
    largest: float | str
    largest_step: int


class RunFile(TypedDict):
    """An event file of a run."""

    run: str
    name: str
    nbytes: int


class RunSection(TypedDict):
    """Something that a run says of itself: `facts` by name, or a `text`, cut if it was too long.

    `kind` says how a text is shown: as it is, as a diff, as what a program printed, or as Markdown.
    """

    name: str
    kind: Literal["facts", "text", "diff", "console", "markdown"]
    facts: dict[str, str]
    text: str
    is_cut: bool


class RunChart(TypedDict):
    """A metric of the machine over the seconds since the run began, thinned out; `unit` is `%`, `B` or `B/s`.

    `tag` names it for those who say its title in another language.
    """

    tag: str
    title: str
    unit: str
    seconds: list[float]
    values: list[float | str]


class RunPage(TypedDict):
    """All that is known of one run but its media and curves."""

    row: RunRow
    start_time: float | None
    last_time: float | None
    duration_s: float | None
    points: int
    hparams: dict[str, common.Setting]
    scalars: list[RunScalar]
    files: list[RunFile]
    notes: list[common.Note]
    sections: list[RunSection]
    system: list[RunChart]


class TrashedRun(TypedDict):
    """A run in the trash; `trash` names it for those who want it back."""

    trash: str
    name: str
    time: float
    files: int
    nbytes: int


class TrashAnswer(TypedDict):
    """What is in the trash, the latest first; `refused` says of what could not be moved why."""

    trashed: list[TrashedRun]
    refused: list[common.Note]


class TrashRequest(TypedDict):
    """Which runs to delete, by the ids of their rows."""

    runs: list[str]


class RestoreRequest(TypedDict):
    """What to take out of the trash, or to delete for good, by `trash`."""

    trashed: list[str]
