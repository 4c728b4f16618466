"""concat, stack, unstack, split, meshgrid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeflow as tf

Invalid = tf.errors.InvalidArgumentError
X = np.arange(12, dtype=np.float32).reshape(3, 4)


def test_concat() -> None:
    x = tf.constant(X)
    for axis in (0, 1, -1, tf.constant(1), [0]):
        at = int(np.asarray(axis).reshape(()))
        np.testing.assert_array_equal(tf.concat([x, X], axis).numpy(), np.concatenate([X, X], at))
    assert tf.concat([[1, 2], [3]], 0).numpy().tolist() == [1, 2, 3]
    assert tf.concat([x, [[1, 2, 3, 4]]], 0).dtype is tf.float32
    assert tf.concat([tf.zeros([0, 4]), x], 0).shape == (3, 4)
    assert tf.concat(x, 0).shape == tf.concat([x], 5).shape == (3, 4)


@pytest.mark.parametrize(
    ("values", "axis", "error", "text"),
    [
        ([X, X], 2, Invalid, r"tf\.concat expected axis in \[-2, 2\); got axis=2"),
        ([X, X], None, ValueError, r"tf\.concat expected integers for axis; got axis=None"),
        ([X, X], 1.0, TypeError, r"tf\.concat expected integers for axis; got axis=1\.0"),
        (
            [X, X[0]],
            0,
            Invalid,
            r"differ only in axis 0; got values\[0\] of shape \[3, 4\] and values\[1",
        ),
        ([X, X[:, :3]], 0, Invalid, r"values\[1\] of shape \[3, 3\]\. Reshape or pad"),
        (
            [1.0, 2.0],
            0,
            Invalid,
            r"rank 1 or more.*Can't concatenate scalars, use tf\.stack instead",
        ),
        ([], 0, Invalid, r"tf\.concat expected at least one tensor; got values=\[\]"),
        ([X, None], 0, ValueError, r"Attempt to convert a value \(None\)"),
        (
            [tf.constant([1]), tf.constant([1.0])],
            0,
            Invalid,
            r"ConcatV2 as input #1.*int32.*float32",
        ),
    ],
)
def test_concat_refuses(values, axis, error, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.concat(values, axis)


def test_stack() -> None:
    x = tf.constant(X)
    for axis in (0, 1, 2, -1, -3):
        np.testing.assert_array_equal(tf.stack([x, x + 1], axis).numpy(), np.stack([X, X + 1], axis))
    assert tf.stack([1, 2.0]).numpy().tolist() == [1.0, 2.0]
    assert tf.stack([tf.constant(1), 2]).dtype is tf.int32
    assert tf.stack([tf.Variable([1.0]), [2.0]]).numpy().tolist() == [[1.0], [2.0]]
    assert tf.stack([]).shape == (0,)
    np.testing.assert_array_equal(tf.stack(X, axis=1).numpy(), X.T)
    assert tf.stack(3).numpy() == 3


@pytest.mark.parametrize(
    ("values", "axis", "error", "text"),
    [
        ([X, X], 3, ValueError, r"tf\.stack expected axis in \[-3, 3\); got axis=3"),
        ([X, X], -4, ValueError, r"got axis=-4"),
        (
            [X, X[0]],
            0,
            Invalid,
            r"tensors of one shape; got values\[0\] of shape \[3, 4\] and values\[1\]",
        ),
        ([1, [2, 3]], 0, Invalid, r"values\[0\] of shape \[\] and values\[1\] of shape \[2\]"),
        ([tf.constant(1), tf.constant(1.0)], 0, Invalid, r"cannot compute Pack as input #1"),
    ],
)
def test_stack_refuses(values, axis, error, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.stack(values, axis)


def test_unstack() -> None:
    x = tf.constant(X)
    for axis in (0, 1, -1):
        found = tf.unstack(x, axis=axis)
        assert type(found) is list
        expected = np.moveaxis(X, axis, 0)
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a.numpy(), b)
    assert tf.unstack(tf.zeros([0, 2])) == []
    assert [t.dtype for t in tf.unstack([1, 2])] == [tf.int32, tf.int32]
    with pytest.raises(Invalid, match=r"as many slices as axis 0 has; got num=2 for a tensor"):
        tf.unstack(x, num=2)
    with pytest.raises(ValueError, match=r"tf\.unstack expected axis in \[-2, 2\); got axis=2"):
        tf.unstack(x, axis=2)
    with pytest.raises(ValueError, match=r"tf\.unstack expected axis in \[0, 0\)"):
        tf.unstack(3.0)


@pytest.mark.parametrize(
    ("parts", "axis", "cuts"),
    [
        (2, 1, [2]),
        (3, 0, [1, 2]),
        (np.int64(4), -1, [1, 2, 3]),
        ([1, 2], 0, [1]),
        ([1, -1], 0, [1]),
        ((3, 1), 1, [3]),
        ([0, 3], 0, [0]),
        (tf.constant([1, 1, 2]), 1, [1, 2]),
        ([3], 0, []),
    ],
)
def test_split(parts, axis, cuts) -> None:
    found = tf.split(tf.constant(X), parts, axis)
    assert type(found) is list
    expected = np.split(X, cuts, axis)
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a.numpy(), b)


@pytest.mark.parametrize(
    ("parts", "axis", "error", "text"),
    [
        (
            5,
            0,
            Invalid,
            r"divides axis 0, of size 3; got num_or_size_splits=5 for a tensor \(shape \[3, 4",
        ),
        (0, 0, Invalid, r"got num_or_size_splits=0"),
        (
            [1, 1],
            0,
            Invalid,
            r"sizes that add up to 3, the size of axis 0.*got num_or_size_splits=\[1, 1",
        ),
        ([-1, -1], 0, Invalid, r"of which one may be -1; got num_or_size_splits=\[-1, -1\]"),
        ([1, -3, 5], 0, Invalid, r"sizes that add up to 3"),
        ([5, -1], 0, Invalid, r"sizes that add up to 3"),
        (2, 2, Invalid, r"tf\.split expected axis in \[-2, 2\); got axis=2"),
        (2.0, 1, ValueError, r"a Python int or a vector of sizes; got num_or_size_splits=2\.0"),
        (tf.constant(2), 1, ValueError, r"tf\.split expected a Python int or a vector of sizes"),
        ([1.0, 2.0], 0, Invalid, r"expected integers for num_or_size_splits"),
        (None, 0, ValueError, r"got num_or_size_splits=None"),
        ([[1, 2]], 0, Invalid, r"a vector of integers for num_or_size_splits"),
    ],
)
def test_split_refuses(parts, axis, error, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.split(tf.constant(X), parts, axis)


def test_split_checks_num() -> None:
    assert len(tf.split(tf.constant(X), [1, 2], num=2)) == 2
    with pytest.raises(Invalid, match=r"num to be the number of sizes; got num=3 for 2 sizes"):
        tf.split(tf.constant(X), [1, 2], num=3)


def test_meshgrid() -> None:
    for indexing in ("xy", "ij"):
        found = tf.meshgrid([1, 2, 3], [4, 5], [6], indexing=indexing)
        expected = np.meshgrid([1, 2, 3], [4, 5], [6], indexing=indexing)
        assert type(found) is list
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a.numpy(), b)
    assert tf.meshgrid() == []
    assert tf.meshgrid([1, 2])[0].numpy().tolist() == [1, 2]
    assert tf.meshgrid([[1, 2], [3, 4]], 5)[0].numpy().tolist() == [[1, 2, 3, 4]]
    with pytest.raises(ValueError, match=r"indexing to be 'xy' or 'ij'; got indexing='ab'"):
        tf.meshgrid([1], [2], indexing="ab")
    with pytest.raises(TypeError, match=r"got 'foo', which is an invalid keyword argument for this fu"):
        tf.meshgrid([1], [2], foo=1)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.integers(1, 3))
def test_concat_undoes_split(sizes: list[int], width: int) -> None:
    x = np.arange(sum(sizes) * width).reshape(sum(sizes), width)
    parts = tf.split(x, sizes)
    assert [p.shape[0] for p in parts] == sizes
    np.testing.assert_array_equal(tf.concat(parts, 0).numpy(), x)


def test_stack_and_convert_lists() -> None:
    assert tf.parallel_stack([[1, 2], [3, 4]]).shape == (2, 2)
    assert tf.convert_to_tensor([tf.constant("a"), tf.constant("b")]).numpy().tolist() == [b"a", b"b"]
