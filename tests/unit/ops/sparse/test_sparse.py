"""Sparse tensors: gradients and errors; results are compared with TensorFlow's in tests/parity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine import errors

sparse = tf.sparse


def _matrix() -> Any:
    return sparse.from_dense([[0, 1.0], [2, 0]])


def test_gradients_pass() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        matrix = tf.SparseTensor([[0, 0], [1, 1]], x * x, [2, 2])
        loss = (
            tf.reduce_sum(sparse.sparse_dense_matmul(matrix, [[3.0], [4.0]])) + sparse.to_dense(matrix)[0, 0]
        )
    np.testing.assert_allclose(tape.gradient(loss, x), [8.0, 16.0])


def test_dense_times_sparse() -> None:
    found = sparse.sparse_dense_matmul(tf.constant([[1.0, 10.0]]), _matrix())
    np.testing.assert_allclose(found, [[20.0, 1.0]])


def test_other_functions_agree_with_dense_ones() -> None:
    matrix = _matrix()
    dense = sparse.to_dense(matrix).numpy()
    np.testing.assert_allclose(
        sparse.to_dense(sparse.minimum(matrix, sparse.eye(2))), np.minimum(dense, np.eye(2))
    )
    np.testing.assert_allclose(sparse.add(matrix, tf.ones([2, 2])), dense + 1)
    np.testing.assert_allclose(sparse.to_dense(matrix / [[1.0], [4.0]]), dense / [[1], [4]])
    np.testing.assert_allclose(sparse.to_dense(-tf.cast(matrix, tf.float64)), -dense)
    assert len(sparse.add(matrix, matrix, threshold=3.0).values) == 1
    assert sparse.reset_shape(matrix, [3, 4]).shape == [3, 4]
    assert sparse.mask(
        tf.IndexedSlices(tf.constant([1, 2]), tf.constant([0, 3])), [3]
    ).indices.numpy().tolist() == [0]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda m: tf.SparseTensor([[0]], [1, 2], [3]),
            ValueError,
            "indices of shape \\[values, dimensions\\]",
        ),
        (lambda m: sparse.to_dense(tf.constant(1)), TypeError, "input must be a SparseTensor"),
        (
            lambda m: sparse.to_dense(tf.SparseTensor([[5]], [1], [3])),
            errors.InvalidArgumentError,
            "out of bounds",
        ),
        (
            lambda m: sparse.to_dense(tf.SparseTensor([[1], [0]], [1, 2], [3])),
            errors.InvalidArgumentError,
            "out of order or repeated",
        ),
        (lambda m: sparse.retain(m, [True]), errors.InvalidArgumentError, "expected 2 truth values"),
        (lambda m: sparse.reshape(m, [3, 1]), errors.InvalidArgumentError, "a shape of 4 elements"),
        (
            lambda m: sparse.concat(0, [m, sparse.eye(3)]),
            errors.InvalidArgumentError,
            "differ along axis 0 alone",
        ),
        (lambda m: sparse.add(m, sparse.eye(3)), errors.InvalidArgumentError, "of one shape"),
        (
            lambda m: sparse.sparse_dense_matmul(m, tf.ones([3, 1])),
            errors.InvalidArgumentError,
            "inner dimension",
        ),
        (
            lambda m: sparse.sparse_dense_matmul(sparse.expand_dims(m, 0), tf.ones([2, 1])),
            errors.InvalidArgumentError,
            "expected a matrix",
        ),
        (lambda m: sparse.reset_shape(m, [1, 1]), errors.InvalidArgumentError, "a shape of at least"),
        (lambda m: sparse.map_values(tf.square, 1), ValueError, "a SparseTensor among the arguments"),
        (lambda m: sparse.map_values(tf.add, m, sparse.eye(2)), errors.InvalidArgumentError, "same indices"),
        (lambda m: m * tf.ones([5]), errors.InvalidArgumentError, "that broadcasts to"),
        (lambda m: tf.exp(m), TypeError, "got a sparse tensor"),
        (lambda m: np.asarray(m), TypeError, "Use tf.sparse.to_dense"),
        (
            lambda m: sparse.to_indicator(tf.SparseTensor([[0, 0]], [9], [1, 1]), 5),
            errors.InvalidArgumentError,
            "below vocab_size=5",
        ),
    ],
)
def test_malformed_sparse_tensors_raise(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call(_matrix())


def test_functions_of_shapes_and_of_values_take_sparse_tensors() -> None:
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [0.25, -4.0], [3, 2])
    assert tf.shape(sparse, out_type=tf.int64).numpy().tolist() == [3, 2]
    assert (int(tf.size(input=sparse)), int(tf.rank(sparse))) == (6, 2)
    for function in (
        tf.abs,
        tf.negative,
        tf.sign,
        tf.square,
        tf.tanh,
        tf.math.erf,
        tf.identity,
        tf.stop_gradient,
    ):
        found = function(sparse)
        assert found.indices.numpy().tolist() == [[0, 1], [2, 0]]
        np.testing.assert_allclose(found.values, function(sparse.values))
    with pytest.raises(TypeError, match=r"tf\.exp expected tensors; got a sparse tensor of shape \(3, 2\)"):
        tf.exp(sparse)
