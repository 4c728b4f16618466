"""Optimizers by name: `get`, `serialize`, `deserialize`."""

from __future__ import annotations

import importlib
from typing import Any

from tapeflow.keras.optimizers.optimizer import Optimizer
from tapeflow.keras.saving.registry import deserialize_keras_object, serialize_keras_object


def _known() -> dict[str, Any]:
    """Keras's own optimizers, by name in small letters."""
    package = importlib.import_module("tapeflow.keras.optimizers")
    classes = [getattr(package, name) for name in package.__all__ if name[0].isupper()]
    found: dict[str, Any] = {c.__name__.lower(): c for c in classes if c is not Optimizer}
    return {**found, "lossscaleoptimizerv3": found["lossscaleoptimizer"]}


def serialize(optimizer: Optimizer, use_legacy_format: bool = False) -> dict[str, Any]:
    """An optimizer as a dict that `deserialize` makes one of again, without its state."""
    return serialize_keras_object(optimizer)


def deserialize(config: dict[str, Any], custom_objects: Any = None, **kwargs: Any) -> Any:
    """The optimizer that `serialize` described; the names of Keras's own may be in any case.

    `use_legacy_optimizer` and `use_legacy_format` are accepted and change nothing.
    """
    kwargs.pop("use_legacy_optimizer", None)
    kwargs.pop("use_legacy_format", None)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {kwargs}")
    known = _known()
    if config["class_name"].lower() in known:
        config = {**config, "class_name": config["class_name"].lower()}
    return deserialize_keras_object(config, known, custom_objects, "optimizer")


def get(identifier: Any, **kwargs: Any) -> Any:
    """The optimizer that a name, a config or an optimizer stands for.

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
