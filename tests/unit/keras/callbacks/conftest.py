"""A stand-in for a model and for `fit`: callbacks are tested with the losses a test wants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


class Optimizer:
    """What callbacks use of an optimizer."""

    def __init__(self) -> None:
        self.learning_rate: Any = tf.Variable(0.1)
        self.moment = tf.Variable([0.0, 0.0])
        self.builds = 0

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "learning_rate" and not isinstance(value, tf.Variable):
            self.learning_rate.assign(value)
        else:
            super().__setattr__(name, value)

    @property
    def variables(self) -> list[Any]:
        return [self.moment]

    def build(self, variables: Any) -> None:
        self.builds += 1


class Model:
    """What callbacks use of a model. `weights` are one vector, which the test moves."""

    def __init__(self) -> None:
        self.w = tf.Variable([0.0, 0.0])
        self.weights = self.trainable_variables = [self.w]
        self.optimizer: Any = Optimizer()
        self.metrics = [SimpleNamespace(name="loss"), SimpleNamespace(name="mae")]
        self.built = True
        self.stop_training = False
        self._initial_epoch = 0
        self.history: Any = None
        self.saved: list[tuple[str, str, dict[str, Any]]] = []
        self.loaded: list[str] = []

    def get_weights(self) -> list[np.ndarray]:
        return [self.w.numpy()]

    def set_weights(self, weights: Sequence[np.ndarray]) -> None:
        self.w.assign(weights[0])

    def save(self, path: str, overwrite: bool = True, **options: Any) -> None:
        self.saved.append(("save", path, options))
        Path(path).write_bytes(b"model")

    def save_weights(self, path: str, overwrite: bool = True, **options: Any) -> None:
        self.saved.append(("save_weights", path, options))
        Path(path).write_bytes(b"weights")

    def load_weights(self, path: str) -> None:
        self.loaded.append(path)


@pytest.fixture
def model() -> Model:
    return Model()


Fit = Callable[..., Any]


@pytest.fixture
def fit(model: Model) -> Fit:
    """`fit(callbacks, logs, steps=2)`: the hooks of a `fit` whose epochs end with the given logs."""
    from tapeflow.keras.callbacks import CallbackList

    def run(callbacks: Any, logs: Sequence[dict[str, Any]], steps: int = 2, initial_epoch: int = 0) -> Any:
        each = CallbackList(
            callbacks, add_history=True, model=model, verbose=0, epochs=initial_epoch + len(logs), steps=steps
        )
        model.stop_training = False
        each.on_train_begin()
        epoch_logs: dict[str, Any] = {}
        for epoch, epoch_logs in enumerate(logs, start=initial_epoch):
            each.on_epoch_begin(epoch)
            for step in range(steps):
                each.on_train_batch_begin(step)
                model.w.assign_add([1.0, 1.0])
                batch = {name: v for name, v in epoch_logs.items() if not name.startswith("val_")}
                each.on_train_batch_end(step, {name: tf.constant(v) for name, v in batch.items()})
                if model.stop_training:
                    break
            if any(name.startswith("val_") for name in epoch_logs):
                each.on_test_begin()
                each.on_test_end(epoch_logs)
            each.on_epoch_end(epoch, epoch_logs)
            if model.stop_training:
                break
        each.on_train_end(epoch_logs)
        return model.history

    return run
