"""Static arguments in every form a user may give them."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.ops import host_args


@pytest.mark.parametrize(
    "value",
    [
        [2, 3],
        (2, 3),
        np.array([2, 3]),
        [np.int64(2), 3],
        tf.constant([2, 3]),
        tf.constant([2, 3], tf.int64),
        tf.Variable([2, 3]),
        [tf.constant(2), 3],
        [tf.Variable(2), np.int32(3)],
        tf.TensorShape([2, 3]),
        tf.shape(tf.zeros([2, 3])),
        [tf.shape(tf.zeros([2, 3]))[0], tf.shape(tf.zeros([2, 3]))[1]],
        [tf.math.ceil(tf.constant(1.5)), 3],  # a list is cast, a float tensor is not
    ],
)
def test_shapes_in_every_form(value) -> None:
    assert host_args.read_shape(value, "tf.f") == (2, 3)


def test_a_pending_tensor_is_run_for_its_value() -> None:
    pending = tf.cast(tf.constant([1.5, 2.5]) * 2.0, tf.int32)
    assert pending.host_value() is None
    assert host_args.read_ints(pending, "tf.f", "n") == (3, 5)


def test_empty_lists_are_integers() -> None:
    assert host_args.read_ints([], "tf.f", "n") == ()
    assert host_args.read_array(np.zeros((0, 2)), "tf.f", "n").dtype == np.int64


def test_one_integer() -> None:
    for value in (3, np.int8(3), [3], tf.constant(3), tf.constant([[3]])):
        assert host_args.read_int(value, "tf.f", "n") == 3


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (None, ValueError, r"tf\.f expected integers for n; got n=None"),
        ([None, 1], ValueError, r"got n=\[None, 1\]\. Pass Python ints"),
        ([[1], [2, 3]], ValueError, r"None and ragged lists have no value"),
        (tf.TensorShape([None, 2]), ValueError, r"got n=TensorShape\(\[None, 2\]\)"),
        (
            [1.5],
            tf.errors.InvalidArgumentError,
            r"expected integers for n; got n=\[1\.5\] \(float64\)",
        ),
        (True, tf.errors.InvalidArgumentError, r"got n=True \(bool\)"),
        ("ab", tf.errors.InvalidArgumentError, r"got n='ab'"),
        (3, tf.errors.InvalidArgumentError, r"a vector of integers for n; got n=3 \(shape \[\]\)"),
        ([[1, 2]], tf.errors.InvalidArgumentError, r"shape \[1, 2\]\)\. Pass a flat list"),
    ],
)
def test_bad_vectors(value, error, text: str) -> None:
    with pytest.raises(error, match=text):
        host_args.read_ints(value, "tf.f", "n")


def test_bad_numbers() -> None:
    with pytest.raises(TypeError, match=r"tf\.f expected integers for axis; got axis=1\.0"):
        host_args.read_int(1.0, "tf.f", "axis")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"one integer for axis; got axis=\[1, 2\]"):
        host_args.read_int([1, 2], "tf.f", "axis")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"axis in \[-2, 2\); got axis=2\. Neg"):
        host_args.read_axis(2, 2, "tf.f")
    with pytest.raises(ValueError, match=r"axis in \[0, 0\); got axis=0\. A scalar has no axes"):
        host_args.read_axis(0, 0, "tf.f", error=ValueError)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"at least 0; got shape=\[-1, 2\]"):
        host_args.read_shape([-1, 2], "tf.f")


def test_indices_must_be_integers() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"integers for indices; got a tensor \(sh"):
        host_args.index_tensor([0.5], "tf.f")
