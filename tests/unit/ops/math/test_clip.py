"""Clipping by value and by norm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.ops.math import clip as tf

nan, inf = np.nan, np.inf
MATRIX = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def check(result: Any, value: Any, dtype: str = "float32") -> None:
    assert result.dtype.name == dtype
    np.testing.assert_allclose(result.numpy(), value, rtol=1e-6)


def test_by_value() -> None:
    check(tf.clip_by_value(MATRIX, 2.0, 4.0), [[2, 2, 3], [4, 4, 4]])
    check(tf.clip_by_value(constant(MATRIX), 2, 4), [[2, 2, 3], [4, 4, 4]])
    check(tf.clip_by_value(constant([1, 5, -6]), 2, 4), [2, 4, 2], "int32")
    check(tf.clip_by_value(MATRIX, [1.0, 2.0, 3.0], [2.0, 3.0, 4.0]), [[1, 2, 3], [2, 3, 4]])
    check(tf.clip_by_value([nan, 1.0], 0.0, 2.0), [nan, 1])
    check(tf.clip_by_value(MATRIX, 4.0, 2.0), np.full([2, 3], 4.0))


def test_by_norm() -> None:
    check(tf.clip_by_norm([3.0, 4.0], 1.0), [0.6, 0.8])
    check(tf.clip_by_norm([3.0, 4.0], 10), [3, 4])
    check(tf.clip_by_norm([0.0, 0.0], 1.0), [0, 0])
    check(tf.clip_by_norm([3.0, 4.0], -1.0), [0, 0])
    check(tf.clip_by_norm([[3.0, 4.0], [0.3, 0.4]], 1.0, axes=1), [[0.6, 0.8], [0.3, 0.4]])
    check(tf.clip_by_norm([3.0, 4.0], constant(1.0, "float64")), [0.6, 0.8])
    check(tf.clip_by_norm(constant([3.0, 4.0], "float64"), 1.0), [0.6, 0.8], "float64")


def test_global_norm() -> None:
    check(tf.global_norm([constant([3.0]), None, constant([[4.0]])]), 5)
    check(tf.global_norm([]), 0)
    check(tf.global_norm([None]), 0)


def test_by_global_norm() -> None:
    clipped, norm = tf.clip_by_global_norm([constant([3.0]), None, constant([4.0])], 1.0)
    check(norm, 5)
    assert clipped[1] is None
    check(clipped[0], [0.6])
    check(clipped[2], [0.8])
    inside, _ = tf.clip_by_global_norm((constant([3.0]), constant([4.0])), 10)
    check(inside[0], [3])
    zero, norm = tf.clip_by_global_norm([constant([0.0])], 1.0)
    check(zero[0], [0])
    check(norm, 0)
    given, norm = tf.clip_by_global_norm([constant([3.0])], 1.0, use_norm=10.0)
    check(given[0], [0.3])
    check(norm, 10)
    empty, norm = tf.clip_by_global_norm([], 1.0)
    assert empty == []
    check(norm, 0)


@pytest.mark.parametrize("bad", [inf, nan])
def test_a_norm_that_is_not_finite_makes_everything_nan(bad: float) -> None:
    clipped, _ = tf.clip_by_global_norm([constant([bad]), constant([4.0])], 1.0)
    check(clipped[0], [nan])
    check(clipped[1], [nan])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: tf.clip_by_value([1.0], [2.0, 3.0], [4.0, 5.0]),
            ValueError,
            r"expected clip_value_min and clip_value_max to broadcast to the shape of t; got t "
            r"\(shape \[1\], float32\), which would become \(shape \[2\], float32\)",
        ),
        (
            lambda: tf.clip_by_value(constant(MATRIX), np.zeros([2, 2]), 4.0),
            errors.InvalidArgumentError,
            "ClipByValue got incompatible inputs",
        ),
        (
            lambda: tf.clip_by_value(constant(MATRIX), constant(2), 4.0),
            errors.InvalidArgumentError,
            "cannot compute ClipByValue as input #1",
        ),
        (
            lambda: tf.clip_by_value(constant([True]), False, True),
            errors.InvalidArgumentError,
            "ClipByValue expected a real number tensor",
        ),
        (
            lambda: tf.clip_by_norm(constant([3, 4]), 1),
            errors.InvalidArgumentError,
            "ClipByNorm expected a floating-point tensor",
        ),
        (
            lambda: tf.clip_by_norm([3.0], [[1.0], [2.0]]),
            ValueError,
            "expected clip_norm to broadcast",
        ),
        (
            lambda: tf.clip_by_norm([3.0], 1.0, axes=1),
            errors.InvalidArgumentError,
            "expected axis in",
        ),
        (
            lambda: tf.global_norm([constant([3]), constant([4])]),
            errors.InvalidArgumentError,
            "GlobalNorm expected a floating-point tensor",
        ),
        (
            lambda: tf.global_norm([constant(1.0), constant(1.0, "float64")]),
            errors.InvalidArgumentError,
            "cannot compute GlobalNorm as input #1",
        ),
        (
            lambda: tf.global_norm(constant([3.0])),
            TypeError,
            "tf.linalg.global_norm expected a list of tensors; got t_list of type Tensor",
        ),
        (lambda: tf.clip_by_global_norm(constant([3.0]), 1.0), TypeError, "tf.clip_by_global_norm"),
    ],
)
def test_wrong_arguments(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
