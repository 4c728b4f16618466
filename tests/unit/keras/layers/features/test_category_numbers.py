"""Class numbers in sparse and ragged tensors, and vectors that are sparse; the values are those of Keras 2."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers
PLACES = [[0, 0], [0, 1], [1, 0]]


def sparse(values: Any) -> tf.SparseTensor:
    return tf.SparseTensor(PLACES, values, [2, 2])


def ragged(values: list[Any]) -> tf.RaggedTensor:
    return tf.RaggedTensor.from_row_lengths(values, [2, 1])


def lists(value: Any) -> Any:
    return (
        value.to_list()
        if isinstance(value, tf.RaggedTensor)
        else tf.keras.backend.to_dense(value).numpy().tolist()
    )


LAYERS = [
    (lambda **a: L.CategoryEncoding(4, **a), [1, 2, 3], [[0, 1, 1, 0], [0, 0, 0, 1]]),
    (
        lambda **a: L.StringLookup(vocabulary=["a", "b", "c"], **a),
        ["a", "b", "z"],
        [[0, 1, 1, 0], [1, 0, 0, 0]],
    ),
    (lambda **a: L.IntegerLookup(vocabulary=[10, 20, 30], **a), [10, 20, 5], [[0, 1, 1, 0], [1, 0, 0, 0]]),
    (lambda **a: L.Discretization(bin_boundaries=[0.0, 1.0], **a), [-1.0, 0.5, 2.0], [[1, 1, 0], [0, 0, 1]]),
    (lambda **a: L.Hashing(3, **a), ["omar", "stringer", "marlo"], [[0, 0, 1], [1, 0, 0]]),
]


@pytest.mark.parametrize("make", [sparse, ragged])
@pytest.mark.parametrize("gives_sparse", [False, True])
@pytest.mark.parametrize(("layer", "values", "expected"), LAYERS, ids=range(5))
def test_vectors_of_sparse_and_ragged_inputs(
    layer: Any, values: list[Any], expected: Any, make: Any, gives_sparse: bool
) -> None:
    made = layer(output_mode="multi_hot", sparse=gives_sparse)
    if isinstance(made, L.Hashing):  # whatever the bins are, they are those of the values alone
        bins = L.Hashing(3)(values).numpy()
        expected = [np.eye(3)[bins[:2]].max(0).tolist(), np.eye(3)[bins[2]].tolist()]
    found = made(make(values))
    assert isinstance(found, tf.SparseTensor) == gives_sparse
    assert lists(found) == expected


@pytest.mark.parametrize("make", [sparse, ragged])
@pytest.mark.parametrize(("layer", "values"), [case[:2] for case in LAYERS[1:]], ids=range(4))
def test_numbers_of_sparse_and_ragged_inputs(layer: Any, values: list[Any], make: Any) -> None:
    found = layer()(make(values))
    numbers = found.values if make is sparse else found.flat_values
    assert type(found) is type(make(values))
    assert numbers.numpy().tolist() == layer()(values).numpy().tolist()


def test_counts_with_weights() -> None:
    layer = L.CategoryEncoding(4, output_mode="count")
    found = layer(sparse([1, 1, 3]), count_weights=sparse([0.5, 0.25, 2.0]))
    assert found.numpy().tolist() == [[0, 0.75, 0, 0], [0, 0, 0, 2]]


def test_one_hot_of_a_column() -> None:
    column = tf.SparseTensor([[0, 0], [1, 0]], np.array([1, 3]), [2, 1])
    found = L.CategoryEncoding(4, output_mode="one_hot", sparse=True)(column)
    assert lists(found) == [[0, 1, 0, 0], [0, 0, 0, 1]]
    for make in (sparse, ragged):
        with pytest.raises(ValueError, match="maximum supported output rank is 2"):
            L.CategoryEncoding(4, output_mode="one_hot")(make([1, 2, 3]))


@pytest.mark.parametrize("layer", [case[0] for case in LAYERS[1:]])
def test_numbers_are_never_sparse(layer: Any) -> None:
    with pytest.raises(ValueError, match="`sparse` may only be true if `output_mode` is one of 'one_hot'"):
        layer(sparse=True)


def test_names_of_sparse_places() -> None:
    layer = L.StringLookup(vocabulary=["a", "b"], invert=True)
    assert layer(sparse([1, 2, 0])).values.numpy().tolist() == [b"a", b"b", b"[UNK]"]
    assert layer(ragged([1, 2, 0])).to_list() == [[b"a", b"b"], [b"[UNK]"]]


def test_weights_of_sparse_texts() -> None:
    layer = L.TextVectorization(
        output_mode="tf_idf", sparse=True, vocabulary=["a", "b"], idf_weights=[1.0, 2.0]
    )
    found = layer(["a b", "b b"])
    assert isinstance(found, tf.SparseTensor)
    assert lists(found) == [[0, 1, 2], [0, 0, 4]]


def test_in_a_functional_model() -> None:
    words = tf.keras.Input((2,), dtype=tf.string)
    vectors = L.StringLookup(vocabulary=["a", "b", "c"], output_mode="multi_hot", sparse=True)(words)
    assert tf.keras.backend.is_sparse(vectors)
    assert vectors.shape == (None, 4)
    model = tf.keras.Model(words, L.Dense(1, kernel_initializer="ones")(vectors))
    data = np.array([["a", "b"], ["c", "c"], ["b", "z"]], object)
    assert model.predict(data, verbose=0).tolist() == [[2], [1], [2]]


def test_in_a_dataset() -> None:
    layer = L.CategoryEncoding(4, output_mode="multi_hot", sparse=True)
    batches = tf.data.Dataset.from_tensor_slices(np.array([[1, 2], [3, 3]])).batch(2).map(layer)
    assert [lists(batch) for batch in batches] == [[[0, 1, 1, 0], [0, 0, 0, 1]]]
