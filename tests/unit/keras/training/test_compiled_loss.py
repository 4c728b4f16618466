"""The sum of the losses given to `compile`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.training.compiled_loss import CompiledLoss, loss_object

TRUE = np.array([[0.0], [1.0]], "float32")
PRED = tf.constant([[1.0], [3.0]])


def test_one_output_has_one_mean() -> None:
    compiled = CompiledLoss("mse")
    assert compiled.metrics == []
    assert float(compiled(TRUE, PRED)) == 2.5
    compiled(TRUE[:1], PRED[:1])
    assert [m.name for m in compiled.metrics] == ["loss"]
    assert float(compiled.metrics[0].result()) == pytest.approx(2.0)  # by sample: (2 * 2.5 + 1) / 3
    compiled.reset_state()
    assert float(compiled.metrics[0].result()) == 0.0


def test_several_outputs_are_weighted_and_reported() -> None:
    compiled = CompiledLoss({"a": "mse", "b": "mae"}, {"b": 10.0}, ["a", "b"])
    total = compiled([TRUE, TRUE], [PRED, PRED], regularization_losses=[tf.constant(0.5)])
    assert float(total) == pytest.approx(2.5 + 10 * 1.5 + 0.5)
    found = {m.name: float(m.result()) for m in compiled.metrics}
    assert found == {"loss": pytest.approx(18.0), "a_loss": 2.5, "b_loss": 1.5}


def test_an_output_without_loss_or_label_counts_nothing() -> None:
    compiled = CompiledLoss([None, "mae"], None, ["a", "b"])
    assert float(compiled([TRUE, TRUE], [PRED, PRED])) == 1.5
    assert [m.name for m in compiled.metrics] == ["loss", "b_loss"]
    assert float(CompiledLoss("mse")(None, PRED)) == 0.0


def test_sample_weights_reach_the_losses() -> None:
    assert float(CompiledLoss("mse")(TRUE, PRED, sample_weight=np.array([1.0, 0.0]))) == 0.5


def test_any_spelling_of_a_loss_is_one_object() -> None:
    def mine(y_true: Any, y_pred: Any) -> Any:
        return tf.reduce_sum(y_pred - y_true, axis=-1)

    assert loss_object(None) is None
    assert loss_object("mse").name == "mean_squared_error"
    assert loss_object(tf.keras.losses.mae).name == "mean_absolute_error"
    given = tf.keras.losses.Huber()
    assert loss_object(given) is given
    assert float(loss_object(mine)(TRUE, PRED)) == 1.5
    assert loss_object(mine).name == "mine"
