"""`Identity`: what it is given."""

from __future__ import annotations

from typing import Any, ClassVar

import tapeflow as tf
from tapeflow.engine.values import nest
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.base.layer import Layer


class Identity(Layer):
    """Return the inputs unchanged.

    >>> tf.keras.layers.Identity()(tf.constant([1.0, 2.0])).numpy().tolist()
    [1.0, 2.0]
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs: Tensor) -> Tensor:
        return nest.map_structure(tf.identity, inputs)

    def compute_output_shape(self, input_shape: InputShape) -> Any:
        return input_shape
