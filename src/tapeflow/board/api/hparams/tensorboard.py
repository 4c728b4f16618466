"""TensorBoard's routes of hparams: a request in JSON, in the body or as `request` in the query."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import bytes_of, json_answer
from tapeflow.board.api.hparams.downloads import download
from tapeflow.board.api.hparams.listing import experiment_of, group_answer, groups_of, number, series_at
from tapeflow.board.api.hparams.requests import (
    ExperimentRequest,
    Refused,
    evals_request,
    experiment_request,
    groups_request,
    parsed,
)
from tapeflow.board.api.hparams.sessions import study_of
from tapeflow.board.board import Board
from tapeflow.board.sampling import Window, cut

_Answer = Callable[[Any, str, Request], Response]


def tensorboard(board: Board) -> Sequence[BaseRoute]:
    """The routes below /data/plugin."""
    store = board.store

    def experiment(found: Any, where: str, request: Request) -> Response:
        del request
        return json_answer(experiment_of(study_of(store), experiment_request(found, where)))

    def session_groups(found: Any, where: str, request: Request) -> Response:
        del request
        wanted = groups_request(found, where)
        groups = groups_of(store, study_of(store), wanted)
        part = groups[wanted.start : wanted.start + wanted.size]
        return json_answer({"sessionGroups": [group_answer(one) for one in part], "totalSize": len(groups)})

    def metric_evals(found: Any, where: str, request: Request) -> Response:
        del request
        session, metric = evals_request(found, where)
        place = series_at(store, session, metric)
        if place is None:
            raise HTTPException(404, f"No scalar data for session={session!r:.200}, metric={metric!r:.200}")
        steps, times, values = cut(place[1], Window(), 0.0).points
        rows = zip(times.tolist(), steps.astype(int).tolist(), values.tolist(), strict=True)
        return json_answer([(number(time), step, number(value)) for time, step, value in rows])

    def download_data(found: Any, where: str, request: Request) -> Response:
        shown = parsed(request.query_params.get("columnsVisibility"), where)
        if not isinstance(shown, list):
            raise Refused(
                f"{where} expected columnsVisibility to be a list of true and false; got {shown!r:.80}"
            )
        wanted = groups_request(found, where)
        study = study_of(store)
        groups = groups_of(store, study, wanted)[wanted.start : wanted.start + wanted.size]
        described = experiment_of(study, ExperimentRequest(wanted.has_metrics, 0))
        content, mime = download(described, groups, request.query_params.get("format"), shown)
        if isinstance(content, bytes):
            return Response(content, media_type=mime)
        rows = [[number(v) if isinstance(v, float) else v for v in row] for row in content["rows"]]
        return json_answer({**content, "rows": rows})

    routes = {
        "experiment": experiment,
        "session_groups": session_groups,
        "metric_evals": metric_evals,
        "download_data": download_data,
    }
    return [
        Route(f"/hparams/{name}", _asked(name, answer), methods=["GET", "POST"])
        for name, answer in routes.items()
    ]


def _asked(name: str, answer: _Answer) -> Callable[[Request], Awaitable[Response]]:
    """A route that finds its request in the body, or in the query."""

    async def route(request: Request) -> Response:
        data = await bytes_of(request) if request.method == "POST" else request.query_params.get("request")
        return await run_in_threadpool(answer, parsed(data, name), name, request)

    return route
