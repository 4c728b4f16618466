"""The steps of one batch, which a model's class may override."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers
rng = np.random.default_rng(0)
X = rng.normal(size=(24, 4)).astype("float32")
Y = rng.normal(size=(24, 2)).astype("float32")


def make(cls: type = tf.keras.Sequential, **compiled: Any) -> Any:
    tf.keras.utils.set_random_seed(0)
    model = cls([tf.keras.Input((4,)), layers.Dense(2)])
    model.compile(**{"optimizer": tf.keras.optimizers.SGD(0.1), "loss": "mse", **compiled})
    return model


def test_a_step_that_reads_values_runs_as_python_and_says_where() -> None:
    class Reads(tf.keras.Sequential):
        def train_step(self, data: Any) -> Any:
            logs = super().train_step(data)
            logs["sign"] = tf.constant(1.0) if logs["loss"].numpy() > 0 else tf.constant(-1.0)
            return logs

    model, plain = make(Reads), make()
    with pytest.warns(UserWarning, match=r"Reads.train_step is run as plain Python.*test_steps.py"):
        history = model.fit(X, Y, batch_size=5, shuffle=False, verbose=0).history
    expected = plain.fit(X, Y, batch_size=5, shuffle=False, verbose=0).history
    assert history == {**expected, "sign": [1.0]}
    np.testing.assert_array_equal(model.get_weights()[0], plain.get_weights()[0])


def test_eager_steps_can_be_looked_into() -> None:
    seen: list[float] = []

    class Looks(tf.keras.Sequential):
        def train_step(self, data: Any) -> Any:
            logs = super().train_step(data)
            seen.append(logs["loss"].numpy())
            return logs

    model = make(Looks, run_eagerly=True)
    assert model.run_eagerly
    model.fit(X, Y, batch_size=8, verbose=0)
    assert len(seen) == 3
    model.run_eagerly = False
    assert not model.run_eagerly


def test_two_optimizers_train_two_models_in_one_step() -> None:
    class Gan(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.discriminator = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(1)])
            self.generator = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(4)])
            self.d_loss, self.g_loss = tf.keras.metrics.Mean("d_loss"), tf.keras.metrics.Mean("g_loss")

        @property
        def metrics(self) -> Any:
            return [self.d_loss, self.g_loss]

        def compile(self, d_optimizer: Any, g_optimizer: Any, loss: Any) -> None:
            super().compile()
            self.d_optimizer, self.g_optimizer, self.loss_function = d_optimizer, g_optimizer, loss

        def train_step(self, real: Any) -> Any:
            count = tf.shape(real)[0]
            labels = tf.concat([tf.ones((count, 1)), tf.zeros((count, 1))], axis=0)
            images = tf.concat([self.generator(tf.random.normal((count, 3))), real], axis=0)
            with tf.GradientTape() as tape:
                d_loss = self.loss_function(labels, self.discriminator(images))
            weights = self.discriminator.trainable_weights
            self.d_optimizer.apply_gradients(zip(tape.gradient(d_loss, weights), weights, strict=True))
            with tf.GradientTape() as tape:
                fakes = self.discriminator(self.generator(tf.random.normal((count, 3))))
                g_loss = self.loss_function(tf.zeros((count, 1)), fakes)
            weights = self.generator.trainable_weights
            self.g_optimizer.apply_gradients(zip(tape.gradient(g_loss, weights), weights, strict=True))
            self.d_loss.update_state(d_loss)
            self.g_loss.update_state(g_loss)
            return {m.name: m.result() for m in self.metrics}

    gan = Gan()
    optimizers = tf.keras.optimizers.Adam(0.01), tf.keras.optimizers.SGD(0.01)
    gan.compile(*optimizers, tf.keras.losses.BinaryCrossentropy(from_logits=True))
    before = [w.numpy() for w in (gan.discriminator.weights[0], gan.generator.weights[0])]
    history = gan.fit(tf.data.Dataset.from_tensor_slices(X).batch(8), epochs=2, verbose=0).history
    assert list(history) == ["d_loss", "g_loss"]
    assert [int(o.iterations) for o in optimizers] == [6, 6]
    after = [w.numpy() for w in (gan.discriminator.weights[0], gan.generator.weights[0])]
    assert all((a != b).any() for a, b in zip(before, after, strict=True))


class InKeras3sWay(tf.keras.Model):
    """Computes its loss in a method that takes `training`."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
        self.phases: list[bool] = []

    def call(self, inputs: Any) -> Any:
        return self.dense(inputs)

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        self.phases.append(training)
        return super().compute_loss(x, y, y_pred, sample_weight) + 1.0


def test_a_loss_computed_in_keras_3s_way_is_what_the_logs_say() -> None:
    model = InKeras3sWay()
    model.compile(tf.keras.optimizers.SGD(0.0), "mse", metrics=["mae"])
    x, y = np.ones((5, 2), np.float32), np.ones((5, 1), np.float32)
    assert model.evaluate(x, y, batch_size=2, verbose=0) == [2.0, 1.0]
    assert model.fit(x, y, batch_size=2, verbose=0).history == {"loss": [2.0], "mae": [1.0]}
    assert model.phases[0] is False
    assert model.phases[-1] is True


def test_a_step_of_keras_3_finds_the_compiled_metrics() -> None:
    class Stepping(tf.keras.Model):
        def train_step(self, data: Any) -> Any:
            x, y = data
            with tf.GradientTape() as tape:
                y_pred = self(x, training=True)
                loss = self.compute_loss(y=y, y_pred=y_pred)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply(gradients, self.trainable_variables)
            for metric in self.metrics:
                metric.update_state(loss) if metric.name == "loss" else metric.update_state(y, y_pred)
            return {metric.name: metric.result() for metric in self.metrics}

    inputs = tf.keras.Input((2,))
    model = Stepping(inputs, tf.keras.layers.Dense(1, kernel_initializer="ones")(inputs))
    model.compile(tf.keras.optimizers.SGD(0.0), "mse", metrics=["mae"])
    history = model.fit(np.ones((4, 2)), np.ones((4, 1)), batch_size=2, verbose=0).history
    assert history == {"loss": [1.0], "mae": [1.0]}
