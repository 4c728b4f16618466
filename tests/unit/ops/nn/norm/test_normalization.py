"""Moments and normalisation: values, dtypes, axes, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.values.convert import constant
from tapeflow.ops.nn.norm import normalization as nn

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]], np.float32)
MEAN = np.array([1.0, 2.0, 3.0], np.float32)
SPREAD = np.array([1.0, 1.0, 2.0], np.float32)
IMAGE = np.arange(16, dtype=np.float32).reshape(1, 2, 2, 4)
ONE, ZERO = np.ones(4, np.float32), np.zeros(4, np.float32)


def close(result: Any, expected: Any, rtol: float = 1e-5) -> None:
    assert tuple(result.shape) == np.shape(expected)
    np.testing.assert_allclose(np.asarray(result.numpy(), "f8"), expected, rtol=rtol, atol=1e-6)


@pytest.mark.parametrize("axes", [[0], 0, 1, [0, 1], (-1,), None, [], np.array([1])], ids=repr)
@pytest.mark.parametrize("keepdims", [False, True])
def test_moments(axes: Any, keepdims: bool) -> None:
    mean, spread = nn.moments(X, axes, keepdims=keepdims)
    over = tuple(np.atleast_1d(axes).astype(int)) if axes is not None else None
    close(mean, X.mean(over, keepdims=keepdims))
    close(spread, X.var(over, keepdims=keepdims))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_moments_keep_dtype(dtype: str) -> None:
    found = nn.moments(constant(X, dtype), [0])
    assert [m.dtype.name for m in found] == [dtype, dtype]
    close(found[1], [2.25, 2.25, 9])


def test_moments_of_half_precision_are_exact() -> None:
    x = np.full(20000, 3.0, np.float16)
    mean, spread = nn.moments(x, [0])
    assert (mean.numpy(), spread.numpy()) == (3, 0)


def test_variance_of_numbers_far_from_zero() -> None:
    x = np.float32(1e4) + np.array([0.0, 1.0, 2.0], np.float32)
    close(nn.moments(x, [0])[1], 2 / 3, rtol=1e-4)


def test_weighted_moments() -> None:
    for weights in ([[1.0], [3.0]], np.array([[1], [3]])):
        mean, spread = nn.weighted_moments(X, [0], weights)
        close(mean, [3.25, 4.25, 7.5])
        close(spread, [1.6875, 1.6875, 6.75])
    close(nn.weighted_moments(X, [0, 1], [[1.0], [3.0]])[0], 5)
    close(nn.weighted_moments(X, 1, np.ones((2, 3)), keepdims=True)[0], [[2], [6]])
    close(nn.weighted_moments(X, [0], [[0.0], [0.0]])[1], [0, 0, 0])
    assert nn.weighted_moments(constant(X, "float16"), [0], 2.0)[0].dtype.name == "float16"


def test_sufficient_statistics() -> None:
    count, total, squares, shift = nn.sufficient_statistics(X, [0])
    close(count, 2)
    close(total, [5, 7, 12])
    close(squares, [17, 29, 90])
    assert shift is None
    mean, spread = nn.normalize_moments(count, total, squares, shift)
    close(mean, [2.5, 3.5, 6])
    close(spread, [2.25, 2.25, 9])


def test_sufficient_statistics_with_a_shift() -> None:
    count, total, squares, shift = nn.sufficient_statistics(X, [0], shift=1.0, keepdims=True)
    close(total, [[3, 5, 10]])
    close(squares, [[9, 17, 68]])
    assert shift is not None
    close(nn.normalize_moments(count, total, squares, shift)[0], [[2.5, 3.5, 6]])


def test_batch_normalization() -> None:
    result = nn.batch_normalization(X, MEAN, SPREAD, [0.0, 0.0, 1.0], [1.0, 2.0, 1.0], 1e-3)
    close(result, [[0, 0, 1], [2.998501, 5.997002, 5.241581]])
    plain = nn.batch_normalization(X, MEAN, SPREAD, None, None, 1e-3)
    close(plain, [[0, 0, 0], [2.998501, 2.998501, 4.241581]])
    close(nn.batch_normalization(X, MEAN, SPREAD, None, 2.0, 1e-3), 2 * plain.numpy())
    close(nn.batch_normalization(X, MEAN, SPREAD, 2.0, None, 1e-3), 2 + plain.numpy())


def test_batch_normalization_of_half_precision_takes_float32_moments() -> None:
    result = nn.batch_normalization(constant(X, "float16"), MEAN, SPREAD, None, None, 1e-3)
    assert result.dtype.name == "float16"
    close(result, [[0, 0, 0], [2.998501, 2.998501, 4.241581]], rtol=2e-3)


def test_batch_norm_with_global_normalization() -> None:
    scaled = nn.batch_norm_with_global_normalization(X, MEAN, SPREAD, 1.0, 2.0, 1e-3, True)
    plain = nn.batch_norm_with_global_normalization(X, MEAN, SPREAD, 1.0, 2.0, 1e-3, False)
    close(scaled - 1.0, 2 * (plain.numpy() - 1))


def test_fused_batch_norm() -> None:
    y, mean, spread = nn.fused_batch_norm(IMAGE, ONE, ZERO)
    close(y[0, 0, 0], [-1.341607] * 4)
    close(mean, [6, 7, 8, 9])
    close(spread, [26.666668] * 4)
    first = nn.fused_batch_norm(np.moveaxis(IMAGE, 3, 1), ONE, ZERO, data_format="NCHW")
    close(first[0], np.moveaxis(y.numpy(), 3, 1))


def test_fused_batch_norm_with_moments_given() -> None:
    y, mean, spread = nn.fused_batch_norm(IMAGE, ONE, ZERO, ONE, ONE, is_training=False)
    close(y, (IMAGE - 1) * 0.9995003746)
    close(mean, ONE)
    close(spread, ONE)
    found = nn.fused_batch_norm(IMAGE, ONE, ZERO, ONE, ONE, exponential_avg_factor=0.1)
    close(found[1], [1.5, 1.6, 1.7, 1.8])
    close(found[2], [3.566667] * 4)


def test_fused_batch_norm_of_half_precision() -> None:
    y, mean, _ = nn.fused_batch_norm(constant(IMAGE, "float16"), ONE, ZERO)
    assert (y.dtype.name, mean.dtype.name) == ("float16", "float32")


def test_local_response_normalization() -> None:
    assert nn.lrn is nn.local_response_normalization
    close(nn.lrn(IMAGE, depth_radius=1)[0, 0, 0], [0, 0.408248, 0.516398, 0.801784])
    close(nn.lrn(IMAGE)[0, 1, 1], [0.442627, 0.479512, 0.516398, 0.553283])
    close(nn.lrn(IMAGE, 2, 1.5, 0.3, 0.75)[0, 0, 1], [0.362125, 0.318549, 0.382258, 0.491738])
    assert nn.lrn(constant(IMAGE, "float16")).dtype.name == "float16"


INTEGERS = np.ones((2, 3), np.int32)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.moments(X, [2]), errors.InvalidArgumentError, r"expected axis in \[-2, 2\)"),
        (lambda: nn.moments(X, [0, 0]), errors.InvalidArgumentError, "expected every axis once"),
        (lambda: nn.moments(X, "a"), TypeError, "expected integers for axes"),
        (lambda: nn.moments(INTEGERS, [0]), errors.InvalidArgumentError, "expected a floating-point"),
        (
            lambda: nn.weighted_moments(INTEGERS, [0], 1.0),
            errors.InvalidArgumentError,
            "WeightedMoments expected a floating-point",
        ),
        (
            lambda: nn.weighted_moments(X, [0], np.ones((4, 4), np.float32)),
            errors.InvalidArgumentError,
            "WeightedMoments got incompatible inputs",
        ),
        (
            lambda: nn.sufficient_statistics(INTEGERS, [0]),
            errors.InvalidArgumentError,
            "SufficientStatistics expected a floating-point",
        ),
        (
            lambda: nn.batch_normalization(X, MEAN[:2], SPREAD[:2], None, None, 1e-3),
            errors.InvalidArgumentError,
            "BatchNormalization got incompatible inputs",
        ),
        (
            lambda: nn.batch_normalization(X, constant(MEAN), constant(SPREAD, "float64"), None, None, 1e-3),
            errors.InvalidArgumentError,
            "cannot compute BatchNormalization as input #1",
        ),
        (
            lambda: nn.batch_normalization(INTEGERS, MEAN, SPREAD, None, None, 1e-3),
            errors.InvalidArgumentError,
            "expected floating-point tensors; got x",
        ),
        (
            lambda: nn.fused_batch_norm(X, MEAN, SPREAD),
            errors.InvalidArgumentError,
            "input must be 4 or 5-dimensional; got x",
        ),
        (
            lambda: nn.fused_batch_norm(IMAGE, ONE, ZERO, data_format="CHWN"),
            errors.InvalidArgumentError,
            "got x .* and data_format='CHWN'",
        ),
        (
            lambda: nn.fused_batch_norm(IMAGE, ONE, ZERO, is_training=False),
            ValueError,
            "expected both mean and variance when is_training is False",
        ),
        (
            lambda: nn.fused_batch_norm(IMAGE, ONE[:3], ZERO[:3]),
            errors.InvalidArgumentError,
            "the same number of elements as the channels of x, 4; got",
        ),
        (lambda: nn.lrn(IMAGE[0]), errors.InvalidArgumentError, "in must be 4-dimensional"),
        (lambda: nn.lrn(IMAGE, -1), errors.InvalidArgumentError, "depth_radius of at least 0"),
        (lambda: nn.lrn([[[[1]]]]), errors.InvalidArgumentError, "LRN expected a floating-point"),
    ],
)
def test_wrong_arguments_raise(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
