"""SavedModels of functions and layers of strings: read back by the interpreter of TensorFlow's ops."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.saved_model.reading.loader import load_saved_model

L = tf.keras.layers
TEXTS = ["The cat sat, on the mat!", "cat", "über den dog", "", "zebra"]
TERMS = ["cat", "dog", "mat"]


def vectorization(**options: Any) -> Any:
    layer = L.TextVectorization(**options)
    layer.adapt(TEXTS[:2])
    return layer


LAYERS: dict[str, Callable[[], Any]] = {
    "open": vectorization,
    "length": lambda: vectorization(output_sequence_length=3),
    "ngrams": lambda: vectorization(ngrams=(2, 1)),
    "characters": lambda: vectorization(split="character", standardize="strip_punctuation"),
    "whole": lambda: vectorization(split=None, standardize=None),
    "own": lambda: vectorization(
        standardize=lambda t: tf.strings.regex_replace(tf.strings.upper(t), "A", "E")
    ),
    "count": lambda: vectorization(output_mode="count", max_tokens=20, pad_to_max_tokens=True),
    "multi_hot": lambda: vectorization(output_mode="multi_hot"),
    "tf_idf": lambda: vectorization(output_mode="tf_idf"),
    "terms": lambda: L.StringLookup(vocabulary=TERMS),
    "terms masked": lambda: L.StringLookup(vocabulary=TERMS, mask_token="zebra"),
    "terms hashed": lambda: L.StringLookup(vocabulary=TERMS, num_oov_indices=4),
    "terms multi_hot": lambda: L.StringLookup(vocabulary=TERMS, output_mode="multi_hot"),
    "hashes": lambda: L.Hashing(5),
    "hashes salted": lambda: L.Hashing(5, salt=[3, 4], mask_value=""),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_are_written(name: str, tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype="string"), LAYERS[name]()])
    texts = tf.constant(TEXTS)[:, None]
    model.export(tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    for rows in (texts, texts[1:2], texts[3:4]):
        np.testing.assert_array_equal(loaded.serve(rows), model(rows))


def test_places_become_terms_again(tmp_path: Path) -> None:
    module = tf.Module()
    inverse = L.StringLookup(vocabulary=TERMS, invert=True)
    module.terms = tf.function(inverse, input_signature=[tf.TensorSpec([None], tf.int64)])
    tf.saved_model.save(module, tmp_path / "m")
    found = tf.saved_model.load(tmp_path / "m").terms(tf.constant([1, 0, 3, 9], tf.int64))
    assert found.numpy().tolist() == [b"cat", b"[UNK]", b"mat", b"[UNK]"]


def test_no_place_for_other_terms_is_an_error_there(tmp_path: Path) -> None:
    module = tf.Module()
    lookup = L.StringLookup(vocabulary=TERMS, num_oov_indices=0)
    module.places = tf.function(lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    assert loaded.places(tf.constant(["dog", "cat"])).numpy().tolist() == [1, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="found OOV values"):
        loaded.places(tf.constant(["dog", "cow"]))


def test_functions_with_any_number_of_arguments(tmp_path: Path) -> None:
    module, x = tf.Module(), tf.constant([[1.0, 2.0]])
    module.dense = L.Dense(2)
    module.call = tf.function(module.dense, input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    tf.saved_model.save(module, tmp_path / "m")
    np.testing.assert_allclose(tf.saved_model.load(tmp_path / "m").call(x), module.dense(x))
    np.testing.assert_allclose(load_saved_model(tmp_path / "m").call(x), module.dense(x))


class Texts(tf.Module):
    """Each string function that is written."""

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def of_texts(self, text: Any) -> Any:
        tidy = tf.strings.strip(tf.strings.lower(text))
        is_cat = tf.strings.regex_full_match(tidy, "c.*")
        return {
            "joined": tf.strings.join([tidy, "-", tf.strings.substr(text, 0, 2)]),
            "replaced": tf.strings.regex_replace(tidy, "[aeiou]", "*", replace_global=False),
            "upper": tf.strings.upper(tidy) + "!",
            "length": tf.strings.length(text, unit="UTF8_CHAR"),
            "equal": tf.equal(text, "cat"),
            "other": text != "cat",
            "hash": tf.strings.to_hash_bucket_fast(text, 7),
            "strong": tf.strings.to_hash_bucket_strong(text, 7, key=[1, 2]),
            "chosen": tf.where(is_cat, text, "no"),
            "moved": tf.reshape(tf.stack([text, tidy], 1), [-1])[::2],
        }

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def of_numbers(self, x: Any) -> Any:
        text = tf.strings.as_string(x, precision=2)
        return text, tf.strings.to_number(text) * 2


def test_functions_are_written(tmp_path: Path) -> None:
    module = Texts()
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    text, x = tf.constant(["cat", " Über", "dog "]), tf.constant([1.0, 2.5])
    wanted, found = module.of_texts.python_function(text), loaded.of_texts(text)
    assert wanted.keys() == found.keys()
    for name in wanted:
        np.testing.assert_array_equal(found[name], wanted[name], err_msg=name)
    for one, other in zip(module.of_numbers.python_function(x), loaded.of_numbers(x), strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_cannot_be_written_is_left_out_with_a_warning(tmp_path: Path) -> None:
    module = Texts()
    module.split = tf.function(
        lambda t: tf.strings.split(t).to_tensor(), input_signature=[tf.TensorSpec([None], tf.string)]
    )
    with pytest.warns(UserWarning, match="leaves out 'split': .*split of strings cannot be written"):
        tf.saved_model.save(module, tmp_path / "m")
    assert tf.saved_model.load(tmp_path / "m").of_numbers(tf.constant([1.0]))[1].numpy().tolist() == [2.0]


def test_ragged_results_are_refused(tmp_path: Path) -> None:
    layer = L.TextVectorization(vocabulary=TERMS, ragged=True)
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype="string"), layer])
    with pytest.raises(ValueError, match="with dense results"):
        model.save(tmp_path / "m", save_format="tf")
