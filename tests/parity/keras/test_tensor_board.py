"""What `TensorBoard` writes: against Keras 2's files, and shown by TensorBoard itself."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.plugins.graph import keras_util
from tensorboard.util.tensor_util import make_ndarray

import tapeflow as tf

FIXTURES = Path(__file__).parent / "fixtures"
EXPECTED = json.loads((FIXTURES / "tensor_board.json").read_text())
RUN = runpy.run_path(str(FIXTURES / "tensor_board_cases.py"))
ENTRIES = runpy.run_path(str(FIXTURES / "tensor_board_files.py"))["entries"]


def test_every_case_was_recorded():
    assert sorted(RUN["CASES"]) == sorted(EXPECTED)


@pytest.mark.parametrize("name", RUN["CASES"])
def test_the_files_hold_what_keras_2_writes(name, tmp_path):
    """Runs, tags, their order, steps and values; and the learning rate, which Keras 2 leaves out if constant.

    What the run captures of itself is beside them, under plugins that TensorBoard passes over.
    """
    tf.keras.backend.clear_session()
    RUN["run"](tf.keras, name, str(tmp_path))
    found = ENTRIES(tmp_path)
    assert sorted(found) == sorted(EXPECTED[name])
    for run, expected in EXPECTED[name].items():
        added = {tag for tag, *_ in found[run]} - {tag for tag, *_ in expected}
        captured = {tag for tag, _, plugin, _ in found[run] if plugin.startswith("tapeflow_")}
        assert added - captured <= {"epoch_learning_rate"}
        kept = [entry for entry in found[run] if entry[0] not in added]
        assert [entry[:3] for entry in kept] == [entry[:3] for entry in expected]
        for (tag, step, plugin, ours), (*_, keras) in zip(kept, expected, strict=True):
            assert_same_content(plugin, tag, ours, keras, f"{name}/{run}/{tag} at {step}")


def assert_same_content(plugin, tag, ours, keras, where):
    if "steps_per_second" in tag:
        assert ours > 0, where
    elif plugin == "images":
        np.testing.assert_allclose(ours, keras, atol=1, err_msg=where)
    elif plugin == "histograms":
        ours, keras = np.array(ours), np.array(keras)
        np.testing.assert_allclose(ours[:, :2], keras[:, :2], atol=1e-4, err_msg=where)
        assert ours[:, 2].sum() == keras[:, 2].sum(), where
        assert np.abs(ours[:, 2] - keras[:, 2]).sum() <= 4, where  # an element on an edge may fall either way
    elif plugin == "scalars":
        np.testing.assert_allclose(ours, keras, rtol=1e-4, err_msg=where)
    else:
        assert plugin == "graph_keras_model", where


def events(folder):
    return [e for path in Path(folder).rglob("*tfevents*") for e in LegacyEventFileLoader(str(path)).Load()]


@pytest.mark.parametrize("name", ["plain", "every second"])
def test_tensorboard_draws_the_models_layers(name, tmp_path):
    """The graph plugin of TensorBoard makes a graph of the JSON, with the layers as nodes."""
    tf.keras.backend.clear_session()
    RUN["run"](tf.keras, name, str(tmp_path))
    values = [v for e in events(tmp_path / "train") for v in e.summary.value if v.tag == "keras"]
    graph = keras_util.keras_model_to_graph_def(json.loads(make_ndarray(values[0].tensor).item()))
    names = {node.name.rsplit("/", 1)[-1] for node in graph.node}
    assert {"d", "e"} <= names if name == "plain" else {"in", "d"} <= names


def test_tensorboard_reads_the_ops_of_the_training_step(tmp_path):
    RUN["run"](tf.keras, "plain", str(tmp_path))
    (graph,) = [
        GraphDef.FromString(e.graph_def) for e in events(tmp_path / "train") if e.HasField("graph_def")
    ]
    assert all(node.name.startswith("train_step/") for node in graph.node)
    variables = {node.name for node in graph.node if node.op == "VarHandleOp"}
    assert all(any(name.endswith(end) for name in variables) for end in ("/d/kernel", "/e/bias"))
    assert any(node.name.startswith("train_step/loss/") for node in graph.node)
