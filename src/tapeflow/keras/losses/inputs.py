"""What every loss function does first: predictions as a tensor, labels in their dtype, shapes looked at.

The engine's own conversion is used: given a symbolic tensor it stops the function, and the call as a
whole is kept (`dispatching`), rather than each of its ops.
"""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.keras.losses.shape_warning import warn_of_broadcast, warn_user


def prepare(where: str, y_true: TensorLike, y_pred: TensorLike) -> tuple[Any, Any]:
    """Labels cast to the dtype of the predictions, and the predictions, both as tensors."""
    y_pred = convert_to_tensor(y_pred)
    y_true = tf.cast(convert_to_tensor(y_true), y_pred.dtype)
    if y_true.spec.shape != y_pred.spec.shape:
        warn_of_broadcast(where, y_true.spec.shape, y_pred.spec.shape)
    return y_true, y_pred


def as_tensors(where: str, y_true: TensorLike, y_pred: TensorLike) -> tuple[Any, Any]:
    """`prepare` without the cast, for kernels that cast the labels themselves."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    if y_true.spec.shape != y_pred.spec.shape:
        warn_of_broadcast(where, y_true.spec.shape, y_pred.spec.shape)
    return y_true, y_pred


def logits_behind(where: str, y_pred: TensorLike, from_logits: bool, activation: str) -> tuple[Any, bool]:
    """The logits that `y_pred` was made from by a Keras activation, if it was; and whether it is logits now.

    Keras's softmax and sigmoid leave their input on their output. The cross-entropy of the logits is
    exact where the probability has rounded to 0 or 1.
    """
    logits = getattr(y_pred, "_keras_logits", None)
    if logits is None:
        return y_pred, bool(from_logits)
    if from_logits:
        warn_user(
            f"`{where}` received `from_logits=True`, but the `output` argument was produced by a "
            f"{activation} activation and thus does not represent logits. Was this intended? "
            "The input of the activation is used."
        )
    return logits, True


def smoothed(y_true: TensorLike, label_smoothing: Any, even: float, dtype: DTypeLike) -> Any:
    """Labels moved by `label_smoothing` towards an even guess, the probability `even`; in `dtype` then."""
    if isinstance(label_smoothing, (int, float)) and label_smoothing == 0:
        return y_true
    return tf.cast(y_true, dtype) * (1.0 - label_smoothing) + label_smoothing * even
