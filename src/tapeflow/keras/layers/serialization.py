"""Layers by name: `tf.keras.layers.serialize`, `deserialize` and `get`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import tapeflow as tf
from tapeflow.keras.annotations import CustomObjects
from tapeflow.keras.applications import scale_layers
from tapeflow.keras.graph import op_layer
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.models import endpoints
from tapeflow.keras.saving.family import Family
from tapeflow.keras.saving.registry import serialize_keras_object

_ELSEWHERE: dict[str, Callable[[Any], Any]] = {
    "RandomFourierFeatures": lambda keras: keras.layers.experimental,
    "LinearModel": lambda keras: keras.experimental,
    "WideDeepModel": lambda keras: keras.experimental,
    "FeatureSpace": lambda keras: keras.utils,
    "SharpnessAwareMinimization": lambda keras: keras.models.experimental,
}
"""Classes that have no name in `tf.keras.layers` or `tf.keras.models`: where they are."""


class _Known(Mapping[str, Any]):
    """Keras's own layers and models by class name, imported when asked for."""

    def __getitem__(self, name: str) -> Any:
        found = self._module(name)
        if found is None:
            raise KeyError(name)
        return getattr(found, name.rpartition(">")[2])

    def _module(self, name: str) -> Any:
        if name in _names():
            return tf.keras.layers
        if name in ("Model", "Functional", "Sequential"):
            return tf.keras.models
        if name in ("TFOpLambda", "SlicingOpLambda", "InstanceProperty", "InstanceMethod", "ClassMethod"):
            return op_layer
        if name in _ELSEWHERE:
            return _ELSEWHERE[name](tf.keras)
        if name in ("CustomScaleLayer", "Custom>CustomScaleLayer", "LayerScale"):
            return scale_layers
        return endpoints if name in ("AddLoss", "AddMetric") else None

    def __iter__(self) -> Iterator[str]:
        return iter([*_names(), "Model", "Functional", "Sequential"])

    def __len__(self) -> int:
        return len(list(iter(self)))


def _names() -> list[str]:
    return vars(tf.keras.layers)["__all__"]


LAYERS = Family("layer", Layer, _Known, protocol=("call", "get_config"))


def serialize(layer: Layer, use_legacy_format: bool = False) -> dict[str, Any]:
    """A layer as `{"class_name", "config"}`."""
    return serialize_keras_object(layer)


def deserialize(
    config: str | Mapping[str, Any], custom_objects: CustomObjects = None, use_legacy_format: bool = False
) -> Any:
    """Create a layer from the result of `serialize`."""
    if isinstance(config, Mapping) and config.get("class_name") == "Model":
        config = {**config, "class_name": "Functional"}
    return LAYERS.deserialize(config, custom_objects)


def get(identifier: object) -> Any:
    """A layer from a config or a class name; a layer as it is."""
    if identifier is None:
        return None
    if isinstance(identifier, Mapping):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}})
    if callable(identifier):
        return identifier
    raise ValueError(
        f"Could not interpret layer identifier: {identifier!r}. Pass a config, a class name or a layer."
    )
