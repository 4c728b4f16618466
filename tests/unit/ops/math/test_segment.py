"""Segment reductions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.ops.math import arithmetic
from tapeflow.ops.math import segment as tf

ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
LOWEST = float(np.finfo(np.float32).min)


def check(result: Any, value: Any, dtype: str = "float32") -> None:
    assert result.dtype.name == dtype
    assert tuple(result.shape) == np.shape(value)
    np.testing.assert_allclose(result.numpy(), value, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("segment_sum", [[4, 6], [0, 0], [5, 6]]),
        ("segment_mean", [[2, 3], [0, 0], [5, 6]]),
        ("segment_prod", [[3, 8], [1, 1], [5, 6]]),
        ("segment_max", [[3, 4], [0, 0], [5, 6]]),
        ("segment_min", [[1, 2], [0, 0], [5, 6]]),
    ],
)
def test_sorted(name: str, value: Any) -> None:
    check(getattr(tf, name)(ROWS, [0, 0, 2]), value)
    check(getattr(tf, name)(np.array(ROWS, np.int32), constant([0, 0, 2], "int64")), value, "int32")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("unsorted_segment_sum", [[5, 6], [0, 0], [1, 2]]),
        ("unsorted_segment_mean", [[5, 6], [0, 0], [1, 2]]),
        ("unsorted_segment_sqrt_n", [[5, 6], [0, 0], [1, 2]]),
        ("unsorted_segment_prod", [[5, 6], [1, 1], [1, 2]]),
        ("unsorted_segment_max", [[5, 6], [LOWEST, LOWEST], [1, 2]]),
        ("unsorted_segment_min", [[5, 6], [-LOWEST, -LOWEST], [1, 2]]),
    ],
)
def test_unsorted_and_a_negative_id_is_left_out(name: str, value: Any) -> None:
    check(getattr(tf, name)(ROWS, [2, -1, 0], 3), value)


def test_ids_of_several_axes_and_scalars() -> None:
    check(tf.unsorted_segment_sum(ROWS, [[0, 1], [0, 1], [1, 1]], 2), [4, 17])
    check(tf.unsorted_segment_sum(1.0, 0, constant(2)), [1, 0])
    check(tf.unsorted_segment_sqrt_n(ROWS, [0, 0, 0], 1), [[9 / 3**0.5, 12 / 3**0.5]])


def test_means_of_integers() -> None:
    check(tf.segment_mean(constant([1, 2, -1, -2]), [0, 0, 1, 1]), [1, -1], "int32")
    check(tf.unsorted_segment_mean(constant([1, 2]), [0, 0], 1), [1.5], "float64")


def test_nothing() -> None:
    assert tf.segment_sum(np.zeros([0, 2], np.float32), []).shape == (0, 2)
    check(tf.unsorted_segment_sum(np.zeros([0], np.float32), [], 2), [0, 0])


def test_an_id_out_of_range_found_when_run() -> None:
    numbers = np.arange(100, dtype=np.int32)
    ids = arithmetic.square(constant(numbers))
    with pytest.raises(errors.InvalidArgumentError, match=r"every segment id below 50.*; got 64"):
        tf.unsorted_segment_sum(constant(numbers), ids, 50).numpy()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.segment_sum(ROWS, [1, 0, 0]), "segment ids are not increasing"),
        (
            lambda: tf.segment_sum(ROWS, [-1, 0, 0]),
            "expected segment ids of at least 0 and in order",
        ),
        (lambda: tf.segment_sum(ROWS, [0, 1]), "vector of the same size as dimension 0 of data"),
        (
            lambda: tf.segment_sum(ROWS, [[0], [1], [2]]),
            r"got segment_ids \(shape \[3, 1\], int32\)",
        ),
        (lambda: tf.segment_sum(ROWS, [0.0, 1.0, 2.0]), "expected integers for segment_ids"),
        (lambda: tf.unsorted_segment_sum(ROWS, [5, 0, 0], 3), "every segment id below 3.*; got 5"),
        (lambda: tf.unsorted_segment_sum(ROWS, [0, 1], 3), "to start with that of segment_ids"),
        (
            lambda: tf.unsorted_segment_sum(ROWS, [0, 1, 2], -1),
            "expected num_segments of at least 0",
        ),
        (lambda: tf.unsorted_segment_sum([True], [0], 1), "SegmentSum expected a number tensor"),
        (lambda: tf.unsorted_segment_sqrt_n([1], [0], 1), "SegmentSqrtN expected a floating-point"),
    ],
)
def test_wrong_arguments(call: Any, text: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=text):
        call()
