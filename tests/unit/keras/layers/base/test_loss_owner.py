"""Losses and metrics that layers add."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

layers = tf.keras.layers


class Adding(layers.Layer):
    """Adds the mean of its input to the losses, and a metric."""

    def call(self, inputs: Any) -> Any:
        self.add_loss(tf.reduce_mean(inputs))
        self.add_metric(tf.reduce_sum(inputs), name="total")
        return inputs


class Twice(layers.Layer):
    """Calls a layer twice."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def call(self, inputs: Any) -> Any:
        return self.inner(self.inner(inputs) * 3.0)


def losses(layer: Any) -> list[float]:
    return [float(x) for x in layer.losses]


def test_losses_are_those_of_the_last_outermost_call() -> None:
    layer = Adding()
    assert layer.losses == []
    layer(tf.ones((2,)))
    layer(2.0 * tf.ones((2,)))
    assert losses(layer) == [2.0]
    around = Twice(layer)
    around(tf.ones((2,)))
    around(tf.ones((2,)))
    assert losses(around) == [1.0, 3.0]


def test_losses_of_layers_that_were_not_called_this_time_are_left_out() -> None:
    class Sometimes(layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Adding()

        def call(self, inputs: Any, skip: bool = False) -> Any:
            return inputs if skip else self.inner(inputs)

    layer = Sometimes()
    layer(tf.ones((1,)))
    assert losses(layer) == [1.0]
    layer(tf.ones((1,)), skip=True)
    assert losses(layer) == []


def test_functions_are_called_whenever_losses_are_asked_for() -> None:
    layer = layers.Dense(1, kernel_initializer="ones")
    layer.build((None, 2))
    layer.add_loss(lambda: tf.reduce_sum(layer.kernel))
    assert losses(layer) == [2.0]
    layer.kernel.assign([[2.0], [3.0]])
    assert losses(layer) == [5.0]


def test_gradients_cross_added_losses() -> None:
    layer = Twice(layers.Dense(1, kernel_initializer="ones", use_bias=False, kernel_regularizer="l2"))
    with tf.GradientTape() as tape:
        layer(tf.ones((1, 1)))
        loss = sum(layer.losses)
    gradient = tape.gradient(loss, layer.trainable_weights)[0]
    assert gradient.numpy() == pytest.approx(0.02)


def test_metrics_are_means_over_calls() -> None:
    layer = Adding()
    layer(tf.ones((2,)))
    layer(tf.ones((4,)))
    [metric] = layer.metrics
    assert (metric.name, float(metric.result())) == ("total", 3.0)
    assert layer.weights == []


def test_the_result_of_a_metric_is_reported_by_that_metric() -> None:
    class Owning(layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.accuracy = tf.keras.metrics.BinaryAccuracy()

        def call(self, inputs: Any) -> Any:
            self.add_metric(self.accuracy(tf.ones((2,)), inputs), name="other")
            return inputs

    layer = Owning()
    layer(tf.ones((2,)))
    layer(tf.zeros((2,)))
    assert layer.metrics == [layer.accuracy]
    assert float(layer.accuracy.result()) == 0.5


def test_a_metric_needs_a_name() -> None:
    with pytest.raises(ValueError, match="Please provide a name for your metric"):
        layers.Layer().add_metric(tf.ones(()))


def test_symbols_belong_to_functional_models() -> None:
    x = tf.keras.Input((2,))
    with pytest.raises(ValueError, match=r"Symbolic losses are added to a functional model: model.add_loss"):
        layers.Layer().add_loss(x)
    with pytest.raises(
        ValueError, match=r"Symbolic metrics are added to a functional model: model.add_metric"
    ):
        layers.Layer().add_metric(x, name="x")


def test_what_a_recorded_step_added_is_gone_after_it() -> None:
    """Its tensors have no value outside the step; weight regularizers are computed when asked for."""
    dense = layers.Dense(1, kernel_regularizer="l2")
    model = tf.keras.Sequential([Adding(), dense])
    model.compile("sgd", "mse")
    x = tf.ones((4, 2))
    model.fit(x, x[:, :1], verbose=0)
    regularization = float(tf.reduce_sum(dense.kernel**2)) * 0.01
    assert losses(model) == pytest.approx([regularization])
    model.test_on_batch(x, x[:, :1])
    assert losses(model) == pytest.approx([regularization])
    model(x)
    assert losses(model) == pytest.approx([1.0, regularization])
    model.run_eagerly = True
    model.evaluate(2 * x, x[:, :1], verbose=0)
    assert losses(model) == pytest.approx([2.0, regularization])
