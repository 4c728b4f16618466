"""`Activation`: an activation function as a layer."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import activations
from tapeflow.keras.annotations import ActivationLike, InputShape
from tapeflow.keras.layers.base.layer import Layer


class Activation(Layer):
    """Apply a function to the inputs.

    Args:
        activation: a function, or the name of one of `tf.keras.activations`.
        **kwargs: see `Layer`.

    >>> tf.keras.layers.Activation("relu")(tf.constant([-1.0, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """

    def __init__(self, activation: ActivationLike, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.activation = activations.get(activation)

    def call(self, inputs: Tensor) -> Tensor:
        return self.activation(inputs)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return tf.TensorShape(input_shape)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "activation": activations.serialize(self.activation)}
