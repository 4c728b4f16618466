"""Layers on batches without samples, and on sequences without steps: results of the right shape, and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf

L = tf.keras.layers
CASES: dict[str, tuple[Callable[[], Any], tuple[int, ...], tuple[int, ...]]] = {
    "attention": (lambda: _SelfAttention(), (0, 3, 4), (0, 3, 4)),
    "attention over no steps": (lambda: _SelfAttention(), (2, 0, 4), (2, 0, 4)),
    "batch norm": (L.BatchNormalization, (0, 4), (0, 4)),
    "conv": (lambda: L.Conv2D(4, 2), (0, 3, 3, 2), (0, 2, 2, 4)),
    "conv in groups": (lambda: L.Conv2D(4, 2, groups=2), (0, 3, 3, 2), (0, 2, 2, 4)),
    "conv lstm": (lambda: L.ConvLSTM2D(2, 2), (0, 2, 3, 3, 2), (0, 2, 2, 2)),
    "conv of volumes": (lambda: L.Conv3D(4, 2), (0, 3, 3, 3, 2), (0, 2, 2, 2, 4)),
    "conv transpose": (lambda: L.Conv2DTranspose(2, 2), (0, 3, 3, 1), (0, 4, 4, 2)),
    "dense": (lambda: L.Dense(3), (0, 4), (0, 3)),
    "gru": (lambda: L.GRU(2), (0, 3, 4), (0, 2)),
    "lstm over no steps": (lambda: L.LSTM(2), (2, 0, 4), (2, 2)),
    "pool": (L.MaxPooling2D, (0, 4, 4, 2), (0, 2, 2, 2)),
    "separable conv": (lambda: L.SeparableConv2D(4, 2), (0, 3, 3, 2), (0, 2, 2, 4)),
    "upsampling": (lambda: L.UpSampling2D(interpolation="bilinear"), (0, 4, 4, 2), (0, 8, 8, 2)),
}


class _SelfAttention(L.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.attention = L.MultiHeadAttention(2, 2)

    def call(self, inputs: Any) -> Any:
        return self.attention(inputs, inputs)


@pytest.mark.parametrize("name", CASES)
def test_empty_inputs(name: str) -> None:
    make, given, expected = CASES[name]
    layer, x = make(), tf.zeros(given)
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = layer(x)
    gradients = tape.gradient(result, [x, *layer.trainable_variables])
    assert result.numpy().shape == expected
    assert gradients[0].numpy().shape == given
    assert not any(g.numpy().any() for g in gradients if g is not None and 0 in given[:1])
