"""Losses that compare distributions and counts: Kullback-Leibler divergence and Poisson."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.recording.symbolic import dispatching
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.config import epsilon
from tapeflow.keras.losses.inputs import prepare
from tapeflow.keras.losses.loss import LossFunctionWrapper
from tapeflow.keras.losses.ragged import takes_ragged
from tapeflow.keras.losses.reduction import Reduction


@dispatching
def kl_divergence(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The sum over the last axis of `y_true * log(y_true / y_pred)`, both clipped to [epsilon, 1]."""
    y_true, y_pred = prepare("kl_divergence", y_true, y_pred)
    y_true = tf.clip_by_value(y_true, epsilon(), 1.0)
    y_pred = tf.clip_by_value(y_pred, epsilon(), 1.0)
    return tf.reduce_sum(y_true * tf.math.log(y_true / y_pred), -1)


@takes_ragged
@dispatching
def poisson(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The mean over the last axis of `y_pred - y_true * log(y_pred)`, for counts and their rates."""
    y_true, y_pred = prepare("poisson", y_true, y_pred)
    return tf.reduce_mean(y_pred - y_true * tf.math.log(y_pred + epsilon()), -1)


class KLDivergence(LossFunctionWrapper):
    """Kullback-Leibler divergence: `kl_divergence` as a class."""

    def __init__(
        self, reduction: str | None = Reduction.AUTO, name: str | None = "kl_divergence", dtype: Any = None
    ) -> None:
        super().__init__(kl_divergence, reduction, name, dtype)


class Poisson(LossFunctionWrapper):
    """Poisson loss for counts: `poisson` as a class."""

    def __init__(
        self, reduction: str | None = Reduction.AUTO, name: str | None = "poisson", dtype: Any = None
    ) -> None:
        super().__init__(poisson, reduction, name, dtype)


kld = KLD = kullback_leibler_divergence = kl_divergence
