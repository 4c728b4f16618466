"""scatter_nd and the tensor_scatter_nd family."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

Invalid = tf.errors.InvalidArgumentError
X = np.arange(12, dtype=np.float32).reshape(3, 4)


def pending(value) -> tf.Tensor:
    """An integer tensor whose value the host does not know."""
    return tf.cast(tf.constant(np.asarray(value), tf.float32) * 1.0, tf.int32)


@pytest.mark.parametrize("make", [lambda i: i, tf.constant, pending])
def test_scatter_nd(make) -> None:
    assert tf.scatter_nd(make([[1], [3], [1]]), [9, 10, 1], [5]).numpy().tolist() == [
        0,
        10,
        0,
        10,
        0,
    ]
    found = tf.scatter_nd(make([[0], [2]]), [[1.0, 2.0], [3.0, 4.0]], tf.constant([3, 2]))
    assert found.numpy().tolist() == [[1, 2], [0, 0], [3, 4]]
    found = tf.scatter_nd(make([[0, 1], [2, 0]]), [5.0, 6.0], [3, 2])
    assert found.numpy().tolist() == [[0, 5], [0, 0], [6, 0]]


def test_scatter_nd_corners() -> None:
    assert tf.scatter_nd([[1]], [True], [2]).numpy().tolist() == [False, True]
    assert tf.scatter_nd(tf.zeros([0, 1], tf.int32), tf.zeros([0]), [2]).numpy().tolist() == [0, 0]
    found = tf.scatter_nd([[1], [7], [-1]], [1, 2, 3], [3], bad_indices_policy="IGNORE")
    assert found.numpy().tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("indices", "updates", "shape", "text"),
    [
        ([[1], [7]], [9, 10], [5], r"indices\[1\] = \[7\] does not index into shape \[5\]"),
        (
            [[-1]],
            [9],
            [5],
            r"tf\.scatter_nd expected places that exist in the tensor; got indices\[0\] = ",
        ),
        (
            [[1], [3]],
            [9, 10, 11],
            [5],
            r"updates of shape indices\.shape\[:-1\] \+ shape\[1:\]; got updates",
        ),
        ([[1, 2, 3]], [9], [5], r"indices \(shape \[1, 3\], int32\) and shape \[5\]"),
        ([3], 9, [5], r"got updates \(shape \[\], int32\)"),
        ([[0], [2]], [[1.0, 2], [3, 4]], [3, 3], r"got updates \(shape \[2, 2\], float32\)"),
        ([[1.5]], [9], [5], r"tf\.scatter_nd expected integers for indices"),
        ([[1]], [9], [-5], r"dimensions of at least 0; got shape=\[-5\]"),
    ],
)
def test_scatter_nd_refuses(indices, updates, shape, text: str) -> None:
    with pytest.raises(Invalid, match=text):
        tf.scatter_nd(indices, updates, shape)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (tf.tensor_scatter_nd_update, [9, 2, 3]),
        (tf.tensor_scatter_nd_add, [18, 2, 3]),
        (tf.tensor_scatter_nd_sub, [-16, 2, 3]),
        (tf.tensor_scatter_nd_max, [9, 2, 3]),
        (tf.tensor_scatter_nd_min, [1, 2, 3]),
    ],
)
def test_a_place_named_twice(function, expected: list[int]) -> None:
    assert function([1, 2, 3], [[0], [0]], [8, 9]).numpy().tolist() == expected
    assert function([1, 2, 3], pending([[0], [0]]), [8, 9]).numpy().tolist() == expected


def test_tensor_scatter_of_rows_and_elements() -> None:
    x = tf.constant(X)
    expected = X.copy()
    expected[0, 1], expected[2, 3] = 100, 200
    found = tf.tensor_scatter_nd_update(x, [[0, 1], [2, 3]], [100, 200])
    np.testing.assert_array_equal(found.numpy(), expected)
    expected = X.copy()
    expected[[2, 0]] += [[1], [2]]
    found = tf.tensor_scatter_nd_add(x, [[2], [0]], [[1.0] * 4, [2.0] * 4])
    np.testing.assert_array_equal(found.numpy(), expected)


@pytest.mark.parametrize(
    ("indices", "updates", "text"),
    [
        (
            [[5]],
            [[9, 9, 9, 9]],
            r"tensor_scatter_nd_update expected places.*= \[5\] does not index into sh",
        ),
        (
            [[0]],
            [[9, 9, 9]],
            r"updates of shape indices\.shape\[:-1\] \+ shape\[1:\]; got updates \(shape \[1",
        ),
        (
            [[0]],
            [[9] * 4, [1] * 4],
            r"got updates \(shape \[2, 4\], float32\), indices \(shape \[1, 1\]",
        ),
        ([[0, 1, 2]], [9], r"of at most as many axes as there are"),
        ([[0.5]], [[9] * 4], r"expected integers for indices"),
        ([[0]], tf.constant([[9, 9, 9, 9]]), r"tensor_scatter_nd_update as input #1.*int32 tensor"),
    ],
)
def test_tensor_scatter_refuses(indices, updates, text: str) -> None:
    with pytest.raises(Invalid, match=text):
        tf.tensor_scatter_nd_update(tf.constant(X), indices, updates)
    with pytest.raises(Invalid, match=r"'IGNORE'; got bad_indices_policy='maybe'"):
        tf.tensor_scatter_nd_add(tf.constant(X), [[0]], [[1.0] * 4], "maybe")


def test_those_who_share_an_extreme_share_its_gradient() -> None:
    x, u = tf.Variable([5.0, 3.0, 1.0]), tf.Variable([5.0, 2.0, 4.0])
    with tf.GradientTape() as tape:
        y = tf.tensor_scatter_nd_max(x, [[0], [1], [2]], u)
    by_x, by_u = tape.gradient(y, [x, u])
    assert by_x.numpy().tolist() == [0.5, 1.0, 0.0]
    assert by_u.numpy().tolist() == [0.5, 0.0, 1.0]
