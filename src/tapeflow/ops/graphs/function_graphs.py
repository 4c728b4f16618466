"""How the engine's graphs of functions become GraphDefs."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.functions.function_graph import FunctionGraph, exporters


def install() -> None:
    """Give the engine the exporter."""
    exporters.append(_exported)


def _exported(graph: FunctionGraph) -> Any:
    from tapeflow.ops.graphs.graph_export import (
        graph_of_function,
    )  # brings protobuf, which most programs do not need

    return graph_of_function(graph)
