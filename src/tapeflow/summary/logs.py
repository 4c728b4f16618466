"""`tf.summary.open`: the runs of a log folder as tables, for a notebook or a script."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from tapeflow.summary.event_files.run_reader import Run, event_files, inner_runs
from tapeflow.summary.files import flush_below
from tapeflow.summary.remote import is_remote
from tapeflow.summary.trials import read_trial


def open(logdir: str | os.PathLike[str]) -> Logs:
    """Open the runs of a log folder; each is read when it is first used.

    Args:
        logdir: the folder; the runs in it have the names that the board gives them.

    >>> with tf.summary.create_file_writer("logs/a").as_default():
    ...     tf.summary.scalar("val_loss", 0.5, step=1)
    >>> logs = tf.summary.open("logs")
    >>> logs.to_pandas().sort_values("val_loss")  # a row a run: hyperparameters and last values
    >>> logs.series("val_loss").pivot(index="step", columns="run", values="value")
    """
    place = os.fspath(logdir)
    if is_remote(place):
        raise ValueError(
            f"tf.summary.open expected a folder of this machine; got logdir={place!r}. Copy it first, or look at it "
            "with `tapeflow board --logdir`."
        )
    if not os.path.isdir(place):
        raise FileNotFoundError(
            f"tf.summary.open expected a folder; got logdir={place!r}, which is none. For a single event file there "
            "is tf.summary.read."
        )
    return Logs(place)


class Logs(Mapping[str, Run]):
    """The runs of a log folder, by name; "." is the run in the folder itself.

    Attributes:
        path: the folder.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._runs: dict[str, Run | None] = {}
        self.refresh()

    def refresh(self) -> None:
        """Look for new runs, and read what has been written since."""
        flush_below(self.path)
        names = [
            *(["."] if event_files(self.path) else []),
            *(n.replace(os.sep, "/") for n in inner_runs(self.path)),
        ]
        self._runs = {name: self._runs.get(name) for name in names}
        for run in self._runs.values():
            if run is not None:
                run.refresh()

    def __getitem__(self, name: str) -> Run:
        if name not in self._runs:
            known = ", ".join(map(repr, list(self._runs)[:10])) or "none"
            raise KeyError(f"{name!r} is no run of {self.path!r}; it has {known}.")
        found = self._runs[name]
        if found is None:
            found = self._runs[name] = Run(os.path.normpath(os.path.join(self.path, name)))
            found.refresh()
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._runs))

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        return f"<Logs {self.path!r}: {len(self)} runs>"

    def hparams(self, name: str) -> dict[str, bool | float | str]:
        """The hyperparameters of a run, and of the runs whose folders contain it."""
        found: dict[str, bool | float | str] = {}
        parts = name.split("/")
        for length in range(1, len(parts) + 1):
            above = "/".join(parts[:length])
            trial = read_trial(self[above]) if above in self._runs else None
            found |= trial.hparams if trial is not None else {}
        return found

    def rows(self, value: str = "last") -> list[dict[str, Any]]:
        """For each run its name, state, start, duration, hyperparameters (`hparams.NAME`) and scalars by tag.

        Args:
            value: which value of a scalar: "last", "min" or "max".
        """
        pick = picker(value, "tf.summary.open(...).rows")
        found = []
        for name, run in self.items():
            scalars = {tag: series for tag, series in run.scalars.items() if len(series)}
            times = [
                time for series in scalars.values() for time in (series.wall_times[0], series.wall_times[-1])
            ]
            facts = run.captured
            row: dict[str, Any] = {
                "run": name,
                "state": facts.state.get("state", ""),
                "started": facts.facts.get("time", min(times, default=None)),
                "duration_s": max(times) - min(times) if times else None,
            }
            row |= {f"hparams.{key}": setting for key, setting in self.hparams(name).items()}
            found.append(row | {tag: pick(series.values) for tag, series in scalars.items()})
        return found

    def to_pandas(self, value: str = "last") -> Any:
        """The same as a DataFrame with a row a run."""
        rows = self.rows(value)
        return pandas_for("tf.summary.open(...).to_pandas").DataFrame(rows).set_index("run")

    def series(self, tag: str) -> Any:
        """A scalar of every run that has it, as a DataFrame with a row a point: run, step, wall_time, value."""
        pandas = pandas_for("tf.summary.open(...).series")
        found = [(name, run.scalars[tag]) for name, run in self.items() if tag in run.scalars]
        if not found:
            raise KeyError(f"no run of {self.path!r} has a scalar {tag!r}.")
        columns = [
            np.concatenate([getattr(series, column) for _, series in found])
            for column in ("steps", "wall_times", "values")
        ]
        names = np.repeat(np.array([name for name, _ in found], object), [len(series) for _, series in found])
        return pandas.DataFrame(
            dict(zip(("run", "step", "wall_time", "value"), [names, *columns], strict=True))
        )


def picker(value: str, where: str) -> Any:
    """What takes the last, least or largest of some values; NaN only if there is nothing else."""
    if value == "last":
        return lambda values: float(values[-1])
    if value in ("min", "max"):
        pick = np.fmin.reduce if value == "min" else np.fmax.reduce
        return lambda values: float(pick(values))
    raise ValueError(f"{where} expected value to be 'last', 'min' or 'max'; got value={value!r}.")


def pandas_for(where: str) -> Any:
    """pandas, which nothing else here needs.

    Raises:
        ImportError: it is not installed.
    """
    try:
        return import_module("pandas")
    except ImportError:
        raise ImportError(
            f"{where} expected pandas, which is not installed. Install it: pip install pandas."
        ) from None
