"""`Wrapper`: a layer around another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tapeflow as tf
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.base.layer import Layer


class Wrapper(Layer):
    """Base class of layers that wrap another layer.

    Args:
        layer: the layer.
        **kwargs: see `Layer`.
    """

    def __init__(self, layer: Layer, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                f"Layer {layer} supplied to wrapper is not a supported layer type. Please ensure wrapped layer is "
                "a valid Keras layer."
            )
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: InputShape | None = None) -> None:
        self.layer._build_for_shape(input_shape)  # its weights' names begin with the wrapper's alone
        self.built = True

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "layer": tf.keras.layers.serialize(self.layer)}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        config = dict(config)
        layer = tf.keras.layers.deserialize(config.pop("layer"), custom_objects=custom_objects)
        return cls(layer, **config)
