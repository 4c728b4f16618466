"""All that is known of one run but its curves and media, which the page fetches where it shows them."""

from __future__ import annotations

import os

import numpy as np

from tapeflow.board.api.runs.captured import sections_of, system_of
from tapeflow.board.api.runs.families import Family
from tapeflow.board.api.runs.schema import RunFile, RunPage, RunScalar
from tapeflow.board.api.runs.standing import span_of
from tapeflow.board.api.runs.table import hparams_of, row_of
from tapeflow.board.column_messages import numbers
from tapeflow.board.extremes import Extremes, extremes_of
from tapeflow.board.logdirs import shown
from tapeflow.board.notes import about
from tapeflow.board.store import Store

MOST_SCALARS = 2000
MOST_FILES = 1000


def page_of(store: Store, family: Family) -> RunPage:
    """The page of a run."""
    with store.lock:
        inherited = {run.id: store.inherited_hparams(run) for run in family.runs}
    start, end = span_of(family)
    own_notes = list(family.main.notes())
    other_notes = [about(run.name, note) for run in family.runs[1:] for note in run.notes()]
    return {
        "row": row_of(family),
        "start_time": start,
        "last_time": end,
        "duration_s": None if start is None or end is None else max(end - start, 0.0),
        "points": sum(run.points for run in family.runs),
        "hparams": hparams_of(family, inherited),
        "scalars": _scalars(family),
        "files": _files(family),
        "notes": own_notes + other_notes,
        "sections": sections_of(family),
        "system": system_of(family),
    }


def _scalars(family: Family) -> list[RunScalar]:
    found = dict(list(family.scalars().items())[:MOST_SCALARS])
    extremes = extremes_of(series for _, series in found.values())
    rows: list[RunScalar] = []
    for name, (run, series) in found.items():
        known = extremes.get(series)
        if known is not None:
            rows.append(_scalar(name, run.id, series.tag, known))
    return rows


def _scalar(name: str, run: str, tag: str, known: Extremes) -> RunScalar:
    last, least, largest = numbers(np.array([known.last, known.least, known.largest]))
    return {
        "name": name,
        "run": run,
        "tag": tag,
        "count": known.points,
        "last": last,
        "last_step": known.last_step,
        "least": least,
        "least_step": known.least_step,
        "largest": largest,
        "largest_step": known.largest_step,
    }


def _files(family: Family) -> list[RunFile]:
    found: list[RunFile] = [
        {"run": run.id, "name": shown(os.path.basename(path)), "nbytes": status.st_size}
        for run in family.runs
        for path, status in run.found.files.items()
    ]
    return found[:MOST_FILES]
