"""StringLookup and IntegerLookup."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers


def test_lookups_round_trip() -> None:
    layer = layers.StringLookup(output_mode="tf_idf")
    layer.adapt([["a", "b"], ["a", "c"]])
    again = layers.StringLookup.from_config(layer.get_config())
    np.testing.assert_allclose(again([["a", "c", "z"]]), layer([["a", "c", "z"]]))


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
