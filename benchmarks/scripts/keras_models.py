"""The models of `fit`, written once with the Keras API and run with every package that has it."""

import importlib
import os
from typing import Any

from benchmarks.scripts.keras_data import (
    CLASSES,
    FEATURES,
    HEADS,
    SEQUENCE,
    SIZES,
    TOKENS,
    UNITS,
    WIDTH,
    mlp_weights,
)


def load(package: str) -> Any:
    """The Keras of "tapeflow", "tf_keras" (Keras 2), "keras-jax" or "keras-tensorflow" (Keras 3)."""
    if package == "tapeflow":
        return importlib.import_module(package).keras
    if package.startswith("keras-"):
        os.environ["KERAS_BACKEND"] = package.removeprefix("keras-")
        package = "keras"
    return importlib.import_module(package)


def make_model(keras: Any, task: str, steps_per_execution: int | None = None) -> Any:
    """The compiled model of a task; the MLP starts from the same weights everywhere."""
    keras.utils.set_random_seed(0)
    layers = keras.layers
    if task == "mlp":
        model = _mlp(keras, layers)
        model.set_weights(mlp_weights())
    elif task == "lstm":
        model = keras.Sequential(
            [keras.Input((SEQUENCE, FEATURES)), layers.LSTM(UNITS), layers.Dense(CLASSES)]
        )
    elif task == "transformer":
        model = _transformer(keras, layers)
    else:
        model = _cnn(keras, layers, *map(int, task.split("_")[1:]))
    chosen = {} if steps_per_execution is None else {"steps_per_execution": steps_per_execution}
    model.compile(
        optimizer="rmsprop" if task == "mlp" else "adam",
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
        **chosen,
    )
    return model


def _mlp(keras: Any, layers: Any) -> Any:
    inputs, *hidden, outputs = SIZES
    return keras.Sequential(
        [
            keras.Input((inputs,)),
            *[layers.Dense(size, activation="relu") for size in hidden],
            layers.Dense(outputs),
        ]
    )


def _cnn(keras: Any, layers: Any, first: int, second: int) -> Any:
    return keras.Sequential(
        [
            keras.Input((32, 32, 3)),
            layers.Conv2D(first, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(second, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(CLASSES),
        ]
    )


def _transformer(keras: Any, layers: Any) -> Any:
    inputs = keras.Input((TOKENS, WIDTH))
    attended = layers.MultiHeadAttention(HEADS, WIDTH // HEADS)(inputs, inputs)
    x = layers.LayerNormalization()(layers.Add()([inputs, attended]))
    hidden = layers.Dense(WIDTH)(layers.Dense(2 * WIDTH, activation="relu")(x))
    x = layers.LayerNormalization()(layers.Add()([x, hidden]))
    return keras.Model(inputs, layers.Dense(CLASSES)(layers.GlobalAveragePooling1D()(x)))
