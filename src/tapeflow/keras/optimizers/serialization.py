"""Optimizers by name: `get`, `serialize`, `deserialize`."""

from __future__ import annotations

import importlib
import inspect
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


def _old() -> dict[str, Any]:
    """Those of `legacy`, by name in small letters."""
    legacy = importlib.import_module("tapeflow.keras.optimizers.legacy")
    classes = [value for name, value in vars(legacy).items() if name[0].isupper() and inspect.isclass(value)]
    return {c.__name__.lower(): c for c in classes if c is not legacy.Optimizer}


OPTIMIZERS = Family("optimizer", Optimizer, _own)
OLD_OPTIMIZERS = Family("optimizer", Optimizer, _old)


def serialize(optimizer: Optimizer, use_legacy_format: bool = False) -> dict[str, Any]:
    """An optimizer as a dict for `deserialize`, without its state."""
    return serialize_keras_object(optimizer)


def deserialize(config: dict[str, Any], custom_objects: CustomObjects = None, **kwargs: Any) -> Any:
    """The optimizer that `serialize` described; the names of Keras's own may be in any case.

    A config from before Keras 2.11 gives one of `tf.keras.optimizers.legacy`, as does `use_legacy_optimizer=True` where
    a config does not say; `use_legacy_format` changes nothing.
    """
    is_old = bool(kwargs.pop("use_legacy_optimizer", False))
    kwargs.pop("use_legacy_format", None)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments: {kwargs}")
    name = str(config["class_name"])
    if name.lower() not in OPTIMIZERS.known:
        return OPTIMIZERS.deserialize(config, custom_objects)
    if config.get("config"):
        is_old = _is_old(config)
    family = OLD_OPTIMIZERS if is_old and name.lower() in OLD_OPTIMIZERS.known else OPTIMIZERS
    return family.deserialize({**config, "class_name": name.lower()}, custom_objects)


def _is_old(config: dict[str, Any]) -> bool:
    """Whether a config was written by an optimizer from before Keras 2.11: it says `decay`, and nothing of averages."""
    if config.get("module") == "keras.optimizers.legacy":
        return True
    arguments = config["config"]
    return "module" not in config and "decay" in arguments and "use_ema" not in arguments


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
