"""`model.export(path, format="onnx")`: names, versions, what is refused and what is said."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import tapeflow as tf

L = tf.keras.layers


def small_model() -> Any:
    return tf.keras.Sequential([tf.keras.Input((4,), name="features"), L.Dense(2, name="scores")])


def test_names_and_sizes(tmp_path: Path) -> None:
    small_model().export(tmp_path / "m.onnx", format="onnx")
    model = onnx.load(tmp_path / "m.onnx")
    (given,), (result,) = model.graph.input, model.graph.output
    assert (given.name, result.name) == ("features", "scores")
    rows, columns = given.type.tensor_type.shape.dim
    assert (rows.dim_param, columns.dim_value) == ("batch", 4)
    assert {i.name for i in model.graph.initializer} == {"scores/kernel", "scores/bias"}
    assert model.producer_name == "tapeflow"
    assert [o.version for o in model.opset_import] == [18]


def test_versions(tmp_path: Path) -> None:
    small_model().export(tmp_path / "m.onnx", format="onnx", opset_version=21)
    assert onnx.load(tmp_path / "m.onnx").opset_import[0].version == 21
    small_model().export(tmp_path / "m.onnx", format="onnx", opset=20)
    assert onnx.load(tmp_path / "m.onnx").opset_import[0].version == 20
    with pytest.raises(ValueError, match="Model.export expected an opset from 18 to 24; got opset=11"):
        small_model().export(tmp_path / "other.onnx", format="onnx", opset=11)
    assert not (tmp_path / "other.onnx").exists()
    with pytest.raises(ValueError, match="expected an opset for format='onnx' alone"):
        small_model().export(tmp_path / "folder", opset=18)


def test_results_by_name(agrees: Any) -> None:
    x = tf.keras.Input((4,))
    model = tf.keras.Model(x, {"b": L.Dense(2)(x), "a": tf.nn.relu(x)})
    assert list(agrees(model, np.ones((3, 4), "float32") * -1)) == ["a", "b"]


def test_an_input_that_is_a_result(agrees: Any) -> None:
    x = tf.keras.Input((4,), name="x")
    model = tf.keras.Model(x, [x, tf.keras.layers.Dense(2, name="y")(x)])
    assert len(agrees(model, np.ones((2, 4), "float32"))) == 2


def test_a_model_of_ones_own(agrees: Any) -> None:
    class Own(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = L.Dense(3)

        def call(self, inputs: Any) -> Any:
            return self.dense(inputs)[:, ::-1] * 2

    model = Own()
    model(np.ones((1, 4)))
    agrees(model, np.random.default_rng(0).normal(size=(6, 4)).astype("float32"))


def test_half_precision(agrees: Any) -> None:
    x = tf.keras.Input((4,))
    model = tf.keras.Model(x, L.Dense(2, dtype="mixed_float16")(x))
    agrees(model, np.ones((2, 4), "float32"), within=1e-3)


def test_nodes_without_a_form_are_named(tmp_path: Path, function_model: Any) -> None:
    model = function_model(tf.math.lgamma)
    with pytest.raises(
        ValueError, match=r"has the node 'Lgamma' of TensorFlow's op Lgamma, which has no form in ONNX"
    ):
        model.export(tmp_path / "m.onnx", format="onnx")
    assert not (tmp_path / "m.onnx").exists()


def test_state_is_refused(tmp_path: Path) -> None:
    x = tf.keras.Input(batch_shape=(2, 3, 4))
    model = tf.keras.Model(x, L.LSTM(3, stateful=True)(x))
    with pytest.raises(
        ValueError, match="AssignVariableOp, which changes a Variable: an ONNX model keeps nothing"
    ):
        model.export(tmp_path / "m.onnx", format="onnx")


def test_random_numbers_are_refused(tmp_path: Path, function_model: Any) -> None:
    model = function_model(lambda x: x + tf.random.uniform([4]))
    with pytest.raises(ValueError, match="which draws random numbers"):
        model.export(tmp_path / "m.onnx", format="onnx")


def test_unknown_formats(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected format to be 'tf_saved_model', 'stablehlo' or 'onnx'"):
        small_model().export(tmp_path / "m", format="tflite")


def test_without_the_package(tmp_path: Path) -> None:
    code = f"""
import sys
sys.modules["onnx"] = None
import tapeflow as tf
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
try:
    model.export({str(tmp_path / "m.onnx")!r}, format="onnx")
except ModuleNotFoundError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'tapeflow[onnx]'" in run.stdout
