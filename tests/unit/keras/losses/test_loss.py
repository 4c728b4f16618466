"""The base class: what a user's own loss gets, weights and masks, and the functions' wrapper."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow import errors
from tapeflow.keras import losses
from tapeflow.keras.losses.reduction import compute_weighted_loss

TRUE, PRED = tf.zeros((2, 2)), tf.constant([[1.0, 2.0], [3.0, 4.0]])


class Squares(losses.Loss):
    def __init__(self, scale: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale = scale

    def call(self, y_true: Any, y_pred: Any) -> Any:
        return self.scale * tf.reduce_sum(tf.square(y_pred - y_true), -1)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "scale": self.scale}


def masked(values: Any, mask: Any) -> Any:
    tensor = tf.constant(np.asarray(values))  # a tensor of its own
    tensor._keras_mask = tf.constant(mask)
    return tensor


def test_subclass() -> None:
    loss = Squares(2.0, name="squares")
    assert float(loss(TRUE, PRED)) == 30.0
    assert float(loss(TRUE, PRED, sample_weight=[1.0, 0.0])) == 5.0
    again = Squares.from_config(loss.get_config())
    assert (again.scale, again.name, again.reduction) == (2.0, "squares", "auto")
    assert Squares().name is None


def test_subclass_without_call() -> None:
    with pytest.raises(
        NotImplementedError, match="Must be implemented in subclasses: Loss needs a method call"
    ):
        losses.Loss()(1.0, 2.0)


def test_unknown_reduction() -> None:
    with pytest.raises(
        ValueError, match=r"Invalid Reduction Key: foo\. Expected keys are \"\('auto', 'none'"
    ):
        losses.MeanSquaredError(reduction="foo")


def test_keras_3_spellings() -> None:
    assert losses.MeanSquaredError(reduction=None).reduction == "none"
    assert losses.MeanSquaredError(dtype="float64")(TRUE, PRED).dtype == tf.float64
    weighted = losses.MeanSquaredError(reduction="mean_with_sample_weight")
    assert float(weighted(TRUE, PRED, [1.0, 3.0])) == pytest.approx((2.5 + 3 * 12.5) / 4)


def test_mean_divides_by_the_count_not_by_the_weights() -> None:
    assert float(losses.MeanSquaredError()(TRUE, PRED, [1.0, 3.0])) == pytest.approx((2.5 + 3 * 12.5) / 2)


@pytest.mark.parametrize(
    ("reduction", "expected"), [("auto", 2.5), ("sum", 2.5), ("none", [2.5, 0.0])], ids=str
)
def test_mask_of_predictions(reduction: str, expected: Any) -> None:
    loss = losses.MeanSquaredError(reduction=reduction)
    np.testing.assert_allclose(loss(TRUE, masked(PRED, [True, False])), expected)


def test_mask_and_weights_and_mask_of_the_losses() -> None:
    values = masked(np.full((2, 2), 0.5, np.float32), [True, False])
    loss = losses.SparseCategoricalCrossentropy(ignore_class=1, reduction="none")
    np.testing.assert_allclose(loss([0, 0], values, [2.0, 3.0]), [2 * np.log(2), 0], rtol=1e-6)
    np.testing.assert_allclose(loss([1, 0], values, [2.0, 3.0]), [0, 0])


def test_nothing_left_by_the_mask_is_a_loss_of_zero() -> None:
    assert float(losses.MeanSquaredError()(TRUE, masked(PRED, [False, False]))) == 0.0


def test_empty_batch() -> None:
    assert float(losses.MeanSquaredError()(tf.ones((0, 4)), tf.ones((0, 4)))) == 0.0


def test_integer_losses_stay_integers() -> None:
    value = losses.MeanSquaredError()([1, 2], tf.constant([2, 4]))
    assert (value.dtype, int(value)) == (tf.int32, 2)


@pytest.mark.parametrize("shape", [(3,), (2, 2), (1, 1, 1)], ids=str)
def test_weights_of_the_wrong_shape(shape: tuple[int, ...]) -> None:
    text = (
        rf"one weight for each of its values: Incompatible shapes: \[2\] vs. {re.escape(str(list(shape)))}; "
    )
    with pytest.raises(errors.InvalidArgumentError, match=text):
        losses.MeanSquaredError()(TRUE, PRED, tf.ones(shape))


@pytest.mark.parametrize("shape", [(), (2,), (1,), (2, 1)], ids=str)
def test_weights_that_fit(shape: tuple[int, ...]) -> None:
    assert float(losses.MeanSquaredError()(TRUE, PRED, tf.fill(shape, 2))) == 15.0


def test_one_loss_for_the_batch_is_weighed_by_all_weights() -> None:
    weights = tf.constant([[0.0], [1.0], [0.5]])
    assert float(compute_weighted_loss(tf.constant(4.0), weights)) == 2.0
    assert float(compute_weighted_loss(tf.constant(4.0), weights, "sum")) == 6.0


def test_wrapper_keeps_function_and_arguments() -> None:
    loss = losses.LossFunctionWrapper(losses.huber, name="h", delta=tf.constant(2.0))
    config = loss.get_config()
    assert config == {"reduction": "auto", "name": "h", "delta": 2.0, "fn": "huber"}
    again = losses.LossFunctionWrapper.from_config(config)
    assert again.fn is losses.huber
    assert float(again(TRUE, PRED)) == float(loss(TRUE, PRED))


def test_wrapper_lines_up_the_ranks_of_tensors() -> None:
    loss = losses.MeanSquaredError()
    assert float(loss(tf.range(3.0), tf.range(3.0)[:, None])) == 0.0
    assert float(loss(tf.range(3.0)[:, None], tf.range(3.0))) == 0.0


def test_two_nodes_without_weights_and_mask() -> None:
    from tapeflow.engine.recording.trace import state

    x, one_hot, classes = (
        tf.Variable(np.full((4, 3), 0.3, np.float32)),
        tf.eye(4, 3),
        tf.constant([0, 1, 2, 0]),
    )
    one_hot.numpy()
    for loss, labels in (
        (losses.MeanSquaredError(), one_hot),
        (losses.CategoricalCrossentropy(), one_hot),
        (losses.BinaryCrossentropy(), one_hot),
        (losses.SparseCategoricalCrossentropy(), classes),
    ):
        pred = x + 1.0
        before = len(state.trace.entries)
        value = loss(labels, pred)
        assert len(state.trace.entries) - before == 2
        value.numpy()
