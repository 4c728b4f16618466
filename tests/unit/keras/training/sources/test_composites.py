"""Ragged and sparse tensors read by rows."""

import numpy as np

import tapeflow as tf
from tapeflow.keras.training.sources import make_source
from tapeflow.keras.training.sources.composites import (
    RaggedColumn,
    SparseColumn,
    has_composites,
    with_batch_axis,
)

ROWS = [[1, 2], [], [3], [4, 5, 6]]
NESTED = [[[1], [2, 3]], [], [[4]]]
DENSE = np.array([[0, 2], [1, 0], [0, 0], [3, 4]], "float32")


def test_rows_of_a_ragged_tensor_in_any_order() -> None:
    column = RaggedColumn(tf.ragged.constant(ROWS))
    assert column.shape[0] == 4
    assert column.read(slice(1, 3)).to_list() == ROWS[1:3]
    assert column.read(np.array([3, 0, 3])).to_list() == [ROWS[3], ROWS[0], ROWS[3]]
    assert column.whole().to_list() == ROWS
    assert RaggedColumn(tf.ragged.constant(NESTED)).read(np.array([2, 0])).to_list() == [NESTED[2], NESTED[0]]


def test_rows_of_a_sparse_tensor_in_any_order() -> None:
    column = SparseColumn(tf.sparse.from_dense(DENSE))
    for rows in (slice(1, 3), np.array([3, 0, 3]), slice(None)):
        np.testing.assert_array_equal(tf.sparse.to_dense(column.read(rows)), DENSE[rows])


def test_an_epoch_of_them_shuffled_with_their_labels() -> None:
    source = make_source(
        tf.ragged.constant(ROWS), np.array([len(r) for r in ROWS]), batch_size=3, shuffle=True, seed=1
    )
    groups = list(source.epoch(0, group=1))
    assert [g.count for g in groups] == [1, 1]
    pairs = [pair for g in groups for pair in zip(g.data[0].to_list(), g.data[1].tolist(), strict=True)]
    assert all(len(row) == label for row, label in pairs)
    assert sorted(row for row, _ in pairs) == sorted(ROWS)


def test_one_batch_as_a_stack_of_one() -> None:
    data = (tf.ragged.constant(ROWS), np.zeros((4, 2)), None)
    ragged, array, none = with_batch_axis(data)
    assert has_composites(data)
    assert not has_composites(data[1:])
    assert ragged.to_list() == ROWS
    assert array.shape == (1, 4, 2)
    assert none is None
