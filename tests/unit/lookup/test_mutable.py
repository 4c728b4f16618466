"""Tables that change."""

from __future__ import annotations

import tapeflow as tf

lookup = tf.lookup


def test_tables_that_change() -> None:
    table = lookup.experimental.MutableHashTable(tf.string, tf.float32, [0.0, 0.0])
    table.insert(["a", "b"], [[1.0, 2.0], [3.0, 4.0]])
    table.insert(["a"], [[5.0, 6.0]])
    assert table.lookup([["a"], ["z"]]).numpy().tolist() == [[[5.0, 6.0]], [[0.0, 0.0]]]
    table.remove(["b", "none"])
    assert int(table.size()) == 1
    numbers = lookup.experimental.DenseHashTable(tf.int64, tf.string, "?", empty_key=-1, deleted_key=-2)
    numbers.insert(tf.constant([3], tf.int64), ["three"])
    assert numbers.lookup(tf.constant([3, 4], tf.int64)).numpy().tolist() == [b"three", b"?"]
    numbers.erase(tf.constant([3], tf.int64))
    assert [len(t) for t in numbers.export()] == [0, 0]
