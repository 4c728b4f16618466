"""Locally connected layers: what is refused. Their values are compared with Keras 2's in `parity`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


def test_wrong_arguments_raise() -> None:
    with pytest.raises(ValueError, match='only "valid" is supported if implementation is 1'):
        L.LocallyConnected1D(2, 3, padding="same")
    with pytest.raises(ValueError, match="Unrecognized implementation mode: 4"):
        L.LocallyConnected1D(2, 3, implementation=4)
    with pytest.raises(ValueError, match="should be fully-defined, but layer received an input shape"):
        L.LocallyConnected1D(2, 3)(tf.keras.Input((None, 4)))
    with pytest.raises(ValueError, match="output is <= 0 due to downsampling"):
        L.LocallyConnected2D(2, 5)(tf.zeros((1, 3, 3, 1)))


@pytest.mark.parametrize("ending", ["h5", "keras"])
def test_files(tmp_path: Path, ending: str) -> None:
    model = tf.keras.Sequential([L.LocallyConnected1D(2, 2, implementation=2, input_shape=(3, 1))])
    model.save(tmp_path / f"model.{ending}")
    again = tf.keras.models.load_model(tmp_path / f"model.{ending}", compile=False)
    assert again.layers[0].implementation == 2
    np.testing.assert_array_equal(again.get_weights()[0], model.get_weights()[0])
