"""zeros, ones, fill, eye, range, linspace, one_hot, sequence_mask."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

Invalid = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    "shape",
    [
        [2, 1],
        (2, 1),
        tf.constant([2, 1]),
        tf.TensorShape([2, 1]),
        [tf.constant(2), 1],
        np.array([2, 1]),
    ],
)
def test_zeros_and_ones(shape) -> None:
    for function, value in ((tf.zeros, 0), (tf.ones, 1)):
        found = function(shape)
        assert found.dtype is tf.float32
        np.testing.assert_array_equal(found.numpy(), np.full((2, 1), value, np.float32))


def test_zeros_of_every_kind() -> None:
    assert tf.zeros(3).shape == (3,)
    assert tf.zeros([]).shape == ()
    assert tf.zeros([0, 2]).shape == (0, 2)
    assert tf.zeros(tf.shape(tf.zeros([3, 4]))[0]).shape == (3,)
    for dtype in ("int32", tf.bool, np.float64, tf.bfloat16, tf.complex64):
        assert tf.zeros([2], dtype).dtype is tf.as_dtype(dtype)
    assert tf.ones([2], tf.bool).numpy().tolist() == [True, True]
    assert tf.zeros([2], tf.string).numpy().tolist() == [b"", b""]
    large = tf.ones([100, 100], tf.int32)
    assert large.host_value() is None
    np.testing.assert_array_equal(large.numpy(), np.ones((100, 100)))


@pytest.mark.parametrize(
    ("shape", "error", "text"),
    [
        ([-1], Invalid, r"tf\.zeros expected dimensions of at least 0; got shape=\[-1\]"),
        (None, ValueError, r"tf\.zeros expected integers for shape; got shape=None"),
        ([None, 2], ValueError, r"got shape=\[None, 2\]"),
        ([2.5], TypeError, r"tf\.zeros expected integers for shape; got shape=\[2\.5\]"),
        ([[1, 2]], Invalid, r"tf\.zeros expected a vector of integers"),
        ("a", TypeError, r"got shape='a'"),
    ],
)
def test_zeros_refuses(shape, error, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.zeros(shape)


def test_dtypes_are_checked() -> None:
    with pytest.raises(TypeError, match=r"as_dtype expected a tf\.DType.*got type_value=None"):
        tf.zeros([2], dtype=None)
    with pytest.raises(TypeError, match=r"tf\.ones expected a dtype of numbers; got dtype=tf\.string"):
        tf.ones([2], tf.string)


def test_like() -> None:
    v = tf.Variable([1.0, 2.0])
    assert tf.zeros_like(v).numpy().tolist() == [0.0, 0.0]
    assert tf.ones_like(v, dtype="int32").numpy().tolist() == [1, 1]
    assert tf.zeros_like([1, 2]).dtype is tf.int32
    assert tf.zeros_like(np.ones(2)).dtype is tf.float64
    assert tf.ones_like(tf.constant([False])).numpy().tolist() == [True]
    with tf.GradientTape() as tape:
        y = tf.zeros_like(v) + tf.ones_like(v)
    assert tape.gradient(y, v) is None
    with pytest.raises(ValueError, match=r"Attempt to convert a value \(None\)"):
        tf.zeros_like(None)


def test_fill() -> None:
    for value, dtype in (
        (9, tf.int32),
        (9.5, tf.float32),
        (True, tf.bool),
        (np.float64(1), tf.float64),
    ):
        found = tf.fill([2, 2], value)
        assert found.dtype is dtype
        np.testing.assert_array_equal(found.numpy(), np.full((2, 2), value))
    assert tf.fill([2], "a").numpy().tolist() == [b"a", b"a"]
    assert tf.fill([], 3).numpy() == 3
    assert tf.fill(2, 9).shape == (2,)
    assert tf.fill([100, 100], 2.0).numpy().sum() == 20000.0
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.fill([3], v)
    assert tape.gradient(y, v).numpy() == 3.0
    with pytest.raises(Invalid, match=r"tf\.fill expected one number for value; got a tensor \(shape \[2"):
        tf.fill([2], [1, 2])
    with pytest.raises(Invalid, match=r"dimensions of at least 0; got dims=\[-1\]"):
        tf.fill([-1], 3)
    with pytest.raises(Invalid, match=r"tf\.fill expected integers for dims"):
        tf.fill([2.0], 1)


def test_eye() -> None:
    np.testing.assert_array_equal(tf.eye(2, 3, dtype=tf.int32).numpy(), np.eye(2, 3))
    assert tf.eye(2).dtype is tf.float32
    assert tf.eye(2, dtype=tf.bool).numpy().tolist() == [[True, False], [False, True]]
    batch = tf.eye(2, batch_shape=[3, 1])
    assert batch.shape == (3, 1, 2, 2)
    np.testing.assert_array_equal(batch.numpy()[2, 0], np.eye(2))
    assert tf.eye(tf.constant(2), tf.constant(3), batch_shape=tf.constant([2])).shape == (2, 2, 3)
    np.testing.assert_array_equal(tf.eye(70).numpy(), np.eye(70))
    for rows in (2.0, None, [2]):
        with pytest.raises(TypeError, match=r"tf\.eye expected a positive integer for num_rows; got num_"):
            tf.eye(rows)
    with pytest.raises(Invalid, match=r"tf\.eye expected dimensions of at least 0; got num_rows=\[-1\]"):
        tf.eye(-1)


@pytest.mark.parametrize(
    ("args", "dtype"),
    [
        ((5,), "int32"),
        ((1, 5), "int32"),
        ((1, 10, 3), "int32"),
        ((10, 1, -3), "int32"),
        ((0, 0), "int32"),
        ((5.0,), "float32"),
        ((1, 2, 0.3), "float32"),
        ((0.0, 1, 0.1), "float32"),
        ((2.0, -1.0, -0.5), "float32"),
    ],
)
def test_range(args, dtype: str) -> None:
    found = tf.range(*args)
    assert found.dtype.name == dtype
    np.testing.assert_allclose(found.numpy(), np.arange(*args), rtol=1e-6)
    assert found.host_value() is not None


def test_range_of_tensors_and_dtypes() -> None:
    assert tf.range(tf.constant(3)).numpy().tolist() == [0, 1, 2]
    assert tf.range(tf.constant(3, tf.int64)).dtype is tf.int64
    assert tf.range(tf.constant(1), tf.constant(3, tf.int64)).dtype is tf.int64
    assert tf.range(tf.constant(1), tf.constant(3.0)).dtype is tf.float32
    assert tf.range(np.int64(3)).dtype is tf.int64
    assert tf.range(tf.Variable(3)).shape == (3,)
    assert tf.range(5, dtype=tf.float16).dtype is tf.float16
    assert tf.range(5, dtype=tf.int64).dtype is tf.int64
    assert tf.range(5, delta=2).numpy().tolist() == [0, 2, 4]
    assert tf.range(start=3, limit=6).numpy().tolist() == [3, 4, 5]
    assert tf.range(tf.constant(5.5) * 1.0).shape == (6,)
    # As TensorFlow computes it: start + i * delta in float32.
    assert float(tf.range(0.0, 1, 0.1)[7]) == float(np.float32(7) * np.float32(0.1))


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        (
            (10, 1),
            Invalid,
            r"leads from start to limit; got start=10, limit=1, delta=1\. Requires start <=",
        ),
        ((1, 10, -1), Invalid, r"got start=1, limit=10, delta=-1"),
        ((1, 10, 0), Invalid, r"delta=0.*and delta != 0"),
        (
            ([1, 2],),
            Invalid,
            r"tf\.range expected a scalar for limit; got a tensor \(shape \[2\], int32\)",
        ),
        ((None,), ValueError, r"Attempt to convert a value \(None\)"),
        ((True,), TypeError, r"tf\.range expected a number for limit; got limit=True \(bool\)"),
        (("a",), TypeError, r"tf\.range expected a number for limit; got limit='a' \(string\)"),
    ],
)
def test_range_refuses(args, error, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.range(*args)


def test_linspace_of_numbers_is_the_same_inside_a_program() -> None:
    inside = tf.cast(tf.linspace(-2, 2, 21), tf.float32)[10:11] * 2.0
    assert inside.numpy() == 0.0
    assert tf.linspace(-2, 2, 21)[3].numpy() == -2.0 + 3 * (4.0 / 20)


def test_linspace() -> None:
    for start, stop, num in ((0.0, 1.0, 5), (3.0, -2.0, 7), (0.0, 1.0, 2), (2.5, 9.0, 1)):
        found = tf.linspace(start, stop, num)
        assert found.dtype is tf.float32
        np.testing.assert_allclose(found.numpy(), np.linspace(start, stop, num), rtol=1e-6)
    assert tf.linspace(0, 1, 5).dtype is tf.float64
    assert tf.linspace(0.0, 1.0, 0).shape == (0,)
    assert tf.linspace(0.0, 1.0, tf.constant(3)).numpy().tolist() == [0.0, 0.5, 1.0]
    for axis in (0, 1, -1):
        found = tf.linspace([0.0, 1.0], [1.0, 2.0], 3, axis=axis)
        expected = np.linspace([0.0, 1.0], [1.0, 2.0], 3, axis=axis)
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
    with pytest.raises(Invalid, match=r"tf\.linspace expected num of at least 0; got num=-1"):
        tf.linspace(0.0, 1.0, -1)
    with pytest.raises(Invalid, match=r"tf\.linspace expected axis in \[-2, 2\); got axis=2"):
        tf.linspace([0.0], [1.0], 3, axis=2)
    with pytest.raises(TypeError, match=r"tf\.linspace expected integers for num; got num=5\.0"):
        tf.linspace(0.0, 1.0, 5.0)
    with pytest.raises(Invalid, match=r"cannot compute LinSpace as input #1"):
        tf.linspace(tf.constant(0.0), tf.constant(1.0, tf.float64), 3)


def test_one_hot() -> None:
    found = tf.one_hot([0, 2, 5, -1], 3)
    assert found.dtype is tf.float32
    assert found.numpy().tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert tf.one_hot(1, 3).numpy().tolist() == [0, 1, 0]
    assert tf.one_hot(np.array([1.7]), 3).numpy().tolist() == [[0, 1, 0]]  # numpy's floats, and no others
    assert tf.one_hot([0, 1], 3, axis=0).numpy().tolist() == [[1, 0], [0, 1], [0, 0]]
    assert tf.one_hot([[0, 1]], 3, axis=1).shape == (1, 3, 2)
    assert tf.one_hot([0], 2, on_value=5, off_value=-1).numpy().tolist() == [[5, -1]]
    assert tf.one_hot([0], 2, on_value=5).dtype is tf.int32
    assert tf.one_hot([0], 2, on_value=5.0, off_value=1, dtype=tf.float32).numpy().tolist() == [[5, 1]]
    assert tf.one_hot([0], 2, on_value=True, off_value=False).dtype is tf.bool
    assert tf.one_hot([0, 1], 0).shape == (2, 0)
    for dtype in (tf.uint8, tf.int64, tf.int8):
        assert tf.one_hot(tf.constant([1], dtype), tf.constant(2)).numpy().tolist() == [[0, 1]]
    assert tf.one_hot([1], 2, dtype=tf.int64).dtype is tf.int64


@pytest.mark.parametrize(
    ("kwargs", "error", "text"),
    [
        ({"indices": [0.5]}, Invalid, r"tf\.one_hot expected integers for indices"),
        ({"depth": -1}, Invalid, r"tf\.one_hot expected a depth of at least 0.*got depth=-1"),
        ({"depth": None}, ValueError, r"tf\.one_hot expected integers for depth; got depth=None"),
        ({"depth": 3.0}, TypeError, r"tf\.one_hot expected integers for depth; got depth=3\.0"),
        ({"axis": 2}, Invalid, r"an axis of -1 or in \[0, 1\]; got depth=3, axis=2"),
        ({"axis": -2}, Invalid, r"got depth=3, axis=-2"),
        ({"on_value": 5.0, "off_value": 1}, TypeError, r"to agree; got dtypes float32, int32"),
        ({"on_value": 5.0, "dtype": tf.int32}, TypeError, r"to agree; got dtypes float32, int32"),
    ],
)
def test_one_hot_refuses(kwargs, error, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.one_hot(**{"indices": [0, 1], "depth": 3, **kwargs})


def test_sequence_mask() -> None:
    assert tf.sequence_mask([1, 3]).numpy().tolist() == [[True, False, False], [True, True, True]]
    assert tf.sequence_mask([1, 3], 2, dtype=tf.float32).numpy().tolist() == [[1, 0], [1, 1]]
    assert tf.sequence_mask([[1, 3], [2, 0]], maxlen=tf.constant(4)).shape == (2, 2, 4)
    assert tf.sequence_mask(2, 3).numpy().tolist() == [True, True, False]
    assert tf.sequence_mask([]).shape == (0, 0)
    assert tf.sequence_mask([-1], 2).numpy().tolist() == [[False, False]]
    assert tf.sequence_mask([1.5], 2).numpy().tolist() == [[True, False]]
    with pytest.raises(ValueError, match=r"tf\.sequence_mask expected a scalar for maxlen; got maxlen=\["):
        tf.sequence_mask([1, 2], [3])
    with pytest.raises(Invalid, match=r"tf\.sequence_mask expected maxlen of at least 0; got maxlen=-1"):
        tf.sequence_mask([1, 2], -1)


def test_no_strings_are_strings() -> None:
    for none in (tf.zeros([0, 1], tf.string), tf.fill([0, 1], "a")):
        assert (none.dtype, none.shape.as_list()) == (tf.string, [0, 1])
        assert tf.concat((none, [["x"]]), 0).numpy().tolist() == [[b"x"]]
