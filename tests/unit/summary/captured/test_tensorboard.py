"""TensorBoard passes captured data over: no tag of its dashboards comes from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapeflow import summary

event_accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")


def test_tensorboard_shows_what_was_logged_alone(tmp_path: Path) -> None:
    with summary.run("x", tmp_path) as run:
        summary.scalar("loss", 0.5, step=1)
        summary.text("note", "text", step=1)
        summary.alert("bad")
        print("said")
    read = event_accumulator.EventAccumulator(run.logdir)
    read.Reload()
    assert list(read.PluginTagToContent("scalars")) == ["loss"]
    assert list(read.PluginTagToContent("text")) == ["note"]
    others = set(read.Tags()["tensors"]) - {"loss", "note"}
    ours = {*read.PluginTagToContent("tapeflow_run"), *read.PluginTagToContent("tapeflow_system")}
    assert others == ours
    assert {"tapeflow/facts", "tapeflow/state", "tapeflow/console", "tapeflow/alerts"} < ours
    assert not read.Tags()["scalars"]
