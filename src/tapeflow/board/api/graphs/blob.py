"""A logged graph for the page."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from tapeflow.board.api.graphs.graph_def import NOTES, Graph, graph_of
from tapeflow.board.api.graphs.keras_model import model_graph
from tapeflow.board.api.graphs.run_metadata import graph_in, metadata_of, stats_of
from tapeflow.board.api.graphs.schema import GraphBlob, GraphKind
from tapeflow.board.decoding import WHOLE_EVENT
from tapeflow.board.notes import joined
from tapeflow.board.runs import Gone, Run
from tapeflow.board.series import Series

MODEL = "graph_keras_model"
RUN_GRAPH = "graph_def"
TAGGED = "tagged_run_metadata"
WITH_PROFILE = "graph_run_metadata"
WITH_GRAPH = "graph_run_metadata_graph"
PLUGINS = (MODEL, RUN_GRAPH, TAGGED, WITH_PROFILE, WITH_GRAPH)
_MOST_KEPT = 2


def graph_blob(run: Run, series: Series, index: int) -> GraphBlob:
    """A graph in columns; what cannot be shown says so.

    Raises:
        Gone: it is not there any more.
    """
    try:
        graph, metadata = graph_at(run, series, index)
        stats = stats_of(metadata, graph) if metadata is not None else None
    except ValueError as error:
        graph, stats = Graph(problems=[NOTES("unreadable", error=str(error))]), None
    if series.plugin in (TAGGED, WITH_PROFILE) and not graph.nodes:
        graph.problems.append(NOTES("no_graph"))
    kind: GraphKind = (
        "model" if series.plugin == MODEL else "profile" if series.plugin in (TAGGED, WITH_PROFILE) else "ops"
    )
    texts: dict[str, int] = {"": 0}

    def place(text: str) -> int:
        return texts.setdefault(text, len(texts))

    nodes, edges = graph.nodes, graph.edges
    return {
        "kind": kind,
        "problem": joined(graph.problems),
        "notes": graph.problems,
        "total": graph.total,
        "lost": graph.lost,
        "names": [node.name for node in nodes],
        "ops": [place(node.op) for node in nodes],
        "devices": [place(node.device) for node in nodes],
        "dtypes": [place(node.dtype) for node in nodes],
        "outputs": [place(", ".join(node.shapes)) for node in nodes],
        "parameters": [node.parameters for node in nodes],
        "sources": [edge.source for edge in edges],
        "targets": [edge.target for edge in edges],
        "shapes": [place(edge.shape) for edge in edges],
        "controls": [int(edge.is_control) for edge in edges],
        "texts": list(texts),
        "stats": stats,
    }


def bytes_at(run: Run, series: Series, index: int) -> bytes:
    """What was logged: a GraphDef, a RunMetadata, or the JSON of a model.

    Raises:
        Gone: it is not there any more.
        ValueError: it is no string.
    """
    if 0 <= index < len(series) and int(series.columns["places"][index]) == WHOLE_EVENT:
        event = run.event(series, index)
        kind = event.WhichOneof("what")
        if kind != series.plugin:
            raise Gone(f"{series.tag!r} is no longer where it was")
        return event.graph_def if kind == RUN_GRAPH else event.tagged_run_metadata.run_metadata
    array = run.value(series, index).array
    if array.dtype != object or not array.size:
        raise ValueError(f"a graph in an array of {array.dtype}, shape {array.shape}")
    return array.ravel()[0]


def graph_at(run: Run, series: Series, index: int) -> tuple[Graph, Any]:
    """A graph, and the metadata of the run it was measured in, or None.

    Raises:
        Gone: it is not there any more.
        ValueError: it is no graph.
    """
    if series.plugin in (MODEL, RUN_GRAPH):
        return _kept(run, series, index), None
    metadata = metadata_of(bytes_at(run, series, index))
    graph = graph_in(metadata)
    beside = run.entries.get(RUN_GRAPH)
    if not graph.nodes and beside is not None and beside.plugin == RUN_GRAPH and len(beside):
        graph = _kept(run, beside, len(beside) - 1)
    return graph, metadata


_kept_graphs: OrderedDict[tuple[str, int, str, int], Graph] = OrderedDict()
_keeping = threading.Lock()


def _kept(run: Run, series: Series, index: int) -> Graph:
    """A graph, read once for the page and once for each node that is looked at."""
    key = (run.id, run.generation, series.tag, index)
    with _keeping:
        found = _kept_graphs.get(key)
    if found is None:
        data = bytes_at(run, series, index)
        found = model_graph(data) if series.plugin == MODEL else graph_of(data)
        with _keeping:
            _kept_graphs[key] = found
            while len(_kept_graphs) > _MOST_KEPT:
                _kept_graphs.popitem(last=False)
    return found
