"""What a search says while it runs: a line for each trial, with the best so far and the time that is left."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from tapeflow.tune import places
from tapeflow.tune.places import State
from tapeflow.tune.running import Ended
from tapeflow.tune.trial import Job


class Progress:
    """Prints lines, or nothing if `verbose` is false.

    Args:
        verbose: whether to print.
        total: how many trials the search has.
        workers: how many of them run at a time.
        is_maximised: whether more is better.
    """

    def __init__(self, verbose: bool, total: int, workers: int, is_maximised: bool) -> None:
        self._verbose = verbose
        self._total = total
        self._workers = workers
        self._is_maximised = is_maximised
        self._start = time.monotonic()
        self._ended = 0

    def say(self, text: str) -> None:
        """Print a line."""
        if self._verbose:
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()

    def ended(self, job: Job, ended: Ended, trials: Sequence[Any]) -> None:
        """Print how a trial ended; `trials` are all the study has."""
        self._ended += 1
        last = [found[-1] for found in places.by_place(trials).values()]
        done = sum(t.state.is_finished() and places.LOST not in t.user_attrs for t in last)
        width = len(str(self._total))
        result = f"{job.metric} {ended.value:.6g}" if ended.value is not None else ended.outcome
        if ended.error:
            result += (
                f" ({ended.error.splitlines()[0]})" if ended.outcome == "failed" else f" ({ended.error})"
            )
        parts = [
            f"{done:{width}d}/{self._total}  trial {job.place}: {result}, with {values_text(job.hparams)}, "
            f"{time_text(ended.seconds)}"
        ]
        best = best_of(last, self._is_maximised)
        if best is not None:
            place = places.places(trials)[best.number]
            parts.append(f"best {best.value:.6g} (trial {place})")
        if left := self._total - done:
            pace = (time.monotonic() - self._start) / self._ended
            parts.append(f"about {time_text(pace * left)} left")
        self.say("; ".join(parts))


def best_of(trials: Sequence[Any], is_maximised: bool) -> Any | None:
    """The complete trial with the best value; the first of equals."""
    complete = [t for t in trials if t.state == State.COMPLETE]
    return (max if is_maximised else min)(complete, key=lambda t: t.value, default=None)


def values_text(values: Mapping[str, Any]) -> str:
    """`units 64, rate 0.00123`."""
    return ", ".join(f"{name} {format_value(value)}" for name, value in values.items())


def format_value(value: object) -> str:
    """A number to four digits; anything else as it is."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def time_text(seconds: float) -> str:
    """`3.2 s`, `12 min`, `2.5 h`."""
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
