"""All runs, and what changed when.

Whoever reads files changes runs under `lock` and says so with `changed`; whoever tells the pages asks for `changes`
since the last time. Answers are made in other threads from views that stay good.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from tapeflow.board.logdirs import Logdir, natural, run_id, shown
from tapeflow.board.notes import RUNS, about, joined
from tapeflow.board.outline import COUNT, LAST_STEP, Alike, TagFacts, alike, outlines_of
from tapeflow.board.panels import Panel, panel_of
from tapeflow.board.runs import Run
from tapeflow.board.schema import Note, Progress, RunsAnswer, Setting, TagEntry
from tapeflow.board.schema import Run as RunAnswer
from tapeflow.board.series import Series

_PROGRESS_S = 1.0


@dataclass
class Changes:
    """What changed between two versions.

    Attributes:
        version: the later one.
        runs: ids of runs that changed in any way, or are gone.
        begun_anew: ids of runs whose former series no longer hold.
        series: run and tag of series that have grown, numbers and others alike.
        is_partial: whether there may be more series, of runs whose points have been let go of meanwhile.
    """

    version: int
    runs: set[str] = field(default_factory=set)
    begun_anew: set[str] = field(default_factory=set)
    series: set[tuple[str, str]] = field(default_factory=set)
    is_partial: bool = False


class Store:
    """The runs of some log folders."""

    def __init__(self, logdirs: list[Logdir], panels: list[Panel]) -> None:
        self.logdirs = logdirs
        self.panels = panels
        self.lock = threading.RLock()
        self.runs: dict[str, Run] = {}
        self.version = self.runs_version = int(
            time.time() * 1e3
        )  # what another start told is none of this one
        self.listeners: list[Callable[[], None]] = []
        self.is_looked_through = False
        self.let_go: Callable[[Run], object] = lambda run: (
            None
        )  # of the points of a run that were loaded in passing
        self.notices: Callable[[], list[Note]] = list  # what there is to say of the log folders
        self._changed_at: OrderedDict[str, int] = OrderedDict()  # by run, the version that changed it last
        self._begun_at: dict[str, int] = {}
        self._order: dict[str, None] = {}
        self._prepared: dict[str, bytes] = {}
        self._prepared_version = -1
        self._sizes: dict[str, tuple[int, int]] = {}
        self._sizes_version = -1
        self._progress: Progress | None = None
        self._progress_key: tuple[int, bool, int] = (0, False, 0)
        self._progress_until = 0.0
        self._coming = 0  # runs that are known and will be there in a moment
        self.opened = threading.Event()  # whether they are
        self.opened.set()

    def changed(self, run: Run, series: Iterable[Series] = (), begun_anew: bool = False) -> None:
        """Note that a run has changed; the lock is held."""
        self.version += 1
        self.runs_version = self.version
        for one in series:
            if not one.panel:
                one.panel = panel_of(self.panels, one)
            one.version = self.version
        self._changed_at[run.id] = self.version
        self._changed_at.move_to_end(run.id)
        if begun_anew:
            self._begun_at[run.id] = self.version
        for tell in self.listeners:
            tell()

    def notices_changed(self) -> None:
        """Tell the pages what `notices` says now."""
        with self.lock:
            self.version += 1
            for tell in self.listeners:
                tell()

    def changes(self, since: int) -> Changes:
        """What has changed since a version."""
        with self.lock:
            found = Changes(self.version)
            for one, version in reversed(self._changed_at.items()):
                if version <= since:
                    break
                found.runs.add(one)
                if self._begun_at.get(one, -1) > since:
                    found.begun_anew.add(one)
                run = self.runs.get(one)
                if run is not None:
                    found.is_partial |= run.unloaded_at > since
                    grown = (series for series in run.loaded_series() if series.version > since)
                    found.series |= {(one, series.tag) for series in grown}
            return found

    def prepared(self, name: str) -> bytes:
        """An answer that was made at the last start, as long as nothing has changed since; b"" if there is none."""
        if self.runs_version != self._prepared_version:
            self._prepared = {}
        return self._prepared.get(name, b"")

    def prepare(self, answers: dict[str, bytes], sizes: dict[str, tuple[int, int]], run_total: int) -> None:
        """Give these answers, until `put` is called and as long as nothing changes then."""
        with self.lock:
            self._prepared, self._prepared_version = answers, self.runs_version
            self._sizes, self._sizes_version = sizes, self.runs_version
            self._coming = run_total
            self.opened.clear()

    def put(self, runs: list[Run]) -> None:
        """Begin with runs that are known from before, in the order of their names; nobody is told of them."""
        with self.lock:
            self._coming = 0
            self.runs = {run.id: run for run in runs}
            self._order = dict.fromkeys(self.runs)
        self.opened.set()

    def unload(self, run: Run, load: Callable[[], None]) -> None:
        """Let go of the points of a run; the lock is held."""
        outlines_of([run])
        run.unload(load, self.version)

    def ordered_runs(self) -> list[Run]:
        """The runs, by name."""
        with self.lock:
            if self._order.keys() != self.runs.keys():
                ordered = sorted(self.runs.values(), key=lambda run: run.sort_key)
                self._order = dict.fromkeys(run.id for run in ordered)
            return [self.runs[one] for one in self._order]

    def answer(self, run: Run) -> RunAnswer:
        """A run as the API gives it, with the hyperparameters of the runs it lies in."""
        return {**run.answer(), "hparams": self.inherited_hparams(run)}

    def inherited_hparams(self, run: Run) -> dict[str, Setting]:
        """The hyperparameters of a run and of those it lies in; the nearest counts."""
        found = run.hparams
        parts = run.name.split("/")
        for length in range(len(parts) - 1, 0, -1):
            above = self.runs.get(run_id("/".join(parts[:length])))
            if above is not None:
                found = {**above.hparams, **found}
        return found

    def answers(self) -> RunsAnswer:
        """All runs as the API gives them."""
        return {"runs": [self.answer(run) for run in self.ordered_runs()], "progress": self.progress()}

    def find(self, run: str, tag: str, panel: str) -> tuple[Run, Series] | None:
        """The series of a tag that a panel shows, or None."""
        found = self.runs.get(run)
        if found is None:
            return None
        for series in (found.scalars.get(tag), found.entries.get(tag)):
            if series is not None and series.panel == panel:
                return found, series
        return None

    def tags(self, panels: Iterable[str], only: Changes | None = None) -> dict[str, list[TagEntry]]:
        """The tags of panels; with `only`, those that changed, with the runs they changed in."""
        found: dict[str, dict[str, TagEntry]] = {panel: {} for panel in panels}
        with self.lock:
            if only is None:
                self._add_all(found)
            else:
                for run, series in self._changed_series(only):
                    if series.panel in found:
                        entry = _entry_of(found[series.panel], series)
                        entry["counts"][run.id] = len(series)
                        entry["last_steps"][run.id] = series.last_step
        return {
            panel: sorted(tags.values(), key=lambda entry: natural(entry["tag"]))
            for panel, tags in found.items()
        }

    def _add_all(self, found: dict[str, dict[str, TagEntry]]) -> None:
        runs = list(self.runs.values())
        for part in self.alike(runs):
            ids = [runs[place].id for place in part.places]
            numbers = part.numbers[:, :, : LAST_STEP + 1].astype(np.int64)
            for place, one in enumerate(part.layout.tags):
                if one.panel in found:
                    entry = _entry_of(found[one.panel], one)
                    entry["counts"].update(zip(ids, numbers[:, place, COUNT].tolist(), strict=True))
                    entry["last_steps"].update(zip(ids, numbers[:, place, LAST_STEP].tolist(), strict=True))

    def alike(self, runs: list[Run]) -> list[Alike]:
        """What is known of the tags of runs, those with the same tags together."""
        with self.lock:
            return alike(outlines_of(runs))

    def sizes(self) -> dict[str, tuple[int, int]]:
        """How many tags and runs each panel has."""
        with self.lock:
            if self._sizes_version != self.runs_version:
                self._sizes, self._sizes_version = self._counted(), self.runs_version
            return self._sizes

    def _counted(self) -> dict[str, tuple[int, int]]:
        tags: dict[str, set[str]] = {panel.name: set() for panel in self.panels}
        runs = dict.fromkeys(tags, 0)
        layouts = Counter(outline.layout for outline in outlines_of(self.runs.values()))
        for layout, count in layouts.items():
            for panel in {one.panel for one in layout.tags} & tags.keys():
                tags[panel] |= {one.tag for one in layout.tags if one.panel == panel}
                runs[panel] += count
        return {panel: (len(tags[panel]), runs[panel]) for panel in tags}

    def _changed_series(self, only: Changes) -> Iterable[tuple[Run, Series]]:
        for name, tag in only.series:
            run = self.runs.get(name)
            if run is not None:
                for series in (run.scalars.get(tag), run.entries.get(tag)):
                    if series is not None:
                        yield run, series

    @property
    def is_read(self) -> bool:
        """Whether all that there is has been read."""
        with self.lock:
            return self.is_looked_through and all(run.is_read for run in self.runs.values())

    def progress(self) -> Progress:
        """How far reading has come, in numbers and words; while nothing changes, it is looked at once a second."""
        key = self.version, self.is_looked_through, self._coming
        if self._progress is None or self._progress_key != key or time.monotonic() >= self._progress_until:
            self._progress, self._progress_key = self._looked_at(), key
            self._progress_until = time.monotonic() + _PROGRESS_S
        return self._progress

    def _looked_at(self) -> Progress:
        with self.lock:
            runs = list(self.runs.values())
        read = [run for run in runs if run.is_read]
        parts: list[Note] = []
        if not runs and not self._coming:
            missing = [shown(d.path) for d in self.logdirs if not os.path.exists(d.path)]
            if missing:
                parts.append(RUNS("no_folder", path=", ".join(missing)))
            elif self.is_looked_through:
                parts.append(RUNS("no_files"))
            else:
                parts.append(RUNS("looking"))
        elif len(read) < len(runs):
            parts.append(RUNS("reading", read=len(read), total=len(runs)))
        parts += self.notices()
        bad = [(run, notes) for run in runs if run.may_have_notes and (notes := run.notes())]
        bad.sort(key=lambda found: found[0].sort_key)
        for run, notes in bad[:3]:
            if run.bad_bytes:
                offset = run.damages[0].offset
                parts.append(RUNS("run_damage", run=run.name, n=run.bad_bytes, offset=offset))
            else:
                parts += [about(run.name, note) for note in notes]
        if len(bad) > 3:
            parts.append(RUNS("more_damage", n=len(bad) - 3))
        return {
            "is_done": self.is_looked_through and len(read) == len(runs),
            "runs_total": len(runs) or self._coming,
            "runs_read": len(read) or self._coming,
            "bytes_total": sum(run.bytes_total for run in runs),
            "bytes_read": sum(run.bytes_read for run in runs),
            "message": joined(parts),
            "notes": parts,
        }


def _entry_of(found: dict[str, TagEntry], one: Series | TagFacts) -> TagEntry:
    """The entry of a tag, which is new if it has none yet."""
    return found.setdefault(
        one.tag,
        {
            "tag": one.tag,
            "display_name": one.display_name,
            "description": one.description,
            "counts": {},
            "last_steps": {},
        },
    )
