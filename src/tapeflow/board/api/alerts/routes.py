"""The route of alerts; the page takes them from the runs themselves, which the live stream brings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import json_answer
from tapeflow.board.api.alerts.schema import AlertsAnswer
from tapeflow.board.health.alerts import alerts_of, status

if TYPE_CHECKING:
    from tapeflow.board.board import Board


def routes(board: Board) -> Sequence[BaseRoute]:
    """The routes below /api/v1/alerts."""

    def items(request: Request) -> Response:
        found: AlertsAnswer = {"runs": []}
        for run in board.store.ordered_runs():
            now = status(run)
            alerts = alerts_of(run, now)
            if alerts:
                found["runs"].append({"run": run.id, "name": run.name, "status": now, "alerts": alerts})
        return json_answer(found, request)

    return [Route("/items", items)]
