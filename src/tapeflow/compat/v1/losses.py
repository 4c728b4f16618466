"""`tf.compat.v1.losses`: TensorFlow 1's losses, which weigh and reduce by themselves.

There are no collections, so `loss_collection` has no effect and `get_losses` finds nothing, as in eager mode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor

_WHERE = "tf.compat.v1.losses"


class Reduction:
    """How the losses of elements become one."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: Any) -> None:
        """Raise an error for what is none of them."""
        if key not in cls.all():
            raise ValueError(
                f"Invalid Reduction Key {key}: {_WHERE} expected one of {', '.join(dict.fromkeys(cls.all()))}."
            )


def compute_weighted_loss(
    losses: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: Any = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Losses of elements, weighted and reduced."""
    Reduction.validate(reduction)
    losses = tf.convert_to_tensor(losses)
    dtype = losses.dtype
    weighted = tf.cast(losses, tf.float32) * tf.cast(weights, tf.float32)
    if reduction == Reduction.NONE:
        return tf.cast(weighted, dtype)
    total = tf.reduce_sum(weighted)
    share = tf.ones_like(weighted) * tf.cast(weights, tf.float32)
    counts: dict[str, Callable[[], Any]] = {
        Reduction.SUM: lambda: 1.0,
        Reduction.MEAN: lambda: tf.reduce_sum(share),
        Reduction.SUM_OVER_BATCH_SIZE: lambda: tf.size(weighted, tf.float32),
        Reduction.SUM_BY_NONZERO_WEIGHTS: lambda: tf.math.count_nonzero(share, dtype=tf.float32),
    }
    return tf.cast(tf.math.divide_no_nan(total, counts[reduction]()), dtype)


def _alike(labels: TensorLike, predictions: TensorLike, where: str) -> tuple[Tensor, Tensor]:
    if labels is None or predictions is None:
        raise ValueError(f"{_WHERE}.{where} expected labels and predictions; got None. Give both.")
    predictions = tf.cast(predictions, tf.float32)
    labels = tf.cast(labels, tf.float32)
    if not labels.shape.is_compatible_with(predictions.shape):
        raise ValueError(
            f"{_WHERE}.{where} expected labels and predictions of one shape: Shapes {predictions.shape} and "
            f"{labels.shape} are incompatible. Reshape one of them."
        )
    return labels, predictions


def _elementwise(where: str, loss: Callable[[Any, Any], Any], text: str) -> Callable[..., Tensor]:
    """A loss of labels and predictions, element by element."""

    def call(
        labels: TensorLike,
        predictions: TensorLike,
        weights: TensorLike = 1.0,
        scope: str | None = None,
        loss_collection: Any = "losses",
        reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    ) -> Tensor:
        return compute_weighted_loss(loss(*_alike(labels, predictions, where)), weights, reduction=reduction)

    call.__name__, call.__doc__ = where, text
    return call


absolute_difference = _elementwise(
    "absolute_difference", lambda y, p: tf.abs(p - y), "The distance of predictions from labels."
)
mean_squared_error = _elementwise(
    "mean_squared_error", lambda y, p: tf.math.squared_difference(p, y), "The square of the distance."
)


def log_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: Any = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The cross-entropy of probabilities."""
    y, p = _alike(labels, predictions, "log_loss")
    losses = -y * tf.math.log(p + epsilon) - (1 - y) * tf.math.log(1 - p + epsilon)
    return compute_weighted_loss(losses, weights, reduction=reduction)


def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: Any = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Half the square of small distances, and straight beyond `delta`."""
    y, p = _alike(labels, predictions, "huber_loss")
    distance = tf.abs(p - y)
    near = tf.minimum(distance, delta)
    return compute_weighted_loss(0.5 * near**2 + delta * (distance - near), weights, reduction=reduction)


def hinge_loss(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: Any = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """What is missing to a distance of 1 from the border between classes 0 and 1."""
    y, p = _alike(labels, logits, "hinge_loss")
    return compute_weighted_loss(tf.nn.relu(1.0 - (2.0 * y - 1.0) * p), weights, reduction=reduction)


def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: Any = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> Tensor:
    """One minus the product along an axis, of vectors of length 1."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError(f"{_WHERE}.cosine_distance expected an axis; got None. You must specify 'axis'.")
    y, p = _alike(labels, predictions, "cosine_distance")
    losses = 1.0 - tf.reduce_sum(y * p, axis, keepdims=True)
    return compute_weighted_loss(losses, weights, reduction=reduction)


def sigmoid_cross_entropy(
    multi_class_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The cross-entropy of each class by itself."""
    logits = tf.convert_to_tensor(logits)
    labels = tf.cast(multi_class_labels, logits.dtype)
    if label_smoothing:
        labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)
    return compute_weighted_loss(losses, weights, reduction=reduction)


def softmax_cross_entropy(
    onehot_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: Any = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The cross-entropy of one class out of several."""
    logits = tf.convert_to_tensor(logits)
    labels: Any = tf.cast(onehot_labels, logits.dtype)
    if label_smoothing:
        labels = labels * (1 - label_smoothing) + label_smoothing / labels.shape[1]
    losses = tf.nn.softmax_cross_entropy_with_logits(tf.stop_gradient(labels), logits)
    return compute_weighted_loss(losses, weights, reduction=reduction)


def sparse_softmax_cross_entropy(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: Any = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The cross-entropy of class numbers."""
    labels, logits = tf.convert_to_tensor(labels), tf.convert_to_tensor(logits)
    if len(labels.shape) == len(logits.shape):
        labels = tf.squeeze(labels, -1)
    weights = tf.convert_to_tensor(weights)
    if len(weights.shape) == len(labels.shape) + 1:
        weights = tf.squeeze(weights, -1)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    return compute_weighted_loss(losses, weights, reduction=reduction)


def add_loss(loss: TensorLike, loss_collection: Any = "losses") -> None:
    """Nothing to do: there are no collections."""


def get_losses(scope: str | None = None, loss_collection: Any = "losses") -> list[Tensor]:
    """The losses in a collection: none."""
    return []


def get_regularization_losses(scope: str | None = None) -> list[Tensor]:
    """The losses in the collection of regularizers: none."""
    return []


def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Tensor:
    """The sum of these: zero."""
    return tf.constant(0.0)
