"""gather, gather_nd, where, slice, searchsorted, unravel_index, invert_permutation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow.engine.programs.program import counters
from tapeflow.ops.array import indexing

Invalid = tf.errors.InvalidArgumentError
X = np.arange(12, dtype=np.float32).reshape(3, 4)


def pending(value) -> tf.Tensor:
    """An integer tensor whose value the host does not know."""
    return tf.cast(tf.constant(np.asarray(value), tf.float32) * 1.0, tf.int32)


@pytest.mark.parametrize("make", [lambda i: i, tf.constant, pending, tf.Variable])
def test_gather(make) -> None:
    x = tf.constant(X)
    for indices, axis in (([0, 2, 2], 0), (1, 0), ([[0, 1], [2, 0]], 0), ([3, 0], 1), ([1], -1)):
        found = tf.gather(x, make(indices), axis=axis)
        np.testing.assert_array_equal(found.numpy(), np.take(X, indices, axis))


def test_gather_kinds() -> None:
    assert tf.gather([10, 20, 30], [2, 0]).numpy().tolist() == [30, 10]
    assert tf.gather(tf.Variable([1.0, 2.0]), 1).numpy() == 2.0
    assert tf.gather(tf.constant(X), tf.zeros([0], tf.int32)).shape == (0, 4)
    for dtype in (tf.int16, tf.int32, tf.int64, tf.uint8):
        assert tf.gather([5, 6], tf.constant([1], dtype)).numpy().tolist() == [6]
    assert tf.gather(tf.constant(X), [1], axis=tf.constant(1)).shape == (3, 1)


def test_gather_with_batch_dims() -> None:
    indices = [[0, 1], [1, 2], [3, 3]]
    expected = np.take_along_axis(X, np.array(indices), 1)
    for options in ({}, {"axis": 1}, {"axis": -1}):
        found = tf.gather(tf.constant(X), indices, batch_dims=1, **options)
        np.testing.assert_array_equal(found.numpy(), expected)
    np.testing.assert_array_equal(tf.gather(tf.constant(X), indices, batch_dims=-1).numpy(), expected)
    x = np.arange(24).reshape(2, 3, 4)
    found = tf.gather(x, [[3, 0], [1, 1]], axis=2, batch_dims=1)
    assert found.shape == (2, 3, 2)
    np.testing.assert_array_equal(found.numpy()[1], x[1][:, [1, 1]])
    host = tf.gather(tf.constant([[1, 2], [3, 4]]), [[0], [1]], batch_dims=1)
    assert host.host_value() is not None
    assert host.numpy().tolist() == [[1], [4]]


@pytest.mark.parametrize(
    ("indices", "options", "text"),
    [
        ([0, 7], {}, r"indices\[1\] = 7 is not in \[0, 3\)\. Negative indices do not count"),
        ([0, -1], {}, r"indices\[1\] = -1 is not in \[0, 3\)"),
        (7, {}, r"got indices = 7 is not in \[0, 3\)"),
        ([[0, 1], [2, 9]], {}, r"indices\[1,1\] = 9 is not in \[0, 3\)"),
        (
            [0, 4],
            {"axis": 1},
            r"within axis 1 of params \(shape \[3, 4\], float32\); got indices\[1\] = 4",
        ),
        ([[0], [0], [4]], {"batch_dims": 1}, r"indices\[2,0\] = 4 is not in \[0, 4\)"),
        ([0], {"axis": 2}, r"tf\.gather expected axis in \[-2, 2\); got axis=2"),
        (
            [[0, 1], [1, 2]],
            {"batch_dims": 1},
            r"batch_dims leading axes common to params and indices",
        ),
        (
            [[0, 1]] * 3,
            {"batch_dims": 2, "axis": 1},
            r"got batch_dims=2, axis=1, params \(shape \[3",
        ),
        ([0.5], {}, r"tf\.gather expected integers for indices"),
        (
            [True],
            {},
            r"tf\.gather expected integers for indices; got a tensor \(shape \[1\], bool\)",
        ),
    ],
)
def test_gather_refuses(indices, options, text: str) -> None:
    with pytest.raises(Invalid, match=text):
        tf.gather(tf.constant(X), indices, **options)


def test_gather_refuses_none_and_scalars() -> None:
    with pytest.raises(ValueError, match=r"Attempt to convert a value \(None\)"):
        tf.gather(X, None)
    with pytest.raises(Invalid, match=r"tf\.gather expected axis in \[0, 0\)"):
        tf.gather(3.0, [0])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda i: tf.gather(X, i),
            r"tf\.gather: indices = 5 is not in \[0, 3\)\. At .*test_indexing",
        ),
        (lambda i: tf.gather_nd(X, [[i, 0]]), r"every index in \[0, 3\) of its axis; got 5"),
        (
            lambda i: tf.slice(X, [i, 0], [1, 1]),
            r"every begin in \[0, 3\) for its size; got begin=5",
        ),
        (
            lambda i: tf.scatter_nd([[i]], [1.0], [4]),
            r"tf\.scatter_nd expected every index in \[0, 4\) of its axis; got 5",
        ),
        (
            lambda i: tf.tensor_scatter_nd_update(X, [[0, i]], [1.0]),
            r"tf\.tensor_scatter_nd expected every index in \[0, 4\) of its axis; got 5",
        ),
        (lambda i: tf.unravel_index(i, [2, 2]), r"every index in \[0, 4\); got 5"),
        (
            lambda i: indexing.invert_permutation(tf.stack([0, i])),
            r"each number in \[0, 2\) once; got 5, which is duplicated or out of range",
        ),
        (
            lambda i: tf.constant(X)[i],
            r"slice index 5 out of bounds: tensor\[\.\.\.\] expected one in",
        ),
    ],
)
def test_indices_that_only_the_program_knows_are_checked(call, text: str) -> None:
    with pytest.raises(Invalid, match=text):
        call(pending(5)).numpy()
    with pytest.raises(Invalid):
        call(pending(-5)).numpy()


def test_a_changing_index_is_the_same_program() -> None:
    x = tf.constant(X)
    w = tf.Variable(tf.ones([4]))
    offset = 0

    def step(i: int) -> float:
        with tf.GradientTape() as tape:
            rows = x[i] + tf.gather(x, [i, 0])[1] + tf.slice(x, [i, 0], [1, 4])[0]
            loss = tf.reduce_sum((rows + x[i : i + 1] + tf.roll(x, i, 0)) * w)
        return float(tf.reduce_sum(tape.gradient(loss, w)))

    step(0)
    before = counters.compiled
    for offset in (1, 2, 1, 0):
        step(offset)
    assert counters.compiled == before


def test_gather_nd() -> None:
    x = tf.constant(X)
    assert tf.gather_nd(x, [[0, 1], [2, 3]]).numpy().tolist() == [1, 11]
    assert tf.gather_nd(x, [[0], [2]]).numpy().tolist() == X[[0, 2]].tolist()
    assert tf.gather_nd(x, [0, 1]).numpy() == 1
    assert tf.gather_nd(x, [[0], [1], [2]], batch_dims=1).numpy().tolist() == [0, 5, 10]
    assert tf.gather_nd(x, tf.zeros([2, 0], tf.int32)).shape == (2, 3, 4)
    assert tf.gather_nd(x, [[0, 4]], bad_indices_policy="IGNORE").numpy().tolist() == [0]
    assert tf.gather_nd(x, pending([[2, 1]])).numpy().tolist() == [9]


@pytest.mark.parametrize(
    ("indices", "options", "error", "text"),
    [
        ([[0, 4]], {}, Invalid, r"indices\[0\] = \[0, 4\] does not index into shape \[3, 4\]"),
        ([[-1, 0]], {}, Invalid, r"indices\[0\] = \[-1, 0\] does not index"),
        ([0, 9], {}, Invalid, r"got indices = \[0, 9\] does not index into shape \[3, 4\]"),
        (
            [[0, 1, 2]],
            {},
            Invalid,
            r"last axis holds at most 2 numbers.*got indices \(shape \[1, 3\]",
        ),
        (3, {}, Invalid, r"got indices \(shape \[\], int32\)"),
        ([[0], [1]], {"batch_dims": 1}, Invalid, r"whose first 1 axes are those of params"),
        (
            [[0], [1]],
            {"batch_dims": 2},
            ValueError,
            r"batch_dims below the rank of indices; got batch_d",
        ),
        ([[0.5]], {}, Invalid, r"tf\.gather_nd expected integers for indices"),
        (
            [[0]],
            {"bad_indices_policy": "x"},
            Invalid,
            r"'ERROR' or 'IGNORE'; got bad_indices_policy='x'",
        ),
    ],
)
def test_gather_nd_refuses(indices, options, error, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.gather_nd(tf.constant(X), indices, **options)


def test_where_chooses() -> None:
    x = tf.constant(X)
    np.testing.assert_array_equal(tf.where(x > 5, x, 0.0).numpy(), np.where(X > 5, X, 0))
    column = [[True], [False], [True]]
    np.testing.assert_array_equal(tf.where(column, x, 0).numpy(), np.where(column, X, 0))
    assert tf.where(True, x, 0.0).shape == (3, 4)
    assert tf.where([True, False], [1, 2], [3, 4]).numpy().tolist() == [1, 4]
    assert tf.where([True, False], 2, tf.constant([1.0, 2.0])).dtype is tf.float32
    assert tf.where([], [], []).shape == (0,)


def test_where_finds() -> None:
    found = tf.where([[1, 0], [0, 2]])
    assert found.dtype is tf.int64
    assert found.numpy().tolist() == [[0, 0], [1, 1]]
    assert tf.where(tf.constant(X) > 10).numpy().tolist() == [[2, 3]]
    assert tf.where([False]).shape == (0, 1)


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        ((True,), Invalid, r"a condition of rank 1 or more, without x and y; got a scalar"),
        (
            ([True], [1.0], None),
            ValueError,
            r"x and y must both be non-None or both be None; got x=\[",
        ),
        (
            ([1, 0], [1, 2], [3, 4]),
            TypeError,
            r"a boolean condition; got one \(shape \[2\], int32\)",
        ),
        (
            ([True, False], X, X),
            Invalid,
            r"must be broadcastable; got condition \(shape \[2\], bool\), x",
        ),
        ((None, X, X), ValueError, r"Attempt to convert a value \(None\)"),
        (
            ([True], tf.constant(1.0), tf.constant(1)),
            Invalid,
            r"cannot compute SelectV2 as input #1",
        ),
    ],
)
def test_where_refuses(args, error, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.where(*args)


def test_slice() -> None:
    x = tf.constant(X)
    np.testing.assert_array_equal(tf.slice(x, [0, 1], [2, 2]).numpy(), X[:2, 1:3])
    np.testing.assert_array_equal(tf.slice(x, [1, 0], [-1, -1]).numpy(), X[1:])
    assert tf.slice(x, [3, 0], [-1, 1]).shape == (0, 1)
    begin = tf.stack([pending(1), 2])
    np.testing.assert_array_equal(tf.slice(x, begin, [2, 2]).numpy(), X[1:3, 2:4])
    np.testing.assert_array_equal(tf.slice(x, begin, [-1, tf.constant(1)]).numpy(), X[1:, 2:3])


@pytest.mark.parametrize(
    ("begin", "size", "error", "text"),
    [
        (
            [0, 1],
            [2, 9],
            Invalid,
            r"within each axis; got begin=\[0, 1\], size=\[2, 9\] for a tensor",
        ),
        ([4, 1], [0, 1], Invalid, r"got begin=\[4, 1\]"),
        ([-1, 1], [1, 1], Invalid, r"got begin=\[-1, 1\]"),
        ([0, 0], [1, -2], Invalid, r"size=\[1, -2\]"),
        (
            [0],
            [1],
            Invalid,
            r"one begin and one size for each of 2 axes; got begin \(shape \[1\], int32\)",
        ),
        ([0, 0], [1], Invalid, r"and size=\[1\]"),
        ([0.0, 1.0], [1, 1], Invalid, r"tf\.slice expected integers for begin"),
        (None, [1, 1], ValueError, r"Attempt to convert a value \(None\)"),
        ([0, 0], None, ValueError, r"tf\.slice expected integers for size; got size=None"),
        (pending([0, 0]), [4, 1], Invalid, r"got begin=\['\?', '\?'\], size=\[4, 1\]"),
    ],
)
def test_slice_refuses(begin, size, error, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.slice(tf.constant(X), begin, size)


def test_searchsorted() -> None:
    assert tf.searchsorted([1, 3, 5], [0, 3, 6]).numpy().tolist() == [0, 1, 3]
    found = tf.searchsorted([1, 3, 5], [0, 3, 6], side="right", out_type=tf.int64)
    assert found.numpy().tolist() == [0, 2, 3]
    assert found.dtype is tf.int64
    batch = tf.searchsorted([[1, 3, 5], [2, 4, 6]], [[3, 9], [3, 1]])
    assert batch.numpy().tolist() == [[1, 3], [1, 0]]
    assert batch.dtype is tf.int32
    with pytest.raises(ValueError, match=r"side to be 'left' or 'right'; got side='x'"):
        tf.searchsorted([1], [1], side="x")
    for values in ([3, 3], 3):
        with pytest.raises(Invalid, match=r"values with the leading axes of the sequence; got sorted_seq"):
            tf.searchsorted([[1, 3, 5], [2, 4, 6]], values)


def test_unravel_index() -> None:
    assert tf.unravel_index([3, 5], [2, 3]).numpy().tolist() == [[1, 1], [0, 2]]
    assert tf.unravel_index(tf.constant(5, tf.int64), [2, 3]).dtype is tf.int64
    with pytest.raises(Invalid, match=r"tf\.unravel_index expected every index in \[0, 6\); got 6"):
        tf.unravel_index([6], [2, 3])


def test_invert_permutation() -> None:
    assert indexing.invert_permutation([2, 0, 1]).numpy().tolist() == [1, 2, 0]
    for bad in ([2, 2, 1], [0, 3]):
        with pytest.raises(Invalid, match=r"once; got \d, which is duplicated or out of range"):
            indexing.invert_permutation(bad)
    with pytest.raises(Invalid, match=r"tf\.math\.invert_permutation expected a vector; got x \(shape"):
        indexing.invert_permutation([[0]])


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_gather_as_numpy(data) -> None:
    dims = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    axis = data.draw(st.integers(-len(dims), len(dims) - 1))
    shape = data.draw(st.lists(st.integers(0, 2), max_size=2))
    count = int(np.prod(shape))
    flat = data.draw(st.lists(st.integers(0, dims[axis] - 1), min_size=count, max_size=count))
    indices = np.array(flat, np.int32).reshape(shape)
    x = np.arange(int(np.prod(dims)), dtype=np.float32).reshape(dims)
    expected = np.take(x, indices, axis)
    np.testing.assert_array_equal(tf.gather(tf.constant(x), indices, axis=axis).numpy(), expected)
