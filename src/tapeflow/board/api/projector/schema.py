"""What the projector's routes give."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from tapeflow.board.schema import Note

ProjectorMethod = Literal["tsne", "umap"]
ProjectorJobState = Literal["waiting", "running", "done", "failed", "cancelled"]
ProjectorColumnKind = Literal["categories", "numbers", "texts"]


class ProjectorSprite(TypedDict):
    """The size of each picture in the picture of all pictures."""

    width: int
    height: int


class ProjectorStep(TypedDict):
    """A set of points at one step; `step` is null where none was given, sizes are where the configuration is silent.

    `version` changes whenever the files do.
    """

    step: int | None
    version: str
    points: int | None
    dimensions: int | None
    has_metadata: bool
    sprite: ProjectorSprite | None
    has_bookmarks: bool


class ProjectorSet(TypedDict):
    """What was logged under one name in one run, in order of steps."""

    run: str
    run_name: str
    name: str
    steps: list[ProjectorStep]


class ProjectorSets(TypedDict):
    """All sets; `problems` says which configurations cannot be read, `missing` what methods lack, in words."""

    sets: list[ProjectorSet]
    problems: list[Note]
    missing: dict[str, str]


class ProjectorColumn(TypedDict):
    """A column of metadata; `distinct` counts different values."""

    name: str
    kind: ProjectorColumnKind
    distinct: int


class ProjectorFacts(TypedDict):
    """One step in detail; `notes` says what was cut or could not be read."""

    points: int
    dimensions: int
    columns: list[ProjectorColumn]
    notes: list[Note]
    bookmarks: list[Any]


class ProjectorRow(TypedDict):
    """All cells of one point, by the names of their columns."""

    index: int
    cells: list[list[str]]


class ProjectorNeighbors(TypedDict):
    """The nearest points, the nearest first, without the point itself."""

    index: int
    metric: Literal["cosine", "euclidean"]
    indices: list[int]
    distances: list[float]


class ProjectorArray(TypedDict):
    """An array of a packed message."""

    name: str
    dtype: Literal["f4", "u4"]
    length: int


class ProjectorLayoutHead(TypedDict):
    """The head of a packed layout; columns are `0`, `1`, ... in the order asked for. NaN: a point without a place."""

    arrays: list[ProjectorArray]
    iteration: int
    total: int
    variance: list[float]
    message: str
    note: Note | None


class ProjectorColumnHead(TypedDict):
    """The head of a packed column: `codes` point into `values`, or there are `numbers` and no values."""

    arrays: list[ProjectorArray]
    kind: ProjectorColumnKind
    values: list[str]


class ProjectorJob(TypedDict):
    """A projection that takes a while; `layout` counts the layouts there have been so far.

    `note` says what is done before there are iterations to count; `message` has the same in English, or the failure.
    """

    id: str
    method: ProjectorMethod
    state: ProjectorJobState
    iteration: int
    total: int
    layout: int
    message: str
    note: Note | None
