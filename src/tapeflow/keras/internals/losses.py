"""`tf.keras.__internal__.losses`."""

from __future__ import annotations

from tapeflow.keras.losses.loss import LossFunctionWrapper
from tapeflow.keras.losses.reduction import compute_weighted_loss

__all__ = ["LossFunctionWrapper", "compute_weighted_loss"]
