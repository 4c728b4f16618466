"""conv-relu-pool twice, a dense layer, SGD: as a TensorFlow user writes it, with ops and Variables."""

import importlib
from collections.abc import Callable
from typing import Any

from benchmarks.scripts.cnn_data import LEARNING_RATE, make_problem


def build(tf: Any, channels: tuple[int, int], is_staged: bool) -> Callable[[int], float]:
    """Return `run_steps(count)`: trains on `count` batches and returns the last loss.

    Args:
        tf: the module, `tapeflow` or `tensorflow`.
        channels: of the two convolutions.
        is_staged: whether the step is a `tf.function`.
    """
    problem = make_problem(channels)
    weights = [tf.Variable(array) for array in problem.weights]

    def train_step(images, labels):
        w1, b1, w2, b2, w3, b3 = weights
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(tf.nn.conv2d(images, w1, 1, "SAME") + b1)
            hidden = tf.nn.max_pool2d(hidden, 2, 2, "VALID")
            hidden = tf.nn.relu(tf.nn.conv2d(hidden, w2, 1, "SAME") + b2)
            hidden = tf.nn.max_pool2d(hidden, 2, 2, "VALID")
            logits = tf.matmul(tf.reshape(hidden, [len(labels), -1]), w3) + b3
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            loss = tf.reduce_mean(losses)
        for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(LEARNING_RATE * gradient)
        return loss

    step = tf.function(train_step) if is_staged else train_step

    def run_steps(count: int) -> float:
        loss = None
        for number in range(count):
            images, labels = problem.batch(number)
            loss = step(tf.constant(images), tf.constant(labels))
        return float(loss)

    return run_steps


def contender(package: str, channels: tuple[int, int], is_staged: bool) -> Callable[[int], float]:
    """The loop written with the package of that name."""
    return build(importlib.import_module(package), channels, is_staged)
