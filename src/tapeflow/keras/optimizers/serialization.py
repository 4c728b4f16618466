"""Optimizers by name: `get`, `serialize`, `deserialize`."""

from __future__ import annotations

import importlib
from typing import Any

from tapeflow.keras.annotations import CustomObjects
from tapeflow.keras.optimizers.optimizer import Optimizer
from tapeflow.keras.saving.family import Family
from tapeflow.keras.saving.registry import serialize_keras_object


def _own() -> dict[str, Any]:
    """Keras's own optimizers, by name, also in small letters."""
    package = importlib.import_module("tapeflow.keras.optimizers")
    classes = [getattr(package, name) for name in package.__all__ if name[0].isupper()]
    found: dict[str, Any] = {c.__name__: c for c in classes if c is not Optimizer}
    found["LossScaleOptimizerV3"] = found["LossScaleOptimizer"]
    return {**found, **{name.lower(): c for name, c in found.items()}}


OPTIMIZERS = Family("optimizer", Optimizer, _own)


def serialize(optimizer: Optimizer, use_legacy_format: bool = False) -> dict[str, Any]:
    """An optimizer as a dict for `deserialize`, without its state."""
    return serialize_keras_object(optimizer)


def deserialize(config: dict[str, Any], custom_objects: CustomObjects = None, **kwargs: Any) -> Any:
    """The optimizer that `serialize` described; the names of Keras's own may be in any case.

    `use_legacy_optimizer` and `use_legacy_format` are accepted and change nothing.
    """
    kwargs.pop("use_legacy_optimizer", None)
    kwargs.pop("use_legacy_format", None)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {kwargs}")
    name = str(config["class_name"])
    if name.lower() in OPTIMIZERS.known:
        config = {**config, "class_name": name.lower()}
    return OPTIMIZERS.deserialize(config, custom_objects)


def get(identifier: object, **kwargs: Any) -> Any:
    """Look up an optimizer by name or config; optimizers are returned unchanged.

    >>> tf.keras.optimizers.get("adam").name
    'Adam'
    """
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier, **kwargs)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}}, **kwargs)
    raise ValueError(
        f"Could not interpret optimizer identifier: {identifier}. Give a name such as 'adam', a config or an "
        "instance such as Adam(), not the class itself."
    )
