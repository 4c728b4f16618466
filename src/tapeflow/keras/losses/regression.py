"""Losses that compare numbers: squared, absolute, relative and logarithmic errors, and angles."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow.engine.recording.symbolic import dispatching
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.config import epsilon, floatx
from tapeflow.keras.losses.inputs import as_tensors, prepare
from tapeflow.keras.losses.loss import LossFunctionWrapper
from tapeflow.keras.losses.ragged import takes_ragged
from tapeflow.keras.losses.reduction import Reduction
from tapeflow.ops.training import loss as kernels


@takes_ragged
@dispatching
def mean_squared_error(y_true: TensorLike, y_pred: Tensor) -> Tensor:
    """The mean over the last axis of `(y_true - y_pred) ** 2`: one value per sample.

    >>> tf.keras.losses.MSE([[0.0, 1.0]], [[1.0, 1.0]]).numpy()
    array([0.5], dtype=float32)
    """
    y_true, y_pred = as_tensors("mean_squared_error", y_true, y_pred)
    if y_pred.dtype.is_floating and len(y_pred.shape):
        return kernels.mean_squared_error(y_pred, y_true)
    return tf.reduce_mean(tf.math.squared_difference(y_pred, tf.cast(y_true, y_pred.dtype)), -1)


@takes_ragged
@dispatching
def mean_absolute_error(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The mean over the last axis of `|y_true - y_pred|`."""
    y_true, y_pred = prepare("mean_absolute_error", y_true, y_pred)
    return tf.reduce_mean(tf.abs(y_pred - y_true), -1)


@takes_ragged
@dispatching
def mean_absolute_percentage_error(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """100 times the mean over the last axis of `|y_true - y_pred| / |y_true|`."""
    y_true, y_pred = prepare("mean_absolute_percentage_error", y_true, y_pred)
    share = tf.abs((y_true - y_pred) / tf.maximum(tf.abs(y_true), epsilon()))
    return 100.0 * tf.reduce_mean(share, -1)


@takes_ragged
@dispatching
def mean_squared_logarithmic_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean over the last axis of `(log(y_true + 1) - log(y_pred + 1)) ** 2`, negatives as 0."""
    y_true, y_pred = prepare("mean_squared_logarithmic_error", y_true, y_pred)
    log_true, log_pred = (tf.math.log(tf.maximum(y, epsilon()) + 1.0) for y in (y_true, y_pred))
    return tf.reduce_mean(tf.math.squared_difference(log_pred, log_true), -1)


@takes_ragged
@dispatching
def huber(y_true: Tensor, y_pred: Tensor, delta: TensorLike = 1.0) -> Tensor:
    """The mean over the last axis of a squared error that is linear beyond `delta`, in `floatx`."""
    y_true, y_pred = prepare("huber", y_true, tf.cast(convert_to_tensor(y_pred), floatx()))
    delta = tf.cast(delta, floatx())
    error = tf.abs(y_pred - y_true)
    return tf.reduce_mean(
        tf.where(error <= delta, 0.5 * tf.square(error), delta * error - 0.5 * tf.square(delta)), -1
    )


@takes_ragged
@dispatching
def log_cosh(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The mean over the last axis of `log(cosh(y_pred - y_true))`: squares when small, absolute when large."""
    y_true, y_pred = prepare("log_cosh", y_true, y_pred)
    x = y_pred - y_true
    return tf.reduce_mean(x + tf.math.softplus(-2.0 * x) - math.log(2.0), -1)


@dispatching
def cosine_similarity(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Tensor:
    """The negative cosine similarity of the vectors along `axis`: -1 if they have the same direction."""
    y_true, y_pred = prepare("cosine_similarity", y_true, y_pred)
    y_true, y_pred = tf.linalg.l2_normalize(y_true, axis), tf.linalg.l2_normalize(y_pred, axis)
    return -tf.reduce_sum(y_true * y_pred, axis)


class MeanSquaredError(LossFunctionWrapper):
    """Mean squared error. With ten outputs it is a tenth of the sum of squares."""

    def __init__(
        self,
        reduction: str | None = Reduction.AUTO,
        name: str | None = "mean_squared_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(mean_squared_error, reduction, name, dtype)


class MeanAbsoluteError(LossFunctionWrapper):
    """Mean absolute error: `mean_absolute_error` as a class."""

    def __init__(
        self,
        reduction: str | None = Reduction.AUTO,
        name: str | None = "mean_absolute_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(mean_absolute_error, reduction, name, dtype)


class MeanAbsolutePercentageError(LossFunctionWrapper):
    """`mean_absolute_percentage_error` as a class."""

    def __init__(
        self,
        reduction: str | None = Reduction.AUTO,
        name: str | None = "mean_absolute_percentage_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(mean_absolute_percentage_error, reduction, name, dtype)


class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """`mean_squared_logarithmic_error` as a class."""

    def __init__(
        self,
        reduction: str | None = Reduction.AUTO,
        name: str | None = "mean_squared_logarithmic_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(mean_squared_logarithmic_error, reduction, name, dtype)


class Huber(LossFunctionWrapper):
    """Huber loss, squared for small errors and linear for large ones: `huber` as a class."""

    def __init__(
        self,
        delta: float = 1.0,
        reduction: str | None = Reduction.AUTO,
        name: str | None = "huber_loss",
        dtype: Any = None,
    ) -> None:
        super().__init__(huber, reduction, name, dtype, delta=delta)


class LogCosh(LossFunctionWrapper):
    """Logarithm of the hyperbolic cosine of the error: `log_cosh` as a class."""

    def __init__(
        self, reduction: str | None = Reduction.AUTO, name: str | None = "log_cosh", dtype: Any = None
    ) -> None:
        super().__init__(log_cosh, reduction, name, dtype)


class CosineSimilarity(LossFunctionWrapper):
    """Negative cosine similarity: `cosine_similarity` as a class."""

    def __init__(
        self,
        axis: int = -1,
        reduction: str | None = Reduction.AUTO,
        name: str | None = "cosine_similarity",
        dtype: Any = None,
    ) -> None:
        super().__init__(cosine_similarity, reduction, name, dtype, axis=axis)


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
logcosh = log_cosh
huber_loss = huber
cosine = cosine_proximity = cosine_similarity
