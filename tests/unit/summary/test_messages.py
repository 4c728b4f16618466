from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from tensorboard.compat.proto import (
    meta_graph_pb2,
    saved_object_graph_pb2,
    saver_pb2,
    struct_pb2,
    trackable_object_graph_pb2,
    variable_pb2,
)

from tapeflow.summary.protos import message

_SCRIPT = """
import sys, threading
sys.setswitchinterval(1e-6)
from tapeflow.summary.protos import message
names = ["Event", "TensorProto", "SummaryMetadata", "HistogramProto"] * 3
ready, found = threading.Barrier(len(names)), []
def ask(name):
    ready.wait()
    found.append(message(name))
threads = [threading.Thread(target=ask, args=(name,)) for name in names]
[t.start() for t in threads]
[t.join() for t in threads]
print(len({c.DESCRIPTOR.file.pool for c in found}), len(set(found)))
"""


def test_threads_that_ask_first_together_get_the_same_classes() -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "4"]


def _fields(descriptor: Any) -> dict[str, tuple[int, int, bool, str]]:
    """The fields of a message by name: their numbers, types, whether they repeat, and the message they hold."""
    return {
        f.name: (f.number, f.type, f.is_repeated, f.message_type.name if f.message_type is not None else "")
        for f in descriptor.fields
    }


def _enums(descriptor: Any) -> dict[str, dict[str, int]]:
    return {e.name: {v.name: v.number for v in e.values} for e in descriptor.enum_types}


@pytest.mark.parametrize(
    "file",
    [saved_object_graph_pb2, meta_graph_pb2, struct_pb2, trackable_object_graph_pb2, saver_pb2, variable_pb2],
    ids=lambda file: file.__name__.rpartition(".")[2],
)
def test_messages_of_saved_models_are_those_of_tensorflow(file: Any) -> None:
    waiting = list(file.DESCRIPTOR.message_types_by_name.values())
    for theirs in waiting:
        waiting += theirs.nested_types
        if theirs.GetOptions().map_entry:
            continue
        ours = message(theirs.full_name.removeprefix("tensorboard.")).DESCRIPTOR
        assert _fields(ours) == _fields(theirs), theirs.full_name
        assert _enums(ours) == _enums(theirs), theirs.full_name


def test_a_saved_model_comes_back_from_its_bytes() -> None:
    saved = message("SavedModel")(saved_model_schema_version=1)
    graph = saved.meta_graphs.add()
    graph.meta_info_def.tags.append("serve")
    root = graph.object_graph_def.nodes.add()
    root.children.add(node_id=1, local_name="kernel")
    graph.object_graph_def.nodes.add().variable.shape.dim.add(size=3)
    graph.signature_def["serving_default"].inputs["x"].name = "x:0"
    [found] = message("SavedModel").FromString(saved.SerializeToString()).meta_graphs
    assert found.object_graph_def.nodes[1].WhichOneof("kind") == "variable"
    assert found.signature_def["serving_default"].inputs["x"].WhichOneof("encoding") == "name"
