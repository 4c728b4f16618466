"""SavedModels of functions and layers of strings: read back by the interpreter of TensorFlow's ops."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.saved_model.reading.loader import load_saved_model
from tapeflow.summary.protos import message

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
    "own split": lambda: vectorization(split=lambda t: tf.strings.split(t, "a"), output_sequence_length=2),
    "own split counted": lambda: vectorization(split=lambda t: tf.strings.split(t, "a"), output_mode="count"),
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
        lambda t: tf.strings.bytes_split(t).to_tensor(), input_signature=[tf.TensorSpec([None], tf.string)]
    )
    with pytest.warns(UserWarning, match="leaves out 'split': .*bytes_split of strings cannot be written"):
        tf.saved_model.save(module, tmp_path / "m")
    assert tf.saved_model.load(tmp_path / "m").of_numbers(tf.constant([1.0]))[1].numpy().tolist() == [2.0]


WORDS = ["the cat  sat", "", "a,b,c d", " dog "]
RAGGED: dict[str, Callable[[Any], Any]] = {
    "words": lambda t: tf.strings.split(t),
    "parts": lambda t: tf.strings.upper(tf.strings.split(t, ",", maxsplit=1)),
    "structure": lambda t: {"lengths": tf.strings.length(tf.strings.split(t)), "text": [t]},
    "padded": lambda t: tf.strings.split(t).to_tensor("?"),
    "padded to a shape": lambda t: tf.strings.split(t).to_tensor(shape=[None, 2]),
    "lengths": lambda t: tf.strings.split(t).row_lengths(),
    "hashes": lambda t: tf.cast(tf.strings.to_hash_bucket_fast(tf.strings.split(t), 7), tf.float32) * 2.0,
    "values": lambda t: (tf.strings.split(t).flat_values, tf.strings.split(t).row_splits),
    "embedded": lambda t: (
        tf.strings.split(t)
        .with_values(tf.one_hot(tf.strings.to_hash_bucket_fast(tf.strings.split(t).values, 3), 3))
        .to_tensor()
    ),
}


def plain(value: Any) -> Any:
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


@pytest.mark.parametrize("name", RAGGED)
@pytest.mark.filterwarnings("ignore:.*leaves out a signature", "ignore:.*is run as plain Python")
def test_ragged_tensors_are_written(name: str, tmp_path: Path) -> None:
    module = tf.Module()
    module.f = tf.function(RAGGED[name], input_signature=[tf.TensorSpec([None], tf.string)])
    tf.saved_model.save(module, tmp_path / "m")
    loaded = load_saved_model(tmp_path / "m")
    for texts in (tf.constant(WORDS), tf.constant(WORDS[1:2])):
        found = tf.nest.map_structure(plain, loaded.f(texts))
        assert found == tf.nest.map_structure(plain, RAGGED[name](texts))


def test_what_is_not_written_of_ragged_tensors(tmp_path: Path) -> None:
    module = tf.Module()
    module.one = tf.function(lambda t: t, input_signature=[tf.TensorSpec([None], tf.string)])
    module.f = tf.function(
        lambda t: tf.reverse(tf.strings.split(t), [0]), input_signature=[tf.TensorSpec([None], tf.string)]
    )
    with pytest.warns(
        UserWarning, match="reverse of a ragged tensor that is only recorded cannot be written"
    ):
        tf.saved_model.save(module, tmp_path / "m")
    module.f = tf.function(RAGGED["words"], input_signature=[tf.TensorSpec([None, None], tf.string)])
    with pytest.warns(
        UserWarning, match="split can be written as TensorFlow's ops for a vector of strings only"
    ):
        tf.saved_model.save(module, tmp_path / "m")
    del module.one
    module.f = tf.function(RAGGED["words"], input_signature=[tf.TensorSpec([None], tf.string)])
    with pytest.warns(
        UserWarning, match="leaves out a signature: .*dense results; got ragged ones for 'serving_def"
    ):
        tf.saved_model.save(module, tmp_path / "m")
    assert not load_saved_model(tmp_path / "m").signatures


@pytest.mark.filterwarnings("ignore:.*leaves out a signature")
def test_rows_of_numbers_of_words(tmp_path: Path) -> None:
    layer = L.TextVectorization(vocabulary=TERMS, ragged=True)
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype="string"), layer])
    model.save(tmp_path / "m", save_format="tf")
    texts = tf.constant(TEXTS)[:, None]
    found = load_saved_model(tmp_path / "m")(texts)
    assert found.to_list() == layer(texts).to_list()
    cut = L.TextVectorization(vocabulary=TERMS, ragged=True, output_sequence_length=2)
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype="string"), cut])
    with pytest.raises(ValueError, match="no output_sequence_length"):
        model.save(tmp_path / "cut", save_format="tf")


def test_numbers_of_words_are_told_apart(tmp_path: Path) -> None:
    def both(texts: Any) -> Any:
        words = tf.strings.to_hash_bucket_fast(tf.strings.split(texts), 9).to_tensor()
        letters = tf.strings.to_hash_bucket_fast(tf.strings.split(texts, "a"), 9).to_tensor()
        return tf.reduce_sum(tf.one_hot(words, 9), 1) + tf.reduce_sum(tf.one_hot(letters, 9), 1)

    module = tf.Module()
    module.f = tf.function(both, input_signature=[tf.TensorSpec([None], tf.string)])
    tf.saved_model.save(module, tmp_path / "m")
    texts = tf.constant(["a banana a", "b c d e f", ""])
    np.testing.assert_array_equal(load_saved_model(tmp_path / "m").f(texts), both(texts))
    module.f = tf.function(both, input_signature=[tf.TensorSpec([3], tf.string)])
    with pytest.raises(ValueError, match="let the number of texts be open, None"):
        tf.saved_model.save(module, tmp_path / "m")


def test_weights_of_words_are_where_keras_looks_for_them(tmp_path: Path) -> None:
    layer = vectorization(output_mode="tf_idf")
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype="string"), layer])
    model.save(tmp_path / "m", save_format="tf")
    reader = tf.train.load_checkpoint(str(tmp_path / "m" / "variables" / "variables"))
    (key,) = [key for key in reader.get_variable_to_shape_map() if "idf_weights" in key]
    assert key.endswith("/idf_weights/.ATTRIBUTES/VARIABLE_VALUE")
    written = message("SavedModel").FromString((tmp_path / "m" / "saved_model.pb").read_bytes())
    nodes = written.meta_graphs[0].object_graph_def.nodes
    (lookup,) = [c.node_id for node in nodes for c in node.children if c.local_name == "_lookup_layer"]
    assert "idf_weights" in [child.local_name for child in nodes[lookup].children]
    np.testing.assert_array_equal(reader.get_tensor(key), layer._lookup.idf_weights)
