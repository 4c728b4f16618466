"""Dropout: its rate, its scale, its shape of choice, its seed, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.differentiation.tape import GradientTape
from tapeflow.engine.random import set_seed
from tapeflow.engine.values.convert import constant
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.nn import dropout as nn

ONES = np.ones(100_000, np.float32)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9, np.float64(0.25)], ids=repr)
def test_share_and_scale(rate: Any) -> None:
    set_seed(1)
    result = nn.dropout(ONES, rate).numpy()
    assert result.dtype == np.float32
    kept = result != 0
    assert kept.mean() == pytest.approx(1 - rate, abs=0.01)
    np.testing.assert_allclose(result[kept], 1 / (1 - rate), rtol=1e-6)


def test_rate_zero_returns_the_tensor_itself() -> None:
    x = constant([1.0])
    assert nn.dropout(x, 0) is x
    assert nn.dropout(x, 0.0) is x


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_dtype_is_kept(dtype: str) -> None:
    assert nn.dropout(constant([1.0, 2.0], dtype), 0.5).dtype.name == dtype


def test_rate_as_a_tensor() -> None:
    for rate in (constant(0.5), Variable(0.5)):
        result = nn.dropout(ONES, rate).numpy()
        assert set(np.unique(result)) == {0, 2}


def test_every_call_chooses_anew_and_seeds_repeat() -> None:
    set_seed(7)
    first, second = nn.dropout(ONES, 0.5).numpy(), nn.dropout(ONES, 0.5).numpy()
    assert (first != second).any()
    set_seed(7)
    np.testing.assert_array_equal(nn.dropout(ONES, 0.5).numpy(), first)
    set_seed(7)
    own = nn.dropout(ONES, 0.5, seed=3).numpy()
    assert (own != first).any()
    set_seed(7)
    np.testing.assert_array_equal(nn.dropout(ONES, 0.5, seed=3).numpy(), own)


@pytest.mark.parametrize("shape", [[30, 1], [None, 1], (30, constant(1)), constant([30, 1])], ids=repr)
def test_noise_shape(shape: Any) -> None:
    result = nn.dropout(np.ones((30, 40), np.float32), 0.5, noise_shape=shape).numpy()
    assert (result == result[:, :1]).all()
    assert 0 < result[:, 0].sum() < 60


def test_a_shorter_noise_shape_broadcasts() -> None:
    result = nn.dropout(np.ones((30, 40), np.float32), 0.5, noise_shape=[40]).numpy()
    assert (result == result[:1]).all()


def test_gradient_is_the_same_choice() -> None:
    x = constant(ONES[:100])
    with GradientTape() as tape:
        tape.watch(x)
        y = nn.dropout(x, 0.5)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), y.numpy())


def test_what_is_not_finite_is_dropped_too() -> None:
    result = nn.dropout(np.full(1000, np.nan, np.float32), 0.5).numpy()
    assert (result == 0).any()
    assert np.isnan(result).any()


def test_stateless_dropout_repeats() -> None:
    first = nn.stateless_dropout(ONES, 0.5, seed=[1, 2]).numpy()
    np.testing.assert_array_equal(nn.stateless_dropout(ONES, 0.5, seed=constant([1, 2])).numpy(), first)
    assert (nn.stateless_dropout(ONES, 0.5, seed=[1, 3]).numpy() != first).any()


@pytest.mark.parametrize("rate", [1.0, 1.5, -0.1, 1, True, np.nan], ids=repr)
def test_rate_out_of_range(rate: Any) -> None:
    with pytest.raises(ValueError, match=r"or a float in the range \[0, 1\); got rate="):
        nn.dropout(ONES, rate)


@pytest.mark.parametrize("rate", ["a", None, [0.5], np.array([0.5])], ids=repr)
def test_rate_that_is_no_scalar(rate: Any) -> None:
    with pytest.raises(ValueError, match="expected rate to be a scalar or scalar tensor; got rate="):
        nn.dropout(ONES, rate)


@pytest.mark.parametrize("rate", [constant(0), constant(0.5, "float64"), constant([0.5])], ids=repr)
def test_rate_tensor_of_another_kind(rate: Any) -> None:
    with pytest.raises(ValueError, match="expected rate to be a scalar of the dtype of x, float32"):
        nn.dropout(ONES, rate)


@pytest.mark.parametrize("x", [[1, 2], [1j]], ids=repr)
def test_floats_are_expected(x: Any) -> None:
    with pytest.raises(ValueError, match="expected a floating-point tensor, as it will be scaled"):
        nn.dropout(x, 0.5)


@pytest.mark.parametrize("shape", [[3, 2], [2, 3, 4], [4, 1]], ids=repr)
def test_noise_shape_must_fit(shape: list[int]) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="expected noise_shape to be broadcastable"):
        nn.dropout(np.ones((3, 4), np.float32), 0.5, noise_shape=shape)
