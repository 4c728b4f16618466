"""`tf.random.stateless_*`: the seed decides everything; shapes of parameters; what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.random import set_seed
from tapeflow.engine.values.convert import constant
from tapeflow.ops.random import stateless as tf

DRAWS: dict[str, Any] = {
    "normal": lambda seed: tf.stateless_normal([40], seed),
    "truncated_normal": lambda seed: tf.stateless_truncated_normal([40], seed),
    "parameterized": lambda seed: tf.stateless_parameterized_truncated_normal([40], seed, 1.0),
    "uniform": lambda seed: tf.stateless_uniform([40], seed),
    "uniform int": lambda seed: tf.stateless_uniform([40], seed, 0, 100, "int32"),
    "uniform full": lambda seed: tf.stateless_uniform([40], seed, None, None, "uint64"),
    "gamma": lambda seed: tf.stateless_gamma([20, 2], seed, [1.0, 2.0], beta=2.0),
    "poisson": lambda seed: tf.stateless_poisson([20, 2], seed, [4.0, 50.0]),
    "binomial": lambda seed: tf.stateless_binomial([40], seed, 100, 0.5),
    "categorical": lambda seed: tf.stateless_categorical(np.zeros((1, 9)), 40, seed),
    "shuffle": lambda seed: tf.stateless_shuffle(np.arange(40), seed),
    "split": lambda seed: tf.split(seed, 20),
    "fold_in": lambda seed: tf.fold_in(seed, 3),
}


@pytest.mark.parametrize("name", DRAWS)
def test_the_seed_decides(name: str) -> None:
    draw = DRAWS[name]
    set_seed(1)
    first = draw([1, 2]).numpy()
    set_seed(2)
    np.testing.assert_array_equal(draw([1, 2]).numpy(), first)
    np.testing.assert_array_equal(draw(constant([1, 2])).numpy(), first)
    for other in ([1, 3], [2, 2], [2, 1], [-1, -2]):
        assert (draw(other).numpy() != first).any()


@pytest.mark.parametrize("name", [n for n in DRAWS if n not in ("split", "fold_in")])
def test_wide_seeds(name: str) -> None:
    assert (DRAWS[name]([2**40, 1]).numpy() != DRAWS[name]([2**41, 1]).numpy()).any()


def test_stateless_draws_have_the_given_dtype() -> None:
    assert tf.stateless_uniform([2], [1, 2], None, None, "uint32").dtype.name == "uint32"
    assert tf.stateless_poisson([2], [1, 2], 3.0).dtype.name == "int32"
    assert tf.stateless_poisson([2], [1, 2], 3.0, "float32").dtype.name == "float32"
    assert tf.stateless_binomial([2], [1, 2], 3.0, 0.5).dtype.name == "int32"
    assert tf.stateless_binomial([2], [1, 2], 3.0, 0.5, "float64").dtype.name == "float64"
    assert tf.stateless_categorical([[0.0]], 2, [1, 2]).dtype.name == "int64"
    assert tf.split([1, 2], 3).dtype.name == "int32"
    assert tf.split(constant([1, 2], "int64")).shape == (2, 2)
    assert tf.fold_in(constant([1, 2], "int64"), 7).numpy()[1] == 7


def test_parameterized_truncated_normal_is_within_its_bounds() -> None:
    x = tf.stateless_parameterized_truncated_normal(
        [5000, 2], [1, 2], means=1.0, stddevs=[1.0, 2.0], minvals=0.0, maxvals=[1.5, 9.0]
    ).numpy()
    assert x.min() >= 0
    assert (x.max(0) <= [1.5, 9]).all()


@pytest.mark.parametrize("alg", ["philox", "threefry", "auto_select", 1, 2, 3, *tf.Algorithm], ids=repr)
def test_algorithms(alg: Any) -> None:
    assert tf.stateless_normal([2], [1, 2], alg=alg).shape == (2,)


def test_an_unknown_algorithm() -> None:
    with pytest.raises(ValueError, match="expected alg to be one of philox, threefry, auto_select"):
        tf.stateless_normal([2], [1, 2], alg="foo")


@pytest.mark.parametrize("seed", [1, [1, 2, 3], [1.0, 2.0]], ids=repr)
def test_seeds_of_another_kind(seed: Any) -> None:
    with pytest.raises((ValueError, errors.InvalidArgumentError), match=r"seed of shape \[2\]"):
        tf.stateless_normal([2], seed)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tf.stateless_uniform([2], [1, 2], dtype="int32"), ValueError, "both minval and maxval"),
        (lambda: tf.stateless_uniform([2], [1, 2], None, 5, "int32"), ValueError, "both minval and maxval"),
        (lambda: tf.stateless_uniform([2], [1, 2], None, None), ValueError, "both minval and maxval"),
        (lambda: tf.stateless_uniform([2], [1, 2], 0, 9, "uint32"), ValueError, "expected dtype to be one"),
        (
            lambda: tf.stateless_gamma([2], [1, 2], [1.0, 2.0, 3.0]),
            errors.InvalidArgumentError,
            "incompatible",
        ),
        (
            lambda: tf.stateless_gamma([], [1, 2], [1.0]),
            errors.InvalidArgumentError,
            "expected shape to end with",
        ),
        (
            lambda: tf.stateless_poisson([], [1, 2], [4.0]),
            errors.InvalidArgumentError,
            "expected shape to end",
        ),
        (
            lambda: tf.stateless_binomial([1], [1, 2], [1.0, 2.0], 0.5),
            errors.InvalidArgumentError,
            "to end with",
        ),
        (
            lambda: tf.stateless_binomial([1], [1, 2], constant(1.0), constant(0.5, "float64")),
            errors.InvalidArgumentError,
            "expected counts and probs of one dtype",
        ),
        (
            lambda: tf.stateless_binomial([1], [1, 2], 1.0, 0.5, "bool"),
            ValueError,
            "expected dtype to be one",
        ),
    ],
)
def test_wrong_arguments_raise(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
