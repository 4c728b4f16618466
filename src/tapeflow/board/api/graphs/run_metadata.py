"""What a run of a graph took, from a RunMetadata."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError

from tapeflow.board.api.graphs.graph_def import Graph, graph_of
from tapeflow.board.api.graphs.schema import GraphStats
from tapeflow.summary.protos import message


def metadata_of(data: bytes) -> Any:
    """A RunMetadata message.

    Raises:
        ValueError: it is none.
    """
    try:
        return message("RunMetadata").FromString(data)
    except DecodeError as error:
        raise ValueError(f"not run metadata: {error}") from None


def graph_in(metadata: Any) -> Graph:
    """The graphs of the functions that ran, as they were before they were optimised; else as devices got them."""
    found = [one.pre_optimization_graph for one in metadata.function_graphs] or list(
        metadata.partition_graphs
    )
    return graph_of(*[one.SerializeToString() for one in found])


def stats_of(metadata: Any, graph: Graph) -> GraphStats | None:
    """Time and memory of each node; None if nothing was measured.

    A node that ran several times, or on several devices, has taken their sum.
    """
    taken: dict[str, list[float]] = {}
    for device in metadata.step_stats.dev_stats:
        if "/stream:" in device.device:  # the same once more, as a GPU saw it
            continue
        for one in device.node_stats:
            entry = taken.setdefault(one.node_name.partition(":")[0], [0.0, 0.0])
            entry[0] += max(one.all_end_rel_micros, 0)
            entry[1] += sum(max(memory.total_bytes, 0) for memory in one.memory)
    found = [taken.get(node.name) for node in graph.nodes]
    if not any(found):
        return None
    return {
        "micros": [one[0] if one else -1.0 for one in found],
        "bytes": [one[1] if one else -1.0 for one in found],
    }
