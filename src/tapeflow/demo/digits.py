"""What the demo learns and what it learns with: the digits, and a network for them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import tapeflow as tf

NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


class Digits(NamedTuple):
    """Pictures of 8x8 pixels with values up to 16, and the digits they show."""

    x_train: np.ndarray
    y_train: np.ndarray
    x_test: np.ndarray
    y_test: np.ndarray


def load() -> Digits:
    """The digits, which are embedded: no network is needed."""
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.digits.load_data()
    return Digits(x_train, y_train, x_test, y_test)


def make_model(units: int = 32, dropout: float = 0.2, learning_rate: float = 3e-3) -> Any:
    """A compiled convolutional network; its layer `features` gives each digit a place in space."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8)),
            layers.Rescaling(1 / 16),
            layers.Reshape((8, 8, 1)),
            layers.Conv2D(16, 3, activation="relu", padding="same", name="filters"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(units, activation="relu", name="features"),
            layers.Dropout(dropout),
            layers.Dense(10, name="scores"),
        ],
        name="digits",
    )
    model.compile(
        optimizer=tf.keras.optimizers.Adam(learning_rate),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model
