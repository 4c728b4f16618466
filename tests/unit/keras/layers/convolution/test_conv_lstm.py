"""Convolutional LSTMs: dropout, states, models; and `SpectralNormalization`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers
X = np.random.default_rng(0).normal(size=(2, 3, 5, 4, 2)).astype("float32")


def test_dropout_is_for_training() -> None:
    layer = L.ConvLSTM2D(2, 2, dropout=0.5, recurrent_dropout=0.5, seed=1)
    np.testing.assert_array_equal(layer(X), layer(X))
    assert not np.allclose(layer(X, training=True), layer(X, training=True))
    again = L.ConvLSTM2D.from_config(layer.get_config())
    again(X)
    again.set_weights(layer.get_weights())
    np.testing.assert_allclose(again(X), layer(X), rtol=1e-6)


def test_states_are_given_and_kept() -> None:
    layer = L.ConvLSTM2D(2, 2, return_state=True)
    outputs, h, c = layer(X)
    np.testing.assert_array_equal(outputs, h)
    carried, *_ = layer(X, initial_state=[h, c])
    assert not np.allclose(carried, outputs)
    kept = L.ConvLSTM2D(2, 2, stateful=True)
    first = kept(X).numpy()
    assert not np.allclose(kept(X), first)
    kept.reset_states()
    np.testing.assert_allclose(kept(X), first, rtol=1e-5)


@pytest.mark.slow
def test_frames_are_predicted() -> None:
    model = tf.keras.Sequential(
        [
            tf.keras.Input((None, 6, 6, 1)),
            L.ConvLSTM2D(2, 3, padding="same", return_sequences=True),
            L.Conv3D(1, 3, padding="same"),
        ]
    )
    assert model.output_shape == (None, None, 6, 6, 1)
    model.compile("adam", "mse")
    frames = np.ones((2, 3, 6, 6, 1), "float32")
    assert len(model.fit(frames, frames, epochs=2, verbose=0).history["loss"]) == 2


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        (lambda: L.ConvLSTM2D(0, 2), "expected a positive integer"),
        (lambda: L.ConvLSTM2D(1, (2, 2, 2)), "tuple of 2 integers"),
        (lambda: L.ConvLSTM2D(1, 2, padding="causal"), "`padding` argument"),
        (lambda: L.ConvLSTM2D(1, 2).build((None, 3, 4, 4, None)), "channel dimension"),
        (lambda: L.SpectralNormalization(L.Dense(2), power_iterations=0), "greater than zero"),
        (lambda: L.SpectralNormalization(L.Flatten()).build((2, 3)), "no attribute 'kernel'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused(layer: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        layer()


def test_the_largest_singular_value_becomes_one() -> None:
    layer = L.SpectralNormalization(L.Dense(3), power_iterations=30)
    x = X[0, 0, :, :, 0]
    layer(x, training=True)
    assert np.linalg.norm(layer.get_weights()[0], 2) == pytest.approx(1, rel=1e-3)
    before = layer.get_weights()
    layer(x)
    for one, other in zip(before, layer.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    again = L.SpectralNormalization.from_config(layer.get_config())
    assert again.compute_output_shape((2, 4)) == (2, 3)
    assert again.power_iterations == 30
