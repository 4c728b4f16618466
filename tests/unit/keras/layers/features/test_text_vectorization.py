"""TextVectorization in models and datasets, and its config."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers
TEXTS = ["the cat sat", "the dog ran", "a cat ran"]


@tf.keras.utils.register_keras_serializable("tests")
def dashes(text: Any) -> Any:
    return tf.strings.regex_replace(text, "-", " ")


def vectorizer(**arguments: Any) -> Any:
    layer = layers.TextVectorization(**arguments)
    layer.adapt(tf.data.Dataset.from_tensor_slices(TEXTS).batch(2))
    return layer


def test_a_model_takes_texts() -> None:
    model = tf.keras.Sequential(
        [
            tf.keras.Input(shape=(1,), dtype=tf.string),
            vectorizer(output_sequence_length=4),
            layers.Embedding(10, 3),
            layers.GlobalAveragePooling1D(),
            layers.Dense(1),
        ]
    )
    assert model.output_shape == (None, 1)
    texts = tf.constant([[t] for t in TEXTS])
    first = model(texts).numpy()
    np.testing.assert_allclose(model.predict(texts, verbose=0), first, rtol=1e-5, atol=1e-7)
    model.compile("sgd", "mse")
    assert np.isfinite(model.evaluate(texts, np.zeros((3, 1)), verbose=0))


def test_a_dataset_maps_texts() -> None:
    layer = vectorizer()
    rows = list(tf.data.Dataset.from_tensor_slices(TEXTS).batch(3).map(layer).as_numpy_iterator())
    np.testing.assert_array_equal(rows[0], layer(TEXTS))


@pytest.mark.parametrize(
    "layer",
    [
        vectorizer(output_sequence_length=3),
        vectorizer(output_mode="tf_idf"),
        vectorizer(standardize=dashes, split="character"),
    ],
    ids=["int", "tf_idf", "functions"],
)
def test_a_config_keeps_what_was_learned(layer: Any) -> None:
    again = layers.TextVectorization.from_config(layer.get_config())
    assert again.get_vocabulary() == layer.get_vocabulary()
    np.testing.assert_array_equal(again(["a dog-cat"]), layer(["a dog-cat"]))
