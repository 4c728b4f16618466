"""What a loop does in each mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.callbacks import CallbackList
from tapeflow.keras.training.mode import PREDICT, TEST, TRAIN, Mode

MODES = [TRAIN, TEST, PREDICT]


class Noting(tf.keras.callbacks.Callback):
    """Notes the hooks that are called."""

    def __init__(self) -> None:
        super().__init__()
        self.hooks: list[tuple[Any, ...]] = []

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.hooks.append(("train", "begin", batch))

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.hooks.append(("train", "end", batch, logs))

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.hooks.append(("test", "begin", batch))

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        self.hooks.append(("test", "end", batch, logs))

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.hooks.append(("predict", "begin", batch))

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        self.hooks.append(("predict", "end", batch, logs))


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_hooks(mode: Mode) -> None:
    noting = Noting()
    callbacks = CallbackList([noting])
    assert not mode.allows_fusion(callbacks)
    assert mode.allows_fusion(CallbackList([]))
    mode.begin_batch(callbacks, 3)
    mode.end_batch(callbacks, 3, {"loss": 1.0})
    assert noting.hooks == [(mode.name, "begin", 3), (mode.name, "end", 3, {"loss": 1.0})]


def test_steps_that_a_class_makes_itself_are_used() -> None:
    made = []

    class Own(tf.keras.Model):
        def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
            return inputs

        def make_train_function(self, force: bool = False) -> Any:
            made.append("train")
            return super().make_train_function(force)

        def make_test_function(self, force: bool = False) -> Any:
            made.append("test")
            return super().make_test_function(force)

        def make_predict_function(self, force: bool = False) -> Any:
            made.append("predict")
            return super().make_predict_function(force)

        def compute_loss(self, x: Any = None, y: Any = None, y_pred: Any = None, *args: Any, **_: Any) -> Any:
            return tf.reduce_mean(tf.square(y_pred - y))

    model = Own()
    x = np.ones((4, 1), "float32")
    model.compile(tf.keras.optimizers.SGD(0.1))
    model.test_on_batch(x, x)
    model.predict_on_batch(x)
    model.evaluate(x, x, verbose=0)
    model.predict(x, verbose=0)
    assert made == ["test", "predict", "test", "predict"]
    assert [mode.function_of(model) for mode in MODES] == [
        model.make_train_function(),
        model.make_test_function(),
        model.make_predict_function(),
    ]
