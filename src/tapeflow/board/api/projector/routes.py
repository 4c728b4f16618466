"""The projector's part of the API."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import Refusal, argument, body_of, json_answer, whole_number
from tapeflow.board.api.projector.assets import Assets, Points, read_sprite
from tapeflow.board.api.projector.facts import facts_of, packed_column, sets_of
from tapeflow.board.api.projector.jobs import Job, Jobs, Kept, key_of
from tapeflow.board.api.projector.layouts import TITLES, missing, packed_columns
from tapeflow.board.api.projector.metadata import Column
from tapeflow.board.api.projector.packing import MIME
from tapeflow.board.api.projector.places import Place, Places
from tapeflow.board.api.projector.projections import MOST_COMPONENTS, NoMatch, along, neighbors, principal
from tapeflow.board.api.projector.schema import ProjectorMethod, ProjectorNeighbors, ProjectorRow
from tapeflow.board.board import Board
from tapeflow.summary.kinds.embeddings import Embedding

MOST_NEIGHBORS = 10_000
_METHODS: tuple[ProjectorMethod, ...] = ("tsne", "umap")
# Name, least, most, default; those with whole numbers are told by their default.
_PARAMETERS: dict[str, list[tuple[str, float, float, float]]] = {
    "tsne": [("dimensions", 2, 3, 2), ("iterations", 50, 10_000, 750), ("perplexity", 1.0, 500.0, 30.0)],
    "umap": [
        ("dimensions", 2, 3, 2),
        ("iterations", 10, 10_000, 300),
        ("neighbors", 2, 500, 15),
        ("min_dist", 0.0, 1.0, 0.1),
    ],
}
_METRICS = ("euclidean", "cosine")


def routes(board: Board) -> Sequence[BaseRoute]:
    """The routes below /api/v1/projector."""
    projector = Projector(board)
    board.at_end.append(projector.jobs.close)

    def asked(give: Callable[[Projector, Request, Points], Response]) -> Callable[[Request], Response]:
        return partial(_with_points, projector, give)

    async def begin(request: Request) -> Response:
        body = await body_of(request)
        return await run_in_threadpool(projector.begin, body)

    return [
        Route("/sets", projector.sets),
        Route("/facts", asked(Projector.facts)),
        Route("/column", asked(Projector.column)),
        Route("/row", asked(Projector.row)),
        Route("/neighbors", asked(Projector.neighbors)),
        Route("/pca", asked(Projector.pca)),
        Route("/axes", asked(Projector.axes)),
        Route("/sprite", projector.sprite),
        Route("/jobs", begin, methods=["POST"]),
        Route("/jobs/{id}", projector.job),
        Route("/jobs/{id}", projector.cancel, methods=["DELETE"]),
        Route("/jobs/{id}/layout", projector.layout),
    ]


def _with_points(
    projector: Projector, give: Callable[[Projector, Request, Points], Response], request: Request
) -> Response:
    return give(projector, request, projector.points(request.query_params.get))


class Projector:
    """What answers the routes of one board."""

    def __init__(self, board: Board) -> None:
        self.places = Places(board)
        self.assets = Assets()
        self.kept = Kept(board.options.cache)
        self.jobs = Jobs(self.kept)

    def find(self, get: Callable[[str], Any]) -> tuple[Place, Embedding]:
        """The set and step that a request names; without a step, the last."""
        run, name, step = get("run"), get("name"), get("step")
        for place in self.places.all():
            if place.run == run:
                found = [info for info in place.embeddings if info.name == name]
                if step not in (None, ""):
                    found = [info for info in found if str(info.step) == str(step)]
                if found:
                    return place, found[-1]
        raise Refusal(404, "no_set", run=f"{run!r:.200}", name=f"{name!r:.200}", step=f"{step!r:.80}")

    def points(self, get: Callable[[str], Any]) -> Points:
        """The points that a request names."""
        return self.assets.points(*self.find(get))

    def sets(self, request: Request) -> Response:
        """Everything there is to choose from."""
        return json_answer(sets_of(self.places.all()), request)

    def facts(self, request: Request, points: Points) -> Response:
        """What is known of one step."""
        return json_answer(facts_of(points), request)

    def column(self, request: Request, points: Points) -> Response:
        """One column of metadata."""
        return _packed(packed_column(_column(points, whole_number(request, "column", 0))))

    def row(self, request: Request, points: Points) -> Response:
        """All that is known of one point."""
        index = _index(request, points)
        cells = [[column.name, column.values[int(column.codes[index])]] for column in points.metadata.columns]
        answer: ProjectorRow = {"index": index, "cells": cells}
        return json_answer(answer)

    def neighbors(self, request: Request, points: Points) -> Response:
        """The points nearest to one."""
        metric = request.query_params.get("metric", "cosine")
        if metric not in _METRICS:
            raise HTTPException(400, f"neighbors expected metric=cosine or euclidean; got metric={metric!r}")
        count = min(whole_number(request, "k", 20), MOST_NEIGHBORS)
        index = _index(request, points)
        indices, distances = neighbors(points.vectors, index, count, metric)
        answer: ProjectorNeighbors = {
            "index": index,
            "metric": metric,
            "indices": indices.tolist(),
            "distances": distances.tolist(),
        }
        return json_answer(answer)

    def pca(self, request: Request, points: Points) -> Response:
        """Some principal components: `components=0,1,2`."""
        text = request.query_params.get("components", "0,1,2")
        if not all(part.isdecimal() and int(part) < MOST_COMPONENTS for part in text.split(",")[:4]):
            raise HTTPException(
                400,
                f"pca expected components=0,1,2, numbers below {MOST_COMPONENTS}; got components={text!r:.80}",
            )
        chosen = [int(part) for part in text.split(",")[:3]]
        key = key_of(points.digest, "pca", {"components": chosen})
        data = self.kept.load(key)
        if data is None:
            found = principal(points.vectors)
            nothing = np.zeros(len(points.vectors), np.float32)
            columns = [found.columns[i] if i < len(found.columns) else nothing for i in chosen]
            data = packed_columns(columns, found.variance.tolist())
            self.kept.save(key, data)
        return _packed(data)

    def axes(self, request: Request, points: Points) -> Response:
        """Points along axes of the user's own."""
        column = _column(points, whole_number(request, "column", 0))
        left, right, down, up = (argument(request, name) for name in ("left", "right", "down", "up"))
        try:
            columns = along(points.vectors, column, (left, right), (down, up))
        except NoMatch as error:
            raise Refusal(422, "no_label", column=error.column, label=error.label) from None
        return _packed(packed_columns(list(columns)))

    def sprite(self, request: Request) -> Response:
        """The picture of all pictures."""
        place, info = self.find(request.query_params.get)
        kind, data = read_sprite(place, info)
        return Response(data, media_type=kind, headers={"Cache-Control": "private, max-age=60"})

    def begin(self, body: Callable[..., Any]) -> Response:
        """Start a projection."""
        if not isinstance(body, dict):
            raise HTTPException(400, f"projector/jobs expected an object; got {type(body).__name__}")
        method, parameters = checked(body)
        if missing(method):
            raise Refusal(422, "no_package", method=TITLES[method])
        points = self.points(body.get)
        if len(points.vectors) < 4:
            raise Refusal(422, "few_points", n=len(points.vectors))
        job = self.jobs.begin(
            key_of(points.digest, method, parameters), method, parameters, lambda: points.vectors
        )
        if job is None:
            raise Refusal(503, "jobs")
        return json_answer(job.answer())

    def job(self, request: Request) -> Response:
        """How far a projection is."""
        return json_answer(self._job(request).answer())

    def cancel(self, request: Request) -> Response:
        """End a projection."""
        job = self._job(request)
        self.jobs.cancel(job)
        return json_answer(job.answer())

    def layout(self, request: Request) -> Response:
        """Where a projection has the points by now."""
        data = self.jobs.layout(self._job(request))
        if data is None:
            raise Refusal(404, "no_layout")
        return _packed(data)

    def _job(self, request: Request) -> Job:
        job = self.jobs.get(request.path_params["id"])
        if job is None:
            raise Refusal(404, "no_job")
        return job


def checked(body: dict[str, Any]) -> tuple[ProjectorMethod, dict[str, Any]]:
    """Method and parameters of a projection, those that were not given as usual; or a refusal."""
    method = body.get("method")
    if method not in _METHODS:
        raise HTTPException(400, f"projector/jobs expected method tsne or umap; got method={method!r:.80}")
    given = body.get("parameters", {})
    known = {name for name, *_ in _PARAMETERS[method]} | {"metric"}
    if not isinstance(given, dict) or given.keys() - known:
        raise HTTPException(400, f"projector/jobs expected parameters out of {', '.join(sorted(known))}")
    found: dict[str, Any] = {}
    for name, least, most, usual in _PARAMETERS[method]:
        value = given.get(name, usual)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        if not is_number or not least <= value <= most:
            raise HTTPException(
                400, f"projector/jobs expected {name} from {least} to {most}; got {name}={value!r:.80}"
            )
        found[name] = int(value) if isinstance(usual, int) else float(value)
    found["metric"] = given.get("metric", "euclidean")
    if found["metric"] not in _METRICS:
        raise HTTPException(
            400, f"projector/jobs expected metric euclidean or cosine; got {found['metric']!r:.80}"
        )
    return cast("ProjectorMethod", method), found


def _column(points: Points, number: int) -> Column:
    columns = points.metadata.columns
    if number >= len(columns):
        raise HTTPException(404, f"there are {len(columns)} columns of labels; got column={number}")
    return columns[number]


def _index(request: Request, points: Points) -> int:
    index = whole_number(request, "index")
    if index >= len(points.vectors):
        raise HTTPException(404, f"there are {len(points.vectors)} points; got index={index}")
    return index


def _packed(data: bytes) -> Response:
    return Response(data, media_type=MIME, headers={"Cache-Control": "no-cache"})
