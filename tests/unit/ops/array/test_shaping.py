"""Shapes: asking for them, changing them, broadcasting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeflow as tf

Invalid = tf.errors.InvalidArgumentError
X = np.arange(12, dtype=np.float32).reshape(3, 4)


def test_shape_rank_and_size_are_known_to_the_host() -> None:
    x = tf.constant(X) * 2.0  # pending
    for found, expected, dtype in [
        (tf.shape(x), [3, 4], tf.int32),
        (tf.shape(x, out_type=tf.int64), [3, 4], tf.int64),
        (tf.size(x), 12, tf.int32),
        (tf.size(x, tf.int64), 12, tf.int64),
        (tf.rank(x), 2, tf.int32),
        (tf.rank(3.0), 0, tf.int32),
        (tf.shape([[1, 2]]), [1, 2], tf.int32),
        (tf.shape(tf.Variable([1.0])), [1], tf.int32),
    ]:
        assert found.host_value() is not None
        assert found.dtype is dtype
        np.testing.assert_array_equal(found.numpy(), expected)
    assert [s.numpy().tolist() for s in tf.shape_n([x, 1.0])] == [[3, 4], []]


def test_arithmetic_on_shapes_stays_on_the_host() -> None:
    x = tf.constant(X) + 1.0
    rows, columns = tf.unstack(tf.shape(x))
    for value in (
        tf.shape(x)[0],
        tf.shape(x)[-1:],
        tf.shape(x)[::-1],
        tf.stack([tf.shape(x)[0], -1]),
        tf.concat([tf.shape(x)[:1], [2, 2]], 0),
        tf.reshape(tf.shape(x)[0], [1]),
        tf.gather(tf.shape(x), [1]),
        tf.tile(tf.shape(x), [2]),
        tf.expand_dims(tf.shape(x), 0),
        tf.identity(tf.shape(x)),
        rows,
        columns,
    ):
        assert value.host_value() is not None
    assert tf.reshape(x, [tf.shape(x)[0] * 2, -1]).shape == (6, 2)
    assert tf.zeros([rows, 2]).shape == (3, 2)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ([-1], (12,)),
        (-1, (12,)),
        ([4, 3], (4, 3)),
        ((2, -1, 2), (2, 3, 2)),
        (tf.TensorShape([6, 2]), (6, 2)),
        (np.array([2, 6]), (2, 6)),
        (tf.constant([2, 6], tf.int64), (2, 6)),
        ([2, tf.constant(3), -1], (2, 3, 2)),
    ],
)
def test_reshape(shape, expected) -> None:
    result = tf.reshape(tf.constant(X), shape)
    assert result.shape == expected
    np.testing.assert_array_equal(result.numpy(), X.reshape(expected))


def test_reshape_of_nothing() -> None:
    assert tf.reshape(tf.zeros([0, 3]), [-1, 3]).shape == (0, 3)
    assert tf.reshape(tf.zeros([0, 3]), [-1, 0]).shape == (3, 0)
    assert tf.reshape(tf.zeros([0, 3]), [0, -1]).shape == (0, 3)
    assert tf.reshape(tf.zeros([2, 0, 3]), [0, -1, 0]).shape == (0, 6, 0)
    assert tf.reshape([7], []).numpy() == 7


@pytest.mark.parametrize(
    ("shape", "error", "text"),
    [
        (
            [5, 2],
            Invalid,
            r"a shape of 12 elements; got shape=\[5, 2\], which has 10, for a tensor \(sh",
        ),
        ([5, -1], Invalid, r"known dimensions that divide 12 elements; got shape=\[5, -1\]"),
        ([-1, -1], Invalid, r"of which one may be -1; got shape=\[-1, -1\]"),
        ([-2, 6], Invalid, r"dimensions of at least 0.*got shape=\[-2, 6\]"),
        ([0, -1], Invalid, r"known dimensions that divide 12 elements"),
        ([2.0, 6], Invalid, r"tf\.reshape expected integers for shape"),
        ([[3, 4]], Invalid, r"tf\.reshape expected a vector of integers"),
        (None, ValueError, r"tf\.reshape expected integers for shape; got shape=None"),
        ([None, 4], ValueError, r"got shape=\[None, 4\]"),
    ],
)
def test_reshape_refuses(shape, error, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.reshape(tf.constant(X), shape)


def test_none_is_not_a_tensor() -> None:
    for call in (tf.shape, tf.identity, tf.stop_gradient, tf.transpose, tf.squeeze):
        with pytest.raises(ValueError, match=r"Attempt to convert a value \(None\)"):
            call(None)


def test_transpose() -> None:
    x = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(tf.transpose(x).numpy(), x.T)
    for perm in ([2, 0, 1], (0, -1, 1), tf.constant([1, 2, 0]), np.array([0, 1, 2])):
        order = [p % 3 for p in np.asarray(perm).tolist()]
        np.testing.assert_array_equal(tf.transpose(x, perm).numpy(), x.transpose(order))
    z = np.array([[1 + 2j, 3 - 1j]])
    np.testing.assert_array_equal(tf.transpose(z, conjugate=True).numpy(), z.T.conj())
    assert tf.transpose(tf.constant(X), conjugate=True).dtype is tf.float32
    assert tf.transpose(3.0).numpy() == 3.0


@pytest.mark.parametrize("perm", [[0, 0], [0, 2], [0], [0, 1, 2], [-3, 0]])
def test_transpose_refuses(perm) -> None:
    with pytest.raises(Invalid, match=r"tf\.transpose expected each of the 2 axes once; got perm="):
        tf.transpose(tf.constant(X), perm)


def test_squeeze_and_expand_dims() -> None:
    x = tf.zeros([1, 2, 1])
    assert tf.squeeze(x).shape == (2,)
    assert tf.squeeze(x, []).shape == (2,)
    assert tf.squeeze(x, 0).shape == tf.squeeze(x, [0, -3]).shape == (2, 1)
    assert tf.squeeze(x, [-1]).shape == (1, 2)
    assert tf.expand_dims(x, 0).shape == (1, 1, 2, 1)
    assert tf.expand_dims(x, -1).shape == tf.expand_dims(x, [3]).shape == (1, 2, 1, 1)
    assert tf.expand_dims(x, tf.constant(1)).shape == (1, 1, 2, 1)
    assert tf.expand_dims(2.0, 0).numpy().tolist() == [2.0]


def test_squeeze_and_expand_dims_refuse() -> None:
    x = tf.zeros([1, 2, 1])
    with pytest.raises(Invalid, match=r"tf\.squeeze expected an axis of size 1; got axis=1 of size 2"):
        tf.squeeze(x, 1)
    with pytest.raises(Invalid, match=r"tf\.squeeze expected axis in \[-3, 3\); got axis=3"):
        tf.squeeze(x, 3)
    with pytest.raises(Invalid, match=r"tf\.expand_dims expected axis in \[-4, 3\]; got axis=4"):
        tf.expand_dims(x, 4)
    with pytest.raises(Invalid, match=r"tf\.expand_dims expected one integer for axis"):
        tf.expand_dims(x, [0, 1])
    with pytest.raises(TypeError, match=r"tf\.expand_dims expected integers for axis; got axis=1\.0"):
        tf.expand_dims(x, 1.0)
    with pytest.raises(ValueError, match=r"tf\.expand_dims expected integers for axis; got axis=None"):
        tf.expand_dims(x, None)


def test_broadcast_to() -> None:
    np.testing.assert_array_equal(
        tf.broadcast_to([[1], [2]], [3, 2, 2]).numpy(), np.broadcast_to([[1], [2]], (3, 2, 2))
    )
    assert tf.broadcast_to(1.0, tf.constant([2])).dtype is tf.float32
    assert tf.broadcast_to(tf.zeros([1]), [0]).shape == (0,)
    for shape in ([2, 4], [2], [0, 3]):
        with pytest.raises(Invalid, match=r"tf\.broadcast_to expected a shape that ends with the inpu"):
            tf.broadcast_to([[1, 2, 3], [4, 5, 6]], shape)
    with pytest.raises(Invalid, match=r"dimensions of at least 0; got shape=\[-1, 3\]"):
        tf.broadcast_to([1, 2, 3], [-1, 3])


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([1, 3], [5, 1], [5, 3]),
        ([3], [5, 1], [5, 3]),
        ([None, 3], [5, 1], [5, 3]),
        ([None], [1], [None]),
        ([None], [None], [None]),
        ([], [2], [2]),
    ],
)
def test_broadcast_static_shape(x, y, expected) -> None:
    found = tf.broadcast_static_shape(tf.TensorShape(x), tf.TensorShape(y))
    assert found.as_list() == expected


def test_broadcast_shapes_that_do_not_fit() -> None:
    assert tf.broadcast_static_shape(tf.TensorShape(None), tf.TensorShape([2])).rank is None
    with pytest.raises(ValueError, match=r"equal or 1; got shape_x=\(2, 3\) and shape_y=\(5, 1\), Incom"):
        tf.broadcast_static_shape(tf.TensorShape([2, 3]), tf.TensorShape([5, 1]))
    with pytest.raises(Invalid, match=r"equal or 1; got shape_x=\[2, 3\] and shape_y=\[5, 1\], Incompat"):
        tf.broadcast_dynamic_shape([2, 3], [5, 1])


def test_broadcast_dynamic_shape() -> None:
    found = tf.broadcast_dynamic_shape((1, 2, 3), tf.constant([5, 1, 3]))
    assert found.numpy().tolist() == [5, 2, 3]
    assert found.dtype is tf.int32
    assert tf.broadcast_dynamic_shape(tf.constant([2], tf.int64), [1]).dtype is tf.int64


def test_ensure_shape() -> None:
    x = tf.constant(X)
    for shape in ([3, None], None, (3, 4), tf.TensorShape([None, 4])):
        np.testing.assert_array_equal(tf.ensure_shape(x, shape).numpy(), X)
    with pytest.raises(Invalid, match=r"tf\.ensure_shape expected shape \(3, 5\); got a tensor \(shape"):
        tf.ensure_shape(x, [3, 5])
    with pytest.raises(Invalid, match=r"tf\.ensure_shape expected shape \(3,\)"):
        tf.ensure_shape(x, [3])


def test_identity_is_a_snapshot() -> None:
    v = tf.Variable([1.0, 2.0])
    before = tf.identity(v)
    v.assign([5.0, 6.0])
    assert before.numpy().tolist() == [1.0, 2.0]
    x = tf.constant(X)
    assert tf.identity(x) is not x
    assert [t.numpy() for t in tf.identity_n([1, 2.5])] == [1, 2.5]


def test_stop_gradient() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        alone = tf.stop_gradient(x)
        y = x * tf.stop_gradient(x)
    assert tape.gradient(alone, x) is None
    assert tape.gradient(y, x).numpy() == 3.0


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 4), max_size=4), st.randoms(use_true_random=False))
def test_transpose_and_reshape_as_numpy(dims: list[int], rng) -> None:
    x = np.arange(int(np.prod(dims))).reshape(dims)
    perm = list(range(len(dims)))
    rng.shuffle(perm)
    np.testing.assert_array_equal(tf.transpose(x, perm).numpy(), x.transpose(perm))
    target = list(dims)
    rng.shuffle(target)
    np.testing.assert_array_equal(tf.reshape(x, target).numpy(), x.reshape(target))
