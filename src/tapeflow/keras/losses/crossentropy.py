"""The cross-entropies: labels against probabilities, or against logits with `from_logits=True`.

Probabilities are clipped to [epsilon, 1 - epsilon]. If they came from Keras's own softmax or sigmoid
the logits behind them are used instead, as Keras 2 does; so a last layer with such an activation loses
no precision.
"""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow.engine.recording.symbolic import dispatching
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import AxisLike
from tapeflow.keras.config import epsilon
from tapeflow.keras.losses.inputs import as_tensors, logits_behind, smoothed
from tapeflow.keras.losses.loss import LossFunctionWrapper
from tapeflow.keras.losses.ragged import takes_ragged
from tapeflow.keras.losses.reduction import Reduction
from tapeflow.keras.losses.shape_warning import warn_user
from tapeflow.ops.training import loss as kernels


@takes_ragged
@dispatching
def binary_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: AxisLike = -1,
) -> Tensor:
    """The cross-entropy of binary labels, averaged over `axis`.

    Args:
        y_true: the probability of yes, mostly 0 or 1.
        y_pred: predicted probabilities, or logits.
        from_logits: whether `y_pred` is before the sigmoid.
        label_smoothing: move labels this far towards one half.
        axis: one or several axes to average over.
    """
    where = "binary_crossentropy"
    y_pred = convert_to_tensor(y_pred)
    y_pred, from_logits = logits_behind(where, y_pred, from_logits, "Sigmoid")
    y_true, y_pred = binary_inputs(where, y_true, y_pred, from_logits, label_smoothing)
    if axis == -1:
        return kernels.mean_binary_cross_entropy(y_pred, y_true, from_logits=from_logits, epsilon=epsilon())
    losses = kernels.binary_cross_entropy(y_pred, y_true, from_logits=from_logits, epsilon=epsilon())
    return tf.reduce_mean(losses, axis)


def binary_inputs(
    where: str, y_true: Any, y_pred: Any, from_logits: bool, label_smoothing: float
) -> tuple[Any, Any]:
    """Smoothed labels and predictions; logits must have the labels' shape, probabilities may broadcast."""
    y_true = smoothed(convert_to_tensor(y_true), label_smoothing, 0.5, y_pred.dtype)
    if from_logits and y_true.shape != y_pred.shape:
        raise ValueError(
            f"{where} expected y_true of the shape of y_pred: `logits` and `labels` must have the same "
            f"shape, received ({y_pred.shape} vs {y_true.shape}). Reshape y_true."
        )
    return as_tensors(where, y_true, y_pred)


@takes_ragged
@dispatching
def categorical_crossentropy(
    y_true: TensorLike,
    y_pred: Tensor,
    from_logits: bool = False,
    label_smoothing: TensorLike = 0.0,
    axis: int = -1,
) -> Tensor:
    """The cross-entropy of one-hot labels, or other distributions, over the classes along `axis`.

    Args:
        y_true: a probability for each class, of the shape of `y_pred`.
        y_pred: predicted probabilities, scaled here to sum to one, or logits.
        from_logits: whether `y_pred` is before the softmax.
        label_smoothing: move labels this far towards all classes being equally likely.
        axis: the axis of the classes.
    """
    where = "categorical_crossentropy"
    y_pred = convert_to_tensor(y_pred)
    y_true = categorical_labels(where, y_true, y_pred, label_smoothing, axis)
    y_pred, from_logits = logits_behind(where, y_pred, from_logits, "Softmax")
    return kernels.categorical_cross_entropy(
        y_pred, y_true, axis=axis % len(y_pred.shape), from_logits=from_logits, epsilon=epsilon()
    )


def categorical_labels(
    where: str, y_true: TensorLike, y_pred: Tensor, label_smoothing: TensorLike, axis: Any
) -> Tensor:
    """Smoothed labels, after a look at shapes and axis."""
    shape = y_pred.shape
    if isinstance(axis, bool):
        raise ValueError(f"`axis` must be of type `int`. Received: axis={axis} of type {type(axis)}")
    if not -len(shape) <= axis < len(shape):
        raise ValueError(
            f"{where} expected an axis of y_pred (shape {shape}) where the classes are; got axis={axis}."
        )
    if shape[-1] == 1:
        warn_user(
            f"In loss {where}, expected y_pred.shape to be (batch_size, num_classes) with num_classes > 1. "
            f"Received: y_pred.shape={shape}. Consider using 'binary_crossentropy' if you only have 2 "
            "classes.",
            SyntaxWarning,
        )
    y_true = convert_to_tensor(y_true)
    if not y_true.shape.is_compatible_with(shape):
        raise ValueError(
            f"Shapes {y_true.shape} and {shape} are incompatible: {where} expected y_true, a probability for "
            f"each class, of the shape of y_pred. For class numbers use sparse_{where} or "
            f"tf.one_hot(y_true, {shape[axis]})."
        )
    return smoothed(y_true, label_smoothing, 1.0 / shape[axis], y_pred.dtype)


@takes_ragged
@dispatching
def sparse_categorical_crossentropy(
    y_true: TensorLike,
    y_pred: Tensor,
    from_logits: bool = False,
    axis: int = -1,
    ignore_class: int | None = None,
) -> Tensor:
    """The cross-entropy of class numbers.

    Args:
        y_true: class numbers from 0, one for each position of `y_pred` without `axis`. A further axis
            of length 1 does no harm.
        y_pred: predicted probabilities, or logits.
        from_logits: whether `y_pred` is before the softmax.
        axis: the axis of the classes.
        ignore_class: a label that does not count, such as -1 or 255; its loss is 0 and masked.

    Raises:
        InvalidArgumentError: a label is no class number; at the call if the labels are known, or else
            when the loss is.
    """
    where = "sparse_categorical_crossentropy"
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    y_pred, from_logits = logits_behind(where, y_pred, from_logits, "Softmax")
    shape = y_pred.spec.shape
    if not -len(shape) <= axis < len(shape):
        raise ValueError(
            f"{where} expected an axis of y_pred (shape {shape}) where the classes are; got axis={axis}."
        )
    axis %= len(shape)
    positions = shape[:axis] + shape[axis + 1 :]
    if not _fits(y_true.spec.shape, positions):
        raise ValueError(
            f"{where} expected y_true to hold one class number for each of {positions}, the shape of y_pred "
            f"without its class axis: `labels.shape` must equal `logits.shape` except for the last dimension. "
            f"Received: labels.shape={y_true.spec.shape} and logits.shape={shape}. For one-hot labels "
            "use categorical_crossentropy."
        )
    losses = kernels.sparse_cross_entropy(
        y_pred, y_true, axis=axis, from_logits=from_logits, epsilon=epsilon(), ignore_class=ignore_class
    )
    if ignore_class is not None:
        is_counted = tf.not_equal(tf.cast(y_true, tf.int64), ignore_class)
        losses._keras_mask = tf.reshape(is_counted, positions)
    return losses


def _fits(labels: tuple[int, ...], positions: tuple[int, ...]) -> bool:
    """Whether there is a label for each position; where ranks differ Keras compares counts alone."""
    if len(labels) == len(positions):
        return labels == positions
    return math.prod(labels) == math.prod(positions)


class BinaryCrossentropy(LossFunctionWrapper):
    """Cross-entropy of binary labels: `binary_crossentropy` as a class."""

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = Reduction.AUTO,
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            binary_crossentropy,
            reduction,
            name,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )
        self.from_logits = from_logits


class CategoricalCrossentropy(LossFunctionWrapper):
    """Cross-entropy of one-hot labels: `categorical_crossentropy` as a class."""

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = Reduction.AUTO,
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            categorical_crossentropy,
            reduction,
            name,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )
        self.from_logits = from_logits


class SparseCategoricalCrossentropy(LossFunctionWrapper):
    """Cross-entropy of class numbers: `sparse_categorical_crossentropy` as a class."""

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: int | None = None,
        reduction: str | None = Reduction.AUTO,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
        axis: int = -1,
    ) -> None:
        kwargs = {} if axis == -1 else {"axis": axis}
        super().__init__(
            sparse_categorical_crossentropy,
            reduction,
            name,
            dtype,
            from_logits=from_logits,
            ignore_class=ignore_class,
            **kwargs,
        )
        self.from_logits = from_logits


bce = BCE = binary_crossentropy
