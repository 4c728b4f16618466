"""The networks of `networks` in a loop with a tape, as a TensorFlow user writes it; `tf.keras` is Keras 2."""

import importlib
from collections.abc import Callable

import numpy as np

from benchmarks.scripts.keras_models import load
from benchmarks.scripts.network_data import TASKS, make_data
from benchmarks.scripts.network_models import make_loss, make_network, make_optimizer


def contender(package: str, task: str, is_staged: bool) -> Callable[[int], float]:
    """Return `run_steps(count)`, where `count` is the steps of an epoch.

    Args:
        package: `tapeflow` or `tensorflow`.
        task: which network and data.
        is_staged: whether the step is a `tf.function`.
    """
    tf = importlib.import_module(package)
    keras = load("tapeflow" if package == "tapeflow" else "tf_keras")
    data, network = make_data(task), TASKS[task].network
    model, loss_of, optimizer = (
        make_network(keras, task),
        make_loss(keras, network),
        make_optimizer(keras, network),
    )
    inputs = data.x if isinstance(data.x, tuple) else (data.x,)
    rng = np.random.default_rng(0)

    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x[0] if len(x) == 1 else x, training=True)) + sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    step = tf.function(train_step) if is_staged else train_step

    def run_steps(count: int) -> float:
        data.require_epoch(count)
        losses = []
        for rows in np.split(rng.permutation(len(data.y)), count):
            losses.append(step([tf.constant(x[rows]) for x in inputs], tf.constant(data.y[rows])))
        return float(sum(losses)) / count

    return run_steps
