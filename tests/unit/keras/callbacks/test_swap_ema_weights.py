"""`SwapEMAWeights`, with an optimizer that stands for any with averages."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.callbacks import Callback, SwapEMAWeights

AVERAGE = [9.0, 9.0]


@pytest.fixture
def averaging(model: Any) -> Any:
    model.optimizer.use_ema = True
    model.optimizer._trainable_variables = [model.w]
    model.optimizer._model_variables_moving_average = [tf.Variable(AVERAGE)]
    return model


class Watch(Callback):
    """Notes the weights at chosen hooks."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[str, float] = {}

    def on_test_begin(self, logs: Any = None) -> None:
        self.seen["test"] = float(self.model.w.numpy()[0])

    def on_predict_begin(self, logs: Any = None) -> None:
        self.seen["predict"] = float(self.model.w.numpy()[0])

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.seen[f"epoch {epoch}"] = float(self.model.w.numpy()[0])


def test_validation_sees_the_average_and_training_the_weights(fit: Any, averaging: Any) -> None:
    watch = Watch()
    fit([SwapEMAWeights(), watch], [{"loss": 1.0, "val_loss": 1.0}] * 2, steps=2)
    assert watch.seen == {"test": 9.0, "epoch 0": 2.0, "epoch 1": 4.0}
    np.testing.assert_array_equal(averaging.optimizer._model_variables_moving_average[0].numpy(), AVERAGE)


def test_on_epoch_later_callbacks_see_the_average(fit: Any, averaging: Any) -> None:
    watch = Watch()
    fit([SwapEMAWeights(swap_on_epoch=True), watch], [{"loss": 1.0}] * 2, steps=2)
    assert watch.seen == {"epoch 0": 9.0, "epoch 1": 9.0}
    np.testing.assert_array_equal(averaging.optimizer._model_variables_moving_average[0].numpy(), AVERAGE)


def test_on_epoch_training_goes_on_from_its_own_weights(fit: Any, averaging: Any) -> None:
    swap = SwapEMAWeights(swap_on_epoch=True)
    swap.set_model(averaging)
    averaging.w.assign([5.0, 5.0])
    swap.on_epoch_end(0)
    assert swap.are_averages_in_model
    swap.on_epoch_begin(1)
    assert not swap.are_averages_in_model
    np.testing.assert_array_equal(averaging.w.numpy(), [5.0, 5.0])


def test_prediction_swaps_in_and_out(averaging: Any) -> None:
    swap, watch = SwapEMAWeights(), Watch()
    for callback in (swap, watch):
        callback.set_model(averaging)
        callback.on_predict_begin()
    assert watch.seen == {"predict": 9.0}
    swap.on_predict_end()
    np.testing.assert_array_equal(averaging.w.numpy(), [0.0, 0.0])


def test_finds_the_optimizer_inside_a_loss_scaling_one(averaging: Any) -> None:
    averaging.optimizer = SimpleNamespace(inner_optimizer=averaging.optimizer)
    swap = SwapEMAWeights()
    swap.set_model(averaging)
    swap.on_test_begin()
    np.testing.assert_array_equal(averaging.w.numpy(), AVERAGE)


def test_needs_an_optimizer_with_averages(model: Any) -> None:
    swap = SwapEMAWeights()
    swap.set_model(model)
    with pytest.raises(ValueError, match="must be used when `use_ema=True` is set on the optimizer"):
        swap.on_test_begin()
