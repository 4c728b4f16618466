"""Cross-entropies with other weights: focal ones, where what the model already gets right counts less by
`(1 - p) ** gamma`, and the generalized one, which wrong labels harm less.
"""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.recording.symbolic import dispatching
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.config import epsilon
from tapeflow.keras.losses.crossentropy import binary_inputs, categorical_labels
from tapeflow.keras.losses.inputs import logits_behind
from tapeflow.keras.losses.loss import LossFunctionWrapper
from tapeflow.keras.losses.ragged import takes_ragged
from tapeflow.keras.losses.reduction import Reduction
from tapeflow.ops.training import loss as kernels


@takes_ragged
@dispatching
def binary_focal_crossentropy(
    y_true: Tensor,
    y_pred: Tensor,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: Any = 0.0,
    axis: int = -1,
) -> Tensor:
    """`binary_crossentropy` that gives easy examples less weight.

    Args:
        y_true: the probability of yes, mostly 0 or 1.
        y_pred: predicted probabilities, or logits.
        apply_class_balancing: weigh a yes with `alpha` and a no with `1 - alpha`.
        alpha: see above.
        gamma: how fast an example fades as it is learned; 0 gives the plain cross-entropy.
        from_logits: whether `y_pred` is before the sigmoid.
        label_smoothing: move labels this far towards one half.
        axis: one or several axes to average over.
    """
    where = "binary_focal_crossentropy"
    y_pred = convert_to_tensor(y_pred)
    y_true, y_pred = binary_inputs(where, y_true, y_pred, from_logits, label_smoothing)
    y_true = tf.cast(y_true, y_pred.dtype)
    p = tf.sigmoid(y_pred) if from_logits else y_pred
    p_of_truth = y_true * p + (1.0 - y_true) * (1.0 - p)
    scores, are_logits = logits_behind(where, y_pred, from_logits, "Sigmoid")
    losses = kernels.binary_cross_entropy(scores, y_true, from_logits=are_logits, epsilon=epsilon())
    losses = tf.pow(1.0 - p_of_truth, gamma) * losses
    if apply_class_balancing:
        losses = (y_true * alpha + (1.0 - y_true) * (1.0 - alpha)) * losses
    return tf.reduce_mean(losses, axis)


@takes_ragged
@dispatching
def categorical_focal_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Tensor:
    """`categorical_crossentropy` that gives easy examples less weight.

    Args:
        y_true: a probability for each class, of the shape of `y_pred`.
        y_pred: predicted probabilities, scaled here to sum to one, or logits.
        alpha: the weight of every class, or a list with one for each.
        gamma: how fast an example fades as it is learned.
        from_logits: whether `y_pred` is before the softmax.
        label_smoothing: move labels this far towards all classes being equally likely.
        axis: the axis of the classes.
    """
    where = "categorical_focal_crossentropy"
    y_pred = convert_to_tensor(y_pred)
    y_true = tf.cast(categorical_labels(where, y_true, y_pred, label_smoothing, axis), y_pred.dtype)
    y_pred, from_logits = logits_behind(where, y_pred, from_logits, "Softmax")
    if from_logits:
        y_pred = tf.nn.softmax(y_pred, axis)
    p = y_pred / tf.reduce_sum(y_pred, axis, keepdims=True)
    p = tf.clip_by_value(p, epsilon(), 1.0 - epsilon())
    weight = tf.pow(1.0 - p, gamma) * alpha
    return -tf.reduce_sum(weight * y_true * tf.math.log(p), axis)


@dispatching
def categorical_generalized_cross_entropy(y_true: TensorLike, y_pred: Any, q: float = 0.5) -> Tensor:
    """`(1 - p ** q) / q` of the probability `p` of the label: cross-entropy as `q` nears 0, and `1 - p` at 1.

    Args:
        y_true: class numbers.
        y_pred: predicted probabilities, classes last.
        q: how little wrong labels weigh, between 0 and 1.
    """
    y_pred = convert_to_tensor(y_pred)
    one_hot = tf.one_hot(tf.cast(convert_to_tensor(y_true), tf.int64), y_pred.shape[-1], dtype=y_pred.dtype)
    return (1.0 - tf.pow(tf.reduce_sum(y_pred * one_hot, -1), q)) / q


class BinaryFocalCrossentropy(LossFunctionWrapper):
    """`binary_focal_crossentropy` as a class."""

    def __init__(
        self,
        apply_class_balancing: bool = False,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = Reduction.AUTO,
        name: str | None = "binary_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            binary_focal_crossentropy,
            reduction,
            name,
            dtype,
            apply_class_balancing=apply_class_balancing,
            alpha=alpha,
            gamma=gamma,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )
        self.apply_class_balancing = apply_class_balancing
        self.alpha, self.gamma, self.from_logits = alpha, gamma, from_logits


class CategoricalFocalCrossentropy(LossFunctionWrapper):
    """`categorical_focal_crossentropy` as a class."""

    def __init__(
        self,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = Reduction.AUTO,
        name: str | None = "categorical_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            categorical_focal_crossentropy,
            reduction,
            name,
            dtype,
            alpha=alpha,
            gamma=gamma,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )
        self.alpha, self.gamma, self.from_logits = alpha, gamma, from_logits


class CategoricalGeneralizedCrossEntropy(LossFunctionWrapper):
    """`categorical_generalized_cross_entropy` as a class."""

    def __init__(
        self,
        q: float = 0.5,
        reduction: str | None = Reduction.SUM_OVER_BATCH_SIZE,
        name: str | None = "categorical_generalized_cross_entropy",
        dtype: Any = None,
    ) -> None:
        if not 0 < q < 1:
            raise ValueError(f"q must be in the interval (0, 1). Received: q={q}")
        super().__init__(categorical_generalized_cross_entropy, reduction, name, dtype, q=q)
        self.q = q
