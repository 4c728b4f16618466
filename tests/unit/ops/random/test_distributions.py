"""`tf.random` from the global state: shapes, dtypes, parameters, seeds, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.random import set_seed
from tapeflow.engine.values.convert import constant
from tapeflow.engine.values.shape import TensorShape
from tapeflow.ops.random import distributions as random

SHAPED = {
    "normal": random.normal,
    "truncated_normal": random.truncated_normal,
    "uniform": random.uniform,
    "gamma": lambda shape, **kw: random.gamma(shape, 2.0, **kw),
    "poisson": lambda shape, **kw: random.poisson(shape, 4.0, **kw),
}


@pytest.mark.parametrize("name", SHAPED)
@pytest.mark.parametrize(
    "shape",
    [[2, 3], (2, 3), TensorShape([2, 3]), np.array([2, 3]), constant([2, 3]), (constant(2), 3)],
    ids=["list", "tuple", "TensorShape", "numpy", "tensor", "mixed"],
)
def test_draws_have_the_given_shape(name: str, shape: Any) -> None:
    result = SHAPED[name](shape)
    assert result.shape == (2, 3)
    assert result.dtype.name == "float32"


@pytest.mark.parametrize("name", SHAPED)
def test_scalars_and_nothing(name: str) -> None:
    assert SHAPED[name]([]).shape == ()
    assert SHAPED[name]([0, 2]).numpy().shape == (0, 2)


@pytest.mark.parametrize("name", SHAPED)
@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_draws_have_the_given_dtype(name: str, dtype: str) -> None:
    assert SHAPED[name]([2], dtype=dtype).dtype.name == dtype


@pytest.mark.parametrize("name", SHAPED)
def test_seeds(name: str) -> None:
    draw = SHAPED[name]
    set_seed(5)
    first, second, own = draw([50]).numpy(), draw([50]).numpy(), draw([50], seed=1).numpy()
    assert (first != second).any()
    assert (first != own).any()
    set_seed(5)
    np.testing.assert_array_equal(draw([50]).numpy(), first)
    np.testing.assert_array_equal(draw([50], seed=1).numpy(), own)
    assert (draw([50], seed=1).numpy() != own).any()
    set_seed(6)
    assert (draw([50]).numpy() != first).any()


def test_normal_parameters_broadcast() -> None:
    x = random.normal([1000, 3], mean=[0.0, 100.0, 1000.0], stddev=[1.0, 2.0, 3.0]).numpy()
    assert x.mean(0) == pytest.approx([0, 100, 1000], abs=0.5)
    assert x.std(0) == pytest.approx([1, 2, 3], rel=0.15)
    assert random.normal([3], mean=np.zeros((2, 1))).shape == (2, 3)
    assert random.normal([2], mean=1, stddev=2).dtype.name == "float32"


def test_truncated_normal_is_within_two_deviations() -> None:
    x = random.truncated_normal([10_000], mean=5.0, stddev=2.0).numpy()
    assert 3.9 < np.abs(x - 5).max() <= 4


def test_uniform_bounds() -> None:
    assert random.uniform([1000], 5.0, 7.0).numpy().min() >= 5
    assert random.uniform([1000], 5.0, 7.0).numpy().max() < 7
    assert random.uniform([1000, 2], 0.0, [1.0, 100.0]).numpy().max(0) == pytest.approx([1, 100], rel=0.1)
    assert 2 < random.uniform([], minval=5.0, maxval=2.0).numpy() <= 5


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_uniform_integers(dtype: str) -> None:
    x = random.uniform([1000], 0, 10, dtype)
    assert x.dtype.name == dtype
    assert sorted(set(x.numpy().tolist())) == list(range(10))
    assert random.uniform([0], 3, 3, dtype).shape == (0,)


def test_gamma_and_poisson_draw_for_each_parameter() -> None:
    assert random.gamma([2], [1.0, 2.0]).shape == (2, 2)
    assert random.gamma([2], [1.0, 2.0], beta=[[1.0], [2.0], [3.0]]).shape == (2, 3, 2)
    x = random.gamma([5000], [1.0, 4.0], beta=2.0).numpy()
    assert x.mean(0) == pytest.approx([0.5, 2], rel=0.1)
    assert random.poisson([3], [4.0, 100.0]).shape == (3, 2)
    assert random.poisson([3], 4).dtype.name == "float32"
    assert random.poisson([3], 4.0, dtype="int64").dtype.name == "int64"


def test_categorical() -> None:
    x = random.categorical([[0.0, 0.0], [0.0, 100.0]], 50)
    assert (x.dtype.name, tuple(x.shape)) == ("int64", (2, 50))
    assert set(x.numpy()[0]) == {0, 1}
    assert set(x.numpy()[1]) == {1}
    assert random.categorical([[0.0]], constant(3), dtype="int32").dtype.name == "int32"
    assert random.categorical([[0.0]], 0).shape == (1, 0)


def test_shuffle() -> None:
    x = np.arange(100).reshape(50, 2)
    set_seed(1)
    moved = random.shuffle(x).numpy()
    assert (moved != x).any()
    np.testing.assert_array_equal(np.sort(moved, 0), x)
    assert random.shuffle([1, 2, 3]).dtype.name == "int32"
    assert random.shuffle(1).numpy() == 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: random.normal(3), errors.InvalidArgumentError, "expected a vector of integers for shape"),
        (lambda: random.normal([-1]), errors.InvalidArgumentError, "expected dimensions of at least 0"),
        (lambda: random.normal([2.0]), errors.InvalidArgumentError, "expected integers for shape"),
        (lambda: random.normal(None), ValueError, "expected integers for shape"),
        (lambda: random.normal([None, 2]), ValueError, "expected integers for shape"),
        (lambda: random.normal([2], dtype="int32"), TypeError, "to be one of float16, bfloat16"),
        (lambda: random.normal([3], mean=[0.0, 0.0]), errors.InvalidArgumentError, "incompatible shapes"),
        (lambda: random.normal([3], mean=constant(0.0, "float64")), ValueError, "float64"),
        (lambda: random.truncated_normal([3], dtype="bool"), TypeError, "to be one of float16"),
        (lambda: random.uniform([5], dtype="int32"), ValueError, "must specify maxval for integers"),
        (
            lambda: random.uniform([5], 3, 3, "int32"),
            errors.InvalidArgumentError,
            "minval < maxval; got 3 >= 3",
        ),
        (
            lambda: random.uniform([5], 3, 1, "int64"),
            errors.InvalidArgumentError,
            "minval < maxval; got 3 >= 1",
        ),
        (
            lambda: random.uniform([2], 0, [1, 9], "int32"),
            errors.InvalidArgumentError,
            "maxval to be a scalar",
        ),
        (lambda: random.uniform([2], 0, 9, "uint8"), ValueError, "to be one of float16, bfloat16"),
        (lambda: random.uniform([2], 0, 10.5, "int32"), TypeError, "int32"),
        (lambda: random.gamma([2], 1.0, dtype="int32"), TypeError, "to be one of float16"),
        (lambda: random.gamma([2], constant(2.0, "float64")), ValueError, "float64"),
        (lambda: random.poisson([2], 1.0, "bool"), errors.InvalidArgumentError, "expected dtype to be one"),
        (lambda: random.categorical([0.0], 5), errors.InvalidArgumentError, "expected logits to be a matrix"),
        (lambda: random.categorical(np.zeros((1, 0)), 5), errors.InvalidArgumentError, "at least one class"),
        (lambda: random.categorical([[0.0]], -1), errors.InvalidArgumentError, "num_samples of at least 0"),
        (lambda: random.categorical([[0.0]], 1, "float32"), ValueError, "to be one of int32, int64"),
    ],
)
def test_wrong_arguments_raise(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_a_call_that_raises_draws_nothing() -> None:
    set_seed(3)
    expected = random.normal([4]).numpy()
    set_seed(3)
    with pytest.raises(errors.InvalidArgumentError):
        random.normal([-1])
    np.testing.assert_array_equal(random.normal([4]).numpy(), expected)
