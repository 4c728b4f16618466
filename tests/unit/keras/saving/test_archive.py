"""`.keras` files as zip archives."""

import zipfile

import h5py

import tapeflow as tf


def test_what_is_written_is_a_zip_to_anybody(tmp_path):
    tf.keras.Sequential([tf.keras.layers.Dense(300, input_shape=(40,))]).save(tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras") as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["metadata.json", "config.json", "model.weights.h5"]
        archive.extract("model.weights.h5", tmp_path)
    with h5py.File(tmp_path / "model.weights.h5") as file:
        assert file["layers/dense/vars/0"].shape == (40, 300)
