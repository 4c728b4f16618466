"""How labels, predictions, masks and weights of different ranks meet, as in Keras 2."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor


def as_tensor(value: TensorLike) -> Tensor:
    """A value as a tensor; quickly if it is one, as at every step of a training."""
    return value if type(value) is Tensor else tf.convert_to_tensor(value)


@lru_cache(maxsize=4096)
def number(value: float, dtype: str) -> tf.Tensor:
    """A number as a tensor, made once: counts and weights of 1 come at every step."""
    return tf.constant(value, dtype=dtype)


def as_weights(sample_weight: Any, dtype: str) -> tf.Tensor:
    """Weights as a tensor; 1 for `None`."""
    return number(1.0, dtype) if sample_weight is None else as_tensor(sample_weight)


def squeezed(y_true: tf.Tensor, y_pred: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The two without a last axis of length 1 that only one of them has."""
    true_shape, pred_shape = y_true.spec.shape, y_pred.spec.shape
    if len(pred_shape) == len(true_shape) + 1 and pred_shape[-1] == 1:
        return y_true, tf.reshape(y_pred, pred_shape[:-1])
    if len(true_shape) == len(pred_shape) + 1 and true_shape[-1] == 1:
        return tf.reshape(y_true, true_shape[:-1]), y_pred
    return y_true, y_pred


def masked_weights(values: Tensor, sample_weight: Sequence[float] | None, scale_mask: bool = False) -> Any:
    """Sample weights times the mask that `values` carries; `None` if there is neither.

    Args:
        values: what a metric function gave; its mask, if it has one, is `_keras_mask`.
        sample_weight: the user's weights.
        scale_mask: make up for what is masked, for a mean over all values.
    """
    mask = getattr(values, "_keras_mask", None)
    if mask is None:
        return sample_weight
    mask = tf.cast(mask, values.dtype)
    if scale_mask:
        mask = mask * (tf.cast(tf.size(mask), mask.dtype) / tf.reduce_sum(mask))
    return apply_mask(mask, sample_weight)


def apply_mask(mask: tf.Tensor, sample_weight: Sequence[float] | None) -> tf.Tensor:
    """A mask, already of a float dtype, times weights of about its rank."""
    if sample_weight is None:
        return mask
    weights = tf.cast(sample_weight, mask.dtype)
    if weights.ndim == mask.ndim + 1:
        weights = tf.squeeze(weights, [-1])
    elif 0 < weights.ndim == mask.ndim - 1:
        weights = tf.expand_dims(weights, -1)
    return weights * mask
