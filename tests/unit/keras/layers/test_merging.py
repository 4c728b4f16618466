"""Merge layers: symbolic and real inputs, masks and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.layers.merging import Merge

L = tf.keras.layers
X = np.array([[1.0, 2.0, 3.0]], "float32")
Y = np.array([[4.0, 1.0, 2.0]], "float32")


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (L.add, X + Y),
        (L.subtract, X - Y),
        (L.multiply, X * Y),
        (L.average, (X + Y) / 2),
        (L.maximum, np.maximum(X, Y)),
        (L.minimum, np.minimum(X, Y)),
        (L.concatenate, np.concatenate([X, Y], -1)),
        (lambda xs: L.dot(xs, axes=1), (X * Y).sum(-1, keepdims=True)),
    ],
)
def test_functions_take_tensors_and_symbols(function: Any, expected: np.ndarray) -> None:
    np.testing.assert_allclose(function([tf.constant(X), tf.constant(Y)]).numpy(), expected)
    symbols = [tf.keras.Input((3,)), tf.keras.Input((3,))]
    model = tf.keras.Model(symbols, function(symbols))
    np.testing.assert_allclose(model([X, Y]).numpy(), expected)
    assert tuple(model.output_shape)[1:] == expected.shape[1:]


def test_a_tuple_of_inputs() -> None:
    np.testing.assert_allclose(L.Add()((tf.constant(X), tf.constant(Y))).numpy(), X + Y)


def test_unknown_sizes() -> None:
    one, two = tf.keras.Input((None, 3)), tf.keras.Input((None, 3))
    assert tuple(L.add([one, two]).shape) == (None, None, 3)
    assert tuple(L.concatenate([one, two], axis=1).shape) == (None, None, 3)
    assert tuple(L.Concatenate(1).compute_output_shape([(None, 2, 3), (None, None, 3)])) == (None, None, 3)
    assert tuple(L.Add().compute_output_shape([(None, 3), (None, 2, 1)])) == (None, 2, 3)


def test_masks_are_joined() -> None:
    x, y = tf.ones((1, 2, 1)), tf.ones((1, 2, 1))
    x._keras_mask, y._keras_mask = tf.constant([[True, False]]), tf.constant([[True, True]])
    np.testing.assert_array_equal(L.Add()([x, y])._keras_mask.numpy(), [[True, False]])
    np.testing.assert_array_equal(
        L.Concatenate(1)([x, tf.ones((1, 1, 1))])._keras_mask.numpy(), [[True, False, True]]
    )
    np.testing.assert_array_equal(L.Concatenate(-1)([x, y])._keras_mask.numpy(), [[True, False]])
    assert getattr(L.Dot(1)([x, y]), "_keras_mask", None) is None


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: L.Add()(tf.ones((2, 3))), ValueError, "should be called on a list of inputs"),
        (lambda: L.Add()([tf.ones((2, 3)), tf.ones((2, 4))]), ValueError, "Inputs have incompatible shapes"),
        (lambda: L.Add()([tf.ones((2, 3)), tf.ones((4, 3))]), ValueError, "different batch sizes"),
        (lambda: L.Subtract()([tf.ones((2, 3))] * 3), ValueError, "exactly 2 inputs"),
        (
            lambda: L.Concatenate()([tf.ones((2, 3)), tf.ones((4, 3))]),
            ValueError,
            "matching shapes except for the concatenation axis",
        ),
        (lambda: L.Concatenate()([tf.ones((2, 3)), tf.ones((2,))]), ValueError, "matching shapes"),
        (lambda: L.Dot(1)([tf.ones((2, 3)), tf.ones((2, 4))]), ValueError, "Incompatible input shapes"),
        (lambda: L.Dot(1)([tf.ones((2, 3))] * 3), ValueError, "list of 2 inputs"),
        (lambda: L.Dot(1)([tf.ones((2, 3))]), ValueError, "at least 2 input"),
        (lambda: L.Dot("1"), TypeError, "it should be a list or an int"),
        (lambda: L.Dot((1, 2, 3)), ValueError, "should contain two elements"),
        (lambda: L.Dot((1, "2")), ValueError, "list elements should be integers"),
        (lambda: L.Add().compute_mask([1, 2], [None]), ValueError, "should have the same length"),
        (lambda: L.Add().compute_mask([1, 2], 3), ValueError, "`mask` should be a list"),
    ],
)
def test_wrong_numbers_shapes_and_masks_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_a_merge_layer_must_say_how() -> None:
    with pytest.raises(NotImplementedError, match="write _merge_function"):
        Merge()([tf.ones((1, 2)), tf.ones((1, 2))])
    with pytest.raises(ValueError, match="should be called on a list of inputs"):
        L.Add().call(tf.ones((1, 2)))


def test_concatenate_sparse_tensors() -> None:
    one, two = tf.sparse.from_dense([[1.0, 0.0]]), tf.sparse.from_dense([[0.0, 2.0]])
    found = tf.keras.layers.Concatenate()([one, two])
    assert isinstance(found, tf.SparseTensor)
    assert tf.sparse.to_dense(found).numpy().tolist() == [[1, 0, 0, 2]]
    mixed = tf.keras.layers.Concatenate()([one, tf.sparse.to_dense(two)])
    assert mixed.numpy().tolist() == [[1, 0, 0, 2]]
    inputs = [tf.keras.Input((2,), sparse=True) for _ in range(2)]
    model = tf.keras.Model(inputs, tf.keras.layers.Concatenate()(inputs))
    assert tf.sparse.to_dense(model([one, two])).numpy().tolist() == [[1, 0, 0, 2]]
