"""`search`: try values of hyperparameters, several at a time, and go on after an interruption."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import tapeflow as tf
from tapeflow.plugins.hparams import api as hp
from tapeflow.tune import places
from tapeflow.tune.places import State
from tapeflow.tune.progress import Progress
from tapeflow.tune.result import Result
from tapeflow.tune.running import Ended, log_end, run_trial
from tapeflow.tune.samplers import Choice, pruner_of
from tapeflow.tune.session import SearchSession
from tapeflow.tune.space import Space
from tapeflow.tune.storage import open_study, quiet
from tapeflow.tune.trial import Trial
from tapeflow.tune.workers import Pool

_DIRECTIONS = {"max": "maximize", "maximize": "maximize", "min": "minimize", "minimize": "minimize"}
_SCORES = ("acc", "auc", "precision", "recall", "f1", "iou", "r2", "score")


def search(
    train_fn: Callable[[Trial], Any],
    space: Iterable[hp.HParam] | Mapping[str, hp.Domain | hp.HParam],
    trials: int | None = None,
    *,
    sampler: Any = "tpe",
    pruner: Any = None,
    metric: str = "objective",
    direction: str | None = None,
    logdir: str | os.PathLike[str] = "logs/search",
    storage: Any = None,
    name: str = "search",
    workers: int = 1,
    seed: int | None = None,
    first: Mapping[Any, Any] | Sequence[Mapping[Any, Any]] = (),
    retry_failed: bool = False,
    verbose: bool = True,
) -> Result:
    """Run a function with different hyperparameters, and say which were best.

    Each trial is a run in `logdir` with its values, its metrics and how it ended, for the board. The same call
    with the same `logdir` goes on where it was: finished trials are kept, one whose process ended is run again.

    Args:
        train_fn: takes a `Trial`, a mapping of the values by name; returns the value to be judged by, a dict with
            it, or what `fit` returned.
        space: `hp.HParam`s with domains, or a dict of domains by name.
        trials: how many trials the search has in all; those done before count. A grid has an end of its own.
        sampler: "random", "grid", "tpe" (values like those that did well), or an Optuna sampler.
        pruner: "median", "halving", "hyperband", an Optuna pruner, or None; see `tune.Report`.
        metric: the name of the value, in what `train_fn` returns and on the board.
        direction: "maximize" or "minimize"; from the metric's name unless given: accuracies and other scores are
            maximised, anything else minimised.
        logdir: the folder of the runs, and of `tune.db`.
        storage: where the trials are kept instead: "journal", a path ending with ".journal", a database URL (shared
            by machines that search together), or an Optuna storage.
        name: the search's name in the storage.
        workers: how many trials run at a time, each in a process.
        seed: where random numbers start: the sampler's, and before each trial those of Python, numpy and TapeFlow.
        first: values to try first, such as the ones in use: a dict, or several.
        retry_failed: run trials again that failed before.
        verbose: whether to print a line for each trial.

    Returns:
        The trials, of earlier calls, too.

    Raises:
        RuntimeError: the first trials failed, or a worker could not be started.
    """
    logdir = os.fspath(logdir)
    varied = Space(space)
    first = [
        varied.check("tune.search(first=...)", f) for f in ([first] if isinstance(first, Mapping) else first)
    ]
    choice = Choice(sampler, varied, first, seed)
    total = _total(trials, choice.count)
    way = _direction(direction, metric)
    if not isinstance(workers, int) or workers < 1:
        raise ValueError(f"tune.search expected at least one worker; got workers={workers!r}.")
    pool = Pool(train_fn, workers) if workers > 1 else None
    progress = Progress(verbose, total, workers, way == "maximize")
    os.makedirs(logdir, exist_ok=True)
    with quiet():
        begun_with = {"space": varied.describe(), "metric": metric, "direction": way}
        study = open_study(storage, name, logdir, begun_with, pruner_of(pruner))
        _go_on(study, total, retry_failed, logdir, progress, partial(_describe, varied, metric, logdir))
        session = SearchSession(study, varied, choice, total, logdir, metric, seed, workers, progress)
        with session:
            _run_here(session, train_fn) if pool is None else _run_in(pool, session)
        return Result(study, metric, logdir)


def _run_here(session: SearchSession, train_fn: Callable[[Trial], Any]) -> None:
    while (job := session.claim()) is not None:
        session.finish(job, run_trial(job, train_fn, partial(session.report, job)))


def _run_in(pool: Pool, session: SearchSession) -> None:
    with pool:
        while True:
            for worker in pool.idle:
                if (job := session.claim()) is None:
                    break
                worker.give(job)
            if not pool.is_busy:
                return
            for worker, job, message in pool.messages():
                if isinstance(message, Ended):
                    session.finish(job, message)
                else:
                    worker.connection.send(session.report(job, *message))


def _go_on(
    study: Any, total: int, retry_failed: bool, logdir: str, progress: Progress, describe: Callable[[], None]
) -> None:
    """Take up a search that was begun before, or begin it."""
    before = study.get_trials(deepcopy=False)
    if not before:
        describe()
        return
    for trial, reason in places.recover(study, retry_failed):
        place = places.places(before)[trial.number]
        progress.say(f"trial {place} was lost ({reason}): it is run again")
        if run := trial.user_attrs.get(places.RUN):
            log_end(os.path.join(logdir, run), Ended("failed", error=f"lost: {reason}"))
    last = [found[-1] for found in places.by_place(study.get_trials(deepcopy=False)).values()]
    done = sum(t.state.is_finished() for t in last)
    elsewhere = sum(t.state == State.RUNNING for t in last)
    others = f", {elsewhere} are being run elsewhere" if elsewhere else ""
    progress.say(f"going on in {logdir}: {done} of {total} trials are done{others}")


def _describe(space: Space, metric: str, logdir: str) -> None:
    """Tell the board what is varied and what counts."""
    writer = tf.summary.create_file_writer(logdir)
    with writer.as_default():
        hp.hparams_config(hparams=space.hparams, metrics=[hp.Metric(metric)])
    writer.close()


def _total(trials: int | None, count: int | None) -> int:
    if trials is None and count is not None:
        return count
    if not isinstance(trials, int) or isinstance(trials, bool) or trials < 1:
        raise ValueError(
            f"tune.search expected how many trials to run, at least 1; got trials={trials!r}. Only a grid has an end "
            "of its own."
        )
    return trials if count is None else min(trials, count)


def _direction(direction: str | None, metric: str) -> str:
    if direction is None:
        words = metric.lower().removeprefix("val_")
        return "maximize" if any(score in words for score in _SCORES) else "minimize"
    if direction not in _DIRECTIONS:
        raise ValueError(
            f"tune.search expected direction to be 'maximize' or 'minimize'; got direction={direction!r}."
        )
    return _DIRECTIONS[direction]
