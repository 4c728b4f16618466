"""The table of all sessions, in columns: what the page shows, sorts, filters and draws."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from tapeflow.board.api.hparams.notes import NOTES
from tapeflow.board.api.hparams.schema import (
    HParamColumn,
    HParamsAnswer,
    MetricColumn,
    MetricPoint,
    SessionGroup,
)
from tapeflow.board.api.hparams.sessions import HparamsSession, Study
from tapeflow.board.column_messages import numbers
from tapeflow.board.hparams import MOST_SHOWN, typed_values
from tapeflow.board.notes import joined
from tapeflow.board.runs import Run
from tapeflow.board.schema import Note
from tapeflow.summary.trials import HParamInfo, MetricInfo

MOST_HPARAMS = 1000
MOST_METRICS = 300
MOST_GROUPS = 20_000


def table_of(study: Study, point: MetricPoint) -> HParamsAnswer:
    """The whole table; of each metric the last value, or the least, largest or mean of all its steps."""
    groups = study.groups()
    left_out: list[Note] = []
    if len(groups) > MOST_GROUPS:
        left_out.append(NOTES("sessions_cut", n=len(groups) - MOST_GROUPS, most=MOST_GROUPS))
        groups = dict(itertools.islice(groups.items(), MOST_GROUPS))
    members = list(groups.values())
    hparams, hparams_left = _hparam_columns(study, [sessions[0] for sessions in members])
    if hparams_left:
        left_out.append(NOTES("hparams_cut", n=hparams_left, most=MOST_HPARAMS, length=MOST_SHOWN))
    metrics, metrics_left = _metric_columns(study, members, point)
    if metrics_left:
        left_out.append(NOTES("metrics_cut", n=metrics_left, most=MOST_METRICS))
    return {
        "groups": [_group(name, sessions) for name, sessions in groups.items()],
        "hparams": hparams,
        "metrics": metrics,
        "left_out": joined(left_out),
        "notes": left_out,
    }


def _group(name: str, sessions: list[HparamsSession]) -> SessionGroup:
    runs = [session.run for session in sessions]
    parts = [run for session in sessions for group, run in session.parts.items() if group]
    spans = [_span(session) for session in sessions]
    starts = [start for start, _ in spans if start is not None]
    durations = [duration for _, duration in spans if duration is not None]
    statuses = {_status(session) for session in sessions}
    return {
        "name": name[:MOST_SHOWN],
        "sessions": [run.name for run in runs],
        "runs": [run.id for run in (*runs, *parts)],
        "status": next((s for s in ("running", "failure", "unknown", "stopped") if s in statuses), "success"),
        "start_time": min(starts, default=None),
        "duration_s": sum(durations) / len(durations) if durations else None,
    }


def _status(session: HparamsSession) -> str:
    """How a session is: one that has not said that it ended runs only as long as something is written.

    One that said so without saying how was stopped: a search gave it up.
    """
    status = session.trial.status
    if status == "running" and not any(run.is_live for run in session.parts.values()):
        return "unknown"
    return "stopped" if status == "unknown" and session.trial.end_time is not None else status


def _span(session: HparamsSession) -> tuple[float | None, float | None]:
    """When a session began, and how long it took, or has taken so far."""
    trial, runs = session.trial, session.parts.values()
    begins = [run.start_time for run in runs if run.start_time is not None]
    ends = [run.last_time for run in runs if run.last_time is not None]
    start = _time(trial.start_time) or min(begins, default=None)
    end = _time(trial.end_time) or max(ends, default=None)
    return start, None if start is None or end is None else max(end - start, 0.0)


def _time(told: float | None) -> float | None:
    return told if told and math.isfinite(told) and told > 0 else None


def _hparam_columns(study: Study, firsts: Sequence[HparamsSession]) -> tuple[list[HParamColumn], int]:
    """The columns of hparams, those that differ first, and how many are left out."""
    declared = _named((info.name, info) for experiment in study.experiments for info in experiment.hparams)
    rows = [session.trial.hparams for session in firsts]
    counts = Counter(itertools.chain.from_iterable(rows))
    fitting = [name for name in (*declared, *sorted(counts.keys() - declared.keys())) if name in counts]
    fitting = [name for name in dict.fromkeys(fitting) if len(name) <= MOST_SHOWN]
    if len(fitting) > MOST_HPARAMS:  # those that most sessions have
        fitting = sorted(fitting, key=lambda name: -counts[name])[:MOST_HPARAMS]
    columns: list[HParamColumn] = []
    for name in fitting:
        kind, values = typed_values([row.get(name) for row in rows])
        info = declared.get(name)
        columns.append(
            {
                "name": name,
                "display_name": info.display_name[:MOST_SHOWN] if info else "",
                "description": info.description[:MOST_SHOWN] if info else "",
                "kind": kind,
                "differs": len(set(values)) > 1,
                "values": values,
            }
        )
    columns.sort(key=lambda column: not column["differs"])
    return columns, len(counts) - len(columns)


_Key = TypeVar("_Key")
_Info = TypeVar("_Info", HParamInfo, MetricInfo)


def _named(infos: Iterable[tuple[_Key, _Info]]) -> dict[_Key, _Info]:
    """What experiments say about each thing: the first of them, but rather one that gives it a name."""
    found: dict[_Key, _Info] = {}
    for key, info in infos:
        if key not in found or (info.display_name and not found[key].display_name):
            found[key] = info
    return found


def _metric_columns(
    study: Study, members: Sequence[list[HparamsSession]], point: MetricPoint
) -> tuple[list[MetricColumn], int]:
    """The columns of metrics, those the experiment declares first, and how many are left out."""
    infos = _named(((m.tag, m.group), m) for experiment in study.experiments for m in experiment.metrics)
    logged = study.metrics()
    order = [name for name in infos if name in set(logged)] + [name for name in logged if name not in infos]
    columns: list[MetricColumn] = []
    parts: dict[str, list[list[Run]]] = {}
    for name in order[:MOST_METRICS]:
        tag, group = name
        if group not in parts:
            parts[group] = [[s.parts[group] for s in sessions if group in s.parts] for sessions in members]
        info = infos.get(name)
        columns.append(
            {
                "tag": tag,
                "group": group,
                "display_name": info.display_name[:MOST_SHOWN] if info else "",
                "description": info.description[:MOST_SHOWN] if info else "",
                "is_declared": info is not None,
                "values": _means(parts[group], tag, point),
            }
        )
    return columns, len(order) - len(columns)


def _means(parts: Sequence[list[Run]], tag: str, point: MetricPoint) -> list[float | str | None]:
    """The mean over the runs of each group that have the tag; None where none has."""
    found: list[float | None] = []
    for runs in parts:
        series = [one for run in runs if (one := run.scalars.get(tag)) is not None and len(one)]
        values = [_at(one.columns["values"], point) for one in series]
        found.append(sum(values) / len(values) if values else None)
    shown = numbers(np.array([math.nan if value is None else value for value in found], np.float64))
    return [None if value is None else text for value, text in zip(found, shown, strict=True)]


def _at(values: np.ndarray, point: MetricPoint) -> float:
    """One number for all steps; what is NaN counts for the last value only, unless there is nothing else."""
    if point == "last":
        return float(values[-1])
    if point == "min":
        return float(np.fmin.reduce(values))
    if point == "max":
        return float(np.fmax.reduce(values))
    kept = values[np.isfinite(values)]
    return float(kept.mean()) if len(kept) else math.nan
