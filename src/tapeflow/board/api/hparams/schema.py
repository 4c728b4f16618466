"""What the HParams panel gives."""

from __future__ import annotations

from typing import Literal, TypedDict

from tapeflow.board import schema as common

MetricPoint = Literal["last", "min", "max", "mean"]
HParamKind = Literal["number", "string", "bool"]


class HParamColumn(TypedDict):
    """An hparam; `values` has one for each group, null where it was not set.

    In a column of numbers NaN and infinities are strings. Values of several types under one name are strings.
    """

    name: str
    display_name: str
    description: str
    kind: HParamKind
    differs: bool
    values: list[common.Setting | None]


class MetricColumn(TypedDict):
    """A metric: `tag` in the folder `group` below a session; the mean over the sessions of each group.

    `is_declared` says that the experiment names it as what sessions are judged by.
    """

    tag: str
    group: str
    display_name: str
    description: str
    is_declared: bool
    values: list[float | str | None]


class SessionGroup(TypedDict):
    """A trial: sessions with one group name. `runs` are the ids of all its runs, the sessions' first."""

    name: str
    sessions: list[str]
    runs: list[str]
    status: str
    start_time: float | None
    duration_s: float | None


class HParamsAnswer(TypedDict):
    """The table of all sessions; `left_out`, and `notes` one by one, say what is not in it."""

    groups: list[SessionGroup]
    hparams: list[HParamColumn]
    metrics: list[MetricColumn]
    left_out: str
    notes: list[common.Note]


class HParamImportance(TypedDict):
    """How much one hparam matters.

    `importance` is the share of the metric's spread that the forest can no longer predict once the values of this
    hparam are shuffled, `error` its standard error; both null if nothing was computed. `correlation` is Spearman's for
    numbers, and for others the correlation ratio, which has no sign; null where it is not defined.
    """

    name: str
    display_name: str
    kind: HParamKind
    is_constant: bool
    importance: float | None
    error: float | None
    correlation: float | None


class ImportanceAnswer(TypedDict):
    """Which hparams matter for a metric, the most important first.

    `explained` is how much of the order of sessions the forest predicts of those it has not seen: 1 for all of it,
    0 or less for nothing. It is null, and `reason` (one by one `notes`) says why, if there is too little to
    compute from.
    """

    sessions: int
    explained: float | None
    reason: str
    notes: list[common.Note]
    hparams: list[HParamImportance]
