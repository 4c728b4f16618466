"""TensorBoard's routes of custom scalars."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf import json_format
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import argument, json_answer
from tapeflow.board.api.custom_scalars.layout import merged_layout
from tapeflow.board.api.custom_scalars.matching import matcher
from tapeflow.board.api.scalars.tensorboard import json_rows, scalars_answer
from tapeflow.board.board import Board
from tapeflow.board.logdirs import run_id
from tapeflow.board.runs import MOST_TAGS


def tensorboard(board: Board) -> Sequence[BaseRoute]:
    """The routes below /data/plugin."""

    def layout(request: Request) -> Response:
        del request
        merged, _ = merged_layout(board)
        if merged is None:
            return json_answer({})
        return json_answer(json_format.MessageToDict(merged, always_print_fields_with_no_presence=True))

    def scalars(request: Request) -> Response:
        """The scalars of a run whose tags match an expression."""
        expression = request.query_params.get("tag", "")
        run = board.store.runs.get(run_id(argument(request, "run")))
        series = [one for one in run.scalars.values() if one.panel == "scalars"] if run is not None else []
        match = matcher.match([expression], [one.tag for one in series], MOST_TAGS)[expression]
        is_valid = bool(expression) and match.is_valid
        if is_valid and match.problem:
            raise HTTPException(400, match.problem["text"])
        fits = set(match.tags) if is_valid else set()
        events = {one.tag: json_rows(one) for one in series if one.tag in fits}
        return json_answer({"regex_valid": is_valid, "tag_to_events": events})

    def download(request: Request) -> Response:
        return scalars_answer(board, request)

    return [
        Route("/custom_scalars/layout", layout),
        Route("/custom_scalars/scalars", scalars),
        Route("/custom_scalars/download_data", download),
    ]
