"""The routes of the graphs panel: steps and graphs as of any media, and one node with all it holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from google.protobuf import text_format
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import Refusal, json_answer, whole_number
from tapeflow.board.api.graphs.blob import graph_at, graph_blob
from tapeflow.board.api.graphs.graph_def import Node, shape_text, type_name
from tapeflow.board.api.graphs.schema import GraphAttribute, GraphNode
from tapeflow.board.board import Board
from tapeflow.board.media import media_routes, series_asked_for
from tapeflow.board.runs import Gone

MOST_TEXT = 2000  # characters of an attribute
_MOST_ATTRIBUTES = 200
_MOST_INPUTS = 1000
_MOST_PRINTED = 16_384  # bytes of a message that is written out
_MOST_LISTED = 50

_media = media_routes("graphs", from_run=graph_blob)


def routes(board: Board) -> Sequence[BaseRoute]:
    """The routes below /api/v1/graphs."""

    def node(request: Request) -> Response:
        run, series = series_asked_for(board, request, "graphs")
        index, place = whole_number(request, "index"), whole_number(request, "node")
        try:
            graph, _ = graph_at(run, series, index)
        except (Gone, ValueError) as error:
            raise Refusal(404, "gone", error=str(error)) from None
        if place >= len(graph.nodes):
            raise HTTPException(404, f"the graph has {len(graph.nodes)} nodes; got node={place}")
        return json_answer(_answer(graph.nodes[place]))

    return [*_media(board), Route("/node", node)]


def _answer(node: Node) -> GraphNode:
    content = node.content
    is_layer = isinstance(content, dict)
    found = sorted((content if is_layer else content.attr).items())[:_MOST_ATTRIBUTES]
    return {
        "name": node.name,
        "op": node.op,
        "device": node.device,
        "inputs": [] if is_layer else list(content.input[:_MOST_INPUTS]),
        "outputs": node.shapes,
        "attributes": [_setting(*one) if is_layer else _attribute(*one) for one in found],
    }


def _setting(name: str, value: Any) -> GraphAttribute:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return {"name": name, "text": text[:MOST_TEXT], "nbytes": len(text)}


def _attribute(name: str, value: Any) -> GraphAttribute:
    return {"name": name[:MOST_TEXT], "text": _text(value)[:MOST_TEXT], "nbytes": value.ByteSize()}


def _text(value: Any) -> str:
    """An AttrValue as text, short where it is large."""
    kind = value.WhichOneof("value")
    if kind is None:
        return ""
    if kind == "list":
        return _listed(value.list)
    return _one(kind, getattr(value, kind))


def _listed(found: Any) -> str:
    for descriptor, values in found.ListFields():
        parts = [_one(descriptor.name, one) for one in values[:_MOST_LISTED]]
        rest = ", …" if len(values) > _MOST_LISTED else ""
        return f"[{', '.join(parts)}{rest}]"
    return "[]"


def _one(kind: str, value: Any) -> str:
    if kind == "s":
        return value[:MOST_TEXT].decode("utf-8", "replace")
    if kind == "type":
        return type_name(value)
    if kind == "shape":
        return shape_text(value) or "?"
    if kind == "func":
        return value.name
    if kind == "tensor" and value.ByteSize() > _MOST_PRINTED:
        return f"{type_name(value.dtype)} {shape_text(value.tensor_shape)}"
    if kind == "tensor":
        return text_format.MessageToString(value, as_one_line=True)
    return str(value)
