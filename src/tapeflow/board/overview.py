"""All runs and tags in one message of columns: what a page needs before it shows anything, for thousands of runs."""

from __future__ import annotations

from typing import cast

import numpy as np

from tapeflow.board import column_messages
from tapeflow.board.logdirs import natural
from tapeflow.board.outline import COUNT, Alike
from tapeflow.board.runs import Run
from tapeflow.board.schema import Overview, OverviewTag, RunState, UnusualRun
from tapeflow.board.store import Store

STATES: tuple[RunState, ...] = ("waiting", "loading", "ready", "broken")


def overview_of(store: Store) -> bytes:
    """The runs in the order of their names, and the tags of every panel with their number of values in each run."""
    with store.lock:
        runs = store.ordered_runs()
        version = store.runs_version
        unusual = {str(place): found for place, run in enumerate(runs) if (found := _unusual(store, run))}
        parts = store.alike(runs)
    tags, counts = _tags(parts, len(runs), [panel.name for panel in store.panels])
    head: Overview = {
        "version": version,
        "ids": [run.id for run in runs],
        "names": [run.name for run in runs],
        "states": list(STATES),
        "unusual": unusual,
        "panels": tags,
        "columns": [],
    }
    facts = [
        [run.found.logdir for run in runs],
        [STATES.index(run.state) for run in runs],
        [np.nan if run.start_time is None else run.start_time for run in runs],
        [np.nan if run.last_time is None else run.last_time for run in runs],
        [run.points for run in runs],
        [run.bytes_total for run in runs],
        [run.bytes_read for run in runs],
    ]
    return column_messages.pack_small(head, [*(np.array(fact, np.float64) for fact in facts), *counts])


def _unusual(store: Store, run: Run) -> UnusualRun:
    """What there is to say of a run that most runs have nothing of."""
    answer = run.unusual()
    hparams = store.inherited_hparams(run)
    if hparams:
        answer["hparams"] = hparams
    return answer


def _tags(
    parts: list[Alike], count: int, panels: list[str]
) -> tuple[dict[str, list[OverviewTag]], list[np.ndarray]]:
    """The tags of each panel in order, and a column for each: how many values every run has of it."""
    found: dict[str, dict[str, tuple[OverviewTag, np.ndarray]]] = {panel: {} for panel in panels}
    for part in parts:
        for place, one in enumerate(part.layout.tags):
            if one.panel in found:
                known = found[one.panel]
                if one.tag not in known:
                    tag = {"tag": one.tag, "display_name": one.display_name, "description": one.description}
                    known[one.tag] = cast("OverviewTag", tag), np.zeros(count)
                known[one.tag][1][part.places] = part.numbers[:, place, COUNT]
    tags: dict[str, list[OverviewTag]] = {}
    columns: list[np.ndarray] = []
    for panel, known in found.items():
        ordered = sorted(known.values(), key=lambda pair: natural(pair[0]["tag"]))
        tags[panel] = [tag for tag, _ in ordered]
        columns += [column for _, column in ordered]
    return tags, columns
