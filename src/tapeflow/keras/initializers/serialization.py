"""Initializers by name and by config: `get`, `serialize`, `deserialize`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InitializerLike
from tapeflow.keras.initializers import fixed, random, spectrum
from tapeflow.keras.initializers.initializer import Initializer, read_dtype, read_shape
from tapeflow.keras.saving.family import Family
from tapeflow.keras.saving.registry import serialize_keras_object

_NAMES: dict[str, Any] = {
    name: value
    for module in (fixed, random, spectrum)
    for name, value in vars(module).items()
    if inspect.isclass(value) and issubclass(value, Initializer) and not name.startswith("_")
}
_NAMES |= {f"{name}V2": value for name, value in _NAMES.items()}  # found in files of older versions
_NAMES |= {
    "normal": random.RandomNormal,
    "uniform": random.RandomUniform,
    "one": fixed.Ones,
    "zero": fixed.Zeros,
}
INITIALIZERS = Family(
    "initializer", Initializer, lambda: _NAMES, takes_functions=True, protocol=("__call__", "get_config")
)


def serialize(initializer: InitializerLike, use_legacy_format: bool = False) -> dict[str, Any]:
    """The config of an initializer, as JSON can hold it."""
    return serialize_keras_object(initializer)


def deserialize(
    config: str | Mapping[str, Any],
    custom_objects: Mapping[str, Any] | None = None,
    use_legacy_format: bool = False,
) -> Any:
    """Look up an initializer by name or config."""
    return INITIALIZERS.deserialize(config, custom_objects)


def get(identifier: Any) -> Any:
    """The initializer for a name, a config, a class, any callable, or an array that is to be the value."""
    if isinstance(identifier, (np.ndarray, np.generic)) or tf.is_tensor(identifier):
        return _ArrayInitializer(identifier)
    return INITIALIZERS.get(identifier)


class _ArrayInitializer(fixed.Constant):
    """An array given in place of an initializer: it must have the weight's shape."""

    def __call__(self, shape: Any, dtype: DType | None = None, **kwargs: Any) -> Tensor:
        sizes = read_shape(shape, kwargs)
        if tuple(self.value.shape) != sizes:
            raise ValueError(
                f"Expected `shape` to be {tuple(self.value.shape)} for direct tensor as initializer. "
                f"Received shape={sizes}"
            )
        return tf.cast(self.value, read_dtype(dtype))
