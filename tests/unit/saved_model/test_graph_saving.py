"""SavedModels for TensorFlow: what is in the files. TensorFlow itself loads them in tests/parity."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.summary.protos import message
from tapeflow.train.tensor_bundle import TensorBundle

L = tf.keras.layers


class Scale(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.factor = tf.Variable(2.0, name="factor")

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name="x")])
    def double(self, x: Any) -> Any:
        return {"y": x * self.factor}

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def add(self, n: Any) -> Any:
        self.factor.assign_add(tf.cast(n, tf.float32))
        return self.factor.read_value()


def meta_graph(folder: Path) -> Any:
    model = message("SavedModel").FromString((folder / "saved_model.pb").read_bytes())
    assert model.saved_model_schema_version == 1
    (meta,) = model.meta_graphs
    return meta


def child(graph: Any, number: int, *path: str) -> int:
    for name in path:
        number = {c.local_name: c.node_id for c in graph.nodes[number].children}[name]
    return number


def test_a_module(tmp_path: Path) -> None:
    module = Scale()
    tf.saved_model.save(module, tmp_path / "m", signatures={"double": module.double, "add": module.add})
    meta = meta_graph(tmp_path / "m")
    assert list(meta.meta_info_def.tags) == ["serve"]
    signature = meta.signature_def["double"]
    assert signature.method_name == "tensorflow/serving/predict"
    assert [d.size for d in signature.inputs["x"].tensor_shape.dim] == [-1, 3]
    assert list(signature.outputs) == ["y"]
    graph = meta.object_graph_def
    assert graph.nodes[child(graph, 0, "factor")].variable.name == "factor"
    function = graph.nodes[child(graph, 0, "double")].function
    (name,) = function.concrete_functions
    assert list(graph.concrete_functions[name].bound_inputs) == [child(graph, 0, "factor")]
    library = {f.signature.name for f in meta.graph_def.library.function}
    assert set(graph.concrete_functions) <= library
    assert child(graph, 0, "signatures", "add")


def test_its_variables_are_a_checkpoint_of_tensorflows(tmp_path: Path) -> None:
    module = Scale()
    tf.saved_model.save(module, tmp_path / "m")
    bundle = TensorBundle(str(tmp_path / "m/variables/variables"))
    assert bundle.read("factor/.ATTRIBUTES/VARIABLE_VALUE") == 2
    graph = json.loads(bundle.metadata["graph"])
    assert graph[graph[0]["children"]["factor"]]["tensor"] == "factor/.ATTRIBUTES/VARIABLE_VALUE"
    other = Scale()
    other.factor.assign(0)
    tf.train.Checkpoint(other).read(str(tmp_path / "m/variables/variables")).assert_existing_objects_matched()
    assert float(other.factor) == 2


def compiled_model() -> Any:
    model = tf.keras.Sequential([tf.keras.Input((4,)), L.Dense(3, "relu"), L.Dropout(0.5), L.Dense(1)])
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(np.ones((8, 4), "float32"), np.ones((8, 1), "float32"), verbose=0)
    return model


def test_a_keras_model(tmp_path: Path) -> None:
    model = compiled_model()
    model.save(tmp_path / "m")
    meta = meta_graph(tmp_path / "m")
    graph = meta.object_graph_def
    assert graph.nodes[0].user_object.identifier == "_tf_keras_sequential"
    assert len(graph.nodes[child(graph, 0, "__call__")].function.concrete_functions) == 3
    assert list(meta.signature_def["serving_default"].outputs) == model.output_names
    kept = message("SavedMetadata").FromString((tmp_path / "m/keras_metadata.pb").read_bytes())
    nodes = {n.node_path: json.loads(n.metadata) for n in kept.nodes}
    root = nodes["root"]
    assert root["class_name"] == "Sequential"
    assert root["training_config"]["loss"] == "mse"
    assert root["training_config"]["optimizer_config"]["class_name"] == "Custom>Adam"
    dense = nodes["root.layer_with_weights-0"]
    assert dense["build_input_shape"] == {"class_name": "TensorShape", "items": [None, 4]}
    again = tf.keras.models.load_model(tmp_path / "m")
    x = np.ones((2, 4), "float32")
    np.testing.assert_array_equal(again(x), model(x))
    # Weights and optimizer can be restored from the checkpoint within.
    other = compiled_model()
    other.load_weights(tmp_path / "m" / "variables" / "variables").assert_existing_objects_matched()
    np.testing.assert_array_equal(other(x), model(x))


def test_dropout_is_off_unless_training(tmp_path: Path) -> None:
    compiled_model().export(tmp_path / "m")
    meta = meta_graph(tmp_path / "m")
    library = {f.signature.name: f for f in meta.graph_def.library.function}
    ops = {n.op for name, f in library.items() if "training" not in name for n in f.node_def}
    assert not {op for op in ops if "Random" in op}
    trained = {n.op for name, f in library.items() if "training" in name for n in f.node_def}
    assert "RandomUniformInt" in trained


def test_an_export_replaces_its_own_folder_alone(tmp_path: Path) -> None:
    module = Scale()
    tf.saved_model.save(module, tmp_path / "m")
    tf.saved_model.save(module, tmp_path / "m")
    (tmp_path / "m/variables/notes.txt").touch()
    with pytest.raises(FileExistsError, match=r"which holds 'variables/notes.txt'\. Nothing was changed"):
        tf.saved_model.save(module, tmp_path / "m")
    assert (tmp_path / "m/saved_model.pb").exists()


def test_the_folder_of_another_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "saved_model.pb").write_bytes(b"another's")
    with pytest.raises(
        FileExistsError, match="which holds 'saved_model.pb' of something else. Nothing was changed"
    ):
        compiled_model().save(tmp_path)
    assert (tmp_path / "saved_model.pb").read_bytes() == b"another's"


class Unwritable(L.Layer):
    def call(self, inputs: Any) -> Any:
        return tf.linalg.svd(inputs, compute_uv=False)


def test_what_cannot_be_written_is_named_before_anything_is(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((3, 3)), Unwritable()])
    with pytest.raises(ValueError, match=r"has the op Svd \(.*\).*SaveOptions\(format=\"stablehlo\"\)"):
        model.export(tmp_path / "m")
    with pytest.raises(ValueError, match="has the op Svd"):
        model.save(tmp_path / "m", save_format="tf")
    assert not (tmp_path / "m").exists()
    with pytest.warns(UserWarning, match="model.keras alone, .* and no SavedModel: .*has the op Svd"):
        model.save(tmp_path / "m")
    assert [p.name for p in (tmp_path / "m").iterdir()] == ["model.keras"]


def test_a_variable_that_nothing_leads_to_is_refused(tmp_path: Path) -> None:
    stray, module = tf.Variable(1.0, name="stray"), tf.Module()
    function = tf.function(lambda x: x * stray, input_signature=[tf.TensorSpec([], tf.float32)])
    with pytest.raises(ValueError, match="got one that uses 'stray:0', which no attribute of it leads to"):
        tf.saved_model.save(module, tmp_path / "m", signatures=function)


def test_results_of_signatures_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    x = tf.keras.Input((2,))
    model = tf.keras.Model(x, [L.Dense(3, name="z")(x), L.Dense(5, name="a")(x)])
    model.export(tmp_path / "m")
    meta = meta_graph(tmp_path / "m")
    found = {
        name: info.tensor_shape.dim[1].size
        for name, info in meta.signature_def["serving_default"].outputs.items()
    }
    assert found == {"z": 3, "a": 5}
    graph = meta.object_graph_def
    bare = graph.nodes[child(graph, 0, "signatures", "serving_default")].bare_concrete_function
    (wrapper,) = [
        f for f in meta.graph_def.library.function if f.signature.name == bare.concrete_function_name
    ]
    assert [a.name for a in wrapper.signature.output_arg] == ["a", "z"]


def test_formats() -> None:
    with pytest.raises(ValueError, match="SaveOptions expected format to be one of .* got format='tflite'"):
        tf.saved_model.SaveOptions(format="tflite")
