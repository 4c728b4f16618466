from __future__ import annotations

import math
import struct

import numpy as np
import pytest

from tapeflow.summary.event_files import encoding
from tapeflow.summary.event_files.tensors import array_of, tensor_bytes
from tapeflow.summary.protos import message


@pytest.mark.parametrize("step", [0, 1, 127, 128, 300, 2**40, -1])
@pytest.mark.parametrize("tag", ["a", "x/loss", "é" * 90])
def test_scalar_event_is_the_message(step: int, tag: str) -> None:
    meta = encoding.metadata("scalars", description="what it is")
    event = message("Event").FromString(encoding.scalar_event(12.5, step, tag, 0.25, meta))
    (value,) = event.summary.value
    assert (event.wall_time, event.step, value.tag) == (12.5, step, tag)
    assert value.tensor.tensor_content == struct.pack("<f", 0.25)
    assert value.metadata.plugin_data.plugin_name == "scalars"
    assert value.metadata.summary_description == "what it is"
    # And byte for byte what protobuf makes of it: nothing stands in another order.
    assert encoding.scalar_event(12.5, step, tag, 0.25, meta) == encoding.tensor_event(
        12.5, step, tag, tensor_bytes(np.float32(0.25)), meta
    )


def test_numbers_too_large_for_float32_become_infinite() -> None:
    for value, expected in ((1e300, math.inf), (-1e300, -math.inf), (3.4e38, np.float32(3.4e38))):
        event = message("Event").FromString(encoding.scalar_event(0.0, 1, "x", value, b""))
        assert array_of(event.summary.value[0].tensor) == expected


def test_metadata_is_the_message() -> None:
    made = message("SummaryMetadata").FromString(encoding.metadata("pr", b"\x01", "text", 2))
    assert made.plugin_data.plugin_name == "pr"
    assert made.plugin_data.content == b"\x01"
    assert made.summary_description == "text"
    assert made.data_class == 2


def test_version_and_graph_events() -> None:
    event = message("Event").FromString(encoding.version_event(3.0))
    assert (event.file_version, event.wall_time) == ("brain.Event:2", 3.0)
    assert message("Event").FromString(encoding.graph_event(3.0, b"graph")).graph_def == b"graph"
