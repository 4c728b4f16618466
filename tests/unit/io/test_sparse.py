"""Sparse tensors and examples as strings: refusals; results are in tests/parity."""

from __future__ import annotations

import pytest

import tapeflow as tf

SPARSE = tf.sparse.from_dense([[1, 0], [0, 2]])


def test_wrong_arguments_raise() -> None:
    with pytest.raises(ValueError, match="expected out_type to be tf.string; got out_type=int32"):
        tf.io.serialize_sparse(SPARSE, tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 2 or more"):
        tf.io.serialize_many_sparse(tf.sparse.from_dense([1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"of shape \[count, 3\]"):
        tf.io.deserialize_many_sparse(["a"], tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="could not parse"):
        tf.io.deserialize_many_sparse([["a", "b", "c"]], tf.int32)
    rows = tf.io.serialize_many_sparse(SPARSE)
    with pytest.raises(ValueError, match=r"rank=4 with the new dimension; got ranks \[2\]"):
        tf.io.deserialize_many_sparse(rows, tf.int32, rank=4)
    wide = tf.io.serialize_many_sparse(tf.sparse.map_values(tf.cast, SPARSE, tf.int64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="that fit; got others in row 0"):
        tf.io.deserialize_many_sparse(tf.reverse(wide, [1]), tf.int64)
    with pytest.raises(tf.errors.InvalidArgumentError, match="error while parsing JSON"):
        tf.io.decode_json_example("{")
