"""`Masking`: steps of a sequence to be skipped, told by their value."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.base.layer import Layer


class Masking(Layer):
    """Mask the steps in which every feature is `mask_value`, and set them to 0.

    Args:
        mask_value: the value.
        **kwargs: see `Layer`.
    """

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.mask_value = mask_value

    def compute_mask(self, inputs: Tensor, mask: TensorLike | None = None) -> Tensor:
        return tf.reduce_any(tf.not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs: Tensor) -> Tensor:
        mask = self.compute_mask(inputs)
        outputs = inputs * tf.cast(tf.expand_dims(mask, -1), inputs.dtype)
        if not isinstance(outputs, tf.RaggedTensor):  # whose rows need no mask
            outputs._keras_mask = mask
        return outputs

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return tf.TensorShape(input_shape)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "mask_value": self.mask_value}
