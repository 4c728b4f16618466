"""The Tokenizer's JSON, and what it refuses. Its numbers are in tests/parity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf

text = tf.keras.preprocessing.text
sequence = tf.keras.preprocessing.sequence


def test_json_keeps_everything() -> None:
    tokenizer = text.Tokenizer(num_words=5, oov_token="?")
    tokenizer.fit_on_texts(["a b a", ["C", "a"]])
    tokenizer.fit_on_sequences([[1, 2]])
    again = text.tokenizer_from_json(tokenizer.to_json())
    assert again.get_config() == tokenizer.get_config()
    assert again.texts_to_sequences(["c z b"]) == tokenizer.texts_to_sequences(["c z b"])


def test_words_have_numbers_by_hash() -> None:
    assert text.hashing_trick("a b a", 20, "md5")[0] == text.hashing_trick("a", 20, "md5")[0]
    assert all(0 < n < 9 for n in text.one_hot("a b c", 9))
    tokenizer = text.Tokenizer(analyzer=lambda t: t.split("|"))
    tokenizer.fit_on_texts(["x|y|x"])
    assert tokenizer.word_index == {"x": 1, "y": 2}


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: text.Tokenizer(words=1), TypeError, "unrecognized keyword"),
        (lambda: text.Tokenizer().texts_to_matrix(["a"]), ValueError, "Specify a dimension"),
        (lambda: text.Tokenizer(3).sequences_to_matrix([[1]], "x"), ValueError, "Unknown vectorization mode"),
        (lambda: text.Tokenizer(3).sequences_to_matrix([[1]], "tfidf"), ValueError, "Fit the Tokenizer"),
        (lambda: sequence.TimeseriesGenerator([1, 2], [1], 1), ValueError, "of same length"),
        (lambda: sequence.TimeseriesGenerator([1, 2], [1, 2], 3), ValueError, "is disallowed"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused(wrong: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        wrong()


def test_windows_may_be_shuffled_and_written_down() -> None:
    windows = sequence.TimeseriesGenerator([1, 2, 3, 4], [1, 2, 3, 4], 2, shuffle=True, batch_size=5)
    x, y = windows[0]
    assert ((x[:, 1] + 1) == y).all()
    assert '"length": 2' in windows.to_json()


def test_skipgrams_pair_near_words() -> None:
    couples, labels = sequence.skipgrams([1, 2, 3], 4, window_size=1, negative_samples=1.0, seed=1)
    found = [tuple(c) for c, label in zip(couples, labels, strict=True) if label]
    assert sorted(found) == [(1, 2), (2, 1), (2, 3), (3, 2)]
    assert labels.count(0) == 4
    couples, labels = sequence.skipgrams(
        [1, 2], 4, 1, 0.0, categorical=True, sampling_table=[1.0] * 4, seed=1
    )
    assert labels == [[0, 1], [0, 1]]
