"""The CTC loss: a sequence of labels against longer logits, for speech and handwriting."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.recording.symbolic import dispatching
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.losses.loss import LossFunctionWrapper
from tapeflow.keras.losses.reduction import Reduction
from tapeflow.ops.nn.ctc import padded_ctc_loss

_BLANK = 0


@dispatching
def ctc(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """One loss per sequence; class 0 is the blank.

    Args:
        y_true: class numbers from 1, padded with 0: shape (batch, longest).
        y_pred: logits of shape (batch, time, classes).
    """
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    if len(y_true.shape) != 2:
        raise ValueError(
            "Targets `y_true` are expected to be a tensor of shape `(batch_size, max_length)` in integer "
            f"format. Received: y_true.shape={tuple(y_true.shape)}"
        )
    if len(y_pred.shape) != 3:
        raise ValueError(
            "Logits `y_pred` are expected to be a tensor of shape `(batch_size, max_length, num_classes)`. "
            f"Received: y_pred.shape={tuple(y_pred.shape)}"
        )
    return padded_ctc_loss(y_pred, y_true, blank=_BLANK)


class CTC(LossFunctionWrapper):
    """Connectionist temporal classification: `ctc` as a class."""

    def __init__(
        self,
        reduction: str | None = Reduction.SUM_OVER_BATCH_SIZE,
        name: str | None = "ctc",
        dtype: Any = None,
    ) -> None:
        super().__init__(ctc, reduction, name, dtype)
