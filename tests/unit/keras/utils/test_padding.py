"""Sequences padded to one length."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.keras import utils
from tapeflow.keras.preprocessing import sequence


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, [[0, 0, 1], [0, 2, 3], [4, 5, 6]]),
        ({"padding": "post", "value": -1}, [[1, -1, -1], [2, 3, -1], [4, 5, 6]]),
        ({"maxlen": 2}, [[0, 1], [2, 3], [5, 6]]),
        ({"maxlen": 2, "truncating": "post"}, [[0, 1], [2, 3], [4, 5]]),
        ({"maxlen": 0}, [[], [], []]),
    ],
)
def test_pad_sequences(arguments: dict[str, Any], expected: list[list[int]]) -> None:
    padded = sequence.pad_sequences([[1], [2, 3], [4, 5, 6]], **arguments)
    assert padded.dtype == np.int32
    np.testing.assert_array_equal(padded, expected)


def test_pad_sequences_of_vectors_words_and_nothing() -> None:
    vectors = utils.pad_sequences([[[1.0, 2.0]], [], np.ones((2, 2))], dtype="float32")
    assert vectors.shape == (3, 2, 2)
    np.testing.assert_array_equal(vectors[0], [[0, 0], [1, 2]])
    words = utils.pad_sequences([["a"], ["bc", "d"]], dtype=object, value="")
    assert words.tolist() == [["", "a"], ["bc", "d"]]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: utils.pad_sequences(3), "`sequences` must be iterable."),
        (lambda: utils.pad_sequences([1, 2]), "must be a list of iterables. Found non-iterable: 1"),
        (lambda: utils.pad_sequences([[1]], padding="x"), 'Padding type "x" not understood'),
        (lambda: utils.pad_sequences([[1]], truncating="x"), 'Truncating type "x" not understood'),
        (
            lambda: utils.pad_sequences([[1]], value="x"),
            "`dtype` int32 is not compatible with `value`'s type",
        ),
        (
            lambda: utils.pad_sequences([[[1, 2]], [[1, 2, 3]]]),
            r"Shape of sample \(3,\) of sequence at position 1 is different from expected shape \(2,\)",
        ),
    ],
)
def test_wrong_sequences_raise(call: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()
