"""Optimizers written before Keras 2.11."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.optimizers import SGD, legacy


class Momentum(legacy.Optimizer):
    """Momentum, in the old way."""

    def __init__(
        self, learning_rate: float = 0.1, rho: float = 0.9, name: str = "Momentum", **kwargs: Any
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("rho", rho)

    def _create_slots(self, var_list: list[tf.Variable]) -> None:
        for variable in var_list:
            self.add_slot(variable, "m")

    def _resource_apply_dense(self, grad: Any, var: tf.Variable, apply_state: Any = None) -> Any:
        rate = self._decayed_lr(var.dtype.base_dtype)
        m = self.get_slot(var, "m")
        m.assign(self._get_hyper("rho", var.dtype) * m - rate * grad)
        return var.assign_add(m)


def test_slots_and_hyperparameters() -> None:
    old, new = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
    first, second = Momentum(0.1, 0.5), SGD(0.1, momentum=0.5)
    for _ in range(3):
        gradient = tf.constant([1.0, -1.0])
        first.apply_gradients([(gradient, old)])
        second.apply_gradients([(gradient, new)])
    np.testing.assert_allclose(old.numpy(), new.numpy(), rtol=1e-6)
    assert first.get_slot_names() == ["m"]
    assert first.add_slot(old, "m") is first.get_slot(old, "m")
    assert int(first.iterations) == 3


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "Adadelta", "Adamax", "Nadam", "Ftrl"])
def test_decay_is_a_variable_that_says_what_was_given(name: str) -> None:
    """As before Keras 2.11, where assigning to it leaves the rate alone."""
    backend = tf.keras.backend
    make = getattr(legacy, name)
    assert float(make().decay) == 0.0
    values = []
    for is_assigned in (False, True):
        optimizer, variable = make(0.1, decay=0.5), tf.Variable([1.0])
        if is_assigned:
            optimizer.decay = 0.25
            assert backend.get_value(optimizer.decay) == 0.25
            backend.set_value(optimizer.decay, 0.125)
            assert optimizer.decay.numpy() == 0.125
        for _ in range(3):
            optimizer.apply_gradients([(tf.constant([1.0]), variable)])
        assert optimizer.get_config()["decay"] == 0.5
        assert all(v is not optimizer.decay for v in optimizer.variables)
        values.append(variable.numpy())
    np.testing.assert_array_equal(*values)


def test_a_class_may_have_a_decay_of_its_own() -> None:
    class Own(SGD):
        def __init__(self, decay: Any = None) -> None:
            self.decay = decay
            super().__init__(0.1)

    optimizer = Own()
    assert optimizer.decay is None
    optimizer.decay = "linear"
    assert optimizer.decay == "linear"


def test_without_an_update() -> None:
    optimizer = legacy.Optimizer("mine", learning_rate=0.1)
    with pytest.raises(
        NotImplementedError, match="or `_resource_apply_dense\\(self, grad, var\\)` as of old"
    ):
        optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda legacy: legacy.RMSprop(0.01), [1.0092124, 1.9961611, -1.0092124]),
        (lambda legacy: legacy.RMSprop(0.01, epsilon=1e-2), [1.0095991, 2.0063055, -1.0095991]),
        (
            lambda legacy: legacy.RMSprop(0.01, epsilon=1e-2, momentum=0.9),
            [0.98384202, 2.0349777, -0.98384202],
        ),
        (
            lambda legacy: legacy.RMSprop(0.01, centered=True, momentum=0.9),
            [0.97652477, 1.9173424, -0.97652477],
        ),
        (lambda legacy: legacy.Nadam(0.01), [1.0060315, 2.0009394, -1.0060315]),
    ],
    ids=["rmsprop", "epsilon", "momentum", "centered", "nadam"],
)
def test_those_that_computed_otherwise(make: Any, expected: list[float]) -> None:
    """Expected: Keras 2's legacy optimizers."""
    optimizer, variable = make(tf.keras.optimizers.legacy), tf.Variable([1.0, 2.0, -1.0])
    for step in range(1, 6):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sin(variable * step) * variable)
        optimizer.apply_gradients([(tape.gradient(loss, variable), variable)])
    np.testing.assert_allclose(variable, expected, rtol=2e-7)


def test_a_class_has_a_weight_decay_of_its_own() -> None:
    class Decaying(tf.keras.optimizers.legacy.SGD):
        def __init__(self, weight_decay: float, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self._set_hyper("weight_decay", weight_decay)

        def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
            var.assign_sub(self._get_hyper("weight_decay", var.dtype) * var)
            return super()._resource_apply_dense(grad, var, apply_state)

    x = tf.Variable(2.0)
    Decaying(0.5, learning_rate=0.1).minimize(lambda: 3.0 * x, [x])
    assert float(x) == pytest.approx(2.0 - 0.5 * 2.0 - 0.1 * 3.0)
