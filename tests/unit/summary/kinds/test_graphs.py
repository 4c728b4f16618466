from __future__ import annotations

import logging

import pytest

from tapeflow import summary
from tapeflow.summary.files import FileWriter
from tapeflow.summary.kinds.graphs import trace_off
from tapeflow.summary.protos import message


def test_graph(writer: FileWriter) -> None:
    graph = message("GraphDef")()
    graph.node.add(name="a", op="Const")
    with writer.as_default():
        assert summary.graph(graph)
    assert summary.read(writer.logdir).graphs == [graph.SerializeToString()]


def test_graph_refuses_other_things(writer: FileWriter) -> None:
    with (
        writer.as_default(),
        pytest.raises(ValueError, match="expected a GraphDef; got graph_data=3 of type int"),
    ):
        summary.graph(3)


def test_export_needs_a_trace(writer: FileWriter) -> None:
    with writer.as_default(), pytest.raises(ValueError, match="Must enable trace before export"):
        summary.trace_export("t", step=0)


def test_a_trace_without_functions_says_so(writer: FileWriter, caplog: pytest.LogCaptureFixture) -> None:
    with writer.as_default(), caplog.at_level(logging.WARNING):
        summary.trace_on()
        summary.trace_on()
        summary.trace_export("t", step=0)
    assert "a trace is on already" in caplog.text
    assert "found no graph" in caplog.text
    trace_off()


class Recorder:
    def __init__(self) -> None:
        self.calls: list[tuple[str, str | None]] = []

    def start(self, folder: str | None) -> None:
        self.calls.append(("start", folder))

    def stop(self, folder: str | None) -> None:
        self.calls.append(("stop", folder))


def test_the_profiler_is_started_and_stopped(writer: FileWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    profiler = Recorder()
    monkeypatch.setattr("tapeflow.summary.hooks.profiler", profiler)
    with writer.as_default():
        summary.trace_on(graph=False, profiler=True)
        summary.trace_export("t", step=0, profiler_outdir="there")
        summary.trace_on(graph=True, profiler=True, profiler_outdir="here")
        summary.trace_off()
    assert profiler.calls == [("start", None), ("stop", "there"), ("start", "here"), ("stop", None)]
