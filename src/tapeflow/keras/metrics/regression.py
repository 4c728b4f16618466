"""Metrics of regression that are not means of a loss function."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.losses.shape_warning import warn_of_broadcast
from tapeflow.keras.metrics.reduction import Mean
from tapeflow.keras.metrics.weighting import squeezed


class RootMeanSquaredError(Mean):
    """The square root of the mean squared error over everything seen."""

    def __init__(self, name: str | None = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)

    def update_state(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> None:
        """Add a batch."""
        labels, predictions = squeezed(tf.cast(y_true, self._dtype), tf.cast(y_pred, self._dtype))
        if labels.spec.shape != predictions.spec.shape:
            warn_of_broadcast(type(self).__name__, labels.spec.shape, predictions.spec.shape)
        super().update_state(tf.math.squared_difference(predictions, labels), sample_weight)

    def result(self) -> Tensor:
        """The error, in the unit of the labels."""
        return tf.sqrt(tf.math.divide_no_nan(self.total, self.count))


class MeanRelativeError(Mean):
    """The mean of |y_true - y_pred| / normalizer; 0 where the normalizer is.

    Args:
        normalizer: what to divide by, of the shape of the predictions or one that broadcasts.
        name: the key in logs.
        dtype: of the result.
    """

    def __init__(self, normalizer: TensorLike, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.normalizer = tf.cast(normalizer, self._dtype)

    def update_state(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> None:
        """Add a batch."""
        labels, predictions = squeezed(tf.cast(y_true, self._dtype), tf.cast(y_pred, self._dtype))
        normalizer, predictions = squeezed(self.normalizer, predictions)
        if labels.shape != predictions.shape:
            raise ValueError(
                "MeanRelativeError expected y_true and y_pred of one shape: Shapes "
                f"{predictions.shape} and {labels.shape} are incompatible. Reshape one of them."
            )
        errors = tf.math.divide_no_nan(tf.abs(labels - predictions), normalizer)
        super().update_state(errors, sample_weight)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "normalizer": self.normalizer.numpy()}
