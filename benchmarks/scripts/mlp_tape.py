"""A training loop as a TensorFlow user writes it, with ops and Variables alone.

`build` takes the module to write it with, so TapeFlow and TensorFlow run the same lines.
"""

import importlib
from collections.abc import Callable
from typing import Any

from benchmarks.scripts.mlp_data import BETA_1, BETA_2, EPSILON, LEARNING_RATE, make_problem


def build(tf: Any, is_staged: bool) -> Callable[[int], float]:
    """Return `run_steps(count)`: trains on `count` batches and returns their mean loss.

    Args:
        tf: the module, `tapeflow` or `tensorflow`.
        is_staged: whether the step is a `tf.function`.
    """
    problem = make_problem()
    weights = [tf.Variable(array) for array in problem.weights]
    means = [tf.Variable(tf.zeros_like(weight)) for weight in weights]
    squares = [tf.Variable(tf.zeros_like(weight)) for weight in weights]
    iterations = tf.Variable(0.0)
    loss_total, loss_count = tf.Variable(0.0), tf.Variable(0.0)
    correct, seen = tf.Variable(0.0), tf.Variable(0.0)

    def train_step(images, labels):
        w1, b1, w2, b2 = weights
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(tf.matmul(images, w1) + b1)
            logits = tf.matmul(hidden, w2) + b2
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, weights)

        iterations.assign_add(1.0)
        rate = LEARNING_RATE * tf.sqrt(1.0 - tf.pow(BETA_2, iterations)) / (1.0 - tf.pow(BETA_1, iterations))
        for weight, gradient, mean, square in zip(weights, gradients, means, squares, strict=True):
            mean.assign(BETA_1 * mean + (1.0 - BETA_1) * gradient)
            square.assign(BETA_2 * square + (1.0 - BETA_2) * gradient * gradient)
            weight.assign_sub(rate * mean / (tf.sqrt(square) + EPSILON))

        hits = tf.equal(tf.argmax(logits, axis=1, output_type=tf.int32), labels)
        loss_total.assign_add(loss)
        loss_count.assign_add(1.0)
        correct.assign_add(tf.reduce_sum(tf.cast(hits, tf.float32)))
        seen.assign_add(float(len(labels)))
        return loss

    step = tf.function(train_step) if is_staged else train_step

    def run_steps(count: int) -> float:
        for metric in (loss_total, loss_count, correct, seen):
            metric.assign(0.0)
        for number in range(count):
            images, labels = problem.batch(number)
            step(tf.constant(images), tf.constant(labels))
        accuracy = float((correct / seen).numpy())
        if not 0.0 <= accuracy <= 1.0:
            raise ArithmeticError(f"the loop expected an accuracy in [0, 1]; got {accuracy=}")
        return float((loss_total / loss_count).numpy())

    return run_steps


def contender(package: str, is_staged: bool) -> Callable[[int], float]:
    """The loop written with the package of that name."""
    return build(importlib.import_module(package), is_staged)
