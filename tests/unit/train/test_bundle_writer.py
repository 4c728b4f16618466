"""Checkpoints in TensorFlow's format: what is written is what is read, and a training goes on from it exactly."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.summary.event_files.sorted_table import table_entries
from tapeflow.summary.protos import message
from tapeflow.train.bundle_writer import write_bundle
from tapeflow.train.tensor_bundle import GRAPH, TensorBundle

TENSORFLOW = tf.train.CheckpointOptions(format="tensorflow")


def trained_model() -> tuple[tf.keras.Model, np.ndarray, np.ndarray]:
    tf.keras.utils.set_random_seed(3)
    layers = [tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential([tf.keras.Input((5,)), *layers])
    model.compile("adam", "mse")
    x, y = np.random.rand(32, 5).astype("float32"), np.random.rand(32, 1).astype("float32")
    model.fit(x, y, verbose=0)
    return model, x, y


def test_every_dtype_comes_back(tmp_path: Path) -> None:
    kinds = ["bool", "int8", "uint8", "int64", "uint16", "float16", "float32", "float64", "complex64"]
    tensors = {kind: np.arange(6).reshape(2, 3).astype(kind) for kind in kinds}
    tensors |= {"bf": np.arange(4).astype(ml_dtypes.bfloat16), "none": np.zeros((0, 3), "float32")}
    tensors |= {"one": np.float32(2), "order": np.asfortranarray(np.arange(6.0).reshape(2, 3))}
    write_bundle(str(tmp_path / "b"), tensors)
    found = TensorBundle(str(tmp_path / "b"))
    assert found.names == sorted(tensors)
    for name, value in tensors.items():
        np.testing.assert_array_equal(found.read(name), value)
        assert found.read(name).dtype == np.asarray(value).dtype


def test_texts_come_back(tmp_path: Path) -> None:
    write_bundle(str(tmp_path / "b"), {"t": np.array([["a", b"\xff"], ["x" * 300, ""]], object)})
    assert TensorBundle(str(tmp_path / "b")).read("t").tolist() == [[b"a", b"\xff"], [b"x" * 300, b""]]


def test_other_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="expected numbers or texts; got 't' with a dict in it"):
        write_bundle(str(tmp_path / "b"), {"t": np.array([{}], object)})
    assert not list(tmp_path.iterdir())


def test_a_training_goes_on_exactly(tmp_path: Path) -> None:
    model, x, y = trained_model()
    model.save_weights(tmp_path / "w", save_format="tf")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["checkpoint", "w.data-00000-of-00001", "w.index"]
    again = trained_model()[0]
    again.load_weights(tmp_path / "w").assert_existing_objects_matched()
    ours = model.fit(x, y, epochs=2, shuffle=False, verbose=0).history["loss"]
    assert again.fit(x, y, epochs=2, shuffle=False, verbose=0).history["loss"] == ours


def test_the_graph_of_objects_is_tensorflows(tmp_path: Path) -> None:
    model, *_ = trained_model()
    path = tf.train.Checkpoint(model=model, words=tf.Variable(["a", "b"])).write(tmp_path / "c", TENSORFLOW)
    entries = dict(table_entries(Path(path + ".index").read_bytes()))
    assert message("BundleHeaderProto").FromString(entries[b""]).num_shards == 1
    kernel = message("BundleEntryProto").FromString(
        entries[b"model/layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE"]
    )
    assert [d.size for d in kernel.shape.dim] == [5, 4]
    graph = message("TrackableObjectGraph").FromString(TensorBundle(path).read(GRAPH)[()])
    root = {c.local_name: c.node_id for c in graph.nodes[0].children}
    assert root.keys() == {"model", "words"}
    (value,) = graph.nodes[root["words"]].attributes
    assert (value.name, value.checkpoint_key) == ("VARIABLE_VALUE", "words/.ATTRIBUTES/VARIABLE_VALUE")


def test_state_that_is_no_tensor_comes_back(tmp_path: Path) -> None:
    class Notes(tf.train.experimental.PythonState):
        text = "one"

        def serialize(self) -> str:
            return self.text

        def deserialize(self, string_value: bytes) -> None:
            self.text = bytes(string_value).decode()

    notes, places = Notes(), iter(tf.data.Dataset.range(9).shuffle(4, seed=1))
    next(places)
    path = tf.train.Checkpoint(notes=notes, data=places).write(tmp_path / "c", TENSORFLOW)
    rest = [int(n) for n in places]
    notes.text = "two"
    again = iter(tf.data.Dataset.range(9).shuffle(4, seed=1))
    tf.train.Checkpoint(notes=notes, data=again).read(path).assert_consumed()
    assert notes.text == "one"
    assert [int(n) for n in again] == rest
    assert TensorBundle(path).read("notes/.ATTRIBUTES/py_state")[()] == b"one"


def test_one_format_takes_the_place_of_the_other(tmp_path: Path) -> None:
    step = tf.Variable(1)
    checkpoint = tf.train.Checkpoint(step=step)
    checkpoint.write(tmp_path / "c")
    step.assign(2)
    checkpoint.write(tmp_path / "c", TENSORFLOW)
    checkpoint.read(tmp_path / "c").assert_consumed()
    assert int(step) == 2


def test_a_manager_keeps_as_many_as_it_should(tmp_path: Path) -> None:
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=tf.Variable(1)), tmp_path, max_to_keep=2)
    for _ in range(3):
        manager.save(options=TENSORFLOW)
    assert sorted(p.name for p in tmp_path.glob("*.index")) == ["ckpt-2.index", "ckpt-3.index"]
    assert manager.restore_or_initialize() == str(tmp_path / "ckpt-3")


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(
        ValueError, match="CheckpointOptions expected format to be one of .* got format='zip'"
    ):
        tf.train.CheckpointOptions(format="zip")
