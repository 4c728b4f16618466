"""TensorBoard's own read routes, so that scripts which read TensorBoard go on working.

Each panel brings those of its plugin, made of what is here; and here are the ones that belong to none. Runs go by
their names. Text is given as HTML in which nothing but paragraphs and tables is markup: TensorBoard renders Markdown.
"""

from __future__ import annotations

import base64
import html
import math
import os
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlencode

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from tapeflow.board.answers import argument, json_answer, whole_number
from tapeflow.board.blobs import KINDS
from tapeflow.board.board import Board
from tapeflow.board.logdirs import run_id, shown
from tapeflow.board.media import blob_answer
from tapeflow.board.runs import Run
from tapeflow.board.series import Series


def routes(board: Board) -> list[BaseRoute]:
    """The routes below /data."""

    def runs(request: Request) -> Response:
        del request
        found = [r for r in board.store.ordered_runs() if r.points or r.start_time is not None]
        found.sort(key=lambda r: (math.inf if r.start_time is None else r.start_time, r.name))
        return json_answer([run.name for run in found])

    def environment(request: Request) -> Response:
        del request
        return json_answer(
            {
                "version": board.options.version,
                "data_location": ",".join(d.place for d in board.logdirs),
                "window_title": "",
                "experiment_name": "",
                "experiment_description": "",
                "creation_time": 0,
            }
        )

    def logdir(request: Request) -> Response:
        del request
        first = board.logdirs[0] if board.logdirs else None
        place = "" if first is None else first.address or shown(os.path.abspath(first.path))
        return json_answer({"logdir": place})

    def listing(request: Request) -> Response:
        del request
        panels = board.info()["panels"]
        return json_answer(
            {
                p["name"]: {"enabled": p["tags"] > 0, "tab_name": p["title"], "remove_dom": False}
                for p in panels
            }
        )

    plugins = [route for panel in board.panels for route in panel.tensorboard(board)]
    return [
        Route("/runs", runs),
        Route("/environment", environment),
        Route("/logdir", logdir),
        Route("/plugins_listing", listing),
        Mount("/plugin", routes=plugins),
    ]


def series_of(board: Board, plugin: str) -> Iterator[tuple[Run, Series]]:
    """All series of one of TensorBoard's plugins."""
    for run in board.store.ordered_runs():
        for series in run.series():
            if _is_of(series, plugin):
                yield run, series


def series_named(board: Board, request: Request, plugin: str) -> tuple[Run, Series]:
    """The series of `run`, a name, and `tag` in the query."""
    name, tag = argument(request, "run"), argument(request, "tag")
    run = board.store.runs.get(run_id(name))
    for series in (run.scalars.get(tag), run.entries.get(tag)) if run is not None else ():
        if run is not None and series is not None and _is_of(series, plugin):
            return run, series
    raise HTTPException(404, f"No {plugin} data for run={name!r}, tag={tag!r}")


def _is_of(series: Series, plugin: str) -> bool:
    """A number logged under the name of another plugin is a scalar all the same."""
    is_scalars = plugin == "scalars"
    return (series.plugin == plugin and series.is_scalar == is_scalars) or (
        is_scalars and series.panel == "scalars"
    )


def paragraphs(text: str) -> str:
    """Text as HTML, with nothing in it that is markup."""
    return "\n".join(f"<p>{html.escape(part)}</p>" for part in text.strip().split("\n\n") if part)


def described(series: Series) -> dict[str, str]:
    """What TensorBoard says about a tag."""
    name = series.display_name or (series.tag if series.is_old else "")
    return {"displayName": name, "description": paragraphs(series.description)}


def blob_routes(plugin: str, listed: str, single: str) -> Callable[[Board], Sequence[BaseRoute]]:
    """The routes of a plugin whose values are blobs: tags, the steps of a tag, a single blob."""

    def make(board: Board) -> Sequence[BaseRoute]:
        def tags(request: Request) -> Response:
            del request
            found: dict[str, dict[str, object]] = {}
            for run, series in series_of(board, plugin):
                samples = int(series.columns["samples"].max()) if len(series) else 0
                found.setdefault(run.name, {})[series.tag] = {**described(series), "samples": samples}
            return json_answer(found)

        def steps(request: Request) -> Response:
            run, series = series_named(board, request, plugin)
            sample = whole_number(request, "sample", 0)
            columns, found = series.columns, []
            for row in range(len(series)):
                if sample >= columns["samples"][row]:
                    continue
                query = {"blob_key": _key(run, series, row, sample)}
                entry: dict[str, object] = {
                    "wall_time": float(columns["wall_times"][row]),
                    "step": int(columns["steps"][row]),
                }
                if plugin == "audio":
                    kind = KINDS[int(columns["kinds"][row])]
                    query["content_type"] = kind
                    entry |= {"label": "", "contentType": kind}
                found.append({**entry, "query": urlencode(query)})
            return json_answer(found)

        def blob(request: Request) -> Response:
            try:
                key = orjson.loads(base64.urlsafe_b64decode(argument(request, "blob_key")))
                run_id, tag, row, sample, generation = str(key[0]), str(key[1]), *map(int, key[2:5])
            except (ValueError, TypeError, LookupError):
                raise HTTPException(400, f"{single} expected a blob_key that {listed} gave") from None
            run = board.store.runs.get(run_id)
            series = run.entries.get(tag) if run is not None else None
            if run is None or series is None or run.generation != generation:
                raise HTTPException(404, f"there is no such {plugin} any more")
            return blob_answer(request, run, series, row, sample)

        base = f"/{plugin}"
        return [
            Route(f"{base}/tags", tags),
            Route(f"{base}/{listed}", steps),
            Route(f"{base}/{single}", blob),
        ]

    return make


def _key(run: Run, series: Series, row: int, sample: int) -> str:
    return base64.urlsafe_b64encode(orjson.dumps([run.id, series.tag, row, sample, run.generation])).decode()
