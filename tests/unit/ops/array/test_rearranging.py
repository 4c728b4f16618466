"""tile, repeat, pad, reverse, roll, reverse_sequence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeflow as tf

Invalid = tf.errors.InvalidArgumentError
X = np.arange(12, dtype=np.float32).reshape(3, 4)


def test_tile() -> None:
    for multiples in ([2, 1], (1, 3), np.array([0, 2]), tf.constant([2, 2], tf.int64)):
        expected = np.tile(X, np.asarray(multiples))
        np.testing.assert_array_equal(tf.tile(tf.constant(X), multiples).numpy(), expected)
    assert tf.tile(3.0, []).numpy() == 3.0


@pytest.mark.parametrize(
    ("multiples", "error", "text"),
    [
        (
            [2],
            Invalid,
            r"tf\.tile expected one count.*each of 2 axes; got multiples=\[2\] for a tensor",
        ),
        ([-1, 1], Invalid, r"at least 0 for each of 2 axes; got multiples=\[-1, 1\]"),
        (2, Invalid, r"tf\.tile expected a vector of integers for multiples"),
        ([1.0, 2.0], Invalid, r"tf\.tile expected integers for multiples"),
        (None, ValueError, r"got multiples=None"),
    ],
)
def test_tile_refuses(multiples, error, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.tile(tf.constant(X), multiples)


@pytest.mark.parametrize(
    ("repeats", "axis"),
    [(2, None), (2, 0), (3, -1), ([1, 0, 2], 0), ([2], 1), (np.arange(4), 1), (0, 1)],
)
def test_repeat(repeats, axis) -> None:
    found = tf.repeat(tf.constant(X), repeats, axis=axis)
    np.testing.assert_array_equal(found.numpy(), np.repeat(X, repeats, axis))


def test_repeat_of_scalars_and_tensors() -> None:
    for axis in (None, 0, -1):
        assert tf.repeat(3, 4, axis=axis).numpy().tolist() == [3, 3, 3, 3]
    assert tf.repeat([[1, 2]], tf.constant([1, 2]), axis=1).numpy().tolist() == [[1, 2, 2]]


@pytest.mark.parametrize(
    ("repeats", "axis", "error", "text"),
    [
        ([1, 2], 0, ValueError, r"one for each of 3 elements of axis 0; got repeats=\[1, 2\]"),
        ([1, 2], None, ValueError, r"one for each of 12 elements of axis 0"),
        ([[1, 2, 3]], 0, ValueError, r"got repeats=\[\[1, 2, 3\]\]"),
        (2, 5, ValueError, r"tf\.repeat expected axis in \[-2, 2\); got axis=5"),
        (-1, 0, Invalid, r"tf\.repeat expected counts of at least 0; got repeats=-1"),
        (1.5, 0, TypeError, r"tf\.repeat expected integers for repeats; got repeats=1\.5"),
        (None, 0, ValueError, r"got repeats=None"),
    ],
)
def test_repeat_refuses(repeats, axis, error, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.repeat(tf.constant(X), repeats, axis=axis)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("CONSTANT", [0, 1, 2, 3, 0, 0]),
        ("REFLECT", [2, 1, 2, 3, 2, 1]),
        ("reflect", [2, 1, 2, 3, 2, 1]),
        ("SYMMETRIC", [1, 1, 2, 3, 3, 2]),
    ],
)
def test_pad_modes(mode: str, expected: list[int]) -> None:
    assert tf.pad([1, 2, 3], [[1, 2]], mode).numpy().tolist() == expected


def test_pad_values() -> None:
    assert tf.pad([1, 2], [[1, 0]], constant_values=9).numpy().tolist() == [9, 1, 2]
    found = tf.pad([1.0], [[1, 1]], constant_values=tf.constant(7.0))
    assert found.numpy().tolist() == [7.0, 1.0, 7.0]
    assert tf.pad(tf.constant([True]), [[1, 1]]).numpy().tolist() == [False, True, False]
    assert tf.pad(tf.constant(X, tf.bfloat16), [[1, 0], [0, 0]]).dtype is tf.bfloat16
    assert tf.pad(3.0, tf.zeros([0, 2], tf.int32)).numpy() == 3.0
    assert tf.pad(tf.constant(X), tf.constant([[1, 1], [0, 2]])).shape == (5, 6)
    np.testing.assert_array_equal(tf.pad(X, [[0, 0], [0, 0]], "REFLECT").numpy(), X)
    assert tf.pad([1, 2, 3], [[3, 3]], "SYMMETRIC").shape == (9,)


@pytest.mark.parametrize(
    ("paddings", "mode", "value", "error", "text"),
    [
        ([[1, 2]], "EDGE", 0, ValueError, r"'REFLECT' or 'SYMMETRIC'; got mode='EDGE'"),
        ([[1, 2]], None, 0, ValueError, r"got mode=None"),
        (
            [1, 2],
            "CONSTANT",
            0,
            Invalid,
            r"two counts of at least 0 for each of 1 axes; got paddings=\[1,",
        ),
        (
            [[1, 2], [1, 1]],
            "CONSTANT",
            0,
            Invalid,
            r"got paddings=\[\[1, 2\], \[1, 1\]\] for a tensor",
        ),
        ([[-1, 2]], "REFLECT", 0, Invalid, r"got paddings=\[\[-1, 2\]\]"),
        (
            [[1, 3]],
            "REFLECT",
            0,
            Invalid,
            r"at most 2 elements on a side of axis 0 in mode 'REFLECT'; got",
        ),
        (
            [[4, 0]],
            "SYMMETRIC",
            0,
            Invalid,
            r"at most 3 elements on a side of axis 0 in mode 'SYMMET",
        ),
        ([[1.0, 2]], "CONSTANT", 0, Invalid, r"tf\.pad expected integers for paddings"),
        (None, "CONSTANT", 0, ValueError, r"got paddings=None"),
        (
            [[1, 1]],
            "CONSTANT",
            [9],
            Invalid,
            r"one number for constant_values; got a tensor \(shape \[1",
        ),
        ([[1, 1]], "CONSTANT", 9.5, TypeError, r"Cannot convert 9\.5"),
    ],
)
def test_pad_refuses(paddings, mode, value, error, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.pad([1, 2, 3], paddings, mode, value)


def test_reverse() -> None:
    for axis in ([0], [-1], [0, 1], [], tf.constant([1])):
        expected = np.flip(X, tuple(np.asarray(axis, int).tolist()))
        np.testing.assert_array_equal(tf.reverse(tf.constant(X), axis).numpy(), expected)
    with pytest.raises(Invalid, match=r"tf\.reverse expected axis in \[-2, 2\); got axis=2"):
        tf.reverse(X, [2])
    with pytest.raises(Invalid, match=r"each axis at most once; got axis=\[0, -2\]"):
        tf.reverse(X, [0, -2])
    with pytest.raises(Invalid, match=r"tf\.reverse expected a vector of integers for axis; got axis=0"):
        tf.reverse(X, 0)


def test_roll() -> None:
    for shift, axis in ((1, 0), (-5, 1), ([1, 2], [0, 1]), ([1, 2], [0, 0]), (tf.constant(3), -1)):
        expected = np.roll(X, np.asarray(shift).tolist(), axis)
        np.testing.assert_array_equal(tf.roll(tf.constant(X), shift, axis).numpy(), expected)
    with pytest.raises(Invalid, match=r"tf\.roll expected axis in \[-2, 2\); got axis=2"):
        tf.roll(X, 1, 2)
    with pytest.raises(Invalid, match=r"one shift for each axis; got a shift \(shape \[1\], int32\)"):
        tf.roll(X, [1], [0, 1])
    with pytest.raises(Invalid, match=r"tf\.roll expected integers for shift"):
        tf.roll(X, 1.0, 0)
    with pytest.raises(Invalid, match=r"tf\.roll expected axis in \[0, 0\)"):
        tf.roll(3.0, 1, 0)


def test_reverse_sequence() -> None:
    found = tf.reverse_sequence(X, [1, 2, 4], seq_axis=1, batch_axis=0)
    assert found.numpy().tolist() == [[0, 1, 2, 3], [5, 4, 6, 7], [11, 10, 9, 8]]
    turned = tf.reverse_sequence(X.T, [1, 2, 4], seq_axis=0, batch_axis=1)
    np.testing.assert_array_equal(turned.numpy(), found.numpy().T)
    with pytest.raises(Invalid, match=r"every length in \[0, 5\); got length=5"):
        tf.reverse_sequence(X, [1, 2, 5], seq_axis=1)
    with pytest.raises(Invalid, match=r"two different axes and one length for each sequence; got seq_axi"):
        tf.reverse_sequence(X, [1, 2, 1], seq_axis=1, batch_axis=1)
    with pytest.raises(Invalid, match=r"seq_lengths \(shape \[2\], int32\).*Pass 3 lengths"):
        tf.reverse_sequence(X, [1, 2], seq_axis=1)


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_pad_as_numpy(data) -> None:
    dims = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    mode = data.draw(st.sampled_from(["CONSTANT", "REFLECT", "SYMMETRIC"]))
    most = [{"CONSTANT": 3, "REFLECT": d - 1, "SYMMETRIC": d}[mode] for d in dims]
    paddings = [[data.draw(st.integers(0, m)) for _ in range(2)] for m in most]
    x = np.arange(int(np.prod(dims))).reshape(dims)
    np.testing.assert_array_equal(tf.pad(x, paddings, mode).numpy(), np.pad(x, paddings, mode=mode.lower()))
