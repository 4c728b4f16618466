"""`Trial`: what the user's function gets."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tapeflow.plugins.hparams.api import HParam
from tapeflow.tune.backend import optuna

Pruned = optuna.TrialPruned
"""Raised by `Trial.report` when a trial is not worth going on with. Optuna's exception, by a shorter name."""


@dataclass(frozen=True)
class Job:
    """One trial to be run, as it is handed to whoever runs it.

    Attributes:
        place: which trial of the search it is, from 0.
        folder: the run's folder.
        hparams: the values by name.
        metric: what the search is about.
        seed: what random numbers start from; None leaves them alone.
    """

    place: int
    folder: str
    hparams: dict[str, Any]
    metric: str
    seed: int | None


class Trial(Mapping[str, Any]):
    """The values of one trial by name, or by `HParam`, and where it logs.

    While the function runs, the trial's writer is the default one: `tf.summary.scalar` and its kin go to its run.

    Attributes:
        number: which trial of the search it is, from 0.
        logdir: the run's folder, for `tf.keras.callbacks.TensorBoard(trial.logdir)`.
        metric: the name of what the search is about.

    >>> from tapeflow.tune.trial import Job, Trial
    >>> trial = Trial(Job(0, "logs/trial-000", {"units": 32}, "loss", None), lambda value, step: False)
    >>> trial["units"], dict(trial), trial.number
    (32, {'units': 32}, 0)
    """

    def __init__(self, job: Job, should_prune: Callable[[float, int], bool]) -> None:
        self.number = job.place
        self.logdir = job.folder
        self.metric = job.metric
        self._hparams = job.hparams
        self._should_prune = should_prune
        self._next_step = 0

    def __getitem__(self, name: str | HParam) -> Any:
        key = name.name if isinstance(name, HParam) else name
        if key not in self._hparams:
            raise KeyError(
                f"trial expected one of the hyperparameters {', '.join(self._hparams)}; got {key!r}. Add it to the "
                "space of tune.search."
            )
        return self._hparams[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._hparams)

    def __len__(self) -> int:
        return len(self._hparams)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self._hparams.items())
        return f"Trial({self.number}: {values})"

    def report(self, value: Any, step: int | None = None) -> None:
        """Tell how good the trial is so far; it is logged as a scalar, and the pruner compares it with others.

        Args:
            value: the metric now.
            step: how far it is, such as the epoch; one more than last time unless given.

        Raises:
            Pruned: the trial is not worth going on with. Let it pass: `tune.search` catches it.
        """
        step = self._next_step if step is None else int(step)
        self._next_step = step + 1
        if self._should_prune(float(value), step):
            raise Pruned(f"at step {step}, {self.metric} {float(value):.6g}")

    @property
    def name(self) -> str:
        """The name of its run."""
        return os.path.basename(self.logdir)
