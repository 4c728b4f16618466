"""What the board's HTTP API takes and gives, as types; `docs/board-api.md` says it in words.

The page's own types (`web/src/api/schema.ts`) are generated from this module by `python -m
tapeflow.board.typescript`. A panel that adds answers of its own keeps its types in a `schema` module in its own
folder; they are found and generated alike.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

RunState = Literal["waiting", "loading", "ready", "broken"]
RunStatus = Literal["", "running", "finished", "crashed", "stalled"]
AlertLevel = Literal["info", "warning", "error"]
Axis = Literal["step", "relative", "wall"]
Setting = str | float | bool


class Logdir(TypedDict):
    """A folder or file being shown; `name` is "" unless the user gave one."""

    name: str
    path: str
    exists: bool


class Panel(TypedDict):
    """A kind of content; `tags` and `runs` are 0 while nothing of the kind has been read."""

    name: str
    title: str
    tags: int
    runs: int


class Note(TypedDict):
    """Something the board says: `text` in English, `code` and `values` for those who say it in another language.

    `run` is the name of the run it is about, where `text` begins with that and `code` does not tell it.
    """

    code: str
    text: str
    values: dict[str, str | float]
    run: NotRequired[str]


class Progress(TypedDict):
    """How far reading has come; `message` says it in words, with what is damaged, and `notes` one by one."""

    is_done: bool
    runs_total: int
    runs_read: int
    bytes_total: int
    bytes_read: int
    message: str
    notes: list[Note]


class Info(TypedDict):
    """The server: the first thing a page asks for."""

    api: int
    version: str
    title: str
    logdirs: list[Logdir]
    panels: list[Panel]
    read_only: bool
    reload_interval_s: float
    progress: Progress


class Damage(TypedDict):
    """A stretch of a file that could not be read; `file` is relative to the run's folder."""

    file: str
    offset: int
    nbytes: int
    reason: str


class Alert(TypedDict):
    """Something wrong with a run.

    `code` is that of the rule, or "user" for what `tf.summary.alert` logged. `note` says it; `detail` has a traceback,
    or the user's text. `count` says how often the user raised it.
    """

    code: str
    level: AlertLevel
    tag: str
    step: int | None
    wall_time: float | None
    count: int
    note: Note
    detail: str


class Run(TypedDict):
    """A run: a folder with event files.

    `path` holds the parts of its place in the tree. `message` is "" unless there is something to say; `notes` has
    the same one by one. `damages` holds the first few; `bad_bytes` counts all. `profiles` gives its profiles by
    name, each with a text that changes with its files. `status` is how the run says it is doing, "" if it captures
    nothing that would tell; `alerts` has the worst first.
    """

    id: str
    name: str
    path: list[str]
    logdir: int
    state: RunState
    live: bool
    start_time: float | None
    last_time: float | None
    points: int
    bytes_total: int
    bytes_read: int
    bad_bytes: int
    damages: list[Damage]
    message: str
    notes: list[Note]
    hparams: dict[str, Setting]
    profiles: dict[str, str]
    status: RunStatus
    alerts: list[Alert]


class UsualRun(TypedDict):
    """What most runs have nothing of."""

    live: bool
    bad_bytes: int
    damages: list[Damage]
    message: str
    notes: list[Note]
    hparams: dict[str, Setting]
    profiles: dict[str, str]
    status: RunStatus
    alerts: list[Alert]


class UnusualRun(TypedDict, total=False):
    """What there is to say of one run beside what the columns of an overview have."""

    live: bool
    bad_bytes: int
    damages: list[Damage]
    message: str
    notes: list[Note]
    hparams: dict[str, Setting]
    profiles: dict[str, str]
    status: RunStatus
    alerts: list[Alert]


class OverviewTag(TypedDict):
    """A tag of one panel."""

    tag: str
    display_name: str
    description: str


class Overview(TypedDict):
    """The head of the message in columns that has all runs and tags.

    The columns are, for each run: log folder, place of its state in `states`, start time, last time, points, bytes in
    all, bytes read; and then for each tag of each of `panels` in turn how many values the run has of it. `unusual` has
    by place what is not said of most runs.
    """

    version: int
    ids: list[str]
    names: list[str]
    states: list[RunState]
    unusual: dict[str, UnusualRun]
    panels: dict[str, list[OverviewTag]]
    columns: list[list[str | int | float | None]]


class RunsAnswer(TypedDict):
    """All runs, in the order of their names."""

    runs: list[Run]
    progress: Progress


class TagEntry(TypedDict):
    """A tag of one panel; `counts` and `last_steps` are by run id."""

    tag: str
    display_name: str
    description: str
    counts: dict[str, int]
    last_steps: dict[str, int]


class TagsAnswer(TypedDict):
    """The tags of every panel, or of those asked for."""

    panels: dict[str, list[TagEntry]]


class SeriesKey(TypedDict):
    """One tag of one run."""

    run: str
    tag: str


class SeriesRequest(TypedDict):
    """Many series, all over one window of one axis, each cut to about two points a pixel.

    Without `min` or `max` the window is open on that side. `pixels` 0 means every point. With `smoothing`, a
    number between 0 and 1, a smoothed column comes along, made of every point there is.
    """

    series: list[SeriesKey]
    axis: NotRequired[Axis]
    min: NotRequired[float | None]
    max: NotRequired[float | None]
    pixels: NotRequired[int]
    smoothing: NotRequired[float]
    format: NotRequired[Literal["columns", "json"]]


class SeriesHead(TypedDict):
    """One series of an answer in columns.

    `length` points are given of the `window_total` in the window and the `total` there are. `missing` is true
    if there is no such run or tag (yet). `is_raw` says that no point of the window was left out. In a live
    message `is_reset` says that what was read before no longer holds.
    """

    run: str
    tag: str
    length: int
    window_total: int
    total: int
    is_raw: bool
    missing: bool
    cursor: str
    start_time: float | None
    is_reset: bool
    has_smoothed: bool


class ColumnsHead(TypedDict):
    """The JSON at the head of a message in columns."""

    series: list[SeriesHead]


class MediaSample(TypedDict):
    """One picture, sound, text, ... of a step; `url` is relative to the board's root."""

    url: str
    mime: str


class MediaItem(TypedDict):
    """What was logged at one step; width and height are 0 where they are not known."""

    step: int
    wall_time: float
    width: int
    height: int
    samples: list[MediaSample]


class MediaAnswer(TypedDict):
    """Steps of one tag of one run, in order of steps."""

    run: str
    tag: str
    total: int
    cursor: str
    items: list[MediaItem]


class TextBlob(TypedDict):
    """What the URL of a text gives: strings in the order of an array of this shape."""

    shape: list[int]
    texts: list[str]
    is_cut: bool


class TableBlob(TypedDict):
    """What the URL of a table gives."""

    columns: list[str]
    rows: list[list[str]]
    row_total: int


class RunSettings(TypedDict):
    """How a run is shown: `hidden` is archived, `pinned` the baseline, `on_top` above others in the table."""

    label: NotRequired[str]
    note: NotRequired[str]
    color: NotRequired[str]
    tags: NotRequired[list[str]]
    hidden: NotRequired[bool]
    pinned: NotRequired[bool]
    starred: NotRequired[bool]
    on_top: NotRequired[bool]


class Settings(TypedDict):
    """The board's sidecar: by run id, and `page`, which belongs to the page."""

    runs: dict[str, RunSettings]
    page: dict[str, Any]


class LiveHello(TypedDict):
    """The first message of the live stream; `client` names it in `POST /api/v1/live/{client}`."""

    client: str


class LiveRequest(TypedDict):
    """The series a client follows, each from a cursor on ("" from the beginning); replaces the former list."""

    series: list[LiveSeries]


class LiveSeries(TypedDict):
    """A series and how much of it the client has."""

    run: str
    tag: str
    cursor: str


class LiveRuns(TypedDict):
    """Runs that are new or have changed, and ids of those that are gone."""

    runs: list[Run]
    removed: list[str]
    progress: Progress


class LiveTags(TypedDict):
    """Tags that are new or have grown, by panel; if `is_all`, there were too many: ask for them again.

    `counts` and `last_steps` hold the runs that changed only. `removed` names runs that have begun again: their
    former counts no longer hold.
    """

    is_all: bool
    removed: list[str]
    panels: dict[str, list[TagEntry]]


class LivePoints(TypedDict):
    """New points of followed series: a message in columns, in base64."""

    columns: str


class Problem(TypedDict):
    """The body of every answer with a status of 400 and more.

    `note` is the same, for those who say it in another language, where it is about what a user of the page can meet.
    """

    error: str
    note: Note | None


class ExportData(TypedDict):
    """What a page saved by `tapeflow board export` carries instead of a server.

    `answers` holds the bodies of GET requests, by URL relative to the board's root, as they are (JSON);
    `blobs` the others, as data URLs; `series` one message in columns, in base64, with all scalar series.
    """

    answers: dict[str, Any]
    blobs: dict[str, str]
    series: str
