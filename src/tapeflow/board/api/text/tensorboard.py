"""TensorBoard's routes of text."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

import numpy as np
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import json_answer
from tapeflow.board.api.text.blob import text_blob
from tapeflow.board.board import Board
from tapeflow.board.runs import Gone
from tapeflow.board.tensorboard import paragraphs, series_named, series_of
from tapeflow.summary.event_files.values import Value


def tensorboard(board: Board) -> Sequence[BaseRoute]:
    """The routes below /data/plugin."""

    def tags(request: Request) -> Response:
        del request
        found: dict[str, list[str]] = {}
        for run, series in series_of(board, "text"):
            found.setdefault(run.name, []).append(series.tag)
        return json_answer(found)

    def text(request: Request) -> Response:
        try:
            run, series = series_named(board, request, "text")
        except HTTPException as error:
            if error.status_code != 404:
                raise
            return json_answer([])  # as TensorBoard does
        is_marked = request.query_params.get("markdown") != "false"
        found = []
        for row in range(len(series)):
            try:
                value = run.value(series, row)
            except Gone:
                continue
            found.append(
                {
                    "wall_time": float(series.columns["wall_times"][row]),
                    "step": int(series.columns["steps"][row]),
                    "text": _html(value, paragraphs if is_marked else html.escape),
                }
            )
        return json_answer(found)

    return [Route("/text/tags", tags), Route("/text/text", text)]


def _html(value: Value, make: Callable[[str], str]) -> str:
    blob = text_blob(value)
    cells = np.array([make(text) for text in blob["texts"]], dtype=object)
    shape = blob["shape"]
    if not shape:
        return str(cells[0]) if cells.size else ""
    if len(shape) == 1:
        table = cells[:, None]
    else:
        table = cells.reshape(shape)
        table = table[(0,) * (table.ndim - 2)]
    rows = "".join("<tr>\n" + "".join(f"<td>{cell}</td>\n" for cell in row) + "</tr>\n" for row in table)
    return f"<table>\n<tbody>\n{rows}</tbody>\n</table>"
