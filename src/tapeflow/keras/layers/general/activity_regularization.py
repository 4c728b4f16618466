"""`ActivityRegularization`: a loss for the size of what passes through."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.keras import regularizers
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.base.layer import Layer


class ActivityRegularization(Layer):
    """Return the inputs unchanged, and add a loss that penalizes large values.

    Args:
        l1: the factor of the sum of absolute values.
        l2: the factor of the sum of squares.
        **kwargs: see `Layer`.
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=regularizers.L1L2(l1=l1, l2=l2), **kwargs)
        self.supports_masking = True
        self.l1 = l1
        self.l2 = l2

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return tf.TensorShape(input_shape)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "l1": self.l1, "l2": self.l2}
