"""From one loss per sample to one number: sample weights, masks, and how the samples are averaged."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.errors import InvalidArgumentError
from tapeflow.engine.recording.symbolic import dispatching
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.losses.shape_warning import broadcast_shape
from tapeflow.ops.ragged.dispatch import for_ragged


class Reduction:
    """How a loss combines the losses of the samples. `AUTO` is `SUM_OVER_BATCH_SIZE`, the mean.

    The mean is over the number of losses, not over the sum of their weights. Keras 3's names are taken
    too: `'mean'`, the same as `'sum_over_batch_size'`; `'mean_with_sample_weight'`, which does divide by
    the sum of the weights; and `None` for `'none'`.
    """

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"
    MEAN = "mean"
    MEAN_WITH_SAMPLE_WEIGHT = "mean_with_sample_weight"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Every reduction of Keras 2."""
        return (cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)

    @classmethod
    def validate(cls, key: str | None) -> None:
        """Raise unless `key` is a reduction."""
        known = (*cls.all(), cls.MEAN, cls.MEAN_WITH_SAMPLE_WEIGHT)
        if key is not None and key not in known:
            raise ValueError(f'Invalid Reduction Key: {key}. Expected keys are "{known}"')


_MEANS = (Reduction.AUTO, Reduction.SUM_OVER_BATCH_SIZE, Reduction.MEAN)


@dispatching
def compute_weighted_loss(
    losses: TensorLike,
    sample_weight: TensorLike | None = None,
    reduction: str | None = Reduction.SUM_OVER_BATCH_SIZE,
    mask: TensorLike | None = None,
) -> Tensor:
    """Weigh the losses of the samples and reduce them.

    Args:
        losses: one loss per sample, or per sample and time step; or a single one.
        sample_weight: a scalar, or weights of the rank of `losses` or one more or less: a last axis of
            length 1 is taken away or added, and then they broadcast.
        reduction: one of `Reduction`.
        mask: where a loss counts. The mean is then over the losses that count.
    """
    losses = convert_to_tensor(losses)
    given = losses.spec.dtype
    if not given.is_floating:
        losses = tf.cast(losses, tf.float32)
    if mask is not None:
        sample_weight = _masked_weight(losses, sample_weight, mask, reduction)
    if sample_weight is not None:
        sample_weight = tf.cast(sample_weight, losses.dtype)
        # A loss function of the user's that gives one number for the batch has it weighed by all weights.
        losses = losses * (match_rank(sample_weight, losses) if losses.spec.shape else sample_weight)
    loss = _reduce(losses, sample_weight, reduction)
    return loss if given.is_floating else tf.cast(loss, given)


def _weighted_ragged(
    losses: Any,
    sample_weight: list[float] | None = None,
    reduction: str | None = Reduction.SUM_OVER_BATCH_SIZE,
    mask: Tensor | None = None,
) -> Tensor:
    """The same for ragged losses: every position counts alike, whatever row it is in."""
    if mask is not None:
        raise TypeError(
            "A loss expected no mask for ragged values; got both. A ragged tensor has no padding to leave out."
        )
    if sample_weight is not None:
        weight = sample_weight
        if not isinstance(weight, tf.RaggedTensor):
            weight = tf.convert_to_tensor(weight)
            if 0 < len(weight.shape) < len(losses.shape):
                weight = tf.expand_dims(weight, -1)
        losses = losses * tf.cast(weight, losses.dtype)
    if reduction is None or reduction == Reduction.NONE:
        return losses
    return compute_weighted_loss(losses.flat_values, None, reduction)


for_ragged(compute_weighted_loss, _weighted_ragged)


def match_rank(sample_weight: Tensor, values: Tensor) -> Tensor:
    """`sample_weight` with a last axis of length 1 taken away or added, if its rank is one off."""
    given, wanted = tuple(sample_weight.shape), tuple(values.shape)
    if given == wanted or not given:
        return sample_weight
    fitted = given
    if len(given) == len(wanted) + 1 and given[-1] == 1:
        fitted, sample_weight = given[:-1], tf.squeeze(sample_weight, -1)
    elif len(given) == len(wanted) - 1:
        fitted, sample_weight = (*given, 1), tf.expand_dims(sample_weight, -1)
    if len(fitted) > len(wanted) or broadcast_shape(fitted, wanted) is None:
        raise InvalidArgumentError(
            None,
            None,
            f"A loss expected sample_weight with one weight for each of its values: Incompatible shapes: "
            f"{list(wanted)} vs. {list(given)}; got values of shape {wanted} and sample_weight of shape {given}. "
            f"Pass one weight per sample, shape ({wanted[0] if wanted else 1},), or one per value.",
        )
    return sample_weight


def match_labels(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Labels and predictions, one without its last axis of length 1 if only that tells their ranks apart."""
    true, pred = y_true.shape, y_pred.shape
    if len(true) == len(pred):
        return y_true, y_pred
    if len(pred) == len(true) + 1 and pred[-1] == 1:
        return y_true, tf.squeeze(y_pred, -1)
    if len(true) == len(pred) + 1 and true[-1] == 1:
        return tf.squeeze(y_true, -1), y_pred
    return y_true, y_pred


def _masked_weight(losses: Tensor, sample_weight: Any, mask: Any, reduction: str | None) -> Tensor:
    """Weights that are zero outside of the mask, and make a plain mean one over what is inside."""
    mask = tf.cast(mask, losses.dtype)
    if reduction in _MEANS:
        count = tf.cast(tf.size(mask), losses.dtype)
        mask = mask * tf.math.divide_no_nan(count, tf.reduce_sum(mask))
    if sample_weight is None:
        return mask
    return match_rank(tf.cast(sample_weight, losses.dtype), mask) * mask


def _reduce(losses: Tensor, sample_weight: Tensor | None, reduction: str | None) -> Tensor:
    if reduction is None or reduction == Reduction.NONE:
        return losses
    if reduction == Reduction.MEAN_WITH_SAMPLE_WEIGHT and sample_weight is not None:
        return tf.math.divide_no_nan(tf.reduce_sum(losses), tf.reduce_sum(sample_weight))
    is_empty = 0 in losses.spec.shape  # whose mean would be NaN; its sum is 0
    return tf.reduce_sum(losses) if reduction == Reduction.SUM or is_empty else tf.reduce_mean(losses)
