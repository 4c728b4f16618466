"""Hinge losses, for outputs whose sign decides: labels are -1 and 1, or 0 and 1, which are converted."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.recording.symbolic import dispatching
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.losses.inputs import prepare
from tapeflow.keras.losses.loss import LossFunctionWrapper
from tapeflow.keras.losses.ragged import takes_ragged
from tapeflow.keras.losses.reduction import Reduction


@takes_ragged
@dispatching
def hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean over the last axis of `max(1 - y_true * y_pred, 0)`."""
    y_true, y_pred = prepare("hinge", y_true, y_pred)
    return tf.reduce_mean(_shortfall(y_true, y_pred), -1)


@takes_ragged
@dispatching
def squared_hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean over the last axis of `max(1 - y_true * y_pred, 0) ** 2`."""
    y_true, y_pred = prepare("squared_hinge", y_true, y_pred)
    return tf.reduce_mean(tf.square(_shortfall(y_true, y_pred)), -1)


@dispatching
def categorical_hinge(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """`max(best wrong score - right score + 1, 0)`, for one-hot labels on the last axis."""
    y_true, y_pred = prepare("categorical_hinge", y_true, y_pred)
    right = tf.reduce_sum(y_true * y_pred, -1)
    wrong = tf.reduce_max((1.0 - y_true) * y_pred, -1)
    return tf.maximum(wrong - right + 1.0, 0.0)


def _shortfall(y_true: Any, y_pred: Any) -> Tensor:
    # Labels are 0 and 1 if all of the batch are; decided inside the program, so that nothing is read.
    is_binary = tf.reduce_all(tf.logical_or(tf.equal(y_true, 0.0), tf.equal(y_true, 1.0)))
    signs = tf.where(is_binary, 2.0 * y_true - 1.0, y_true)
    return tf.maximum(1.0 - signs * y_pred, 0.0)


class Hinge(LossFunctionWrapper):
    """Hinge loss for labels of -1 and 1: `hinge` as a class."""

    def __init__(
        self, reduction: str | None = Reduction.AUTO, name: str | None = "hinge", dtype: Any = None
    ) -> None:
        super().__init__(hinge, reduction, name, dtype)


class SquaredHinge(LossFunctionWrapper):
    """`squared_hinge` as a class."""

    def __init__(
        self, reduction: str | None = Reduction.AUTO, name: str | None = "squared_hinge", dtype: Any = None
    ) -> None:
        super().__init__(squared_hinge, reduction, name, dtype)


class CategoricalHinge(LossFunctionWrapper):
    """`categorical_hinge` as a class."""

    def __init__(
        self,
        reduction: str | None = Reduction.AUTO,
        name: str | None = "categorical_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(categorical_hinge, reduction, name, dtype)
