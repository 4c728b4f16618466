"""Sets, distances, counts, crosses and rows by segment: refusals and gradients; results are in tests/parity."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tapeflow as tf

SPARSE = tf.sparse.from_dense([[1, 2], [3, 0]])

REFUSALS: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "rank of sets": (
        lambda: tf.sets.union([1], [2]),
        tf.errors.InvalidArgumentError,
        "got a of rank 1 or less",
    ),
    "dtype of sets": (
        lambda: tf.sets.union([[1.0]], [[2.0]]),
        TypeError,
        "integers or strings; got a of dtype float32",
    ),
    "groups": (
        lambda: tf.sets.union([[1]], [[1], [2]]),
        tf.errors.InvalidArgumentError,
        "mismatched group shapes",
    ),
    "size": (lambda: tf.sets.size([[1]]), TypeError, "expected a SparseTensor for a"),
    "distance": (
        lambda: tf.edit_distance(SPARSE, tf.sparse.from_dense([1])),
        tf.errors.InvalidArgumentError,
        "of one rank and dtype",
    ),
    "axis": (
        lambda: tf.sparse.bincount([1], axis=2),
        ValueError,
        "None, 0 or -1: unsupported axis; got axis=2",
    ),
    "both": (lambda: tf.sparse.bincount([1], [2], binary_output=True), ValueError, "mutually exclusive"),
    "rank": (lambda: tf.sparse.bincount([[[1]]]), tf.errors.InvalidArgumentError, "of rank 1 or 2"),
    "negative": (lambda: tf.sparse.bincount([-1]), tf.errors.InvalidArgumentError, "at least 0; got -1"),
    "weights": (
        lambda: tf.sparse.bincount([1, 2], [1]),
        tf.errors.InvalidArgumentError,
        "got 1 weights for 2",
    ),
    "no list": (lambda: tf.sparse.cross(SPARSE), TypeError, "inputs must be a list"),
    "no tensors": (lambda: tf.sparse.cross([[[1]]]), TypeError, "all inputs must be SparseTensors"),
    "rows": (
        lambda: tf.ragged.cross([tf.constant([[1]]), tf.constant([[1], [2]])]),
        tf.errors.InvalidArgumentError,
        "expected batch size 1; got",
    ),
    "kind": (lambda: tf.ragged.cross([tf.constant([1.0])]), ValueError, r"got inputs\[0\] of shape \[1\]"),
    "buckets": (
        lambda: tf.ragged.cross_hashed([tf.constant([[1]])], -1),
        tf.errors.InvalidArgumentError,
        "got num_buckets=-1",
    ),
    "combiner": (
        lambda: tf.nn.embedding_lookup_sparse(tf.ones([4, 2]), SPARSE, None, combiner="max"),
        ValueError,
        "one of sum, mean, sqrtn; got combiner='max'",
    ),
    "ids": (
        lambda: tf.nn.embedding_lookup_sparse(tf.ones([4, 2]), [1], None),
        TypeError,
        "SparseTensor or RaggedTensor",
    ),
    "shares": (
        lambda: tf.nn.embedding_lookup_sparse(tf.ones([4, 2]), SPARSE, tf.sparse.from_dense([[1.0]])),
        tf.errors.InvalidArgumentError,
        "a weight for each id",
    ),
    "segments": (
        lambda: tf.sparse.segment_sum(tf.ones([2, 2]), [0, 1], [0]),
        tf.errors.InvalidArgumentError,
        "should be the same size as indices",
    ),
    "order": (
        lambda: tf.sparse.segment_sum(tf.ones([2, 2]), [0, 1], [1, 0]),
        tf.errors.InvalidArgumentError,
        "not increasing or out of range",
    ),
    "partitions": (
        lambda: tf.ragged.stack_dynamic_partitions([1, 2], [0, 5], 2),
        tf.errors.InvalidArgumentError,
        r"from 0 up to 2 for each element of data; got partitions=\[0, 5\]",
    ),
    "ragged partitions": (
        lambda: tf.ragged.stack_dynamic_partitions([1, 2], tf.ragged.constant([[0], [1]]), 2),
        tf.errors.InvalidArgumentError,
        "rows of the ragged partitions",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_wrong_arguments_raise(name: str) -> None:
    call, error, text = REFUSALS[name]
    with pytest.raises(error, match=text):
        call()


def test_gradients_reach_table_and_weights() -> None:
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    weights = tf.Variable([1.0, 3.0, 2.0])
    ids = tf.sparse.from_dense([[1, 2], [1, 0]])
    with tf.GradientTape() as tape:
        rows = tf.nn.embedding_lookup_sparse(table, ids, ids.with_values(weights * 1), combiner="mean")
        total = tf.reduce_sum(rows * [[1.0, 0.0], [0.0, 1.0]])
    by_table, by_weights = tape.gradient(total, [table, weights])
    np.testing.assert_allclose(tf.convert_to_tensor(by_table), [[0, 0], [0.25, 1], [0.75, 0]])
    np.testing.assert_allclose(by_weights, [-2 * 3 / 16, 2 * 1 / 16, 0], atol=1e-6)


def test_ragged_partitions_are_flattened() -> None:
    data = tf.ragged.constant([["a", "b"], ["c"]])
    found = tf.ragged.stack_dynamic_partitions(data, tf.ragged.constant([[1, 0], [1]]), 2)
    assert found.to_list() == [[b"b"], [b"a", b"c"]]
