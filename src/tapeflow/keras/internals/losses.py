"""`tf.keras.__internal__.losses`."""

from __future__ import annotations

from tapeflow.keras.losses.loss import LossFunctionWrapper

__all__ = ["LossFunctionWrapper"]
