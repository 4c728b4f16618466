"""The layouts that runs have logged, merged as TensorBoard merges them."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError

from tapeflow.board.api.custom_scalars.matching import NOTES
from tapeflow.board.board import Board
from tapeflow.board.runs import Gone, Run
from tapeflow.board.schema import Note
from tapeflow.summary.kinds.layouts import PLUGIN, TAG
from tapeflow.summary.protos import message

MOST_CHARTS = 1000
MOST_EXPRESSIONS = 2000


def merged_layout(board: Board) -> tuple[Any, list[Note]]:
    """One Layout message of all runs, by name, and what is left out of it; None if no run has any.

    Categories of the same title become one, in which no chart comes twice.
    """
    merged, charts, expressions = None, 0, 0
    by_title: dict[str, Any] = {}
    for run in sorted(board.store.ordered_runs(), key=lambda run: run.name):
        layout = _layout_of(run)
        if layout is None:
            continue
        if merged is None:
            merged = message("Layout")(version=layout.version)
        for category in layout.category:
            known = by_title.get(category.title)
            if known is None:
                known = by_title[category.title] = merged.category.add(
                    title=category.title, closed=category.closed
                )
            for chart in category.chart:
                if chart in known.chart:
                    continue
                charts += 1
                expressions += len(chart.multiline.tag) + len(chart.margin.series)
                if charts > MOST_CHARTS or expressions > MOST_EXPRESSIONS:
                    return merged, [NOTES("charts_cut", charts=MOST_CHARTS, tags=MOST_EXPRESSIONS)]
                known.chart.add().CopyFrom(chart)
    return merged, []


def _layout_of(run: Run) -> Any:
    """The layout a run logged last; None if it has none, or what it has is none."""
    series = run.entries.get(TAG) if run.has(TAG) else None
    if series is None or series.plugin != PLUGIN or not len(series):
        return None
    try:
        array = run.value(series, len(series) - 1).array
        return message("Layout").FromString(array.ravel()[0])
    except (Gone, DecodeError, TypeError, IndexError):
        return None
