"""`load_model` of TensorFlow SavedModels, and `TFSMLayer`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.summary.protos import message

FIXTURES = Path(__file__).parents[3] / "parity" / "fixtures" / "saved_models"
L = tf.keras.layers


def numbers(found: Any) -> np.ndarray:
    return np.array(found["array"], found["dtype"]).reshape(found["shape"])


def report_of(name: str) -> Any:
    return json.loads((FIXTURES / f"{name}.json").read_text())


def test_a_model_trains_on_with_its_optimizer_as_if_it_had_not_been_saved() -> None:
    model = tf.keras.models.load_model(FIXTURES / "trained_adam")
    assert [type(layer) for layer in model.layers] == [L.Dense, L.BatchNormalization, L.Dense]
    assert model.optimizer.iterations.numpy() == 8
    fit = report_of("trained_adam")["fit"]
    x, y = numbers(fit["x"]), numbers(fit["y"])
    found = model.fit(x, y, epochs=5, batch_size=8, shuffle=False, verbose=0).history
    np.testing.assert_allclose(found["loss"], fit["losses"], rtol=1e-4)
    assert "mae" in found


@pytest.mark.parametrize("name", ["dense", "embedding_mean", "conv_net"])
def test_a_rebuilt_model_computes_what_it_did(name: str) -> None:
    call = report_of(name)["calls"][0]
    model = tf.keras.models.load_model(FIXTURES / name)
    assert type(model) is tf.keras.Sequential
    found = model(numbers(call["args"][0]), training=False)
    np.testing.assert_allclose(found, numbers(call["outputs"][0]), atol=1e-5)


def test_vocabularies_that_were_learned_or_lay_in_files() -> None:
    texts = tf.keras.models.load_model(FIXTURES / "text_classification")
    assert texts.layers[0].get_vocabulary()[:4] == ["", "[UNK]", "the", "cat"]
    words = tf.keras.models.load_model(FIXTURES / "vocabulary_file")
    assert words(tf.constant([["red"], ["blue"], ["pink"]])).numpy().tolist() == [[1], [3], [0]]


def test_a_model_of_an_unknown_class_is_trained_all_the_same() -> None:
    model = tf.keras.models.load_model(FIXTURES / "subclassed")
    assert isinstance(model, tf.keras.Model)
    assert len(model.trainable_weights) == 4
    x, y = np.ones((8, 5), np.float32), np.ones((8, 2), np.float32)
    losses = model.fit(x, y, epochs=60, verbose=0).history["loss"]
    assert np.mean(losses[-10:]) < np.mean(losses[:10])  # dropout makes single ones noisy
    assert model.predict(x, verbose=0).shape == (8, 2)


def test_a_class_that_is_given_is_rebuilt() -> None:
    class Net(tf.keras.Model):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.a, self.b, self.drop = L.Dense(4, "relu"), L.Dense(2), L.Dropout(0.5)

        def call(self, x: Any, training: bool = False) -> Any:
            return self.b(self.drop(self.a(x), training=training))

    model = tf.keras.models.load_model(FIXTURES / "subclassed", custom_objects={"Net": Net})
    assert isinstance(model, Net)
    call = report_of("subclassed")["calls"][0]
    found = model(numbers(call["args"][0]), training=False)
    np.testing.assert_allclose(found, numbers(call["outputs"][0]), atol=1e-5)


def test_without_metadata_what_can_be_called_is_a_model(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    shutil.copytree(FIXTURES / "dense", folder)
    (folder / "keras_metadata.pb").unlink()
    call = report_of("dense")["calls"][0]
    model = tf.keras.models.load_model(folder)
    np.testing.assert_allclose(model(numbers(call["args"][0])), numbers(call["outputs"][0]), atol=1e-5)
    with pytest.raises(ValueError, match="or of an object that can be called; got .*module_strings"):
        tf.keras.models.load_model(FIXTURES / "module_strings")


def test_a_layer_that_is_not_known_warns(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    shutil.copytree(FIXTURES / "dense", folder)
    file = folder / "keras_metadata.pb"
    metadata = message("SavedMetadata").FromString(file.read_bytes())
    metadata.nodes[0].metadata = metadata.nodes[0].metadata.replace('"Dense"', '"Denser"')
    file.write_bytes(metadata.SerializeToString())
    with pytest.warns(UserWarning, match="are not rebuilt, and the model is loaded as what it computes"):
        model = tf.keras.models.load_model(folder)
    assert model.predict(np.ones((2, 5), np.float32), verbose=0).shape == (2, 3)


def test_a_vocabulary_outside_of_the_folder_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    shutil.copytree(FIXTURES / "vocabulary_file", folder)
    file = folder / "keras_metadata.pb"
    metadata = message("SavedMetadata").FromString(file.read_bytes())
    for node in metadata.nodes:
        node.metadata = node.metadata.replace("/tmp/vocabulary_of_saved_models.txt", "/etc/hostname")
    file.write_bytes(metadata.SerializeToString())
    with pytest.raises(ValueError, match="'/etc/hostname' is not among its assets"):
        tf.keras.models.load_model(folder)


def test_metadata_that_is_no_json(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    shutil.copytree(FIXTURES / "dense", folder)
    metadata = message("SavedMetadata")()
    metadata.nodes.add(metadata="{")
    (folder / "keras_metadata.pb").write_bytes(metadata.SerializeToString())
    with pytest.raises(ValueError, match="'keras_metadata.pb' holds no JSON"):
        tf.keras.models.load_model(folder)


def test_a_saved_model_as_a_layer() -> None:
    layer = L.TFSMLayer(FIXTURES / "dense", call_endpoint="serving_default")
    inputs = tf.keras.Input((5,))
    [found] = layer(inputs).values()
    model = tf.keras.Model(inputs, L.Dense(1)(found))
    model.compile("sgd", "mse")
    before = [w.numpy() for w in layer.trainable_weights]
    model.fit(np.ones((8, 5), np.float32), np.ones((8, 1), np.float32), verbose=0)
    assert len(before) == 4
    assert all((a != b.numpy()).any() for a, b in zip(before, layer.trainable_weights, strict=True))
    assert L.TFSMLayer(FIXTURES / "dense", "__call__")(np.ones((2, 5), np.float32)).shape == (2, 3)
    assert layer.get_config()["call_endpoint"] == "serving_default"
    with pytest.raises(ValueError, match="expected the name of a function of the SavedModel; got 'serve'"):
        L.TFSMLayer(FIXTURES / "dense")


def test_a_file_that_names_a_saved_model_is_trusted_or_refused(tmp_path: Path) -> None:
    layer = L.TFSMLayer(FIXTURES / "dense", call_endpoint="serving_default")
    inputs = tf.keras.Input((5,))
    [found] = layer(inputs).values()
    model = tf.keras.Model(inputs, found)
    model.save(tmp_path / "model.keras")
    with pytest.raises(ValueError, match="a config that may name a SavedModel to run; got filepath="):
        tf.keras.models.load_model(tmp_path / "model.keras")
    with pytest.raises(ValueError, match="a config that may name a SavedModel to run"):
        L.TFSMLayer.from_config(layer.get_config())
    loaded = tf.keras.models.load_model(tmp_path / "model.keras", safe_mode=False)
    x = np.ones((2, 5), np.float32)
    np.testing.assert_allclose(loaded.predict(x, verbose=0), model.predict(x, verbose=0))


def test_layers_of_whole_numbers_leave_their_inputs_as_they_are() -> None:
    layer = L.Discretization([-0.5, 0.0, 0.5], dtype="int64")
    assert layer(tf.constant([[0.3, -0.2, -0.9]])).numpy().tolist() == [[2, 1, 0]]
