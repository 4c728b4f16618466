"""The search as its trials see it: who gets which trial next, and what became of it."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

from tapeflow.tune import places
from tapeflow.tune.backend import optuna
from tapeflow.tune.places import State
from tapeflow.tune.progress import Progress
from tapeflow.tune.running import Ended, log_end
from tapeflow.tune.samplers import Choice
from tapeflow.tune.space import Space
from tapeflow.tune.trial import Job

_BEAT_S = 60.0
_STATES = {"complete": State.COMPLETE, "pruned": State.PRUNED, "failed": State.FAIL}


class SearchSession:
    """One call of `search`: it hands trials out, takes their reports and results, and says what happens.

    Everything Optuna is told passes through here, in one process; workers only train. While it is entered, a thread
    gives signs of life for the trials that run, so that other machines do not take them for lost.

    Args:
        study: the Optuna study.
        space: what is varied.
        choice: how.
        total: how many trials the whole search has.
        logdir: where the runs go.
        metric: what the trials are judged by.
        seed: what the random numbers of each trial start from.
        workers: how many trials run at a time.
        progress: what tells the user.
    """

    def __init__(
        self,
        study: Any,
        space: Space,
        choice: Choice,
        total: int,
        logdir: str,
        metric: str,
        seed: int | None,
        workers: int,
        progress: Progress,
    ) -> None:
        self._study = study
        self._space = space
        self._choice = choice
        self._total = total
        self._logdir = logdir
        self._metric = metric
        self._seed = seed
        self._workers = workers
        self._progress = progress
        self._running: dict[int, Any] = {}
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._beat = threading.Thread(target=self._give_signs, name="tune-signs", daemon=True)

    def __enter__(self) -> SearchSession:
        self._beat.start()
        return self

    def __exit__(self, kind: Any, error: object, trace: Any) -> None:
        self._is_over.set()
        self._beat.join()
        for place, trial in list(self._running.items()):
            # The search was interrupted: what ran is run again when it goes on.
            del self._running[place]
            reason = f"the search ended ({'interrupted' if kind is None else kind.__name__})"
            places.give_up(self._study, trial, reason)
            log_end(os.path.join(self._logdir, trial.user_attrs[places.RUN]), Ended("failed", error=reason))

    def claim(self) -> Job | None:
        """The next trial to run; None if every one has been run or is being run."""
        while True:
            trials = self._study.get_trials(deepcopy=False)
            attempts = places.by_place(trials)
            is_waiting = any(t.state == State.WAITING for t in trials)
            if not is_waiting and sum(place < self._total for place in attempts) >= self._total:
                return None
            self._study.sampler = self._choice.at(len(attempts))
            trial = self._study.ask()
            trial.set_user_attr(places.OWNER, places.owner())
            attempts = places.by_place(self._study.get_trials(deepcopy=False))
            place = next(p for p, found in attempts.items() if any(t.number == trial.number for t in found))
            if place >= self._total or places.is_taken(trial, attempts[place]):
                trial.set_user_attr(places.SURPLUS, True)
                self._study.tell(trial, state=State.FAIL)
                continue
            self._study.sampler = self._choice.at(place)
            job = self._job(trial, place, len(attempts[place]))
            trial.set_user_attr(places.RUN, os.path.basename(job.folder))
            with self._lock:
                self._running[place] = trial
            return job

    def _job(self, trial: Any, place: int, attempt: int) -> Job:
        name = f"trial-{place:03d}" + (f"-again-{attempt - 1}" if attempt > 1 else "")
        hparams = self._space.suggest(trial)
        return Job(place, os.path.join(self._logdir, name), hparams, self._metric, self._seed)

    def report(self, job: Job, value: float, step: int) -> bool:
        """Take a reported value; whether the trial is to be pruned."""
        trial = self._running[job.place]
        trial.report(value, step)
        return trial.should_prune()

    def finish(self, job: Job, ended: Ended) -> None:
        """Take the result of a trial.

        Raises:
            RuntimeError: it failed, and no trial has ended well yet: most likely they all will fail.
        """
        with self._lock:
            trial = self._running.pop(job.place)
        for name in ("error", "metrics", "seconds"):
            if value := getattr(ended, name):
                trial.set_user_attr(name, value)
        self._study.tell(trial, ended.value, state=_STATES[ended.outcome])
        self._progress.ended(job, ended, self._study.get_trials(deepcopy=False))
        if ended.outcome == "failed":
            self._check_hope(job, ended)

    def _check_hope(self, job: Job, ended: Ended) -> None:
        """Raise if nothing but failures has come of the first trials, one for each worker."""
        found = self._study.get_trials(deepcopy=False, states=(State.COMPLETE, State.PRUNED, State.FAIL))
        failed = [
            t
            for t in found
            if t.state == State.FAIL and not {places.LOST, places.SURPLUS} & set(t.user_attrs)
        ]
        if len(failed) >= self._workers and all(t.state == State.FAIL for t in found):
            raise RuntimeError(
                f"tune.search expected train_fn to end well before it goes on after failures; got {ended.error} in "
                f"trial {job.place}, {job.hparams}. Correct train_fn and search again with retry_failed=True."
                + (f"\n\n{ended.details}" if ended.details else "")
            )

    def _give_signs(self) -> None:
        while not self._is_over.wait(_BEAT_S):
            with self._lock:
                for trial in self._running.values():
                    try:
                        trial.set_user_attr(places.SEEN, time.time())
                    except optuna.exceptions.StorageInternalError:
                        break  # the database is away for a moment
