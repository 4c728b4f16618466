"""Losses of segmentation: how little two regions overlap. The sums are over the whole batch by default."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.recording.symbolic import dispatching
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.config import epsilon
from tapeflow.keras.losses.inputs import prepare
from tapeflow.keras.losses.loss import LossFunctionWrapper
from tapeflow.keras.losses.reduction import Reduction


@dispatching
def dice(y_true: Tensor, y_pred: Tensor, axis: int | None = None) -> Tensor:
    """1 minus twice the overlap over the sum of both regions.

    Args:
        y_true: 1 inside the region and 0 outside.
        y_pred: the predicted probability of being inside.
        axis: the axes to sum over; `None` sums over everything, the batch too, and gives one number.
    """
    y_true, y_pred = prepare("dice", y_true, y_pred)
    overlap = tf.reduce_sum(y_true * y_pred, axis)
    total = tf.reduce_sum(y_true, axis) + tf.reduce_sum(y_pred, axis)
    return 1.0 - 2.0 * overlap / (total + epsilon())


@dispatching
def tversky(
    y_true: Tensor, y_pred: Tensor, alpha: float = 0.5, beta: float = 0.5, axis: int | None = None
) -> Tensor:
    """`dice` with separate weights for false positives and false negatives.

    Args:
        y_true: 1 inside the region and 0 outside.
        y_pred: the predicted probability of being inside.
        alpha: the weight of what is inside and was not predicted.
        beta: the weight of what was predicted and is not inside.
        axis: the axes to sum over; `None` sums over everything.
    """
    y_true, y_pred = prepare("tversky", y_true, y_pred)
    overlap = tf.reduce_sum(y_true * y_pred, axis)
    missed = tf.reduce_sum((1.0 - y_pred) * y_true, axis)
    invented = tf.reduce_sum(y_pred * (1.0 - y_true), axis)
    return 1.0 - overlap / (overlap + missed * alpha + invented * beta + epsilon())


class Dice(LossFunctionWrapper):
    """Dice loss for segmentation: `dice` as a class."""

    def __init__(
        self,
        reduction: str | None = Reduction.SUM_OVER_BATCH_SIZE,
        name: str | None = "dice",
        axis: int | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(dice, reduction, name, dtype, axis=axis)
        self.axis = axis


class Tversky(LossFunctionWrapper):
    """`tversky` as a class."""

    def __init__(
        self,
        alpha: float = 0.5,
        beta: float = 0.5,
        reduction: str | None = Reduction.SUM_OVER_BATCH_SIZE,
        name: str | None = "tversky",
        axis: int | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(tversky, reduction, name, dtype, alpha=alpha, beta=beta, axis=axis)
        self.alpha, self.beta, self.axis = alpha, beta, axis
