"""What images, sounds, videos, texts and tables have in common: a list of steps, and blobs read when asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import quote

import numpy as np
import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import Refusal, argument, json_answer, problem, whole_number
from tapeflow.board.blobs import KINDS, kind_of, sample_of
from tapeflow.board.board import Board
from tapeflow.board.runs import Gone, Run
from tapeflow.board.schema import MediaAnswer, MediaItem
from tapeflow.board.series import Series
from tapeflow.summary.event_files.values import Value

MOST_ITEMS = 100_000
MOST_LISTED = 200_000  # of all items of an answer

_RANGE = re.compile(r"bytes=(?:([0-9]{1,15})-([0-9]{0,15})|-([0-9]{1,15}))")

_jsons: dict[str, Callable[[Run, Series, int], object]] = {}
"""By panel, what makes the JSON of a value that a browser is not given as it is."""
_totals: set[str] = set()
"""Panels of what adds up over a step: of several records of one step the last one is whole, and is the step's."""


def media_routes(
    panel: str,
    as_json: Callable[[Value], object] | None = None,
    from_run: Callable[[Run, Series, int], object] | None = None,
    is_total: bool = False,
) -> Callable[[Board], Sequence[BaseRoute]]:
    """The routes of a panel whose content is shown step by step.

    Args:
        panel: its name.
        as_json: what its blobs are, if not bytes as they were logged.
        from_run: the same of an entry of a series, if its value alone does not tell.
        is_total: whether the last record of a step stands for the step.
    """
    if as_json is not None:
        _jsons[panel] = lambda run, series, index: as_json(run.value(series, index))
    if from_run is not None:
        _jsons[panel] = from_run
    if is_total:
        _totals.add(panel)

    def routes(board: Board) -> Sequence[BaseRoute]:
        def items(request: Request) -> Response:
            run, series = series_asked_for(board, request, panel)
            start = whole_number(request, "start", 0)
            return json_answer(items_of(run, series, start))

        return [Route("/items", items)]

    return routes


def series_asked_for(board: Board, request: Request, panel: str) -> tuple[Run, Series]:
    """The series of `run` and `tag` in the query."""
    run, tag = argument(request, "run"), argument(request, "tag")
    found = board.store.find(run, tag, panel)
    if found is None:
        raise Refusal(404, "no_series", panel=panel, run=run, tag=tag)
    return found


def items_of(run: Run, series: Series, start: int = 0) -> MediaAnswer:
    """The steps of a series, in order of steps."""
    count = len(series)
    order = series.order("steps", count)
    rows = np.arange(count) if order is None else order
    columns = {name: series.columns[name] for name in series.columns.names()}
    items: list[MediaItem] = []
    if series.panel in _totals:
        steps = columns["steps"][rows]
        rows = rows[np.append(steps[1:] != steps[:-1], True)] if count else rows
    total = len(rows)
    rows = rows[start : start + MOST_ITEMS]
    samples = np.cumsum(columns["samples"][rows])
    for row in rows[: max(int(np.searchsorted(samples, MOST_LISTED, "right")), 1)].tolist():
        mime = KINDS[int(columns["kinds"][row])]
        items.append(
            {
                "step": int(columns["steps"][row]),
                "wall_time": float(columns["wall_times"][row]),
                "width": int(columns["widths"][row]),
                "height": int(columns["heights"][row]),
                "samples": [
                    {"url": blob_url(run, series, row, sample), "mime": mime}
                    for sample in range(int(columns["samples"][row]))
                ],
            }
        )
    return {"run": run.id, "tag": series.tag, "total": total, "cursor": run.cursor(series), "items": items}


def blob_url(run: Run, series: Series, row: int, sample: int) -> str:
    """Where a blob is, relative to the board's root."""
    return (
        f"api/v1/blob?run={run.id}&tag={encoded(series.tag)}&index={row}&sample={sample}&v={run.generation}"
    )


def encoded(tag: str) -> str:
    """A tag in a query, as `encodeURIComponent` writes it."""
    return quote(tag, safe="!'()*-._~")


def blob_route(board: Board) -> Route:
    """The route that gives blobs."""

    def blob(request: Request) -> Response:
        run_id, tag = argument(request, "run"), argument(request, "tag")
        index, sample = whole_number(request, "index"), whole_number(request, "sample", 0)
        run = board.store.runs.get(run_id)
        series = run.entries.get(tag) if run is not None else None
        if run is None or series is None:
            raise HTTPException(404, f"there is no run={run_id!r} with tag={tag!r}")
        if request.query_params.get("v", str(run.generation)) != str(run.generation):
            raise Refusal(404, "anew")
        return blob_answer(request, run, series, index, sample)

    return Route("/blob", blob)


def blob_content(run: Run, series: Series, index: int, sample: int) -> tuple[str, bytes]:
    """The kind and the bytes of a blob.

    Raises:
        Gone: there is no such blob any more.
    """
    as_json = _jsons.get(series.panel)
    if as_json is not None:
        return "application/json", orjson.dumps(as_json(run, series, index))
    data = sample_of(run.value(series, index), sample)
    if data is None:
        raise Gone(f"{series.tag!r} has no sample {sample} at this step")
    return KINDS[kind_of(data)], data


def blob_answer(request: Request, run: Run, series: Series, index: int, sample: int) -> Response:
    """A blob as an answer that nothing in it can harm: what a browser should not show it is to save.

    A part of it is given to who asks for one: Safari plays nothing otherwise.
    """
    try:
        mime, data = blob_content(run, series, index, sample)
    except Gone as error:
        raise Refusal(404, "gone", error=str(error)) from None
    part = _part_asked_for(request.headers.get("range", ""), len(data))
    if part is None:
        answer = Response(data, media_type=mime)
    elif part:
        answer = Response(data[part.start : part.stop], 206, media_type=mime)
        answer.headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{len(data)}"
    else:
        answer = problem(416, f"a range expected bytes before {len(data)}, the end of the blob")
        answer.headers["Content-Range"] = f"bytes */{len(data)}"
        return answer
    answer.headers["Accept-Ranges"] = "bytes"
    answer.headers["Cache-Control"] = "private, max-age=31536000, immutable"
    if mime == KINDS[0]:
        answer.headers["Content-Disposition"] = "attachment"
    return answer


def _part_asked_for(header: str, size: int) -> range | None:
    """The bytes that a `Range` header names, maybe none; None if all are meant: also where it names several parts."""
    found = _RANGE.fullmatch(header)
    if found is None:
        return None
    first, last, length = found.groups()
    if length is not None:
        return range(max(size - int(length), 0), size)
    return range(int(first), min(int(last) + 1, size) if last else size)
