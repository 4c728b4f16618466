"""What classes written before Keras 2.11 override and call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.optimizers import SGD, Adam, Optimizer, legacy
from tapeflow.keras.optimizers.schedules import ExponentialDecay


class Decaying(Adam):
    """Adam with weight decay, as BERT's code has it."""

    def __init__(self, learning_rate: Any = 0.1, rate: float = 0.5, **kwargs: Any) -> None:
        super().__init__(learning_rate, name="Decaying", **kwargs)
        self.rate = rate

    def _prepare_local(self, var_device: str, var_dtype: Any, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        apply_state[var_device, var_dtype]["rate"] = tf.constant(self.rate, var_dtype)

    def _resource_apply_dense(self, grad: Any, var: tf.Variable, apply_state: Any = None) -> Any:
        common = apply_state[var.device, var.dtype.base_dtype]
        with tf.control_dependencies([var.assign_sub(common["lr_t"] * common["rate"] * var)]):
            return super()._resource_apply_dense(grad, var, apply_state=apply_state)


class Lookahead(legacy.Optimizer):
    """An optimizer around another one."""

    def __init__(self, optimizer: Any, period: int = 2, name: str = "Lookahead", **kwargs: Any) -> None:
        super().__init__(name, **kwargs)
        self._optimizer = optimizer
        self._set_hyper("period", period)
        self._track_trackable(optimizer, "inner")

    def _create_slots(self, var_list: list[tf.Variable]) -> None:
        self._optimizer._create_slots(var_list=var_list)
        for var in var_list:
            self.add_slot(var, "slow", initializer=var)

    def _resource_apply_dense(self, grad: Any, var: tf.Variable) -> Any:
        self._optimizer._resource_apply_dense(grad, var)
        slow = self.get_slot(var, "slow")
        is_due = tf.equal(
            tf.cast(self.iterations + 1, tf.float32) % self._get_hyper("period", tf.float32), 0.0
        )
        slow.assign(tf.where(is_due, (slow + var) / 2.0, slow))
        return var.assign(tf.where(is_due, slow, var))


class Plain(Optimizer):
    """The old way on the base class, as before it moved to `legacy`."""

    def __init__(
        self, learning_rate: Any = 0.1, scale: Any = 1.0, name: str = "Plain", **kwargs: Any
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", learning_rate)
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("scale", scale)

    def _create_slots(self, var_list: list[tf.Variable]) -> None:
        for var in var_list:
            self.add_slot(var, "last")

    def _resource_apply_dense(self, grad: Any, var: tf.Variable, apply_state: Any = None) -> Any:
        self.get_slot(var, "last").assign(grad)
        return var.assign_sub(
            self._decayed_lr(var.dtype) * self._get_hyper("scale", var.dtype) * grad,
            use_locking=self._use_locking,
        )

    def get_config(self) -> dict[str, Any]:
        own = {name: self._serialize_hyperparameter(name) for name in ("learning_rate", "decay", "scale")}
        return {**super().get_config(), **own}


def _stepped(optimizer: Any, steps: int = 3) -> np.ndarray:
    variable = tf.Variable([1.0, 2.0])
    for _ in range(steps):
        optimizer.apply_gradients([(tf.constant([1.0, -1.0]), variable)])
    return variable.numpy()


def test_a_subclass_of_adam_does_something_around_each_variable() -> None:
    optimizer = Decaying()
    np.testing.assert_allclose(_stepped(optimizer), _stepped(Adam(0.1, weight_decay=0.5)), rtol=1e-6)
    (variable,) = optimizer._trainable_variables
    np.testing.assert_allclose(optimizer.get_slot(variable, "m"), [0.271, -0.271], rtol=1e-6)


def test_an_optimizer_holds_another() -> None:
    optimizer = Lookahead(SGD(0.1, momentum=0.9))
    x, slow, moment = np.array([1.0, 2.0]), np.array([1.0, 2.0]), np.zeros(2)
    for step in range(1, 5):
        moment = 0.9 * moment - 0.1 * np.array([1.0, -1.0])
        x = x + moment
        if step % 2 == 0:
            x = slow = (slow + x) / 2
    np.testing.assert_allclose(_stepped(optimizer, 4), x, rtol=1e-6)
    assert optimizer.get_config() == {"name": "Lookahead"}
    assert optimizer.inner is optimizer._optimizer


def test_the_base_class_takes_classes_of_old() -> None:
    optimizer = Plain(ExponentialDecay(0.1, 1, 0.5), scale=2.0, decay=1.0)
    rates = [0.2, 0.2 * 0.5 / 2, 0.2 * 0.25 / 3]
    np.testing.assert_allclose(_stepped(optimizer), [1 - sum(rates), 2 + sum(rates)], rtol=1e-6)
    assert callable(optimizer._get_hyper("learning_rate"))
    assert (optimizer._name, optimizer.get_slot_names(), len(optimizer._weights)) == ("Plain", ["last"], 2)


def test_hyperparameters_may_change_after_a_step_was_staged() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, use_bias=False, input_shape=(1,))])
    optimizer = Plain(0.1)
    model.compile(optimizer, "mse")
    x, found = tf.ones((1, 1)), []
    for scale in (1.0, 0.0):
        optimizer._set_hyper("scale", scale)
        model.train_on_batch(x, x)
        found.append(model.get_weights()[0])
    np.testing.assert_array_equal(*found)
    assert float(optimizer.scale) == 0.0
    assert Plain.from_config(optimizer.get_config()).get_config() == optimizer.get_config()
    with pytest.raises(AttributeError, match="'Plain' object has no attribute 'rho'"):
        _ = optimizer.rho
