"""tf.IndexedSlices: what it tells, and what it becomes."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.ops.array.indexed_slices import IndexedSlices

ROWS = IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0, 2]), tf.constant([4, 2]))
DENSE = [[1.0, 2.0], [0.0, 0.0], [3.0, 4.0], [0.0, 0.0]]


def test_what_it_tells() -> None:
    assert ROWS.values.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert ROWS.indices.numpy().tolist() == [0, 2]
    assert ROWS.dense_shape.numpy().tolist() == [4, 2]
    assert ROWS.shape == tf.TensorShape([4, 2])
    assert ROWS.dtype == tf.float32
    assert ROWS.device.endswith("CPU:0")
    assert ROWS.consumers() == []
    with pytest.raises(AttributeError, match=r"name is undefined when eager execution is enabled"):
        _ = ROWS.name


def test_without_a_shape() -> None:
    rows = IndexedSlices([1.0], [0])
    assert rows.shape.rank is None
    assert rows.dense_shape is None
    assert rows.dtype == tf.float32
    assert rows.values == [1.0]
    assert str(rows) == "IndexedSlices(indices=[0], values=[1.0])"
    with pytest.raises(ValueError, match=r"requested for IndexedSlices without dense_shape"):
        tf.convert_to_tensor(rows)


def test_repr_names_the_parts() -> None:
    text = str(IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([2])))
    assert text == (
        "IndexedSlices(indices=tf.Tensor([0], shape=(1,), dtype=int32), "
        "values=tf.Tensor([1.], shape=(1,), dtype=float32), "
        "dense_shape=tf.Tensor([2], shape=(1,), dtype=int32))"
    )


def test_conversion() -> None:
    assert tf.convert_to_tensor(ROWS).numpy().tolist() == DENSE
    assert tf.add(ROWS, 1.0).numpy().tolist() == (np.array(DENSE) + 1).tolist()
    assert (tf.ones([4, 2]) * ROWS).numpy().tolist() == DENSE
    assert tf.reduce_sum(-ROWS).numpy() == -10.0
    twice = IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([1, 1]), [3])
    assert tf.convert_to_tensor(twice).numpy().tolist() == [0.0, 3.0, 0.0]


def test_a_derivative_passes_the_conversion() -> None:
    values = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        dense = tf.convert_to_tensor(IndexedSlices(values * 3.0, tf.constant([1, 1]), [2]))
        loss = tf.reduce_sum(dense * dense)
    assert tape.gradient(loss, values).numpy().tolist() == [54.0, 54.0]


def test_wrong_arguments_raise() -> None:
    with pytest.raises(ValueError, match=r"expected IndexedSlices of dtype float64; got float32"):
        tf.convert_to_tensor(ROWS, dtype=tf.float64)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"got 9"):
        tf.convert_to_tensor(IndexedSlices(tf.constant([1.0]), tf.constant([9]), [3])).numpy()
    with pytest.raises(TypeError, match=r"unsupported operand"):
        _ = ROWS + 1.0  # pyright: ignore[reportOperatorIssue]


def test_spec() -> None:
    spec = tf.IndexedSlicesSpec([None, 3], tf.float32)
    expected = "IndexedSlicesSpec(TensorShape([None, 3]), tf.float32, tf.int64, None, TensorShape([None]))"
    assert repr(spec) == expected
    rows = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1], tf.int64))
    assert tf.type_spec_from_value(rows) == tf.IndexedSlicesSpec([None, 3], indices_shape=[2])
    assert spec.is_compatible_with(rows)
    assert not tf.IndexedSlicesSpec([None, 4]).is_compatible_with(rows)
    assert spec.value_type is tf.IndexedSlices
