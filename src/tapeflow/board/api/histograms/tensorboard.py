"""TensorBoard's routes of histograms and distributions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import json_answer
from tapeflow.board.api.histograms.buckets import BASIS_POINTS, is_histogram, percentiles
from tapeflow.board.board import Board
from tapeflow.board.column_messages import numbers
from tapeflow.board.series import Series
from tapeflow.board.tensorboard import described, series_named, series_of

MOST_BYTES = 64 << 20  # read for one answer, which as JSON is several times as much


def tensorboard(board: Board) -> Sequence[BaseRoute]:
    """The routes below /data/plugin."""

    def tags(request: Request) -> Response:
        del request
        found: dict[str, dict[str, dict[str, str]]] = {}
        for run, series in series_of(board, "histograms"):
            found.setdefault(run.name, {})[series.tag] = described(series)
        return json_answer(found)

    def steps(make: Callable[[np.ndarray], object]) -> Callable[[Request], Response]:
        def answer(request: Request) -> Response:
            run, series = series_named(board, request, "histograms")
            columns, found = series.columns, []
            rows = _rows(series)
            for row, value in zip(rows, run.values(series, rows), strict=True):
                if value is None or not is_histogram(value.array):
                    continue
                # What TensorFlow 1 and PyTorch write, TensorBoard makes float32 of.
                kept = np.float32 if series.is_old else value.array.dtype
                buckets = value.array.astype(kept).astype(np.float64)
                wall_time, step = float(columns["wall_times"][row]), int(columns["steps"][row])
                found.append([wall_time, step, make(buckets)])
            return json_answer(found)

        return answer

    return [
        Route("/histograms/tags", tags),
        Route(
            "/histograms/histograms",
            steps(lambda buckets: list(zip(*[iter(numbers(buckets.ravel()))] * 3, strict=True))),
        ),
        Route("/distributions/tags", tags),
        Route(
            "/distributions/distributions",
            steps(
                lambda buckets: list(zip(BASIS_POINTS.tolist(), numbers(percentiles(buckets)), strict=True))
            ),
        ),
    ]


def _rows(series: Series) -> range:
    """All rows; of a series too large for one answer every so many-eth, and the last."""
    every = max(-(-int(series.columns["nbytes"].sum()) // MOST_BYTES), 1)
    return range((len(series) - 1) % every, len(series), every)
