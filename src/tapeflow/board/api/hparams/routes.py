"""The routes of the HParams panel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import Refusal, argument, json_answer
from tapeflow.board.api.hparams.columns import table_of
from tapeflow.board.api.hparams.importance import importance_of
from tapeflow.board.api.hparams.schema import HParamsAnswer, MetricPoint
from tapeflow.board.api.hparams.sessions import study_of
from tapeflow.board.board import Board
from tapeflow.board.media import encoded

_MOST_EXPORTED = 10
POINTS: tuple[MetricPoint, ...] = get_args(MetricPoint)


def routes(board: Board) -> Sequence[BaseRoute]:
    """The routes below /api/v1/hparams."""
    made: dict[MetricPoint, tuple[int, HParamsAnswer]] = {}

    def table(point: MetricPoint) -> HParamsAnswer:
        """The table; as long as nothing has changed it is made once for all who ask."""
        version = board.store.version
        if point not in made or made[point][0] != version:
            made[point] = version, table_of(study_of(board.store), point)
        return made[point][1]

    def sessions(request: Request) -> Response:
        return json_answer(table(_point(request)), request)

    def importance(request: Request) -> Response:
        tag, group = argument(request, "tag"), request.query_params.get("group", "")
        found = table(_point(request))
        for metric in found["metrics"]:
            if (metric["tag"], metric["group"]) == (tag, group):
                return json_answer(importance_of(found["hparams"], metric["values"]), request)
        raise Refusal(404, "no_metric", tag=tag, group=group)

    return [Route("/sessions", sessions), Route("/importance", importance)]


def _point(request: Request) -> MetricPoint:
    found = request.query_params.get("value", "last")
    if found not in POINTS:
        raise HTTPException(
            400, f"{request.url.path} expected value=last, min, max or mean; got value={found!r:.80}"
        )
    return cast("MetricPoint", found)


def exports(board: Board) -> dict[str, object]:
    """What a saved page asks for: every table, and the importance for the last value of declared metrics, or of all."""
    tables: dict[str, HParamsAnswer] = {
        point: table_of(study_of(board.store), cast("MetricPoint", point)) for point in POINTS
    }
    last = tables["last"]
    if not last["groups"]:
        return {}
    found: dict[str, object] = {f"api/v1/hparams/sessions?value={point}": tables[point] for point in POINTS}
    declared = [metric for metric in last["metrics"] if metric["is_declared"]]
    for metric in (declared or last["metrics"])[:_MOST_EXPORTED]:
        query = f"tag={encoded(metric['tag'])}&group={encoded(metric['group'])}&value=last"
        found[f"api/v1/hparams/importance?{query}"] = importance_of(last["hparams"], metric["values"])
    return found
