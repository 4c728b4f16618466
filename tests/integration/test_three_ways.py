"""One step, three ways: fit, an overridden train_step and a hand-written loop give the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers

STEPS, BATCH, LAST = 200, 16, 7  # 200 is no multiple of the steps that fit runs as one program
_rng = np.random.default_rng(0)
X = _rng.normal(size=((STEPS - 1) * BATCH + LAST, 8)).astype("float32")
Y = _rng.integers(0, 4, len(X))
BATCHES = [(X[i : i + BATCH], Y[i : i + BATCH]) for i in range(0, len(X), BATCH)]

OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: tf.keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True),
    "adam": lambda: tf.keras.optimizers.Adam(0.01),
    "rmsprop": lambda: tf.keras.optimizers.RMSprop(0.005, momentum=0.5),
}


def cross_entropy() -> Any:
    return tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


class Overridden(tf.keras.Sequential):
    """The train_step of Keras's guides."""

    def train_step(self, data: Any) -> Any:
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compiled_loss(y, y_pred, regularization_losses=self.losses)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        self.compiled_metrics.update_state(y, y_pred)
        return {m.name: m.result() for m in self.metrics}


class BatchHook(tf.keras.callbacks.Callback):
    """A callback for which fit runs one step a program."""

    def __init__(self) -> None:
        super().__init__()
        self.losses: list[float] = []

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.losses.append(logs["loss"])


def mlp(optimizer: str, cls: type = tf.keras.Sequential) -> Any:
    tf.keras.utils.set_random_seed(3)
    model = cls(
        [
            tf.keras.Input((8,)),
            layers.Dense(16, activation="relu", kernel_regularizer="l2"),
            layers.Dropout(0.25),
            layers.Dense(8, activation="tanh"),
            layers.Dense(4),
        ]
    )
    model.compile(OPTIMIZERS[optimizer](), cross_entropy(), metrics=["accuracy"])
    return model


def looped(model: Any, optimizer: Any, staged: bool) -> tuple[Any, Any]:
    loss_function, accuracy = cross_entropy(), tf.keras.metrics.SparseCategoricalAccuracy()

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            y_pred = model(x, training=True)
            loss = loss_function(y, y_pred) + sum(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        accuracy.update_state(y, y_pred)
        return loss

    run = tf.function(step) if staged else step
    for x, y in BATCHES:
        run(x, y)
    return model, accuracy


def fitted(model: Any, callbacks: Any = None) -> tuple[Any, Any]:
    history = model.fit(X, Y, batch_size=BATCH, shuffle=False, verbose=0, callbacks=callbacks)
    return model, history.history


def assert_same_bits(model: Any, **ways: Any) -> None:
    for way, other in ways.items():
        for weight, ours, theirs in zip(model.weights, model.get_weights(), other.get_weights(), strict=True):
            np.testing.assert_array_equal(theirs, ours, err_msg=f"{way}: {weight.name}")


def test_an_mlp_trains_to_the_same_bits_in_every_way() -> None:
    assert len(BATCHES) == STEPS
    model, history = fitted(mlp("adam"))
    hook = BatchHook()
    tape, accuracy = looped(mlp("adam"), OPTIMIZERS["adam"](), staged=False)
    assert_same_bits(
        model,
        train_step=fitted(mlp("adam", Overridden))[0],
        batch_hook=fitted(mlp("adam"), [hook])[0],
        function=looped(mlp("adam"), OPTIMIZERS["adam"](), staged=True)[0],
        tape=tape,
    )
    assert len(hook.losses) == STEPS
    assert hook.losses[-1] == pytest.approx(history["loss"][0], rel=1e-6)
    assert float(accuracy.result()) == pytest.approx(history["accuracy"][0], rel=1e-6)
    changes = [
        np.abs(a - b).max() for a, b in zip(mlp("adam").get_weights(), model.get_weights(), strict=True)
    ]
    assert min(changes) > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["sgd", "rmsprop"])
def test_fit_and_tape_agree_to_the_bit_for_other_optimizers(optimizer: str) -> None:
    model, _ = fitted(mlp(optimizer))
    assert_same_bits(model, tape=looped(mlp(optimizer), OPTIMIZERS[optimizer](), staged=False)[0])


def test_steps_per_execution_and_resumed_epochs_change_no_bit() -> None:
    model, _ = fitted(mlp("adam"))
    grouped = mlp("adam")
    grouped.compile(OPTIMIZERS["adam"](), cross_entropy(), metrics=["accuracy"], steps_per_execution=7)
    fitted(grouped)
    piecewise = mlp("adam")
    half = 128 * BATCH
    piecewise.fit(X[:half], Y[:half], batch_size=BATCH, shuffle=False, verbose=0)
    piecewise.fit(X[half:], Y[half:], batch_size=BATCH, shuffle=False, verbose=0)
    by_batch = mlp("adam")
    for x, y in BATCHES:
        by_batch.train_on_batch(x, y)
    assert_same_bits(model, grouped=grouped, piecewise=piecewise, by_batch=by_batch)


def cnn(dtype: str, cls: type = tf.keras.Sequential) -> Any:
    tf.keras.utils.set_random_seed(5)
    stack = [
        tf.keras.Input((8, 8, 1), dtype=dtype),
        layers.Conv2D(4, 3, activation="relu", dtype=dtype),
        layers.MaxPooling2D(dtype=dtype),
        layers.Flatten(dtype=dtype),
        layers.Dense(4, dtype=dtype),
    ]
    model = cls(stack)
    model.compile(OPTIMIZERS["sgd"](), cross_entropy(), metrics=["accuracy"])
    return model


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [pytest.param("float32", 1e-4, marks=pytest.mark.slow), ("float64", 1e-9)]
)
def test_a_cnn_trains_alike_in_every_way(dtype: str, tolerance: float) -> None:
    # Like Keras, fit brings arrays to floatx: data for both is exact in float32.
    images = (
        np.random.default_rng(1)
        .normal(size=((STEPS - 1) * BATCH + LAST, 8, 8, 1))
        .astype("float32")
        .astype(dtype)
    )
    labels = np.arange(len(images)) % 4
    model = cnn(dtype)
    model.fit(images, labels, batch_size=BATCH, shuffle=False, verbose=0)
    overridden = cnn(dtype, Overridden)
    overridden.fit(images, labels, batch_size=BATCH, shuffle=False, verbose=0)
    looping = cnn(dtype)
    optimizer, loss_function = OPTIMIZERS["sgd"](), cross_entropy()
    starts = range(0, len(images), BATCH)
    assert len(starts) == STEPS
    for i in starts:
        with tf.GradientTape() as tape:
            loss = loss_function(labels[i : i + BATCH], looping(images[i : i + BATCH], training=True))
        gradients = tape.gradient(loss, looping.trainable_variables)
        optimizer.apply_gradients(zip(gradients, looping.trainable_variables, strict=True))
    for other in (overridden, looping):
        for weight, ours, theirs in zip(model.weights, model.get_weights(), other.get_weights(), strict=True):
            assert ours.dtype == dtype
            np.testing.assert_allclose(theirs, ours, rtol=tolerance, atol=tolerance, err_msg=weight.name)
