"""Layers that only these networks have: sums and products with a factor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tapeflow.keras import initializers
from tapeflow.keras.layers import Layer
from tapeflow.keras.utils import register_keras_serializable

if TYPE_CHECKING:
    from tapeflow.keras.graph.keras_tensor import KerasTensor


@register_keras_serializable()
class CustomScaleLayer(Layer):
    """The first of two inputs, and the second times a factor: a step of `InceptionResNetV2`.

    Args:
        scale: the factor.
        **kwargs: see `Layer`.
    """

    def __init__(self, scale: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale = scale

    def call(self, inputs: KerasTensor) -> Any:
        return inputs[0] + inputs[1] * self.scale

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "scale": self.scale}


class LayerScale(Layer):
    """Each channel times a weight of its own, which starts small: a step of `ConvNeXt`'s blocks.

    Args:
        init_values: the weight's first value.
        projection_dim: how many channels there are.
        **kwargs: see `Layer`.
    """

    def __init__(self, init_values: float, projection_dim: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.init_values = init_values
        self.projection_dim = projection_dim
        self.gamma: Any = None

    def build(self, input_shape: Any) -> None:
        first = initializers.Constant(self.init_values)
        self.gamma = self.add_weight(name="gamma", shape=(self.projection_dim,), initializer=first)
        self.built = True

    def call(self, inputs: KerasTensor) -> Any:
        return inputs * self.gamma

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "init_values": self.init_values,
            "projection_dim": self.projection_dim,
        }
