"""Running one trial: its run folder, its hyperparameters and how it ended, around the user's function."""

from __future__ import annotations

import math
import os
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import tapeflow as tf
from tapeflow.keras.callbacks import History
from tapeflow.summary.event_files import encoding
from tapeflow.summary.kinds import hyperparameters
from tapeflow.summary.writer import SummaryWriter
from tapeflow.tune.trial import Job, Pruned, Trial

Outcome = Literal["complete", "pruned", "failed"]

_SCALAR = encoding.metadata("scalars")
# TensorBoard knows success and failure. A pruned trial is neither: it was ended on purpose, before its time.
_STATUSES: dict[Outcome, int] = {"complete": 1, "pruned": 0, "failed": 2}


@dataclass(frozen=True)
class Ended:
    """How a trial ended.

    Attributes:
        outcome: "complete", "pruned" or "failed".
        value: the metric, of a complete trial.
        metrics: everything the function returned, by name.
        seconds: how long it ran.
        error: one line about a failure.
        details: the traceback.
    """

    outcome: Outcome
    value: float | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    error: str = ""
    details: str = ""


def run_trial(
    job: Job, train_fn: Callable[[Trial], Any], should_prune: Callable[[float, int], bool]
) -> Ended:
    """Run the user's function with the values of a trial; what it raises is how the trial ended.

    Args:
        job: the trial.
        train_fn: the function.
        should_prune: takes a reported value and its step.
    """
    start = time.monotonic()
    writer = tf.summary.create_file_writer(job.folder)
    reported: dict[int, float] = {}

    def report(value: float, step: int) -> bool:
        reported[step] = value
        writer.add(job.metric, value, step, _SCALAR)
        return should_prune(value, step)

    try:
        _write(writer, hyperparameters.hparams_pb(job.hparams, trial_id=os.path.basename(job.folder)))
        writer.flush()  # the board shows what is running
        with writer.as_default():
            ended = _call(train_fn, Trial(job, report), job.seed)
        ended = replace(ended, seconds=time.monotonic() - start)
        # The board takes a metric's last point: what was reported last, or what the function returned after that.
        step = max(reported, default=-1)
        for tag, value in ended.metrics.items():
            if tag != job.metric or reported.get(step) != value:
                writer.add(tag, value, step + 1, _SCALAR)
        log_end(writer, ended)
    finally:
        writer.close()
    return ended


def _call(train_fn: Callable[[Trial], Any], trial: Trial, seed: int | None) -> Ended:
    try:
        if seed is not None:
            tf.keras.utils.set_random_seed(seed)
        metrics = metrics_of(train_fn(trial), trial.metric)
        return Ended("complete", metrics[trial.metric], metrics)
    except Pruned as reason:
        return Ended("pruned", error=str(reason))
    except Exception as error:  # noqa: BLE001 - a function may raise anything; other trials go on
        return Ended("failed", error=f"{type(error).__name__}: {error}", details=traceback.format_exc())


def log_end(where: SummaryWriter | str, ended: Ended) -> None:
    """Write how a trial ended, to its writer or, if its process is gone, to another file of its folder."""
    writer = tf.summary.create_file_writer(where) if isinstance(where, str) else where
    if ended.error:
        text = f"{ended.outcome}: {ended.error}"
        if ended.details:
            text += "\n\n    " + ended.details.replace("\n", "\n    ").rstrip()
        with writer.as_default(), tf.summary.record_if(True):
            tf.summary.text("outcome", text, step=0)
    _write(writer, hyperparameters.session_end_pb(_STATUSES[ended.outcome]))
    writer.flush()
    if isinstance(where, str):
        writer.close()


def _write(writer: SummaryWriter, summary: Any) -> None:
    with writer.as_default(), tf.summary.record_if(True):
        hyperparameters.write_summary(summary)


def metrics_of(returned: Any, metric: str) -> dict[str, float]:
    """Numbers by name, the search's metric among them, of what a function returned.

    Args:
        returned: a number, a dict of numbers, or what `fit` returns, of which the last epoch counts.
        metric: the search's.
    """
    if isinstance(returned, History):
        returned = {name: values[-1] for name, values in returned.history.items() if len(values)}
    if not isinstance(returned, Mapping):
        returned = {metric: returned}
    if metric not in returned:
        raise KeyError(
            f"tune.search expected train_fn to return {metric!r}; got {', '.join(map(str, returned)) or 'nothing'}. "
            "Give metric=... one of them."
        )
    found = {}
    for name, value in returned.items():
        try:
            found[str(name)] = float(value)
        except (TypeError, ValueError) as error:
            if name == metric:
                raise TypeError(
                    "tune.search expected train_fn to return a number, a dict of numbers or the History of fit; got "
                    f"{name}={value!r} of type {type(value).__name__}. Return the value to be judged by."
                ) from error
    if math.isnan(found[metric]):
        raise ValueError(f"tune.search expected train_fn to return a number; got {metric}=nan.")
    return found
