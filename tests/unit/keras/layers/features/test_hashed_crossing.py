"""`HashedCrossing`: shapes, and what is refused. Its values are compared with Keras 2's in `parity`."""

from __future__ import annotations

import pytest

import tapeflow as tf

L = tf.keras.layers


def test_crossing_refusals_and_shapes() -> None:
    words, numbers = tf.constant([["a"], ["b"]]), tf.constant([[1], [2]])
    assert L.HashedCrossing(4)((words, numbers)).shape == (2, 1)
    assert L.HashedCrossing(4)((words[0, 0], numbers[0, 0])).shape == ()
    assert L.HashedCrossing(4, output_mode="one_hot")((words, numbers)).shape == (2, 4)
    again = L.deserialize(L.serialize(L.HashedCrossing(4, output_mode="one_hot")))
    assert (again.num_bins, again.output_mode) == (4, "one_hot")
    for inputs, text in (
        (words, "should be called on a list or tuple"),
        ([words], "at least two inputs"),
        ([words, numbers[:1]], "should have equal shape"),
        ([tf.zeros((2, 3)), tf.zeros((2, 3))], r"should have shape `\[\]`"),
        ([tf.zeros((2,)), tf.zeros((2,))], "integer or string dtype"),
    ):
        with pytest.raises(ValueError, match=text):
            L.HashedCrossing(4)(inputs)
    with pytest.raises(ValueError, match="`dtype` should be an integer type"):
        L.HashedCrossing(4, dtype="float32")
