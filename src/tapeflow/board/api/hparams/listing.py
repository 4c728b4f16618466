"""Experiments and session groups as TensorBoard lists them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from tapeflow.board.api.hparams.requests import STATUSES, Column, ExperimentRequest, GroupsRequest
from tapeflow.board.api.hparams.sessions import ROOT, HparamsSession, MetricName, Study
from tapeflow.board.logdirs import run_id
from tapeflow.board.runs import Run
from tapeflow.board.schema import Setting
from tapeflow.board.series import Series
from tapeflow.board.store import Store
from tapeflow.summary.trials import HParamInfo, MetricInfo

_TYPES = {
    "": "DATA_TYPE_UNSET",
    "string": "DATA_TYPE_STRING",
    "bool": "DATA_TYPE_BOOL",
    "float": "DATA_TYPE_FLOAT64",
}
_STATUSES: dict[str, str] = dict(zip(("unknown", "success", "failure", "running"), STATUSES, strict=True))


class Measured(NamedTuple):
    """The value of a metric, and when it was."""

    name: MetricName
    value: float
    step: int
    wall_time: float


class Listed(NamedTuple):
    """A session with its metrics."""

    session: HparamsSession
    status: str
    measured: list[Measured]


class Group(NamedTuple):
    """Sessions of one name, with the metrics of all of them, or of one chosen among them."""

    name: str
    hparams: dict[str, Setting]
    measured: list[Measured]
    sessions: list[Listed]

    def value(self, column: Column) -> Any:
        """What the group has in a column; None for nothing."""
        if column.metric is None:
            return self.hparams.get(column.hparam or "")
        return next((one.value for one in self.measured if one.name == column.metric), None)


def series_at(store: Store, session: str, metric: MetricName) -> tuple[Run, Series] | None:
    """The scalars of a metric of a session."""
    tag, group = metric
    run = store.runs.get(run_id(f"{session}/{group}" if group else session))
    series = run.scalars.get(tag) if run is not None else None
    return (run, series) if run is not None and series is not None and len(series) else None


def experiment_of(study: Study, request: ExperimentRequest) -> dict[str, Any]:
    """The experiment: the first there is, or what can be known from the sessions."""
    if study.experiments:
        first = study.experiments[0]
        infos = [_info(info) for info in first.hparams]
        facts = (first.name, first.description, first.user, first.time_created)
    else:
        infos = _infos_of(study)
        facts = ("", "", "", 0.0)
    infos.sort(key=lambda info: (not info["differs"], info["name"]))
    name, description, user, created = facts
    return {
        "name": name,
        "description": description,
        "user": user,
        "timeCreatedSecs": number(created),
        "hparamInfos": infos[: request.most_hparams or None],
        "metricInfos": [_metric_info(m) for m in metric_infos(study)]
        if request.has_metrics and infos
        else [],
    }


def metric_infos(study: Study) -> list[MetricInfo]:
    """The metrics that the first experiment names; without one, all scalars there are."""
    if study.experiments:
        return study.experiments[0].metrics
    # In TensorBoard a session in the log folder itself has but its own scalars, in a group that nobody logs to.
    names = {
        (tag, "." if session.run.name == ROOT else group)
        for session in study.sessions
        for group, run in session.parts.items()
        if run is session.run or (session.run.name != ROOT and run.name.startswith(f"{session.run.name}/"))
        for tag, series in list(run.scalars.items())
        if series.panel == "scalars"
    }
    return [MetricInfo(tag, group, "", "") for tag, group in sorted(names)]


def groups_of(store: Store, study: Study, request: GroupsRequest) -> list[Group]:
    """The groups that pass the filters, in the order asked for."""
    names = [(info.tag, info.group) for info in metric_infos(study)] if request.has_metrics else []
    found: dict[str, Group] = {}
    for session in study.sessions:
        trial = session.trial
        status = "unknown" if trial.end_time is None else trial.status
        if _STATUSES[status] not in request.statuses:
            continue
        listed = Listed(session, _STATUSES[status], _measured(store, session.run.name, names))
        name = trial.group or session.run.name
        if name not in found:
            kept = {key: value for key, value in trial.hparams.items() if _is_finite(value)}
            found[name] = Group(name, kept, [], [])
        found[name].sessions.append(listed)
    groups = []
    for group in found.values():
        group.sessions.sort(key=lambda one: one.session.run.name)
        groups.append(group._replace(measured=_aggregated(group.sessions, request)))
    groups = [group for group in groups if all(_passes(group, column) for column in request.columns)]
    groups.sort(key=lambda group: group.name)
    for column in reversed(request.columns):
        _sort(groups, column)
    return [_reduced(group, request.columns) for group in groups]


def group_answer(group: Group) -> dict[str, Any]:
    """A group in TensorBoard's words."""
    return {
        "name": group.name,
        "hparams": group.hparams,
        "metricValues": [_metric_value(one) for one in group.measured],
        "sessions": [_session(one) for one in group.sessions],
        "monitorUrl": group.sessions[0].session.trial.monitor_url,
    }


def number(value: float) -> float | str:
    """A number as protobuf writes it in JSON."""
    if math.isfinite(value):
        return value
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def _measured(store: Store, session: str, names: Sequence[MetricName]) -> list[Measured]:
    found = []
    for name in names:
        place = series_at(store, session, name)
        if place is not None:
            columns = place[1].columns
            last = columns.count - 1
            found.append(
                Measured(
                    name,
                    float(columns["values"][last]),
                    int(columns["steps"][last]),
                    float(columns["wall_times"][last]),
                )
            )
    return found


def _aggregated(sessions: Sequence[Listed], request: GroupsRequest) -> list[Measured]:
    """The metrics of a group: the mean of its sessions, or those of the one chosen by a metric."""
    if request.aggregation in ("AGGREGATION_UNSET", "AGGREGATION_AVG"):
        by_name: dict[MetricName, list[Measured]] = {}
        for one in (one for session in sessions for one in session.measured):
            by_name.setdefault(one.name, []).append(one)
        return [
            Measured(
                name,
                sum(m.value for m in of) / len(of),
                sum(m.step for m in of) // len(of),
                sum(m.wall_time for m in of) / len(of),
            )
            for name, of in by_name.items()
        ]
    wanted = request.aggregation_metric
    having = [(m.value, listed) for listed in sessions for m in listed.measured if m.name == wanted]
    if not having:
        return []
    having.sort(key=lambda pair: pair[0])
    if request.aggregation == "AGGREGATION_MEDIAN":
        return having[(len(having) - 1) // 2][1].measured
    if request.aggregation == "AGGREGATION_MIN":
        return having[0][1].measured
    return max(having, key=lambda pair: pair[0])[1].measured


def _passes(group: Group, column: Column) -> bool:
    if column.passes is None and not column.excludes_missing:
        return True
    value = group.value(column)
    if value is None:
        return not column.excludes_missing
    return column.passes is None or column.passes(value)


def _sort(groups: list[Group], column: Column) -> None:
    """Sort by a column. Values of several types under one name come type by type; TensorBoard fails there."""
    if column.order == "ORDER_UNSPECIFIED":
        return
    is_down = column.order == "ORDER_DESC"
    missing_is_largest = column.puts_missing_first if is_down else not column.puts_missing_first

    def key(group: Group) -> tuple[bool, bool, Any]:
        value = group.value(column)
        is_missing = value is None
        return is_missing == missing_is_largest, isinstance(value, str), 0 if is_missing else value

    groups.sort(key=key, reverse=is_down)


def _reduced(group: Group, columns: Sequence[Column]) -> Group:
    if all(column.is_included is None for column in columns):
        return group
    kept = {column.hparam for column in columns if column.is_included is not False}
    return group._replace(hparams={name: value for name, value in group.hparams.items() if name in kept})


def _is_finite(value: Setting) -> bool:
    return isinstance(value, str) or math.isfinite(value)


def _session(listed: Listed) -> dict[str, Any]:
    trial = listed.session.trial
    return {
        "name": listed.session.run.name,
        "startTimeSecs": number(trial.start_time),
        "endTimeSecs": number(trial.end_time or 0.0),
        "status": listed.status,
        "modelUri": trial.model_uri,
        "metricValues": [_metric_value(one) for one in listed.measured],
        "monitorUrl": trial.monitor_url,
    }


def _metric_value(one: Measured) -> dict[str, Any]:
    return {
        "name": _metric_name(one.name),
        "value": number(one.value),
        "trainingStep": one.step,
        "wallTimeSecs": number(one.wall_time),
    }


def _metric_name(name: MetricName) -> dict[str, str]:
    return {"group": name[1], "tag": name[0]}


def _metric_info(info: MetricInfo) -> dict[str, Any]:
    return {
        "name": _metric_name((info.tag, info.group)),
        "displayName": info.display_name,
        "description": info.description,
        "datasetType": f"DATASET_{info.dataset.upper()}",
    }


def _info(info: HParamInfo, differs: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": info.name,
        "displayName": info.display_name,
        "description": info.description,
        "type": _TYPES[info.type],
        "differs": differs,
    }
    if info.values is not None:
        found["domainDiscrete"] = info.values
    if info.interval is not None:
        low, high = info.interval
        found["domainInterval"] = {"minValue": number(low), "maxValue": number(high)}
    return found


def _infos_of(study: Study) -> list[dict[str, Any]]:
    """What the sessions tell of hparams nobody described: a type that fits all values, and the values there are."""
    values: dict[str, list[Setting]] = {}
    for session in study.sessions:
        for name, value in session.trial.hparams.items():
            values.setdefault(name, []).append(value)
    return [_info_of(name, found) for name, found in values.items()]


def _info_of(name: str, values: list[Setting]) -> dict[str, Any]:
    types = {type(value) for value in values}
    if types == {bool}:
        distinct = sorted(set(values))
        return _info(HParamInfo(name, "", "", "bool", distinct, None), len(distinct) > 1)
    if types == {float}:
        ordered = sorted(float(value) for value in values)
        interval = (ordered[0], ordered[-1])
        return _info(HParamInfo(name, "", "", "float", None, interval), len(set(ordered)) > 1)
    texts = sorted({_text(value) for value in values if _is_finite(value)})
    return _info(HParamInfo(name, "", "", "string", list(texts), None), len(texts) > 1)


def _text(value: Setting) -> str:
    """A value as JSON has it, without quotes."""
    text = json.dumps(value)
    return text[1:-1] if isinstance(value, str) else text
