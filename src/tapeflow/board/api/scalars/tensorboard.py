"""TensorBoard's routes of scalars."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import bytes_of, json_answer
from tapeflow.board.board import Board
from tapeflow.board.column_messages import numbers
from tapeflow.board.sampling import Window, cut
from tapeflow.board.series import Series
from tapeflow.board.tensorboard import described, series_named, series_of


def tensorboard(board: Board) -> Sequence[BaseRoute]:
    """The routes below /data/plugin."""

    def tags(request: Request) -> Response:
        del request
        found: dict[str, dict[str, dict[str, str]]] = {}
        for run, series in series_of(board, "scalars"):
            found.setdefault(run.name, {})[series.tag] = described(series)
        return json_answer(found)

    def scalars(request: Request) -> Response:
        return scalars_answer(board, request)

    async def multirun(request: Request) -> Response:
        form = parse_qs((await bytes_of(request)).decode("utf-8", "replace"))
        if len(form.get("tag", [])) != 1:
            raise HTTPException(400, "tag must be specified exactly once")
        return await run_in_threadpool(of_runs, form["tag"][0], set(form.get("runs", [])))

    def of_runs(tag: str, names: set[str]) -> Response:
        found = {
            run.name: json_rows(series)
            for run, series in series_of(board, "scalars")
            if series.tag == tag and run.name in names
        }
        return json_answer(found)

    return [
        Route("/scalars/tags", tags),
        Route("/scalars/scalars", scalars),
        Route("/scalars/scalars_multirun", multirun, methods=["POST"]),
    ]


def scalars_answer(board: Board, request: Request) -> Response:
    """Every point of the series a request names, as JSON or CSV."""
    _, series = series_named(board, request, "scalars")
    if request.query_params.get("format") == "csv":
        steps, times, values = cut(series, Window(), 0.0).points
        rows = zip(times.tolist(), steps.tolist(), values.tolist(), strict=True)
        out = io.StringIO()
        csv.writer(out).writerows([("Wall time", "Step", "Value"), *rows])
        return Response(out.getvalue(), media_type="text/csv")
    return json_answer(json_rows(series))


def json_rows(series: Series) -> list[tuple[float | str, int, float | str]]:
    """Wall time, step and value of every point."""
    steps, times, values = cut(series, Window(), 0.0).points
    return list(zip(numbers(times), steps.tolist(), numbers(values), strict=True))
