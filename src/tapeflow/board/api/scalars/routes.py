"""Points of many series at once, and series to keep."""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, cast

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from tapeflow.board import column_messages
from tapeflow.board.answers import body_of, inert, json_answer
from tapeflow.board.board import Board
from tapeflow.board.runs import Run
from tapeflow.board.sampling import Window, cut
from tapeflow.board.schema import SeriesHead, SeriesRequest
from tapeflow.board.series import Series

MOST_SERIES = 20_000
MOST_POINTS = 10_000_000
_ROWS = 10_000  # of a file to keep, sent at once


def routes(board: Board) -> Sequence[BaseRoute]:
    """The routes below /api/v1/scalars."""

    async def series(request: Request) -> Response:
        wanted = checked(await body_of(request))
        return await run_in_threadpool(answer, wanted)

    def answer(wanted: SeriesRequest) -> Response:
        heads, points = points_of(board, wanted)
        if wanted.get("format") == "json":
            return json_answer(column_messages.as_json(heads, points))
        return Response(column_messages.encode(heads, points), media_type=column_messages.MIME)

    def download(request: Request) -> Response:
        runs, tags = (dict.fromkeys(request.query_params.getlist(name)) for name in ("run", "tag"))
        if len(runs) * len(tags) > MOST_SERIES:
            raise HTTPException(
                400,
                f"scalars/download expected at most {MOST_SERIES} series; got {len(runs)} runs of {len(tags)} tags",
            )
        keys = itertools.product(runs, tags)
        found = [one for run, tag in keys if (one := board.store.find(run, tag, "scalars")) is not None]
        if not found:
            raise HTTPException(404, "scalars/download expected run=... and tag=... of a series there is")
        kind = request.query_params.get("format", "csv")
        if kind not in _FORMATS:
            raise HTTPException(
                400, f"scalars/download expected format=csv or format=json; got format={kind!r}"
            )
        make, mime = _FORMATS[kind]
        headers = {"Content-Disposition": f'attachment; filename="scalars.{kind}"'}
        return StreamingResponse(make(found), headers=headers, media_type=mime)

    return [Route("/series", series, methods=["POST"]), Route("/download", download)]


def points_of(board: Board, wanted: SeriesRequest) -> tuple[list[SeriesHead], list[column_messages.Points]]:
    """The points of all series of a request, each of them once."""
    window = Window(
        wanted.get("axis", "step"),
        wanted.get("min"),
        wanted.get("max"),
        wanted.get("pixels", 0),
        wanted.get("smoothing", 0.0),
    )
    heads: list[SeriesHead] = []
    points: list[column_messages.Points] = []
    left = MOST_POINTS
    for run_id, tag in dict.fromkeys((key["run"], key["tag"]) for key in wanted["series"]):
        found = board.store.find(run_id, tag, "scalars")
        if found is None:
            heads.append(column_messages.head(run_id, tag, missing=True))
            points.append(column_messages.NO_POINTS)
            continue
        run, series = found
        cursor = run.cursor(series)
        cutting = cut(series, window, run.start_time or 0.0)
        heads.append(
            column_messages.head(
                run.id,
                series.tag,
                length=len(cutting.points[0]),
                window_total=cutting.total,
                total=len(series),
                is_raw=cutting.is_raw,
                cursor=cursor,
                start_time=run.start_time,
                has_smoothed=bool(window.smoothing),
            )
        )
        points.append(cutting.points)
        left -= len(cutting.points[0])
        if left < 0:
            raise HTTPException(
                400,
                f"scalars/series expected series of at most {MOST_POINTS} points in all; got more. Ask for fewer at "
                "once, or for as many points as there are pixels",
            )
    return heads, points


def checked(found: Any) -> SeriesRequest:
    """A request for series, or a refusal."""
    if not isinstance(found, dict):
        raise HTTPException(400, f"scalars/series expected an object; got {type(found).__name__}")
    series = found.get("series")
    if not isinstance(series, list) or len(series) > MOST_SERIES:
        raise HTTPException(400, f"scalars/series expected 'series', a list of at most {MOST_SERIES}")
    for key in series:
        if not isinstance(key, dict) or not all(isinstance(key.get(name), str) for name in ("run", "tag")):
            raise HTTPException(400, f"scalars/series expected run and tag as strings; got {key!r:.200}")
    if found.get("axis", "step") not in ("step", "relative", "wall"):
        raise HTTPException(
            400, f"scalars/series expected axis to be step, relative or wall; got axis={found['axis']!r:.80}"
        )
    for name in ("min", "max"):
        limit = found.get(name)
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, (int, float))):
            raise HTTPException(400, f"scalars/series expected a number as {name}; got {name}={limit!r:.80}")
    pixels = found.get("pixels", 0)
    if isinstance(pixels, float) and math.isfinite(pixels):
        pixels = found["pixels"] = int(pixels)
    if isinstance(pixels, bool) or not isinstance(pixels, int) or pixels < 0:
        raise HTTPException(400, f"scalars/series expected pixels to be 0 or more; got pixels={pixels!r:.80}")
    weight = found.get("smoothing", 0.0)
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight < 1:
        raise HTTPException(
            400, f"scalars/series expected smoothing from 0 to below 1; got smoothing={weight!r:.80}"
        )
    if found.get("format", "columns") not in ("columns", "json"):
        raise HTTPException(
            400, f"scalars/series expected format columns or json; got {found['format']!r:.80}"
        )
    return cast("SeriesRequest", found)


def _csv(found: list[tuple[Run, Series]]) -> Iterator[bytes]:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["run", "tag", "step", "wall_time", "value"])
    for run, series in found:
        steps, times, values = _whole(series)
        for begin in range(0, len(steps), _ROWS):
            part = slice(begin, begin + _ROWS)
            rows = zip(steps[part].tolist(), times[part].tolist(), values[part].tolist(), strict=True)
            writer.writerows([inert(run.name), inert(series.tag), *row] for row in rows)
            yield out.getvalue().encode()
            out.seek(0)
            out.truncate()
    yield out.getvalue().encode()


def _json(found: list[tuple[Run, Series]]) -> Iterator[bytes]:
    yield b"["
    for number, (run, series) in enumerate(found):
        steps, times, values = _whole(series)
        content = {
            "run": run.name,
            "tag": series.tag,
            "steps": steps.tolist(),
            "wall_times": column_messages.numbers(times),
            "values": column_messages.numbers(values),
        }
        yield (b",\n" if number else b"") + orjson.dumps(content)
    yield b"]\n"


def _whole(series: Series) -> column_messages.Points:
    return cut(series, Window(), 0.0).points


_FORMATS = {"csv": (_csv, "text/csv; charset=utf-8"), "json": (_json, "application/json")}
