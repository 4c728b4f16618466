"""The API's route of custom scalars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import json_answer
from tapeflow.board.api.custom_scalars.layout import merged_layout
from tapeflow.board.api.custom_scalars.matching import Match, matcher
from tapeflow.board.api.custom_scalars.schema import CustomChart, CustomLayout, CustomLines
from tapeflow.board.board import Board
from tapeflow.board.logdirs import natural
from tapeflow.board.notes import joined

MOST_LINES = 500  # of one expression


def routes(board: Board) -> Sequence[BaseRoute]:
    """The routes below /api/v1/custom_scalars."""

    def layout(request: Request) -> Response:
        return json_answer(layout_answer(board), request)

    return [Route("/layout", layout)]


def exports(board: Board) -> dict[str, object]:
    """What a saved page asks for."""
    return {"api/v1/custom_scalars/layout": layout_answer(board)}


def layout_answer(board: Board) -> CustomLayout:
    """The merged layout, with the tags its expressions match."""
    merged, notes = merged_layout(board)
    if merged is None:
        return {"categories": [], "problem": "", "notes": []}
    tags = {
        series.tag
        for run in board.store.ordered_runs()
        for series in list(run.scalars.values())
        if series.panel == "scalars"
    }
    expressions = [
        tag for category in merged.category for chart in category.chart for tag in chart.multiline.tag
    ]
    found = matcher.match(expressions, sorted(tags, key=natural), MOST_LINES)

    def chart(one: Any) -> CustomChart:
        return {
            "title": one.title,
            "lines": [_lines(tag, found[tag]) for tag in dict.fromkeys(one.multiline.tag)],
            "margins": [{"value": s.value, "lower": s.lower, "upper": s.upper} for s in one.margin.series],
        }

    return {
        "categories": [
            {"title": c.title, "is_closed": c.closed, "charts": [chart(one) for one in c.chart]}
            for c in merged.category
        ],
        "problem": joined(notes),
        "notes": notes,
    }


def _lines(expression: str, match: Match) -> CustomLines:
    notes = [match.problem] if match.problem else []
    return {"expression": expression, "tags": match.tags, "problem": joined(notes), "notes": notes}
