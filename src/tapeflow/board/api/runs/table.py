"""The table of all runs, as one message in columns."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tapeflow.board import column_messages
from tapeflow.board.api.runs.families import Family, families_of
from tapeflow.board.api.runs.notes import NOTES
from tapeflow.board.api.runs.schema import RunHParam, RunRow, RunsTable, RunStanding
from tapeflow.board.api.runs.standing import host_of, span_of, standing_of
from tapeflow.board.hparams import typed_values
from tapeflow.board.notes import joined
from tapeflow.board.outline import FIRST_EXTREME
from tapeflow.board.runs import Run
from tapeflow.board.schema import Note, Setting
from tapeflow.board.store import Store

MOST_ROWS = 100_000
MOST_HPARAMS = 500
MOST_SCALARS = 300
MOST_CELLS = 2_000_000  # scalars times rows: 100 MB of columns


def table_of(store: Store) -> bytes:
    """The table as it is now."""
    with store.lock:
        version, runs = store.runs_version, store.ordered_runs()
        inherited = {run.id: store.inherited_hparams(run) for run in runs}
    families = families_of(runs)
    left_out: list[Note] = []
    if len(families) > MOST_ROWS:
        left_out.append(NOTES("rows_cut", n=len(families) - MOST_ROWS, most=MOST_ROWS))
        families = families[:MOST_ROWS]
    hparams, more_hparams = hparam_columns([hparams_of(one, inherited) for one in families])
    if more_hparams:
        left_out.append(NOTES("hparams_cut", n=more_hparams, most=MOST_HPARAMS))
    scalars, columns, more_scalars = _scalar_columns(store, families)
    if more_scalars:
        left_out.append(NOTES("scalars_cut", n=more_scalars, most=len(scalars)))
    standings: list[RunStanding] = [standing_of(one) for one in families]
    hosts = [host_of(one) for one in families]
    kinds: dict[RunStanding, int] = {}
    for one in standings:
        kinds.setdefault(one, len(kinds))
    machines = {one: i for i, one in enumerate(dict.fromkeys(hosts))}
    head: RunsTable = {
        "version": version,
        "ids": [family.main.id for family in families],
        "names": [family.name for family in families],
        "members": {
            str(row): [run.id for run in family.runs]
            for row, family in enumerate(families)
            if len(family.parts) > 1
        },
        "standings": list(kinds),
        "hosts": list(machines),
        "hparams": hparams,
        "scalars": scalars,
        "left_out": joined(left_out),
        "notes": left_out,
        "columns": [],
    }
    codes = [
        np.array([kinds[one] for one in standings], np.float64),
        np.array([machines[one] for one in hosts], np.float64),
    ]
    return column_messages.pack_small(head, [*codes, *_times(families), *columns])


def rows_of(message: bytes) -> tuple[RunsTable, list[RunRow], np.ndarray]:
    """The head of a table, its rows, and its numbers: a row for each column that is no code."""
    head, columns = column_messages.unpack_small(message)
    standings, hosts, *numbers = columns
    rows: list[RunRow] = [
        {
            "id": one,
            "name": head["names"][row],
            "runs": head["members"].get(str(row), [one]),
            "standing": head["standings"][int(standings[row])],
            "host": head["hosts"][int(hosts[row])],
        }
        for row, one in enumerate(head["ids"])
    ]
    return head, rows, np.stack(numbers)


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


def _scalar_columns(store: Store, families: Sequence[Family]) -> tuple[list[str], list[np.ndarray], int]:
    """The scalars that most rows have, six columns for each, and how many scalars are left out."""
    parts = _parts(store, families)
    counts = Counter[str]()
    for one in parts:
        counts.update(dict.fromkeys(one.names, len(one.rows)))
    most = min(MOST_SCALARS, max(MOST_CELLS // max(len(families), 1), 1))
    chosen = sorted(sorted(counts), key=lambda name: -counts[name])[:most]
    places = {name: place for place, name in enumerate(chosen)}
    cells = np.full((len(chosen), 6, len(families)), np.nan)
    for one in reversed(parts):  # of a name that several runs of a family have, the first counts
        for name, place in one.names.items():
            if name in places:
                cells[places[name]][:, one.rows] = one.numbers[:, place, FIRST_EXTREME:].T
    return chosen, [column for six in cells for column in six], len(counts) - len(chosen)


class _Part(NamedTuple):
    """Runs with the same tags and the same part in their rows: the tags' names in the table, rows, and numbers."""

    names: dict[str, int]
    rows: np.ndarray
    numbers: np.ndarray


def _parts(store: Store, families: Sequence[Family]) -> list[_Part]:
    """The runs of rows by what they are in their row, those that come first there first."""
    found: list[_Part] = []
    turn = 0
    while runs := [(row, one.runs[turn]) for row, one in enumerate(families) if len(one.runs) > turn]:
        prefixes = defaultdict[str, list[tuple[int, Run]]](list)
        for row, run in runs:
            prefixes[families[row].prefix_of(run)].append((row, run))
        for prefix, members in prefixes.items():
            rows = np.array([row for row, _ in members])
            for part in store.alike([run for _, run in members]):
                tags = enumerate(part.layout.tags)
                names = {prefix + one.tag: place for place, one in tags if one.panel == "scalars"}
                found.append(_Part(names, rows[part.places], part.numbers))
        turn += 1
    return found
