"""Labels, padding, seeds and batches: what `tf.keras.utils` does to arrays."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import utils
from tapeflow.keras.preprocessing import sequence


@pytest.mark.parametrize(
    ("y", "num_classes", "shape"),
    [([0, 2, 1], None, (3, 3)), ([[0], [2]], 4, (2, 4)), ([[0, 1], [2, 0]], None, (2, 2, 3)), (1, 3, (3,))],
)
def test_to_categorical(y: Any, num_classes: int | None, shape: tuple[int, ...]) -> None:
    rows = utils.to_categorical(y, num_classes)
    assert rows.shape == shape
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows.argmax(-1), np.asarray(y).reshape(shape[:-1]))
    np.testing.assert_array_equal(rows.sum(-1), 1)


def test_to_categorical_takes_floats_and_tensors() -> None:
    np.testing.assert_array_equal(utils.to_categorical(np.array([1.0, 0.0])), [[0, 1], [1, 0]])
    assert utils.to_categorical(tf.constant([1, 0]), dtype="int8").dtype == np.int8


@pytest.mark.parametrize(("label", "count"), [(3, 3), (-1, 3)])
def test_label_out_of_range(label: int, count: int) -> None:
    with pytest.raises(
        IndexError, match=f"labels from 0 to 2, as num_classes=3; got the label {label}. Count"
    ):
        utils.to_categorical([0, label], count)


def test_no_labels() -> None:
    assert utils.to_categorical([], 3).shape == (0, 3)
    with pytest.raises(ValueError, match="to_categorical expected at least one label .* Pass num_classes"):
        utils.to_categorical([])


def test_to_ordinal() -> None:
    np.testing.assert_array_equal(utils.to_ordinal([0, 1, 3]), [[0, 0, 0], [1, 0, 0], [1, 1, 1]])


def test_normalize() -> None:
    np.testing.assert_allclose(utils.normalize(np.array([[3.0, 4.0], [0.0, 0.0]])), [[0.6, 0.8], [0, 0]])
    np.testing.assert_allclose(utils.normalize([[3.0, 4.0]], axis=0, order=1), [[1, 1]])
    assert tf.is_tensor(utils.normalize(tf.constant([[3.0, 4.0]])))


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
        (lambda: utils.set_random_seed("a"), "Expected `seed` argument to be an integer. Received: seed=a"),
        (lambda: utils.unpack_x_y_sample_weight((1, 2, 3, 4)), "Data is expected to be in format `x`"),
    ],
)
def test_wrong_sequences_seeds_and_batches_raise(call: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()


def test_set_random_seed_seeds_everything() -> None:
    def draw() -> tuple[Any, ...]:
        made = tf.keras.initializers.GlorotUniform()((2, 2)).numpy().tolist()
        return random.random(), np.random.rand(), float(tf.random.normal(())), made

    utils.set_random_seed(3)
    first = draw()
    assert draw() != first
    utils.set_random_seed(3)
    assert draw() == first


def test_batches() -> None:
    assert utils.unpack_x_y_sample_weight(5) == (5, None, None)
    assert utils.unpack_x_y_sample_weight([5]) == (5, None, None)
    assert utils.unpack_x_y_sample_weight((1, 2, 3)) == (1, 2, 3)
    assert utils.pack_x_y_sample_weight(1) == 1
    assert utils.pack_x_y_sample_weight([1, 2]) == ([1, 2],)
    assert utils.pack_x_y_sample_weight(1, 2) == (1, 2)
    assert utils.pack_x_y_sample_weight(1, 2, 3) == (1, 2, 3)
