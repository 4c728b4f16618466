"""Regularizers: the contract of the family, look-up and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import regularizers

X = np.random.default_rng(0).normal(size=(4, 3)).astype("float32")
ALL = [
    regularizers.L1(0.1),
    regularizers.L2(0.2),
    regularizers.L1L2(0.1, 0.2),
    regularizers.OrthogonalRegularizer(0.3, mode="columns"),
]


@pytest.mark.parametrize("regularizer", ALL, ids=lambda regularizer: type(regularizer).__name__)
class TestContract:
    def test_staged_equals_eager_and_has_a_gradient(self, regularizer: Any) -> None:
        w = tf.Variable(X)
        penalty = regularizer(w)
        np.testing.assert_allclose(tf.function(regularizer)(w).numpy(), penalty.numpy(), rtol=1e-6)
        with tf.GradientTape() as tape:
            penalty = regularizer(w)
        assert (tape.gradient(penalty, w).numpy() != 0).any()

    def test_config_round_trip(self, regularizer: Any) -> None:
        again = regularizers.get(regularizers.serialize(regularizer))
        assert type(again) is type(regularizer)
        assert again.get_config() == regularizer.get_config()

    @pytest.mark.parametrize("dtype", ["float16", "float64"])
    def test_dtype_is_kept(self, regularizer: Any, dtype: str) -> None:
        penalty = regularizer(tf.constant(X, dtype))
        assert penalty.dtype == tf.as_dtype(dtype)
        assert penalty.shape == ()


def test_names_and_defaults() -> None:
    assert regularizers.get("l1").get_config() == {"l1": 0.01}
    assert regularizers.get("L2").get_config() == {"l2": 0.01}
    assert regularizers.get("l1_l2").get_config() == {"l1": 0.01, "l2": 0.01}
    assert regularizers.get("L1L2").get_config() == {"l1": 0.0, "l2": 0.0}
    assert regularizers.l2(l=0.5).l2 == 0.5
    assert regularizers.L1(None).l1 == 0.01
    assert regularizers.get(regularizers.L2).l2 == 0.01
    assert regularizers.get(None) is None
    assert regularizers.get("orthogonal_regularizer").mode == "rows"


def test_no_penalty_is_zero() -> None:
    assert float(regularizers.L1L2()(tf.constant(X))) == 0.0


def test_callables_and_own_classes() -> None:
    def mine(x: Any) -> Any:
        return tf.reduce_sum(x)

    class Mine(regularizers.Regularizer):
        pass

    assert regularizers.get(mine) is mine
    assert Mine()(tf.constant(X)) == 0.0
    with pytest.raises(NotImplementedError, match="does not implement get_config"):
        Mine().get_config()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: regularizers.L2("a"),
            ValueError,
            "Value a is not a valid regularization penalty number, expected",
        ),
        (lambda: regularizers.L1(float("nan")), ValueError, "an infinite number or NaN are not valid values"),
        (lambda: regularizers.L1(factor=1), TypeError, r"Argument\(s\) not recognized: .'factor': 1."),
        (
            lambda: regularizers.OrthogonalRegularizer(mode="x"),
            ValueError,
            "Invalid value for argument `mode`",
        ),
        (
            lambda: regularizers.OrthogonalRegularizer()(tf.ones((2,))),
            ValueError,
            "Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape ==",
        ),
        (lambda: regularizers.get("l3"), ValueError, "Unknown regularizer: 'l3'. Please ensure"),
        (lambda: regularizers.get(3), ValueError, "Could not interpret regularizer identifier: 3"),
    ],
)
def test_invalid_factors_and_unknown_identifiers_raise(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
