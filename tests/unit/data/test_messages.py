"""Batches as text."""

from __future__ import annotations

import numpy as np

import tapeflow as tf
from tapeflow.data.composites import settled
from tapeflow.data.messages import as_text, from_text


def test_what_comes_back_is_what_was_told() -> None:
    words = np.array([b"one", b"", "drei \u00e4".encode()], object).reshape(3, 1)
    ragged = settled(tf.ragged.constant([[["a", "b"], []], [["c"]]], row_splits_dtype=tf.int32))
    sparse = settled(tf.sparse.from_dense([[0.0, 1.5], [2.0, 0.0]]))
    numbers = np.arange(6, dtype="int16").reshape(3, 2)
    found = from_text(as_text([words, ragged, sparse, numbers, np.zeros((0, 3)), np.array([True])]))
    assert found[0].dtype == object
    assert found[0].tolist() == words.tolist()
    assert found[1].to_list() == [[[b"a", b"b"], []], [[b"c"]]]
    assert found[1].row_splits.dtype == tf.int32
    assert tf.sparse.to_dense(found[2]).numpy().tolist() == [[0, 1.5], [2, 0]]
    assert found[3].dtype == np.int16
    assert found[3].tolist() == numbers.tolist()
    assert found[4].shape == (0, 3)
    assert found[5].tolist() == [True]
