"""What a search found."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tapeflow.tune import places
from tapeflow.tune.places import State
from tapeflow.tune.progress import best_of, format_value, time_text

_OUTCOMES = {State.COMPLETE: "complete", State.PRUNED: "pruned", State.FAIL: "failed"}


@dataclass(frozen=True)
class TrialResult:
    """A trial that has ended, or is being run elsewhere.

    Attributes:
        number: which trial of the search it is, from 0.
        hparams: the values by name.
        value: the metric; of a pruned trial what it reported last; None if there is none.
        outcome: "complete", "pruned", "failed" or "running".
        metrics: everything the function returned.
        seconds: how long it ran.
        logdir: its run's folder.
        error: one line about why it failed or was pruned.
    """

    number: int
    hparams: dict[str, Any]
    value: float | None
    outcome: str
    metrics: dict[str, float]
    seconds: float
    logdir: str
    error: str


class Result:
    """The trials of a search.

    Attributes:
        trials: all of them, in the order they were begun.
        metric: what they are judged by.
        direction: "maximize" or "minimize".
        study: the Optuna study, for `optuna.visualization` and `optuna.importance`.
    """

    def __init__(self, study: Any, metric: str, logdir: str) -> None:
        self.study = study
        self.metric = metric
        self.direction = study.direction.name.lower()
        attempts = places.by_place(study.get_trials(deepcopy=False))
        last = {place: found[-1] for place, found in sorted(attempts.items())}
        self.trials = [
            _result(place, trial, logdir) for place, trial in last.items() if trial.state != State.WAITING
        ]
        best = best_of(list(last.values()), self.direction == "maximize")
        self._best = next((place for place, trial in last.items() if trial is best), None)

    @property
    def best(self) -> TrialResult:
        """The complete trial with the best value.

        Raises:
            ValueError: there is none.
        """
        for trial in self.trials:
            if trial.number == self._best:
                return trial
        counts = {outcome: sum(t.outcome == outcome for t in self.trials) for outcome in _OUTCOMES.values()}
        raise ValueError(
            f"Result.best expected a trial that was completed; got {counts['pruned']} pruned and {counts['failed']} "
            "failed. Search on with more trials."
        )

    def rows(self) -> list[dict[str, Any]]:
        """A dict for each trial, the best first: `pandas.DataFrame(result.rows())`."""
        sign = -1 if self.direction == "maximize" else 1
        ranks = {"complete": 0, "pruned": 1}
        ordered = sorted(
            self.trials, key=lambda t: (ranks.get(t.outcome, 2), 0 if t.value is None else sign * t.value)
        )
        return [
            {
                "trial": t.number,
                self.metric: t.value,
                **t.hparams,
                "outcome": t.outcome,
                "seconds": t.seconds,
                "logdir": t.logdir,
            }
            for t in ordered
        ]

    def table(self, rows: int | None = None) -> str:
        """The trials as a table for reading, the best first.

        Args:
            rows: how many of them; all unless given.
        """
        found = self.rows()
        names = [name for name in (found[0] if found else {}) if name not in ("logdir", "seconds")] + ["time"]
        lines = [names]
        for row in found[:rows]:
            cells = [_cell(row.get(name)) for name in names[:-1]]
            lines.append([*cells, time_text(row["seconds"])])
        return _aligned(lines)

    def __repr__(self) -> str:
        best = "no trial completed" if self._best is None else f"best {self.metric} {self.best.value:.6g}"
        return f"<Result: {len(self.trials)} trials, {best}>"


def _result(place: int, trial: Any, logdir: str) -> TrialResult:
    value = trial.value
    if value is None and trial.state == State.PRUNED and trial.intermediate_values:
        value = trial.intermediate_values[trial.last_step]
    run = trial.user_attrs.get(places.RUN, "")
    return TrialResult(
        number=place,
        hparams=dict(trial.params),
        value=value,
        outcome=_OUTCOMES.get(trial.state, "running"),
        metrics=dict(trial.user_attrs.get("metrics", {})),
        seconds=trial.user_attrs.get("seconds", 0.0),
        logdir=os.path.join(logdir, run) if run else "",
        error=trial.user_attrs.get("error", trial.user_attrs.get(places.LOST, "")),
    )


def _cell(value: object) -> str:
    return "" if value is None else format_value(value)


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = ["  ".join(cell.rjust(w) for cell, w in zip(line, widths, strict=True)) for line in lines]
    return "\n".join(row.rstrip() for row in rows)
