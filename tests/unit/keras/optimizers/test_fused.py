"""How a fused step is prepared and prepared anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.optimizers import SGD, Adam, RMSprop
from tapeflow.keras.optimizers.fused import FusedOptimizer


def step(optimizer: Any, x: tf.Variable, gradient: float = 1.0) -> float:
    optimizer.apply_gradients([(tf.constant(gradient), x)])
    return float(x)


def test_a_layout_is_kept_until_a_hyperparameter_changes() -> None:
    x = tf.Variable(1.0)
    optimizer = Adam(0.1)
    step(optimizer, x)
    kept = dict(optimizer._layouts)
    optimizer.lr = 0.2
    step(optimizer, x)
    assert optimizer._layouts == kept
    optimizer.beta_1 = 0.5
    assert not optimizer._layouts
    step(optimizer, x)
    assert optimizer._layouts != kept


@pytest.mark.parametrize("kind", [np.float64, np.float32, tf.constant, tf.Variable])
def test_hyperparameters_that_are_no_python_numbers(kind: Any) -> None:
    x, y = tf.Variable(1.0), tf.Variable(1.0)
    first = RMSprop(0.1, rho=kind(0.5), epsilon=kind(0.25), clipvalue=kind(0.5), weight_decay=kind(0.25))
    second = RMSprop(0.1, rho=0.5, epsilon=0.25, clipvalue=0.5, weight_decay=0.25)
    assert step(first, x) == step(second, y)
    assert x.dtype is tf.float32
    assert first.variables[1].dtype is tf.float32


def test_variables_in_another_order_or_number_have_their_own_layout() -> None:
    x, y = tf.Variable(1.0), tf.Variable(1.0)
    optimizer = SGD(0.5, momentum=0.5)
    one, two = tf.constant(1.0), tf.constant(2.0)
    optimizer.apply_gradients([(one, x), (two, y)])
    optimizer.apply_gradients([(two, y), (one, x)])
    optimizer.apply_gradients([(one, x)])
    assert float(x) == 1 - 0.5 - 0.75 - 0.875
    assert float(y) == 1 - 1 - 1.5
    assert len(optimizer._layouts) == 3


def test_a_subclass_must_say_what_it_remembers() -> None:
    class Nothing(FusedOptimizer):
        _rule = "sgd"

    with pytest.raises(NotImplementedError):
        step(Nothing(learning_rate=0.1), tf.Variable(1.0))


def test_a_subclass_may_do_something_around_each_variable() -> None:
    seen = []

    class Watching(Adam):
        def update_step(self, gradient: Any, variable: tf.Variable, *rate: Any) -> None:
            seen.append(variable.name)
            super().update_step(gradient * 2.0, variable, *rate)

    x, y = tf.Variable(1.0, name="x"), tf.Variable(1.0)
    assert step(Watching(0.1, epsilon=1.0), x) == pytest.approx(step(Adam(0.1, epsilon=1.0), y, 2.0))
    assert seen == ["x:0"]
