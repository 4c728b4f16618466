"""Embedding."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

L = tf.keras.layers


@pytest.mark.parametrize("index", [7, -1])
def test_an_index_that_is_no_row_raises(index: int) -> None:
    layer = L.Embedding(5, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"got index {index}, which is not in \[0, 5\)"):
        layer(tf.constant([[1, index]])).numpy()


def test_an_index_that_is_no_row_raises_in_fit() -> None:
    model = tf.keras.Sequential([L.Embedding(5, 2, input_length=3), L.Flatten(), L.Dense(1)])
    model.compile("sgd", "mse")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"got index 9, which is not in \[0, 5\)"):
        model.fit(np.full((4, 3), 9), np.zeros((4, 1)), verbose=0)


def test_floats_are_taken_as_integers() -> None:
    layer = L.Embedding(5, 2)
    np.testing.assert_array_equal(layer(np.array([[3.0]])).numpy(), layer(np.array([[3]])).numpy())


def test_mask_zero() -> None:
    layer = L.Embedding(5, 2, mask_zero=True)
    ids = tf.constant([[1, 0, 2]])
    np.testing.assert_array_equal(layer(ids)._keras_mask.numpy(), [[True, False, True]])
    np.testing.assert_array_equal(layer.compute_mask(ids).numpy(), [[True, False, True]])
    assert L.Embedding(5, 2).compute_mask(ids) is None


def test_the_mask_reaches_later_layers_of_a_model() -> None:
    seen = []

    class Look(L.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.supports_masking = True

        def call(self, inputs: object, mask: object = None) -> object:
            seen.append(mask)
            return inputs

    model = tf.keras.Sequential([L.Embedding(5, 2, mask_zero=True, input_length=3), L.Dropout(0.5), Look()])
    seen.clear()
    model(tf.constant([[1, 0, 2]]))
    np.testing.assert_array_equal(seen[-1].numpy(), [[True, False, True]])


def test_input_length_gives_the_input_shape() -> None:
    model = tf.keras.Sequential([L.Embedding(5, 2, input_length=4)])
    assert model.output_shape == (None, 4, 2)
    assert tf.keras.Sequential([L.Embedding(5, 2)]).output_shape == (None, None, 2)


def test_a_wrong_input_length_raises() -> None:
    with pytest.raises(ValueError, match='"input_length" is 4, but received input has shape'):
        L.Embedding(5, 2, input_length=4).compute_output_shape((None, 3))


@pytest.mark.parametrize("sizes", [(0, 2), (3, -1)])
def test_sizes_must_be_positive(sizes: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="Both `input_dim` and `output_dim` should be positive"):
        L.Embedding(*sizes)


def test_large_indices_survive_mixed_precision() -> None:
    layer = L.Embedding(5000, 1, dtype="mixed_float16")
    rows = layer(np.array([4097.0, 4096.0], "float32"))
    assert rows.dtype == tf.float16
    np.testing.assert_allclose(rows.numpy(), layer.embeddings.numpy()[[4097, 4096]], atol=1e-3)


def test_sparse_tensors() -> None:
    numbers = tf.sparse.from_dense([[1, 2], [3, 0]])
    layer = tf.keras.layers.Embedding(5, 2)
    np.testing.assert_array_equal(layer(numbers), layer(tf.sparse.to_dense(numbers)))
    layer = tf.keras.layers.Embedding(5, 2, embeddings_initializer="ones", sparse=True)
    found = layer(np.array([[1, 2]]))
    assert isinstance(found, tf.SparseTensor)
    assert tf.sparse.to_dense(found).numpy().tolist() == [[[1, 1], [1, 1]]]
