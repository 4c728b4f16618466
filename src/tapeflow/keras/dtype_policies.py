"""`tf.keras.dtype_policies`: Keras 3's name of the policies of `tf.keras.mixed_precision`."""

from __future__ import annotations

from typing import Any

from tapeflow.keras.annotations import CustomObjects
from tapeflow.keras.mixed_precision import Policy as DTypePolicy
from tapeflow.keras.mixed_precision import global_policy

FloatDTypePolicy = DTypePolicy


def get(identifier: Any) -> DTypePolicy:
    """The policy of a name or a config; the global one for None."""
    if identifier is None:
        return global_policy()
    if isinstance(identifier, DTypePolicy):
        return identifier
    return deserialize(identifier) if isinstance(identifier, dict) else DTypePolicy(identifier)


def serialize(dtype_policy: DTypePolicy) -> dict[str, Any]:
    """A policy's config."""
    return {"class_name": "DTypePolicy", "config": dtype_policy.get_config()}


def deserialize(config: dict[str, Any], custom_objects: CustomObjects = None) -> DTypePolicy:
    """A policy from its config."""
    return DTypePolicy.from_config(config.get("config", config))


__all__ = ["DTypePolicy", "FloatDTypePolicy", "deserialize", "get", "serialize"]
