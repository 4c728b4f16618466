"""The circle loss: embeddings of one class close together, of different classes far apart."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.recording.symbolic import dispatching
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.losses.loss import LossFunctionWrapper
from tapeflow.keras.losses.reduction import Reduction


@dispatching
def circle(
    y_true: TensorLike,
    y_pred: TensorLike,
    ref_labels: Any = None,
    ref_embeddings: Any = None,
    remove_diagonal: bool = True,
    gamma: float = 80,
    margin: float = 0.4,
) -> Tensor:
    """One loss per embedding; an embedding with no partner or no opponent in the batch is masked.

    Args:
        y_true: class numbers, shape (batch,).
        y_pred: embeddings of length one, shape (batch, size).
        ref_labels: the classes of `ref_embeddings`; the batch itself by default.
        ref_embeddings: what to compare with.
        remove_diagonal: do not compare an embedding with itself.
        gamma: the sharpness.
        margin: how far apart similarities should be; smaller is stricter.
    """
    y_pred = convert_to_tensor(y_pred)
    y_true = tf.cast(y_true, tf.int32)
    others = y_pred if ref_embeddings is None else tf.cast(ref_embeddings, y_pred.dtype)
    labels = y_true if ref_labels is None else tf.cast(ref_labels, tf.int32)
    distance = tf.maximum(1.0 - tf.matmul(y_pred, others, transpose_b=True), 0.0)
    is_same = tf.equal(tf.reshape(y_true, [-1, 1]), tf.reshape(labels, [1, -1]))
    is_other = tf.logical_not(is_same)
    if remove_diagonal:
        # Only where the batch is compared with itself, or with a bank that starts with it.
        itself = tf.eye(*is_same.shape, dtype=tf.bool)
        is_same = tf.logical_and(is_same, tf.logical_not(itself))
    pull = gamma * tf.maximum(distance + margin, 0.0) * (distance - margin)
    push = gamma * tf.maximum(1.0 + margin - distance, 0.0) * (1.0 - margin - distance)
    # Finite, so that an embedding alone in its class has a gradient of 0 and not NaN.
    nothing = tf.constant(float(y_pred.dtype.min) / 2, y_pred.dtype)
    losses = tf.math.softplus(
        tf.reduce_logsumexp(tf.where(is_same, pull, nothing), 1)
        + tf.reduce_logsumexp(tf.where(is_other, push, nothing), 1)
    )
    losses._keras_mask = losses > 0.0
    return losses


class Circle(LossFunctionWrapper):
    """`circle` as a class."""

    def __init__(
        self,
        gamma: float = 80.0,
        margin: float = 0.4,
        remove_diagonal: bool = True,
        reduction: str | None = Reduction.SUM_OVER_BATCH_SIZE,
        name: str | None = "circle",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            circle, reduction, name, dtype, gamma=gamma, margin=margin, remove_diagonal=remove_diagonal
        )
        self.gamma, self.margin, self.remove_diagonal = gamma, margin, remove_diagonal
