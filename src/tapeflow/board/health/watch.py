"""Judging runs as they are read, on a thread of its own.

What was read of a run that is over is judged once, after everything has been read, and the findings go into the index.
Of a run that is being written only what is new is folded into its trends, so a look costs the same after a week.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tapeflow.board.health import rules
from tapeflow.board.health.alerts import alerts_of, status
from tapeflow.board.health.rules import Finding
from tapeflow.board.health.trend import Trend
from tapeflow.board.health.vitals import Status
from tapeflow.board.logdirs import run_id
from tapeflow.board.runs import Run
from tapeflow.board.schema import Alert
from tapeflow.board.series import Series
from tapeflow.board.store import Store
from tapeflow.summary.captured.messages import SYSTEM_PLUGIN

PAUSE_S = 1.0
_STATUS_S = 5.0
_MOST_HISTOGRAMS = 64  # of a tag, at a look
MOST_FINDINGS = 20
_log = logging.getLogger("tapeflow.board")
Listener = Callable[[Run, Alert], None]


@dataclass
class _Judged:
    """What is known of a run that is being written."""

    generation: int
    counts: dict[str, int] = field(default_factory=dict)
    trends: dict[str, Trend] = field(default_factory=dict)
    found: dict[str, Finding] = field(default_factory=dict)
    is_over: bool = False


class Health:
    """Keeps the findings of a store's runs up to date.

    Attributes:
        listeners: told of each alert that is new, unless it was there when the board began.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.listeners: list[Listener] = []
        self._judged: dict[str, _Judged] = {}
        self._reported: dict[str, set[tuple[str, str]]] = {}
        self._statuses: dict[str, Status] = {}
        self._profiles: dict[str, Finding | None] = {}
        self._news = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="board-health", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self.store.listeners.append(self._news.set)
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._stopping.set()
        self._news.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _watch(self) -> None:
        self.store.opened.wait()
        version, todo = -1, self._known_from_before()
        while not self._stopping.is_set():
            changes = self.store.changes(version)
            version = changes.version
            todo |= changes.runs
            todo |= self._runs_of_new_status()
            todo = self._look_at(todo)
            self._news.wait(_STATUS_S)
            self._news.clear()
            self._stopping.wait(PAUSE_S)

    def _known_from_before(self) -> set[str]:
        """Of the runs that a snapshot had, those that have not been judged; what the others have is not news."""
        found = set()
        for run in self.store.ordered_runs():
            if run.judged != run.points:
                found.add(run.id)
            elif run.findings or run.vitals:
                self._statuses[run.id] = now = status(run)
                self._reported[run.id] = {_key_of(alert) for alert in alerts_of(run, now)}
        return found

    def _look_at(self, todo: set[str]) -> set[str]:
        """Look at runs; those that have to wait."""
        later = set()
        is_done = self.store.is_read
        for one in todo:
            run = self.store.runs.get(one)
            if self._stopping.is_set() or run is None:
                self._forget(one)
            elif run.state == "waiting" or run.state == "loading" or not (is_done or run.is_live):
                later.add(one)
            else:
                try:
                    self.look(run)
                except Exception as error:  # a fault of ours must not end the looking at other runs  # noqa: BLE001
                    _log.error("judging run %r failed", run.name, exc_info=error)
        return later

    def _forget(self, one: str) -> None:
        for kept in (self._judged, self._reported, self._statuses):
            kept.pop(one, None)

    def _runs_of_new_status(self) -> set[str]:
        """Runs that have fallen silent, or speak again, without anything having been read."""
        found = set()
        with self.store.lock:
            runs = [run for run in self.store.runs.values() if run.vitals.get("state") == "running"]
        for run in runs:
            if status(run) != self._statuses.get(run.id, "running"):
                found.add(run.id)
        return found

    # One run

    def look_at_all(self) -> None:
        """Judge all runs, of a board that is not running."""
        for run in self.store.ordered_runs():
            if run.state == "ready":
                self.look(run)

    def look(self, run: Run) -> None:
        """Judge what is new of a run."""
        was_loaded = run.is_loaded
        findings = self._findings(run)
        now = status(run)
        before = self._statuses.get(run.id)
        self._statuses[run.id] = now
        is_new = findings != run.findings
        with self.store.lock:
            run.judged, run.findings = run.points, findings
            if is_new or (before is not None and before != now):
                self.store.changed(run)
        self._tell(run, now)
        if not was_loaded:
            self.store.let_go(run)

    def _findings(self, run: Run) -> list[Finding]:
        if run.judged == run.points and run.id not in self._judged and not run.is_live:
            series = [finding for finding in run.findings if finding.code != "input_bound"]  # from the index
        else:
            series = self._judge(run)
        profiles = [found for name in run.profiles() if (found := self._of_profile(run, name)) is not None]
        return [*series, *profiles][:MOST_FINDINGS]

    def _judge(self, run: Run) -> list[Finding]:
        judged = self._judged.get(run.id)
        if judged is None or judged.generation != run.generation:
            judged = self._judged[run.id] = _Judged(run.generation)
        is_over = not run.is_live or status(run) in ("finished", "crashed")
        with self.store.lock:
            scalars, entries = list(run.scalars.values()), list(run.entries.values())
        grown = [series for series in scalars if self._add(judged, series, run.name)]
        if is_over != judged.is_over:
            grown = scalars
        for series in grown:
            self._judge_series(judged, run, series, is_over)
        for series in entries:
            self._judge_histograms(judged, run, series)
        self._judge_disk(judged, run)
        judged.is_over = is_over
        if not run.is_live:
            self._judged.pop(run.id, None)
        return list(judged.found.values())

    def _add(self, judged: _Judged, series: Series, run_name: str) -> bool:
        """Fold in what is new of a series; whether there is anything to judge."""
        count, seen = len(series), judged.counts.get(series.tag, 0)
        if count == seen:
            return False
        judged.counts[series.tag] = count
        trend = judged.trends.get(series.tag)
        columns = series.columns
        if trend is None:
            is_plain = rules.kind_of(series.tag, run_name) == "other"
            if is_plain and np.isfinite(columns["values"][seen:count]).all():
                return False
            trend, seen = Trend(), 0
            judged.trends[series.tag] = trend
        rows = slice(seen, count)
        trend.add(columns["steps"][rows], columns["values"][rows])
        return True

    def _judge_series(self, judged: _Judged, run: Run, series: Series, is_over: bool) -> None:
        trend = judged.trends.get(series.tag)
        if trend is None or series.plugin == SYSTEM_PLUGIN:
            return
        kind = rules.kind_of(series.tag, run.name)
        found = rules.scalar_finding(kind, series.tag, trend, is_over)
        if found is None and kind == "validation_loss":
            found = rules.overfitting(series.tag, trend, self._training(judged, run, series.tag))
        _note(judged, series.tag, found)

    def _training(self, judged: _Judged, run: Run, tag: str) -> Trend | None:
        """The training loss that a validation loss belongs to: of this run, or of the one beside it."""
        for name in rules.training_tags(tag):
            if name != tag and name in judged.trends:
                return judged.trends[name]
        parent, _, folder = run.name.rpartition("/")
        for other in ("train", "training") if rules.kind_of("loss", folder) == "validation_loss" else ():
            beside = self.store.runs.get(run_id(f"{parent}/{other}" if parent else other))
            series = beside.scalars.get(tag) if beside is not None else None
            if series is not None:
                trend = Trend()
                trend.add(series.columns["steps"], series.columns["values"])
                return trend
        return None

    def _judge_histograms(self, judged: _Judged, run: Run, series: Series) -> None:
        if series.plugin != "histograms" or rules.kind_of(series.tag) != "gradient":
            return
        count, seen = len(series), judged.counts.get(series.tag, 0)
        if count == seen:
            return
        judged.counts[series.tag] = count
        trend = judged.trends.setdefault(series.tag, Trend())
        rows = range(max(seen, count - _MOST_HISTOGRAMS), count)
        values = [
            (row, rules.spread_of(value.array))
            for row, value in zip(rows, run.values(series, rows), strict=True)
            if value
        ]
        steps = series.columns["steps"]
        trend.add(
            np.array([steps[row] for row, _ in values], np.int64), np.array([spread for _, spread in values])
        )
        _note(judged, series.tag, rules.gradient_finding(series.tag, trend, 3, 2))

    def _judge_disk(self, judged: _Judged, run: Run) -> None:
        free, used = run.scalars.get("system/disk_free"), run.scalars.get("system/disk")
        if free is None or used is None or not len(free) or not len(used) or free.plugin != SYSTEM_PLUGIN:
            return
        _note(
            judged,
            "disk",
            rules.disk_finding(float(free.columns["values"][-1]), float(used.columns["values"][-1])),
        )

    def _of_profile(self, run: Run, name: str) -> Finding | None:
        """What a profile says; each is read once."""
        files = run.found.profiles.get(name, {})
        version = run.profiles().get(name, "")
        if not files or not version:
            return None
        key = f"{run.id} {name} {version}"
        if key not in self._profiles:
            from tapeflow.board.health.input import (
                finding_of,
            )  # what reads profiles need not delay the first page

            try:
                self._profiles[key] = finding_of(name, sorted(files))
            except (OSError, ValueError) as error:
                _log.debug("profile %r of %r is not judged: %s", name, run.name, error)
                self._profiles[key] = None
        return self._profiles[key]

    def _tell(self, run: Run, now: Status) -> None:
        """Pass on what is new; what a run that is over had when it was first seen is not."""
        is_first = run.id not in self._reported
        reported = self._reported.setdefault(run.id, set())
        for alert in alerts_of(run, now):
            key = _key_of(alert)
            if key not in reported:
                reported.add(key)
                if not is_first or run.is_live:
                    for listener in self.listeners:
                        listener(run, alert)


def _note(judged: _Judged, key: str, found: Finding | None) -> None:
    if found is None:
        judged.found.pop(key, None)
    else:
        judged.found[key] = found


def _key_of(alert: Alert) -> tuple[str, str]:
    """The same for the same trouble, however often it is told."""
    return alert["code"], alert["tag"] or alert["note"]["text"]
