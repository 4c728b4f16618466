"""The table of all runs, as one message in columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from tapeflow.board import column_messages
from tapeflow.board.api.runs.extremes import Extremes, extremes_of
from tapeflow.board.api.runs.families import Family, families_of
from tapeflow.board.api.runs.notes import NOTES
from tapeflow.board.api.runs.schema import RunHParam, RunRow, RunsTable
from tapeflow.board.api.runs.standing import host_of, span_of, standing_of
from tapeflow.board.hparams import typed_values
from tapeflow.board.notes import joined
from tapeflow.board.runs import Run
from tapeflow.board.schema import Note, Setting
from tapeflow.board.series import Series
from tapeflow.board.store import Store

MOST_ROWS = 100_000
MOST_HPARAMS = 500
MOST_SCALARS = 300
MOST_CELLS = 2_000_000  # scalars times rows: 100 MB of columns
_NOTHING = (np.nan,) * 6


def table_of(store: Store) -> bytes:
    """The table as it is now."""
    with store.lock:
        runs = store.ordered_runs()
        inherited = {run.id: store.inherited_hparams(run) for run in runs}
    families = families_of(runs)
    left_out: list[Note] = []
    if len(families) > MOST_ROWS:
        left_out.append(NOTES("rows_cut", n=len(families) - MOST_ROWS, most=MOST_ROWS))
        families = families[:MOST_ROWS]
    hparams, more_hparams = hparam_columns([hparams_of(one, inherited) for one in families])
    if more_hparams:
        left_out.append(NOTES("hparams_cut", n=more_hparams, most=MOST_HPARAMS))
    scalars, columns, more_scalars = _scalar_columns(families)
    if more_scalars:
        left_out.append(NOTES("scalars_cut", n=more_scalars, most=len(scalars)))
    head: RunsTable = {
        "rows": [row_of(family) for family in families],
        "hparams": hparams,
        "scalars": scalars,
        "left_out": joined(left_out),
        "notes": left_out,
    }
    return column_messages.pack(head, [*_times(families), *columns])


def row_of(family: Family) -> RunRow:
    """What a row says in words."""
    return {
        "id": family.main.id,
        "name": family.name,
        "runs": [run.id for run in family.runs],
        "standing": standing_of(family),
        "host": host_of(family),
    }


def hparams_of(family: Family, inherited: dict[str, dict[str, Setting]]) -> dict[str, Setting]:
    """The hparams of all parts; those of the folder itself hold for the parts."""
    found: dict[str, Setting] = {}
    for run in reversed(family.runs):
        found |= inherited[run.id]
    return found


def hparam_columns(rows: Sequence[dict[str, Setting]]) -> tuple[list[RunHParam], int]:
    """The columns of hparams, those that differ first, and how many are left out."""
    counts = Counter(name for row in rows for name in row)
    names = sorted(sorted(counts), key=lambda name: -counts[name])[:MOST_HPARAMS]
    columns: list[RunHParam] = []
    for name in sorted(names):
        kind, values = typed_values([row.get(name) for row in rows])
        columns.append({"name": name, "kind": kind, "differs": len(set(values)) > 1, "values": values})
    columns.sort(key=lambda column: not column["differs"])
    return columns, len(counts) - len(columns)


def _times(families: Sequence[Family]) -> list[np.ndarray]:
    spans = [span_of(family) for family in families]
    starts = np.array([start for start, _ in spans], np.float64)
    ends = np.array([end for _, end in spans], np.float64)
    points = np.array([sum(run.points for run in family.runs) for family in families], np.float64)
    return [starts, ends - starts, points]


def _scalar_columns(families: Sequence[Family]) -> tuple[list[str], list[np.ndarray], int]:
    """The scalars that most rows have, six columns for each, and how many scalars are left out."""
    rows = [family.scalars() for family in families]
    counts = Counter(name for row in rows for name in row)
    most = min(MOST_SCALARS, max(MOST_CELLS // max(len(rows), 1), 1))
    chosen = sorted(sorted(counts), key=lambda name: -counts[name])[:most]
    wanted = set(chosen)
    extremes = extremes_of(one for row in rows for name, (_, one) in row.items() if name in wanted)
    columns: list[np.ndarray] = []
    for name in chosen:
        cells = [_six(extremes, row.get(name)) for row in rows]
        columns += list(np.array(cells, np.float64).reshape(-1, 6).T)
    return chosen, columns, len(counts) - len(chosen)


def _six(extremes: dict[Series, Extremes], found: tuple[Run, Series] | None) -> tuple[float, ...]:
    """Last, least and largest value, each with its step."""
    known = extremes.get(found[1]) if found else None
    return known[1:] if known else _NOTHING
