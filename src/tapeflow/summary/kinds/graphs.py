"""`tf.summary.graph`, and `trace_on`, `trace_export`, `trace_off`: what a recorded function computes."""

from __future__ import annotations

import logging
import os
from typing import Any, SupportsInt

from tapeflow.summary import hooks
from tapeflow.summary.context import current, recording_writer, step_or_default
from tapeflow.summary.event_files.encoding import metadata
from tapeflow.summary.protos import message

_log = logging.getLogger("tapeflow.summary")


class _Tracing:
    is_on = False
    graph = False
    profiler = False


_tracing = _Tracing()


def graph(graph_data: Any) -> bool:
    """Write a graph: a GraphDef message, ours, TensorBoard's or TensorFlow's.

    Returns:
        Whether it was recorded.
    """
    if type(graph_data).__name__ == "GraphDef":
        found = graph_data
    elif type(graph_data).__name__ in ("Graph", "FuncGraph"):
        found = graph_data.as_graph_def(add_shapes=True)
    else:
        raise ValueError(
            "tf.summary.graph expected a GraphDef; got "
            f"graph_data={graph_data!r} of type {type(graph_data).__name__}. To write the graph of a function "
            "that is called, use tf.summary.trace_on and tf.summary.trace_export."
        )
    writer = recording_writer()
    if writer is None:
        return False
    writer.add_graph(found.SerializeToString())
    return True


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None) -> None:
    """Start to record the graphs of functions and, with `profiler`, a profile.

    Args:
        graph: note the graphs of the functions that are called.
        profiler: profile as well.
        profiler_outdir: where the profile goes; `trace_export` may say it too.
    """
    if _tracing.is_on:
        _log.warning("tf.summary.trace_on: a trace is on already; it goes on.")
        return
    if profiler:  # first: it may raise
        hooks.profiler.start(None if profiler_outdir is None else os.fspath(profiler_outdir))
    _tracing.is_on, _tracing.graph, _tracing.profiler = True, graph, profiler
    if graph:
        hooks.bridge.start_graphs()


def trace_export(name: str, step: SupportsInt | None = None, profiler_outdir: str | None = None) -> None:
    """Stop the trace and write what it has recorded.

    Args:
        name: the tag of the graph.
        step: the step, unless there is a default one.
        profiler_outdir: where the profile goes.
    """
    if not _tracing.is_on:
        raise ValueError(
            "tf.summary.trace_export expected a trace that is on; got none. Must enable trace before export "
            "through tf.summary.trace_on."
        )
    writer = current.writer
    if _tracing.graph and writer is not None:
        step = hooks.step(step_or_default(step))
        graphs = hooks.bridge.stop_graphs()
        run = message("RunMetadata")()
        for found in graphs:
            run.function_graphs.add().pre_optimization_graph.CopyFrom(found)
            run.partition_graphs.add().CopyFrom(found)
        if not graphs:
            _log.warning(
                "tf.summary.trace_export found no graph: no tf.function was called since trace_on, or those "
                "called could not be staged."
            )
        elif writer.is_recording:
            writer.add(name, run.SerializeToString(), step, metadata("graph_run_metadata_graph", b"1"))
    if _tracing.profiler:
        _tracing.profiler = False
        hooks.profiler.stop(None if profiler_outdir is None else os.fspath(profiler_outdir))
    trace_off()


def trace_off() -> None:
    """Stop the trace and discard what it has recorded."""
    if _tracing.graph:
        hooks.bridge.stop_graphs()
    if _tracing.profiler:
        hooks.profiler.stop(None)
    _tracing.is_on = _tracing.graph = _tracing.profiler = False
