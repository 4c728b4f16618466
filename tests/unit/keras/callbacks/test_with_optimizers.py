"""Callbacks that reach into the optimizer, with TapeFlow's own ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import callbacks as cb
from tapeflow.keras import optimizers

LOGS = [{"loss": 1.0, "val_loss": 1.0}] * 3


def step(model: Any) -> None:
    model.optimizer.apply_gradients([(tf.ones([2]), model.w)])


@pytest.fixture
def adam(model: Any) -> Any:
    model.optimizer = optimizers.Adam(0.1)
    return model


def test_rate_is_scheduled(fit: Any, adam: Any) -> None:
    history = fit(cb.LearningRateScheduler(lambda epoch, rate: rate / 2), LOGS)
    np.testing.assert_allclose(history.history["lr"], [0.05, 0.025, 0.0125])
    np.testing.assert_allclose(adam.optimizer.learning_rate.numpy(), 0.0125)


def test_rate_is_lowered(fit: Any, adam: Any) -> None:
    fit(cb.ReduceLROnPlateau(patience=1, factor=0.5), LOGS)
    np.testing.assert_allclose(adam.optimizer.learning_rate.numpy(), 0.025)


@pytest.mark.parametrize(
    "callback", [cb.LearningRateScheduler(lambda epoch: 0.1), cb.ReduceLROnPlateau(patience=1)]
)
def test_a_schedule_cannot_be_overruled(fit: Any, model: Any, callback: Any) -> None:
    schedule = optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)
    model.optimizer = optimizers.SGD(schedule)
    with pytest.raises(TypeError, match="created with a `LearningRateSchedule`"):
        fit(callback, LOGS)


def test_state_of_the_optimizer_comes_back(tmp_path: Path) -> None:
    x, y = np.ones((2, 3), np.float32), np.zeros((2, 1), np.float32)
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile(optimizers.Adam(0.1), "mse")

    def begin() -> Any:
        backup = cb.BackupAndRestore(tmp_path)
        backup.set_model(model)
        backup.on_train_begin()
        return backup

    backup = begin()
    for _ in range(3):
        model.train_on_batch(x, y)
    model.optimizer.learning_rate = 0.25
    backup.on_epoch_end(0)
    backup._release()
    model.train_on_batch(x, y)
    expected = model.get_weights()[0]

    model.compile(optimizers.Adam(0.1), "mse")
    model.set_weights([np.full_like(w, 7.0) for w in model.get_weights()])
    begin()._release()
    assert (model._initial_epoch, model._initial_step) == (1, 0)
    assert int(model.optimizer.iterations) == 3
    model.train_on_batch(x, y)
    assert model.get_weights()[0].tobytes() == expected.tobytes()


def test_averages_are_swapped(model: Any) -> None:
    model.optimizer = optimizers.SGD(1.0, use_ema=True, ema_momentum=0.5)
    swap = cb.SwapEMAWeights()
    swap.set_model(model)
    step(model)
    step(model)
    own = model.w.numpy()
    swap.on_test_begin()
    averaged = model.w.numpy()
    assert (averaged != own).all()
    model.optimizer.finalize_variable_values([model.w])
    np.testing.assert_array_equal(model.w.numpy(), averaged)
    swap.on_test_end()
    np.testing.assert_array_equal(model.w.numpy(), own)


def test_evaluating_before_training_swaps_nothing(model: Any) -> None:
    model.optimizer = optimizers.SGD(1.0, use_ema=True)
    swap = cb.SwapEMAWeights()
    swap.set_model(model)
    swap.on_test_begin()
    swap.on_test_end()
    np.testing.assert_array_equal(model.w.numpy(), [0.0, 0.0])
