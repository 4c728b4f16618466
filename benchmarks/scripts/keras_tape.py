"""A training loop as a `tf.keras` user writes it: layers, loss, optimizer and metrics of Keras, and a tape.

`mlp_tape.py` is the same training with ops and Variables alone.
"""

import importlib
import os
from collections.abc import Callable
from typing import Any

from benchmarks.scripts.mlp_data import SIZES, make_problem


def build(tf: Any, is_staged: bool) -> Callable[[int], float]:
    """Return `run_steps(count)`: trains on `count` batches and returns their mean loss.

    Args:
        tf: the module, `tapeflow` or `tensorflow`.
        is_staged: whether the step is a `tf.function`.
    """
    keras = tf.keras
    problem = make_problem()
    inputs, hidden, outputs = SIZES
    model = keras.Sequential(
        [
            keras.Input((inputs,)),
            keras.layers.Dense(hidden, activation="relu"),
            keras.layers.Dense(outputs),
        ]
    )
    model.set_weights(problem.weights)
    loss_function = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(1e-3)
    mean_loss, accuracy = keras.metrics.Mean(), keras.metrics.SparseCategoricalAccuracy()

    def train_step(images, labels):
        with tf.GradientTape() as tape:
            logits = model(images, training=True)
            loss = loss_function(labels, logits)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        mean_loss.update_state(loss)
        accuracy.update_state(labels, logits)
        return loss

    step = tf.function(train_step) if is_staged else train_step

    def run_steps(count: int) -> float:
        mean_loss.reset_state()
        accuracy.reset_state()
        for number in range(count):
            images, labels = problem.batch(number)
            step(tf.constant(images), tf.constant(labels))
        if not 0.0 <= float(accuracy.result()) <= 1.0:
            raise ArithmeticError(f"the loop expected an accuracy in [0, 1]; got {float(accuracy.result())}")
        return float(mean_loss.result())

    return run_steps


def contender(package: str, is_staged: bool) -> Callable[[int], float]:
    """The loop written with the package of that name; TensorFlow's `tf.keras` is Keras 2."""
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    return build(importlib.import_module(package), is_staged)
