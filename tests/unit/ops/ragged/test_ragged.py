"""Ragged tensors: what fixtures of TensorFlow do not show: gradients, views of one another, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine import errors

ROWS = [[3, 1, 4, 1], [], [5, 9, 2], [6]]


def _ragged() -> Any:
    return tf.ragged.constant(ROWS)


def test_ways_to_make_one_agree() -> None:
    flat = [v for row in ROWS for v in row]
    make = tf.RaggedTensor
    for found in (
        make.from_row_splits(flat, [0, 4, 4, 7, 8]),
        make.from_row_lengths(flat, [4, 0, 3, 1]),
        make.from_row_starts(flat, [0, 4, 4, 7]),
        make.from_row_limits(flat, [4, 4, 7, 8]),
        make.from_value_rowids(flat, [0, 0, 0, 0, 2, 2, 2, 3]),
        make.from_nested_row_splits(flat, [[0, 4, 4, 7, 8]]),
        make.from_nested_row_lengths(flat, [[4, 0, 3, 1]]),
        make.from_nested_value_rowids(flat, [[0, 0, 0, 0, 2, 2, 2, 3]]),
        make.from_tensor(_ragged().to_tensor(-1), padding=-1),
        make.from_sparse(_ragged().to_sparse()),
    ):
        assert found.to_list() == ROWS
        assert found.row_starts().numpy().tolist() == [0, 4, 4, 7]
        assert found.row_limits().numpy().tolist() == [4, 4, 7, 8]


def test_gradients_pass() -> None:
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        rows = tf.RaggedTensor.from_row_splits(x * x, [0, 2, 2, 3])
        loss = tf.reduce_sum(rows.to_tensor() * 2.0) + tf.reduce_sum(tf.reduce_max(rows[:1], axis=1))
    np.testing.assert_allclose(tape.gradient(loss, x), [4.0, 12.0, 12.0])


def test_dense_operands_go_with_rows() -> None:
    rows = _ragged()
    assert (rows + [[10], [20], [30], [40]]).to_list() == [[13, 11, 14, 11], [], [35, 39, 32], [46]]
    assert (2 * rows - 1).to_list() == [[5, 1, 7, 1], [], [9, 17, 3], [11]]
    vectors = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
    assert (vectors * [10, 100]).to_list() == [[[10, 200], [30, 400]], [[50, 600]]]
    assert tf.where(rows > 3, rows, -rows).to_list() == [[-3, -1, 4, -1], [], [5, 9, -2], [6]]


def test_it_is_iterated_and_masked() -> None:
    rows = _ragged()
    assert [r.numpy().tolist() for r in rows] == ROWS
    assert rows[rows > 2].to_list() == [[3, 4], [], [5, 9], [6]]
    assert tf.ragged.boolean_mask(rows, [True, False, False, True]).to_list() == [[3, 1, 4, 1], [6]]
    assert tf.concat([rows, rows[:, :1]], axis=1).row_lengths().numpy().tolist() == [5, 0, 4, 2]
    assert tf.map_fn(
        lambda r: r * 2, rows, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32)
    ).to_list()[3] == [12]
    assert tf.is_tensor(rows)
    assert tf.type_spec_from_value(rows) == tf.RaggedTensorSpec([4, None], tf.int32)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda r: r[:, 1], ValueError, "Cannot index into an inner ragged dimension"),
        (lambda r: r[9], errors.InvalidArgumentError, "slice index 9 of dimension 0 out of bounds"),
        (lambda r: r[..., ...], ValueError, "one `...` at most"),
        (lambda r: bool(r), TypeError, "may not be used as a boolean"),
        (lambda r: np.asarray(r), TypeError, "whose rows differ in length. Use to_tensor"),
        (lambda r: tf.convert_to_tensor(r), ValueError, "rows of one length"),
        (lambda r: tf.linalg.det(r), TypeError, "got a ragged tensor, which it does not take"),
        (
            lambda r: r + tf.ragged.constant([[1], [2], [3], [4]]),
            errors.InvalidArgumentError,
            "with equal rows",
        ),
        (lambda r: r + [[1], [2]], errors.InvalidArgumentError, "expected 4 rows, or one"),
        (lambda r: r + [[1, 2]], errors.InvalidArgumentError, "matches rows of lengths"),
        (lambda r: tf.concat([r, r[:2]], 1), errors.InvalidArgumentError, "as many rows in each input"),
        (lambda r: tf.concat([r, tf.constant([1])], 0), ValueError, "inputs of one rank"),
        (lambda r: tf.ragged.stack([]), ValueError, "may not be empty"),
        (lambda r: tf.gather(r, [7]), errors.InvalidArgumentError, "rows below 4"),
        (lambda r: tf.gather(r, [0], axis=1), ValueError, "axis=0 and batch_dims=0"),
        (lambda r: tf.squeeze(r), ValueError, "must have an axis argument"),
        (lambda r: tf.squeeze(r, 0), errors.InvalidArgumentError, "expected a dimension of 1"),
        (lambda r: tf.squeeze(r, 1), errors.InvalidArgumentError, "rows of length 1"),
        (lambda r: r.merge_dims(1, 1), ValueError, "outer_axis < inner_axis"),
        (lambda r: r.with_values([1]), errors.InvalidArgumentError, "expected 8 values; got 1"),
        (lambda r: r.to_tensor(shape=[1]), ValueError, "a shape of rank 2"),
        (lambda r: tf.ragged.constant([[1], 2]), ValueError, "same nesting depth"),
        (lambda r: tf.ragged.constant([1, 2], ragged_rank=1), ValueError, "below the depth"),
        (lambda r: tf.ragged.range([1], deltas=0), errors.InvalidArgumentError, "requires delta != 0"),
        (lambda r: tf.ragged.boolean_mask(r, [1, 0]), errors.InvalidArgumentError, "a mask of bool"),
        (lambda r: tf.ragged.boolean_mask(r, True), ValueError, "at least one dimension"),
        (lambda r: tf.ragged.boolean_mask(r, [True]), errors.InvalidArgumentError, "a mask for 4 rows"),
        (
            lambda r: tf.ragged.boolean_mask(r, [[True]] * 4),
            errors.InvalidArgumentError,
            "as long as the data's",
        ),
        (lambda r: tf.ragged.map_flat_values(tf.add, r, r[:, :1]), errors.InvalidArgumentError, "equal rows"),
        (
            lambda r: tf.RaggedTensor.from_row_splits([1], [0, 2]),
            errors.InvalidArgumentError,
            "valid RaggedTensor",
        ),
        (lambda r: tf.RaggedTensor.from_row_splits(1, [0]), ValueError, "got a scalar"),
        (lambda r: tf.RaggedTensor.from_row_splits([1], [[0]]), ValueError, "a vector of integers"),
        (
            lambda r: tf.RaggedTensor.from_value_rowids([1], [3], 2),
            errors.InvalidArgumentError,
            "below nrows",
        ),
        (lambda r: tf.RaggedTensor.from_uniform_row_length([1], 2), errors.InvalidArgumentError, "rows of 2"),
        (lambda r: tf.RaggedTensor.from_tensor([[1]], [1], 0), ValueError, "lengths or padding, not both"),
        (lambda r: tf.RaggedTensor.from_tensor([[1]], ragged_rank=2), ValueError, "ragged_rank above 0"),
        (
            lambda r: tf.RaggedTensor.from_tensor([[1]], [-1]),
            errors.InvalidArgumentError,
            "lengths of at least 0",
        ),
        (
            lambda r: tf.RaggedTensor.from_sparse(tf.sparse.from_dense([[0, 1]])),
            errors.InvalidArgumentError,
            "right-ragged",
        ),
        (lambda r: tf.RaggedTensorSpec(None), ValueError, "must specify ragged_rank"),
    ],
)
def test_what_ragged_tensors_cannot_do_raises(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call(_ragged())


def test_map_fn_of_rows_gives_rows() -> None:
    rows = tf.ragged.constant([[3, 1], [], [2]])
    assert tf.map_fn(tf.square, rows).to_list() == [[9, 1], [], [4]]
    assert tf.map_fn(tf.reduce_sum, rows).numpy().tolist() == [4, 0, 2]


def test_softmax_along_rows() -> None:
    rows = tf.ragged.constant([[1.0, 2.0, 3.0], [4.0]])
    result = tf.nn.softmax(rows)
    assert result.row_splits.numpy().tolist() == [0, 3, 4]
    np.testing.assert_allclose(result.flat_values, [0.09003057, 0.24472847, 0.66524096, 1.0], rtol=2e-7)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="tf.nn.softmax expected the innermost ragged axis"
    ):
        tf.nn.softmax(rows, axis=0)


def test_rows_of_a_tensor_by_lengths_of_each_dimension() -> None:
    rows = tf.RaggedTensor.from_tensor(np.arange(12).reshape(2, 2, 3), lengths=([2, 1], [1, 2, 3]))
    assert rows.to_list() == [[[0], [3, 4]], [[6, 7, 8]]]
