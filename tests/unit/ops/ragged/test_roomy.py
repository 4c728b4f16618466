"""Ragged and sparse tensors with room behind their values."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.ops.ragged.roomy import RoomyRagged, mapped_in_room, rounded_up, with_room

ROWS = [[1.0, 2.0, 3.0], [], [4.0]]


def roomy() -> RoomyRagged:
    return with_room(tf.ragged.constant(ROWS))


@pytest.mark.parametrize(("count", "size"), [(0, 8), (8, 8), (9, 16), (1000, 1024)])
def test_sizes_are_few(count: int, size: int) -> None:
    assert rounded_up(count) == size


def test_it_is_what_it_was_made_of() -> None:
    found, plain = roomy(), tf.ragged.constant(ROWS)
    assert found._room.shape == (8,)
    assert isinstance(found, tf.RaggedTensor)
    assert found.to_list() == ROWS
    assert found.flat_values.numpy().tolist() == [1, 2, 3, 4]
    assert (found.shape, found.dtype, found.ragged_rank) == (plain.shape, plain.dtype, 1)
    assert tf.type_spec_from_value(found) == tf.type_spec_from_value(plain)
    assert found.to_tensor().numpy().tolist() == plain.to_tensor().numpy().tolist()
    assert found[0].numpy().tolist() == ROWS[0]
    assert repr(found) == repr(plain)
    assert tf.concat([found, plain], 1).to_list() == [row + row for row in ROWS]


@pytest.mark.parametrize("name", ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_sums_leave_the_room_out(name: str, axis: int | None) -> None:
    reduce = getattr(tf, name)
    np.testing.assert_array_equal(reduce(roomy(), axis=axis), reduce(tf.ragged.constant(ROWS), axis=axis))


def test_what_works_on_each_value_keeps_the_room() -> None:
    found = tf.nn.relu(roomy() - 2.0)
    assert isinstance(tf.cast(roomy(), tf.int32), RoomyRagged)
    assert found.to_list() == [[0.0, 0.0, 1.0], [], [2.0]]
    assert (roomy() + tf.constant([[10.0], [20.0], [30.0]])).to_list() == [[11.0, 12.0, 13.0], [], [34.0]]


def test_draws_are_the_same_with_room_and_without() -> None:
    def drawn(ragged: tf.RaggedTensor) -> list[list[float]]:
        tf.random.set_seed(1)
        return mapped_in_room(ragged, lambda v: v + tf.random.uniform(v.shape)).to_list()

    assert drawn(roomy()) == drawn(tf.ragged.constant(ROWS))


def test_what_has_no_room_stays_as_it_is() -> None:
    for value in (tf.ragged.constant([[[1]], []]), tf.ragged.constant([["a"]]), None):
        assert with_room(value) is value


def test_a_sparse_matrix_times_a_dense_one() -> None:
    plain = tf.sparse.from_dense([[0.0, 2.0], [0.0, 0.0], [3.0, 4.0]])
    found, weights = with_room(plain), tf.constant([[1.0], [10.0]])
    assert found._for_sums()[1].shape == (8,)
    assert found.values.numpy().tolist() == [2, 3, 4]
    np.testing.assert_array_equal(
        tf.sparse.sparse_dense_matmul(found, weights), tf.sparse.sparse_dense_matmul(plain, weights)
    )
