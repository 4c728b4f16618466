"""boolean_mask, unique, dynamic_partition, dynamic_stitch: shapes that depend on values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeflow as tf

Invalid = tf.errors.InvalidArgumentError
X = np.arange(12, dtype=np.float32).reshape(3, 4)


def test_boolean_mask() -> None:
    x = tf.constant(X) + 0.0
    np.testing.assert_array_equal(tf.boolean_mask(x, [True, False, True]).numpy(), X[[0, 2]])
    np.testing.assert_array_equal(tf.boolean_mask(x, x > 5).numpy(), X[X > 5])
    mask = np.array([True, False, True, True])
    np.testing.assert_array_equal(tf.boolean_mask(x, mask, axis=1).numpy(), X[:, mask])
    assert tf.boolean_mask(x, [False] * 3).shape == (0, 4)
    assert tf.boolean_mask(x, [1, 0, 1]).shape == (2, 4)
    cube = np.arange(24).reshape(2, 3, 4)
    inner = np.arange(12).reshape(3, 4) % 5 == 0
    np.testing.assert_array_equal(tf.boolean_mask(cube, inner, axis=1).numpy(), cube[:, inner])


@pytest.mark.parametrize(
    ("mask", "axis", "text"),
    [
        (
            [True, False],
            None,
            r"got mask \(shape \[2\], bool\) for a tensor.*Shapes \(3,\) and \(2,\) are inc",
        ),
        ([True] * 3, 1, r"with the axes of the tensor from 1 on"),
        ([True] * 4, 2, r"Shapes \(\) and \(4,\) are incompatible"),
        ([[[True]]], None, r"Shapes \(3, 4\) and \(1, 1, 1\) are incompatible"),
        (True, None, r"a mask of rank 1 or more: mask cannot be scalar; got mask="),
        (None, None, r"Attempt to convert a value \(None\)"),
    ],
)
def test_boolean_mask_refuses(mask, axis, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        tf.boolean_mask(tf.constant(X), mask, axis=axis)


def test_gradients_flow_to_the_values() -> None:
    x = tf.Variable([3.0, -1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        kept = tf.reduce_sum(tf.square(x[x > 0]))
        first, second = tf.dynamic_partition(x, [0, 1, 0], 2)
        dealt = tf.reduce_sum(first) + 5.0 * tf.reduce_sum(second)
        stitched = tf.reduce_sum(tf.dynamic_stitch([[0], [2, 1]], [x[:1], x[1:]]) * [1.0, 2.0, 3.0])
    assert tape.gradient(kept, x).numpy().tolist() == [6.0, 0.0, 4.0]
    assert tape.gradient(dealt, x).numpy().tolist() == [1.0, 5.0, 1.0]
    assert tape.gradient(stitched, x).numpy().tolist() == [1.0, 3.0, 2.0]


def test_unique() -> None:
    found = tf.unique([1, 1, 2, 4, 4, 4, 7, 8, 8])
    assert found.y.numpy().tolist() == [1, 2, 4, 7, 8]
    assert found.idx.numpy().tolist() == [0, 0, 1, 2, 2, 2, 3, 4, 4]
    y, idx = tf.unique([3.0, 1.0, 3.0], out_idx=tf.int64)
    assert y.numpy().tolist() == [3.0, 1.0]
    assert idx.dtype is tf.int64
    assert tf.unique(["b", "a", "b"]).y.numpy().tolist() == [b"b", b"a"]
    assert tf.unique([float("nan")] * 2).y.shape == (2,)
    assert tf.unique([]).y.shape == (0,)
    counted = tf.unique_with_counts([7, 5, 7])
    assert [t.numpy().tolist() for t in counted] == [[7, 5], [0, 1, 0], [2, 1]]
    assert counted.count.dtype is tf.int32
    with pytest.raises(Invalid, match=r"tf\.unique expected a vector; got x \(shape \[1, 2\], int32\)"):
        tf.unique([[1, 1]])
    with pytest.raises(Invalid, match=r"tf\.unique_with_counts expected a vector"):
        tf.unique_with_counts([[1]])


def test_dynamic_partition() -> None:
    parts = tf.dynamic_partition(tf.constant(X), [0, 1, 0], 3)
    assert type(parts) is list
    assert [p.shape[0] for p in parts] == [2, 1, 0]
    np.testing.assert_array_equal(parts[0].numpy(), X[[0, 2]])
    assert tf.dynamic_partition([[1, 2], [3, 4]], [[0, 1], [1, 0]], 2)[1].numpy().tolist() == [2, 3]
    with pytest.raises(Invalid, match=r"got partitions\[1\] = 3 is not in \[0, 3\)"):
        tf.dynamic_partition(X, [0, 3, 0], 3)
    for partitions, count in (([0, 1], 3), ([0, 1, 1], 0)):
        with pytest.raises(Invalid, match=r"the leading axes of data, and num_partitions of at least 1"):
            tf.dynamic_partition(X, partitions, count)
    with pytest.raises(Invalid, match=r"tf\.dynamic_partition expected integers for partitions"):
        tf.dynamic_partition(X, [0.5, 1, 1], 2)


def test_dynamic_stitch() -> None:
    assert tf.dynamic_stitch([[0, 2], [1]], [[1, 2], [3]]).numpy().tolist() == [1, 3, 2]
    rows = tf.dynamic_stitch([[0, 2], [1]], [[[1, 2], [3, 4]], [[5, 6]]])
    assert rows.numpy().tolist() == [[1, 2], [5, 6], [3, 4]]
    assert tf.dynamic_stitch([[0, 2], [2]], [[1, 2], [3]]).numpy().tolist() == [1, 0, 3]
    with pytest.raises(Invalid, match=r"as many indices as data, and at least one; got 1 indices and 2"):
        tf.dynamic_stitch([[0]], [[1], [2]])
    with pytest.raises(Invalid, match=r"data\[i\]\.shape to begin with indices\[i\]\.shape"):
        tf.dynamic_stitch([[0, 1]], [[1, 2, 3]])
    with pytest.raises(Invalid, match=r"indices of at least 0; got indices=\[-1\]"):
        tf.dynamic_stitch([[-1]], [[1]])


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 5)))
def test_unique_gives_back_its_input(values: list[int]) -> None:
    x = np.array(values, np.int32)
    found = tf.unique_with_counts(x)
    y, idx, count = (t.numpy() for t in found)
    np.testing.assert_array_equal(y[idx], x)
    assert sorted(y.tolist()) == sorted(set(values))
    assert [values.index(v) for v in y] == sorted(values.index(v) for v in y)
    assert count.tolist() == [values.count(v) for v in y]
