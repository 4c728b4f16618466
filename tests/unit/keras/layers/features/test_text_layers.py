"""Layers with a vocabulary: in models, saved and loaded, and what they refuse. Their numbers are in tests/parity."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
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


def test_lookups_round_trip() -> None:
    layer = layers.StringLookup(output_mode="tf_idf")
    layer.adapt([["a", "b"], ["a", "c"]])
    again = layers.StringLookup.from_config(layer.get_config())
    np.testing.assert_allclose(again([["a", "c", "z"]]), layer([["a", "c", "z"]]))
    bins = layers.Discretization(num_bins=3)
    bins.adapt(np.arange(9.0))
    assert bins.bin_boundaries == [2.0, 5.0]
    halves = layers.Discretization(num_bins=2)
    halves.adapt([1.0, 2.0, 3.0])
    assert halves.bin_boundaries == [1.5]
    again = layers.Discretization.from_config(bins.get_config())
    np.testing.assert_array_equal(again([0.0, 4.0, 8.0]), bins([0.0, 4.0, 8.0]))
    bins.reset_state()
    assert bins.bin_boundaries == []


def test_integers_are_looked_up_in_one_program() -> None:
    lookup = layers.IntegerLookup(vocabulary=[5, 7], output_mode="multi_hot")
    model = tf.keras.Sequential([tf.keras.Input(shape=(2,), dtype=tf.int64), lookup, layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(np.array([[5, 7], [7, 9]]), np.zeros((2, 1)), epochs=2, verbose=0)
    assert len(history.history["loss"]) == 2
    assert model.layers[0].vocabulary_size() == 3


def test_vocabularies_come_from_files(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("a\nb\n")
    assert layers.StringLookup(vocabulary=str(file)).get_vocabulary() == ["[UNK]", "a", "b"]
    back = layers.StringLookup(vocabulary=["[UNK]", "a", "b"], invert=True)
    assert back([2, 9]).numpy().tolist() == [b"b", b"[UNK]"]


def test_ragged_terms() -> None:
    lookup = layers.StringLookup(vocabulary=["a", "b"])
    assert lookup(tf.ragged.constant([["a"], ["b", "z"]])).to_list() == [[1], [2, 0]]
    counts = layers.StringLookup(vocabulary=["a", "b"], output_mode="count")
    np.testing.assert_array_equal(counts(tf.ragged.constant([["a"], ["b", "z"]])), [[0, 1, 0], [1, 0, 1]])


def adapt_twice() -> None:
    layers.StringLookup(vocabulary=["a"]).adapt(["b"])


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda: layers.StringLookup(max_tokens=1), "must be greater than 1"),
        (lambda: layers.StringLookup(pad_to_max_tokens=True), "must set `max_tokens`"),
        (lambda: layers.StringLookup(num_oov_indices=-1), "greater than or equal to 0"),
        (lambda: layers.StringLookup(invert=True, output_mode="count"), "when `invert` is true"),
        (lambda: layers.StringLookup(output_mode="x"), "Unknown value for `output_mode`"),
        (lambda: layers.StringLookup(sparse=True), "`sparse` may only be true if `output_mode` is one of"),
        (lambda: layers.StringLookup(vocabulary=[]), "empty vocabulary"),
        (lambda: layers.StringLookup(vocabulary=["a", "a"]), "repeated terms are"),
        (lambda: layers.StringLookup(vocabulary=["a", "[UNK]"]), "reserved token in unexpected location"),
        (
            lambda: layers.StringLookup(max_tokens=2, vocabulary=["a", "b"]),
            "larger than the maximum vocab size",
        ),
        (lambda: layers.StringLookup(vocabulary="missing.txt"), "does not exist"),
        (lambda: layers.StringLookup(vocabulary=["a"], idf_weights=[1.0]), "should only be set if"),
        (lambda: layers.StringLookup(vocabulary=["a"], output_mode="tf_idf"), "must be set if"),
        (adapt_twice, "initialized with a vocabulary"),
        (lambda: layers.TextVectorization(standardize="x"), "Unknown value for `standardize`"),
        (lambda: layers.TextVectorization(ngrams=0), "`ngrams` must be"),
        (lambda: layers.TextVectorization(output_mode="count", ragged=True), "`ragged` must not be true"),
        (
            lambda: layers.TextVectorization(output_mode="count", output_sequence_length=3),
            "must not be set if",
        ),
        (lambda: vectorizer()(tf.constant([["a", "b"]])), "last shape dimension must be 1"),
        (lambda: layers.CategoryEncoding(), "num_tokens must be set"),
        (lambda: layers.CategoryEncoding(0), "must be >= 1"),
        (lambda: layers.CategoryEncoding(2)([1], count_weights=[1.0]), "`count_weights` is not used"),
        (lambda: layers.Hashing(0), "non-positive values"),
        (lambda: layers.Hashing(3, salt="x"), "`salt` argument"),
        (lambda: layers.Discretization(num_bins=-1), "greater than or equal to 0"),
        (lambda: layers.Discretization([0.0], num_bins=2), "should not be set"),
        (lambda: layers.Discretization([0.0]).adapt([1.0]), "use `num_bins` instead"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused(wrong: Callable[[], Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        wrong()


def test_terms_out_of_vocabulary_without_a_place_for_them() -> None:
    for layer, value in ((layers.StringLookup, "a"), (layers.IntegerLookup, 1)):
        lookup = layer(vocabulary=[value], num_oov_indices=0)
        with pytest.raises(tf.errors.InvalidArgumentError, match="consider setting"):
            lookup(["z"] if value == "a" else [9])
    with pytest.raises(tf.errors.FailedPreconditionError, match="Call one of them first"):
        layers.TextVectorization()(["a"])


def test_first_names_of_arguments() -> None:
    layer = layers.IntegerLookup(vocabulary=[12, 36], mask_value=0, oov_value=-7, invert=True)
    assert layer([0, 1, 2]).numpy().tolist() == [0, -7, 12]
