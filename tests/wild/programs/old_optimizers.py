"""Optimizers as repositories wrote them before Keras 2.11: one around another, and BERT's Adam with weight decay."""

import re

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Lookahead(tf.keras.optimizers.legacy.Optimizer):
    def __init__(self, optimizer, sync_period=3, slow_step_size=0.5, name="Lookahead", **kwargs):
        super().__init__(name, **kwargs)
        self._optimizer = optimizer
        self._set_hyper("sync_period", sync_period)
        self._set_hyper("slow_step_size", slow_step_size)
        self._track_trackable(self._optimizer, "base_optimizer")

    def _create_slots(self, var_list):
        self._optimizer._create_slots(var_list=var_list)
        for var in var_list:
            self.add_slot(var, "slow", initializer=var)

    def _create_hypers(self):
        self._optimizer._create_hypers()
        super()._create_hypers()

    def _prepare(self, var_list):
        return self._optimizer._prepare(var_list=var_list)

    def apply_gradients(self, grads_and_vars, name=None, **kwargs):
        self._optimizer._iterations = self.iterations
        return super().apply_gradients(grads_and_vars, name, **kwargs)

    def _look_ahead(self, var):
        slow = self.get_slot(var, "slow")
        step = tf.cast(self.iterations + 1, tf.int64)
        period = self._get_hyper("sync_period", tf.int64)
        back = slow + self._get_hyper("slow_step_size", var.dtype.base_dtype) * (var - slow)
        is_due = tf.equal(tf.math.floordiv(step, period) * period, step)
        with tf.control_dependencies([back]):
            slow_update = slow.assign(tf.where(is_due, back, slow), use_locking=self._use_locking)
            var_update = var.assign(tf.where(is_due, back, var), use_locking=self._use_locking)
        return tf.group(slow_update, var_update)

    def _resource_apply_dense(self, grad, var):
        moved = self._optimizer._resource_apply_dense(grad, var)
        with tf.control_dependencies([moved] if moved is not None else []):
            return self._look_ahead(var)

    def get_config(self):
        hypers = {name: self._serialize_hyperparameter(name) for name in ("sync_period", "slow_step_size")}
        return {**super().get_config(), **hypers}


class AdamWeightDecay(tf.keras.optimizers.legacy.Adam):
    def __init__(
        self, learning_rate=0.001, weight_decay_rate=0.0, exclude=(), name="AdamWeightDecay", **kwargs
    ):
        super().__init__(learning_rate, name=name, **kwargs)
        self.weight_decay_rate = weight_decay_rate
        self._exclude = exclude

    def _prepare_local(self, var_device, var_dtype, apply_state):
        super()._prepare_local(var_device, var_dtype, apply_state)
        apply_state[(var_device, var_dtype)]["decay_rate"] = tf.constant(self.weight_decay_rate)

    def apply_gradients(self, grads_and_vars, name=None, **kwargs):
        grads, variables = list(zip(*grads_and_vars))
        grads, _ = tf.clip_by_global_norm(grads, clip_norm=1.0)
        return super().apply_gradients(zip(grads, variables), name=name, **kwargs)

    def _resource_apply_dense(self, grad, var, apply_state=None):
        common = apply_state[(var.device, var.dtype.base_dtype)]
        decayed = tf.no_op()
        if not any(re.search(pattern, var.name) for pattern in self._exclude):
            decayed = var.assign_sub(
                common["lr_t"] * var * common["decay_rate"], use_locking=self._use_locking
            )
        with tf.control_dependencies([decayed]):
            return super()._resource_apply_dense(grad, var, apply_state=apply_state)


def build():
    model = keras.Sequential(
        [keras.layers.Dense(5, activation="tanh", input_shape=(3,)), keras.layers.Dense(2)]
    )
    for i, weight in enumerate(model.weights):
        weight.assign(np.sin(np.arange(weight.shape.num_elements()) + i).reshape(weight.shape) * 0.3)
    return model


random = np.random.RandomState(0)
x, y = random.rand(32, 3).astype("float32"), random.rand(32, 2).astype("float32")
optimizers = [
    Lookahead(tf.keras.optimizers.legacy.SGD(0.1, momentum=0.9)),
    AdamWeightDecay(keras.optimizers.schedules.PolynomialDecay(0.05, 20), 0.1, exclude=["bias"]),
]
expected = [[0.3207408, 0.0885140, 0.1269476], [0.2594643, 0.1074920, 0.0992576]]
for optimizer, losses in zip(optimizers, expected):
    model = build()
    model.compile(optimizer, "mse")
    history = model.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0)
    print(optimizer.get_config()["name"], history.history["loss"])
    np.testing.assert_allclose(history.history["loss"], losses, rtol=1e-4)
    assert int(optimizer.iterations) == 12
print("done")
