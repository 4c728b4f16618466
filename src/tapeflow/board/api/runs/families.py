"""Which runs are one: what Keras logs to `train` and `validation` below a folder, and what lies in that folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from tapeflow.board.health.vitals import Vitals
from tapeflow.board.runs import Run
from tapeflow.board.series import Series

TRAINING = frozenset({"train", "training"})
VALIDATION = frozenset({"validation", "val", "valid", "eval", "evaluation", "test"})


@dataclass
class Family:
    """One run as its user sees it.

    Attributes:
        name: the folder that all of it lies in.
        parts: its runs by the name of their folder; "" for the run that lies in the folder itself.
    """

    name: str
    parts: dict[str, Run] = field(default_factory=dict)

    @cached_property
    def runs(self) -> list[Run]:
        """Its runs: what lies in the folder itself, training, then validation. Asked once all are in."""
        return [self.parts[part] for part in sorted(self.parts, key=_rank)]

    @property
    def main(self) -> Run:
        """The run whose settings are those of all."""
        return self.runs[0]

    @property
    def vitals(self) -> Vitals:
        """What its process says of how it is doing; empty if it says nothing."""
        return next((run.vitals for run in self.runs if "state" in run.vitals), {})

    def scalars(self) -> dict[str, tuple[Run, Series]]:
        """Its series of numbers by the names they have in the table: validation has its folder before the tag."""
        found: dict[str, tuple[Run, Series]] = {}
        for run in self.runs:
            prefix = self.prefix_of(run)
            for tag, series in list(run.scalars.items()):
                if series.panel == "scalars" and len(series):
                    found.setdefault(prefix + tag, (run, series))
        return found

    def prefix_of(self, run: Run) -> str:
        """What the names of a run's scalars begin with in the table."""
        part = run.name[len(self.name) + 1 :]
        return f"{part}/" if _rank(part) == 2 else ""


def _rank(part: str) -> int:
    return 0 if not part else 1 if part.lower() in TRAINING else 2


def families_of(runs: Iterable[Run]) -> list[Family]:
    """The runs, those of one folder put together, in the order they came."""
    found: dict[str, Family] = {}
    for run in runs:
        above, _, last = run.name.rpartition("/")
        is_part = bool(above) and last.lower() in TRAINING | VALIDATION
        name = above if is_part else run.name
        found.setdefault(name, Family(name)).parts[last if is_part else ""] = run
    return list(found.values())
