"""What layers of features refuse. Their numbers are compared in tests/parity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf

layers = tf.keras.layers
TEXTS = ["the cat sat", "the dog ran", "a cat ran"]


def vectorizer(**arguments: Any) -> Any:
    layer = layers.TextVectorization(**arguments)
    layer.adapt(tf.data.Dataset.from_tensor_slices(TEXTS).batch(2))
    return layer


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
