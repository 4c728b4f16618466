"""The hyperparameters of a run, read back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from google.protobuf.message import DecodeError

from tapeflow.summary.kinds.hyperparameters import END_TAG, EXPERIMENT_TAG, START_TAG
from tapeflow.summary.protos import message

_STATUSES = ("unknown", "success", "failure", "running")
_TYPES = ("", "string", "bool", "float")
_DATASETS = ("unknown", "training", "validation")


class Described(Protocol):
    """A series, of which the plugin's content is all that is looked at."""

    content: bytes


class Trial(NamedTuple):
    """What a run says of itself as a trial.

    Attributes:
        hparams: the values by name; numbers are floats.
        group: which runs are the same trial.
        start_time: in seconds since 1970.
        end_time: None if it has not ended, or was not told.
        status: "running", "success", "failure" or "unknown".
        model_uri, monitor_url: where its model is, and who watches it; "" unless told.
    """

    hparams: dict[str, bool | float | str]
    group: str
    start_time: float
    end_time: float | None
    status: str
    model_uri: str = ""
    monitor_url: str = ""


class HParamInfo(NamedTuple):
    """A hyperparameter of an experiment: `type` is "string", "bool", "float" or ""; a domain may be missing."""

    name: str
    display_name: str
    description: str
    type: str
    values: list[bool | float | str] | None
    interval: tuple[float, float] | None


class MetricInfo(NamedTuple):
    """A metric of an experiment: the tag, in the run's own folder or in one below it."""

    tag: str
    group: str
    display_name: str
    description: str
    dataset: str = "unknown"


class Experiment(NamedTuple):
    """What an experiment varies and is judged by; by whom and when it was made, if that was told."""

    hparams: list[HParamInfo]
    metrics: list[MetricInfo]
    name: str = ""
    description: str = ""
    user: str = ""
    time_created: float = 0.0


def read_trial(run: Mapping[str, Described]) -> Trial | None:
    """The hyperparameters of a run, and how it ended; None if it has none."""
    start = _data(run, START_TAG, "session_start_info")
    if start is None:
        return None
    end = _data(run, END_TAG, "session_end_info")
    return Trial(
        {name: _value(value) for name, value in sorted(start.hparams.items())},
        start.group_name,
        start.start_time_secs,
        None if end is None else end.end_time_secs,
        "running" if end is None else _named(_STATUSES, end.status),
        start.model_uri,
        start.monitor_url,
    )


def read_experiment(run: Mapping[str, Described]) -> Experiment | None:
    """The experiment that a run describes; None if it describes none."""
    found = _data(run, EXPERIMENT_TAG, "experiment")
    if found is None:
        return None
    metrics = [
        MetricInfo(m.name.tag, m.name.group, m.display_name, m.description, _named(_DATASETS, m.dataset_type))
        for m in found.metric_infos
    ]
    hparams = [_hparam(info) for info in found.hparam_infos]
    return Experiment(hparams, metrics, found.name, found.description, found.user, found.time_created_secs)


def _hparam(info: Any) -> HParamInfo:
    domain = info.WhichOneof("domain")
    values = [_value(v) for v in info.domain_discrete.values] if domain == "domain_discrete" else None
    ends = (info.domain_interval.min_value, info.domain_interval.max_value)
    kind = _named(_TYPES, info.type)
    interval = ends if domain == "domain_interval" else None
    return HParamInfo(info.name, info.display_name, info.description, kind, values, interval)


def _data(run: Mapping[str, Described], tag: str, field: str) -> Any:
    series = run.get(tag)
    if series is None:
        return None
    try:
        found = message("hparams.HParamsPluginData").FromString(series.content)
    except DecodeError:
        return None
    return getattr(found, field) if found.WhichOneof("data") == field else None


def _named(names: tuple[str, ...], number: int) -> str:
    """The name of a number of an enum; the first for one that is not known."""
    return names[number] if 0 <= number < len(names) else names[0]


def _value(value: Any) -> bool | float | str:
    kind = value.WhichOneof("kind")
    return "" if kind is None else getattr(value, kind)
