from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tapeflow.board.logdirs import run_id
from tapeflow.board.runs import Gone
from tapeflow.summary.event_files import encoding, wire
from tapeflow.summary.event_files.records import record
from tapeflow.summary.protos import message


@pytest.fixture
def read(tmp_path: Path, events: Any, load: Callable[..., Any]) -> Callable[[bytes], Any]:
    def run_of(data: bytes) -> Any:
        events.write(tmp_path / "runs" / "a", data)
        return load(tmp_path / "runs").store.runs[run_id("a")]

    return run_of


def summary_event(**fields: Any) -> bytes:
    value = message("Summary").Value(**fields).SerializeToString()
    return record(encoding.summary_event(1.7e9, 1, wire.block(1, value)))


def test_hyperparameters_in_metadata_alone(read: Callable[[bytes], Any]) -> None:
    content = message("hparams.HParamsPluginData")()
    content.session_start_info.hparams["lr"].number_value = 0.1
    content.session_start_info.hparams["optimizer"].string_value = "<b>adam</b>"
    content.session_start_info.hparams["bias"].bool_value = True
    metadata = message("SummaryMetadata")()
    metadata.plugin_data.plugin_name = "hparams"
    metadata.plugin_data.content = content.SerializeToString()
    run = read(summary_event(tag="_hparams_/session_start_info", metadata=metadata))
    assert run.answer()["hparams"] == {"lr": 0.1, "optimizer": "<b>adam</b>", "bias": True}
    metadata.plugin_data.content = b"\xff\xff"
    assert read(summary_event(tag="_hparams_/session_start_info", metadata=metadata)).hparams == {}


def test_numbers_of_every_kind_are_scalars(read: Callable[[bytes], Any], events: Any) -> None:
    data = b"".join(
        events.entry("x", np.array(i, dtype), "scalars", i)
        for i, dtype in enumerate(["float64", "float16", "int64", "uint8", "bool", "float32"])
    )
    run = read(data)
    assert run.scalars["x"].columns["values"].tolist() == [0, 1, 2, 3, 1, 5]
    assert not run.entries


def test_points_stay_in_the_order_of_the_file(read: Callable[[bytes], Any]) -> None:
    # The first event has metadata, as TensorBoard's own writer does it, and steps take one byte, then two, then one.
    steps = [0, 3, 300, 301, 5, 70_000, 6]
    events = [
        encoding.scalar_event(1.7e9, s, "x", s, b"" if i else encoding.metadata("scalars"))
        for i, s in enumerate(steps)
    ]
    assert read(b"".join(map(record, events))).scalars["x"].columns["steps"].tolist() == steps


def test_one_tag_for_numbers_and_pictures(read: Callable[[bytes], Any], events: Any) -> None:
    run = read(events.scalars("x", [1.0]) + events.image("x", 1))
    assert (run.scalars["x"].panel, run.entries["x"].panel) == ("scalars", "images")
    assert run.value(run.entries["x"], 0).array.shape == (3,)


def test_graphs_keep_their_place(read: Callable[[bytes], Any]) -> None:
    run = read(record(encoding.graph_event(1.7e9, b"graph bytes")))
    assert run.event(run.entries["graph_def"], 0).graph_def == b"graph bytes"


def test_tensors_that_claim_to_be_huge_are_damage(read: Callable[[bytes], Any]) -> None:
    tensor = message("TensorProto")(dtype=1, float_val=[1.0])
    tensor.tensor_shape.dim.add(size=1 << 30)
    run = read(summary_event(tag="x", tensor=tensor))
    assert run.damages[0].reason.startswith("a tensor of shape (1073741824,)")


def test_values_that_are_gone(read: Callable[[bytes], Any], events: Any, tmp_path: Path) -> None:
    run = read(events.image("grid"))
    with pytest.raises(Gone, match="'grid' has 1 steps; got index=1"):
        run.value(run.entries["grid"], 1)
    path = tmp_path / "runs" / "a" / "events.out.tfevents.1.host"
    data = path.read_bytes()
    path.write_bytes(data.replace(b"grid", b"diff"))
    with pytest.raises(Gone, match="'grid' is no longer where it was"):
        run.value(run.entries["grid"], 0)
    path.write_bytes(data[:50])
    with pytest.raises(Gone):
        run.value(run.entries["grid"], 0)
    path.unlink()
    with pytest.raises(Gone, match=r"events.out.tfevents.1.host has changed: .*No such file"):
        run.value(run.entries["grid"], 0)
