"""The sessions among the runs, and the groups they form.

A session is a run that noted its hparams. The runs in the folders below it are parts of it, unless they lie below a
nearer session, and what is logged there is a metric of the group that the folder is called: `train`, `validation`.
Sessions with one group name are one trial, done several times. These are TensorBoard's rules, but for two cases in
which it finds nothing: a session in the log folder itself has parts, too, and so has one in a folder called `train`:
the `validation` beside it.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import NamedTuple

from tapeflow.board.runs import Run
from tapeflow.board.store import Store
from tapeflow.summary.kinds.hyperparameters import END_TAG, EXPERIMENT_TAG, START_TAG
from tapeflow.summary.trials import Experiment, Trial, read_experiment, read_trial

ROOT = "."
_TRAINING = {"train", "training"}
_VALIDATION = {"validation", "val", "valid", "eval", "evaluation", "test"}

MetricName = tuple[str, str]
"""Tag and group."""


class HparamsSession(NamedTuple):
    """A run with hparams; `parts` are the runs that belong to it, itself among them, by group."""

    run: Run
    trial: Trial
    parts: dict[str, Run]


class Study(NamedTuple):
    """All sessions, in the order of their names, and all experiments that describe them."""

    sessions: list[HparamsSession]
    experiments: list[Experiment]

    def groups(self) -> dict[str, list[HparamsSession]]:
        """The sessions by the name of their group; one that has none is alone."""
        found: dict[str, list[HparamsSession]] = {}
        for session in self.sessions:
            found.setdefault(session.trial.group or session.run.name, []).append(session)
        return found

    def metrics(self) -> list[MetricName]:
        """All scalars of all sessions, sorted."""
        names = {
            (tag, group)
            for session in self.sessions
            for group, run in session.parts.items()
            for tag, series in list(run.scalars.items())
            if series.panel == "scalars"
        }
        return sorted(names)


def study_of(store: Store) -> Study:
    """The sessions and experiments in the runs as they are now."""
    runs = store.ordered_runs()
    trials: dict[str, Trial] = {}
    experiments: list[Experiment] = []
    for run in runs:
        trial, experiment = _noted(run)
        if trial is not None:
            trials[run.name] = trial
        if experiment is not None:
            experiments.append(experiment)
    sessions = {
        run.name: HparamsSession(run, trials[run.name], {"": run}) for run in runs if run.name in trials
    }
    for run in runs if sessions else ():
        if run.name not in sessions:
            above, group = _place(run.name, sessions.keys())
            if above:
                sessions[above].parts[group] = run
    return Study(list(sessions.values()), experiments)


_Notes = tuple[Trial | None, Experiment | None]
_noted_before: weakref.WeakKeyDictionary[Run, tuple[tuple[bytes, ...], _Notes]] = weakref.WeakKeyDictionary()


def _noted(run: Run) -> _Notes:
    """What a run says of itself; decoded once for as long as it says the same."""
    if not any(run.has(tag) for tag in (START_TAG, END_TAG, EXPERIMENT_TAG)):
        return None, None
    series = [run.entries.get(tag) for tag in (START_TAG, END_TAG, EXPERIMENT_TAG)]
    contents = tuple(b"" if one is None else one.content for one in series)
    before = _noted_before.get(run)
    if before is None or before[0] != contents:
        before = contents, (read_trial(run.entries), read_experiment(run.entries))
        _noted_before[run] = before
    return before[1]


def _place(name: str, sessions: Iterable[str]) -> tuple[str, str]:
    """The session a run belongs to, or "", and its group in it."""
    folders = name.split("/")
    for length in range(len(folders) - 1, 0, -1):
        above = "/".join(folders[:length])
        if above in sessions:
            return above, "/".join(folders[length:])
    if len(folders) > 1 and folders[-1].lower() in _VALIDATION:
        for sister in _TRAINING:
            beside = "/".join([*folders[:-1], sister])
            if beside in sessions:
                return beside, folders[-1]
    return (ROOT, name) if ROOT in sessions else ("", "")
