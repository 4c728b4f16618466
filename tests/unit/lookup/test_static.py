"""Tables that do not change."""

from __future__ import annotations

from typing import Any

import tapeflow as tf

lookup = tf.lookup


def _table() -> Any:
    return lookup.StaticHashTable(lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)


def test_keys_may_be_dense_ragged_or_sparse() -> None:
    table = _table()
    assert table[tf.constant("b")].numpy() == 2
    assert table.lookup(tf.ragged.constant([["a"], ["b", "q"]])).to_list() == [[1], [2, -1]]
    sparse = tf.SparseTensor([[0, 1]], ["a"], [1, 2])
    assert tf.sparse.to_dense(table.lookup(sparse)).numpy().tolist() == [[0, 1]]
    assert int(table.size()) == 2
    assert [t.numpy().tolist() for t in table.export()] == [[b"a", b"b"], [1, 2]]
    words = tf.data.Dataset.from_tensor_slices(["b", "z"]).map(table.lookup)
    assert [int(x) for x in words] == [2, -1]
