"""`tf.keras.export.ExportArchive`: functions of models in a SavedModel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

ExportArchive = tf.keras.export.ExportArchive


def model() -> tf.keras.Model:
    return tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])


def test_endpoints_are_functions_of_what_is_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made, archive = model(), ExportArchive()
    archive.track(made)
    archive.add_endpoint("serve", made.call, [tf.keras.InputSpec(shape=(None, 2), dtype="float32")])
    archive.add_endpoint("double", lambda x: 2.0 * made(x), [tf.TensorSpec([None, 2], tf.float32)])
    archive.add_variable_collection("kept", made.variables)
    assert len(archive.variables) == len(archive.trainable_variables) == 2
    assert archive.non_trainable_variables == []
    archive.write_out(tmp_path / "served")
    assert "serve, double" in capsys.readouterr().out
    loaded = tf.saved_model.load(tmp_path / "served")
    np.testing.assert_allclose(loaded.serve(tf.ones([3, 2])), np.full((3, 1), 2.0))
    np.testing.assert_allclose(loaded.double(tf.ones([1, 2])), [[4.0]])
    assert "serving_default" in loaded.signatures


def test_a_model_in_one_call(tmp_path: Path) -> None:
    tf.keras.export.export_saved_model(model(), tmp_path / "served", verbose=False)
    np.testing.assert_allclose(tf.saved_model.load(tmp_path / "served").serve(tf.ones([1, 2])), [[2.0]])


def test_errors(tmp_path: Path) -> None:
    archive = ExportArchive()
    with pytest.raises(ValueError, match="expected functions to write; got none"):
        archive.write_out(tmp_path / "nothing")
    with pytest.raises(ValueError, match="ExportArchive.track expected a model"):
        archive.track(3)
    with pytest.raises(ValueError, match="has not yet been built"):
        archive.track(tf.keras.layers.Dense(1))
    with pytest.raises(ValueError, match="you must provide an `input_signature`"):
        archive.add_endpoint("serve", lambda x: x)
    archive.add_endpoint("serve", lambda x: x, [tf.TensorSpec([1], tf.float32)])
    with pytest.raises(ValueError, match="Endpoint names must be unique"):
        archive.add_endpoint("serve", lambda x: x, [tf.TensorSpec([1], tf.float32)])
    with pytest.raises(ValueError, match="add_variable_collection expected Variables"):
        archive.add_variable_collection("kept", [1.0])

    class Own(tf.keras.Model):
        def call(self, inputs: tf.Tensor) -> tf.Tensor:
            return inputs

    own = Own()
    own(tf.ones([1, 2]))
    with pytest.raises(ValueError, match="expected an input_signature for a model of a class of its own"):
        tf.keras.export.export_saved_model(own, tmp_path / "own")
