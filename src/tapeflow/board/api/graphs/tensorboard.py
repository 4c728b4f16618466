"""TensorBoard's routes of graphs: `info`, and graphs and run metadata as the text of protobuf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from google.protobuf.message import DecodeError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tapeflow.board.answers import json_answer
from tapeflow.board.api.graphs.blob import (
    MODEL,
    PLUGINS,
    RUN_GRAPH,
    TAGGED,
    WITH_GRAPH,
    WITH_PROFILE,
    bytes_at,
)
from tapeflow.board.api.graphs.tensorboard_model import NotAModel, conceptual_graph
from tapeflow.board.board import Board
from tapeflow.board.logdirs import run_id
from tapeflow.board.runs import Gone
from tapeflow.board.series import Series
from tapeflow.board.tensorboard import series_of
from tapeflow.summary.protos import message

_VERSION = b"1"  # what plugins write about their data; TensorBoard ignores any other
_HAS = {
    WITH_GRAPH: ("op_graph",),
    WITH_PROFILE: ("profile", "op_graph"),
    MODEL: ("conceptual_graph",),
    TAGGED: ("profile",),
}


class _Refusal(Exception):
    """Why a graph is not given, and with which status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


def tensorboard(board: Board) -> Sequence[BaseRoute]:
    """The routes below /data/plugin."""

    def info(request: Request) -> Response:
        del request
        found: dict[str, Any] = {}
        for plugin in (WITH_GRAPH, WITH_PROFILE, MODEL, RUN_GRAPH, TAGGED):
            for run, series in series_of(board, plugin):
                if not _is_known(series):
                    continue
                entry = found.setdefault(run.name, {"run": run.name, "tags": {}, "run_graph": False})
                if plugin == RUN_GRAPH:
                    entry["run_graph"] = True
                    continue
                blank = {"tag": series.tag, "conceptual_graph": False, "op_graph": False, "profile": False}
                tag = entry["tags"].setdefault(series.tag, blank)
                tag.update(dict.fromkeys(_HAS[plugin], True))
        return json_answer(found)

    def data_of(name: str, tag: str, *plugins: str) -> bytes:
        run = board.store.runs.get(run_id(name))
        series = run.entries.get(tag) if run is not None else None
        if run is None or series is None or series.plugin not in plugins or not len(series):
            raise _Refusal(404, f"Not found: no graph of run={name!r}, tag={tag!r}")
        try:
            return bytes_at(run, series, len(series) - 1)
        except (Gone, ValueError) as error:
            raise _Refusal(404, f"Not found: {error}") from None

    def graph(request: Request) -> Response:
        query = request.query_params
        try:
            run, tag = _needed(query, "run"), query.get("tag")
            limit, key = _limit(query), query.get("large_attrs_key")
            if query.get("conceptual") == "true":
                found = conceptual_graph(orjson.loads(data_of(run, tag or "", MODEL)))
            elif tag is None:
                found = message("GraphDef").FromString(data_of(run, RUN_GRAPH, RUN_GRAPH))
            else:
                metadata = message("RunMetadata").FromString(data_of(run, tag, WITH_PROFILE, WITH_GRAPH))
                found = _merged([one.pre_optimization_graph for one in metadata.function_graphs])
            _without_large_attributes(found, limit, key)
        except _Refusal as refusal:
            return Response(str(refusal), refusal.status, media_type="text/plain")
        except (DecodeError, orjson.JSONDecodeError, NotAModel) as error:
            return Response(f"The graph cannot be read: {error}", 400, media_type="text/plain")
        return Response(str(found), media_type="text/x-protobuf")

    def run_metadata(request: Request) -> Response:
        query = request.query_params
        try:
            tag, run = _needed(query, "tag"), _needed(query, "run")
            found = message("RunMetadata").FromString(data_of(run, tag, TAGGED, WITH_PROFILE))
        except _Refusal as refusal:
            return Response(str(refusal), refusal.status, media_type="text/plain")
        except DecodeError as error:
            return Response(f"The metadata cannot be read: {error}", 400, media_type="text/plain")
        return Response(str(found), media_type="text/x-protobuf")

    return [
        Route("/graphs/info", info),
        Route("/graphs/graph", graph),
        Route("/graphs/run_metadata", run_metadata),
    ]


def _is_known(series: Series) -> bool:
    return series.plugin in PLUGINS and (series.plugin in (RUN_GRAPH, TAGGED) or series.content == _VERSION)


def _needed(query: Any, name: str) -> str:
    if name not in query:
        raise _Refusal(400, f'query parameter "{name}" is required')
    return query[name]


def _limit(query: Any) -> int | None:
    text = query.get("limit_attr_size")
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        raise _Refusal(400, "query parameter `limit_attr_size` must be an integer") from None


def _without_large_attributes(graph: Any, limit: int | None, key: str | None) -> None:
    """Exchange attributes of more bytes for a list of their names, under a key of its own."""
    if limit is None:
        return
    if key is None:
        raise _Refusal(400, "large_attrs_key must be != None when limit_attr_size!= None.")
    if limit <= 0:
        raise _Refusal(400, f"limit_attr_size must be > 0, but is {limit}")
    for node in graph.node:
        for name in list(node.attr):
            if node.attr[name].ByteSize() > limit:
                del node.attr[name]
                node.attr[key].list.s.append(name.encode())


def _merged(graphs: list[Any]) -> Any:
    """Graphs side by side, each below a name of its own; one alone stays as it is."""
    if len(graphs) == 1:
        return graphs[0]
    merged = message("GraphDef")()
    if graphs and graphs[0].versions.producer:
        merged.versions.CopyFrom(graphs[0].versions)
    for number, graph in enumerate(graphs, 1):
        prefix = f"graph_{number}"
        if graph.versions.producer != merged.versions.producer:
            raise _Refusal(400, "Cannot combine GraphDefs of different versions.")
        for node in graph.node:
            added = merged.node.add()
            added.CopyFrom(node)
            added.name = f"{prefix}/{node.name}"
            added.input[:] = [f"{prefix}/{name}" for name in node.input]
            if node.op == "PartitionedCall":
                added.attr["f"].func.name = f"{prefix}_{added.attr['f'].func.name}"
        for function in graph.library.function:
            added = merged.library.function.add()
            added.CopyFrom(function)
            added.signature.name = f"{prefix}_{function.signature.name}"
        for gradient in graph.library.gradient:
            merged.library.gradient.add(
                function_name=f"{prefix}_{gradient.function_name}",
                gradient_func=f"{prefix}_{gradient.gradient_func}",
            )
    return merged
