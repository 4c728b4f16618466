"""`Bidirectional`: names, states, copies of users' cells, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers
X = np.random.default_rng(0).normal(size=(2, 3, 4)).astype("float32")


def test_names_and_initial_state() -> None:
    layer = L.Bidirectional(L.GRU(3, name="gru"), name="both")
    states = [tf.ones((2, 3)), tf.zeros((2, 3))]
    found = layer(X, initial_state=states)
    assert [w.name for w in layer.weights][::3] == [
        "both/forward_gru/gru_cell/kernel:0",
        "both/backward_gru/gru_cell/kernel:0",
    ]
    forward = layer.forward_layer(X, initial_state=states[:1])
    np.testing.assert_allclose(found[:, :3], forward, rtol=1e-6)


def test_a_backward_layer_of_its_own() -> None:
    layer = L.Bidirectional(
        L.LSTM(3, return_sequences=True), backward_layer=L.GRU(2, return_sequences=True, go_backwards=True)
    )
    found = layer(X)
    assert tuple(found.shape) == (2, 3, 5)
    again = L.Bidirectional.from_config(layer.get_config())
    again.build(X.shape)
    again.set_weights(layer.get_weights())
    np.testing.assert_allclose(again(X), found, rtol=1e-6)


def test_wrong_layers_and_merge_modes_raise() -> None:
    with pytest.raises(ValueError, match="Please initialize `Bidirectional`"):
        L.Bidirectional(3)
    with pytest.raises(ValueError, match="Invalid merge mode"):
        L.Bidirectional(L.LSTM(2), merge_mode="max")
    with pytest.raises(ValueError, match="different `go_backwards` value"):
        L.Bidirectional(L.LSTM(2), backward_layer=L.LSTM(2))
    with pytest.raises(ValueError, match='same value for attribute "return_sequences"'):
        L.Bidirectional(L.LSTM(2), backward_layer=L.LSTM(2, go_backwards=True, return_sequences=True))
    with pytest.raises(ValueError, match="the state should be a list containing the states"):
        L.Bidirectional(L.GRU(2))(X, initial_state=[tf.zeros((2, 2))])
