"""Many histograms in one answer: a page shows every step of a series at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board import column_messages
from tapeflow.board.api.histograms.buckets import BASIS_POINTS, buckets_of, percentiles
from tapeflow.board.api.histograms.schema import HistogramsHead
from tapeflow.board.board import Board
from tapeflow.board.media import series_asked_for
from tapeflow.board.runs import Run
from tapeflow.board.series import Series

MOST_STEPS = 10_000  # of one answer
MOST_BUCKETS = 500_000  # of one answer; a step that is begun is given whole


def routes(board: Board) -> Sequence[BaseRoute]:
    """The routes below /api/v1/histograms, besides those of single steps."""

    def steps(request: Request) -> Response:
        run, series = series_asked_for(board, request, "histograms")
        return Response(
            message_of(run, series, request.query_params.get("cursor", "")), media_type=column_messages.MIME
        )

    return [Route("/steps", steps)]


def message_of(run: Run, series: Series, cursor: str = "") -> bytes:
    """What follows a cursor: a head, then columns.

    These are steps, wall times and numbers of buckets; left edges, right edges and counts of all buckets, step after
    step; and the percentiles of the steps, nine each.
    """
    generation, total = run.generation, len(series)
    begun, _, text = cursor.partition(".")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 16 else total + 1
    is_reset = begun != str(generation) or number > total
    start = 0 if is_reset else number
    found, left = [], MOST_BUCKETS
    for value in run.values(series, range(start, min(total, start + MOST_STEPS))):
        found.append(buckets_of(value.array if value is not None else np.zeros((0, 3))))
        left -= len(found[-1])
        if left <= 0:
            break
    end = start + len(found)
    buckets = np.concatenate(found) if found else np.zeros((0, 3))
    head: HistogramsHead = {
        "run": run.id,
        "tag": series.tag,
        "total": total,
        "cursor": f"{generation}.{end}",
        "is_reset": is_reset,
        "steps": len(found),
        "buckets": len(buckets),
    }
    columns = [
        series.columns["steps"][start:end],
        series.columns["wall_times"][start:end],
        np.array([len(one) for one in found]),
        *buckets.T,
        _percentiles(found),
    ]
    return column_messages.pack(head, columns)


def _percentiles(found: list[np.ndarray]) -> np.ndarray:
    """Those of each, made at once for all that have as many buckets: mostly these are all."""
    sizes = np.array([len(one) for one in found], np.int64)
    made = np.empty((len(found), len(BASIS_POINTS)))
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        made[rows] = percentiles(np.stack([found[row] for row in rows]))
    return made
