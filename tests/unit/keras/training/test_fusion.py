"""How many steps run as one program."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.keras.training.fusion import fused_steps
from tapeflow.keras.training.sources import make_source

layers = tf.keras.layers


def steps(units: int, rows: int, features: int = 4, mode: str = "train") -> Any:
    model = tf.keras.Sequential(
        [tf.keras.Input((features,)), layers.Dense(units, kernel_initializer="zeros")]
    )
    source = make_source(np.zeros((rows, features), "float32"), batch_size=rows)
    return fused_steps(model, source, mode)


def test_small_steps_are_fused_and_large_ones_are_not() -> None:
    assert steps(4, 32) == 32
    assert steps(4000, 2000, features=400) == 1
    assert 1 <= steps(512, 256, features=512) < 32


def test_evaluation_fuses_more_than_training() -> None:
    assert steps(512, 256, features=512, mode="test") >= steps(512, 256, features=512)


def test_positions_are_pixels_in_either_order_of_axes() -> None:
    found = []
    for shape, order in (((8, 8, 2), "channels_last"), ((2, 8, 8), "channels_first")):
        model = tf.keras.Sequential(
            [tf.keras.Input(shape), layers.Conv2D(64, 3, padding="same", data_format=order)]
        )
        source = make_source(np.zeros((256, *shape), "float32"), batch_size=256)
        found.append(fused_steps(model, source, "train"))
    assert found[0] == found[1] < 32
