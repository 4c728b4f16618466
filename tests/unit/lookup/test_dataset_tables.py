"""Tables filled from datasets. Expected values are TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

E = tf.data.experimental


def words() -> Any:
    return tf.data.Dataset.from_tensor_slices(["x", "y", "z"])


def test_numbers_of_words() -> None:
    table = E.index_table_from_dataset(words(), num_oov_buckets=2)
    assert table.lookup(tf.constant(["y", "q", "z"])).numpy().tolist() == [1, 4, 2]
    table = E.index_table_from_dataset(words(), vocab_size=2, default_value=-7)
    assert table.lookup(tf.constant(["y", "q", "z"])).numpy().tolist() == [1, -7, -7]
    assert int(table.size()) == 2


def test_pairs() -> None:
    pairs = tf.data.Dataset.zip((words(), tf.data.Dataset.range(3)))
    table = E.table_from_dataset(pairs, default_value=-1)
    assert table.lookup(tf.constant(["y", "q"])).numpy().tolist() == [1, -1]
    initializer = E.DatasetInitializer(pairs)
    assert (initializer.key_dtype, initializer.value_dtype) == (tf.string, tf.int64)
    assert int(tf.lookup.StaticHashTable(initializer, -1).lookup(tf.constant("z"))) == 2


def test_wrong_arguments_raise() -> None:
    with pytest.raises(ValueError, match="expected a dataset of pairs"):
        E.DatasetInitializer(words())
    with pytest.raises(ValueError, match="num_oov_buckets of at least 0"):
        E.index_table_from_dataset(words(), num_oov_buckets=-1)
    with pytest.raises(ValueError, match="vocab_size of at least 1"):
        E.index_table_from_dataset(words(), vocab_size=0)
    with pytest.raises(ValueError, match="expected a default_value"):
        E.table_from_dataset(tf.data.Dataset.zip((words(), words())))
    with pytest.raises(ValueError, match="expected hasher_spec=None"):
        E.index_table_from_dataset(words(), hasher_spec="strong")
