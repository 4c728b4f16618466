"""Losses by name: `get`, `serialize` and `deserialize`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeflow.keras.losses.loss import Loss
from tapeflow.keras.saving.family import Family, named_in
from tapeflow.keras.saving.registry import serialize_keras_object

LOSSES = Family(
    "loss function",
    Loss,
    lambda: named_in("tapeflow.keras.losses", Loss),
    takes_functions=True,
    protocol=("__call__", "get_config"),
    advice="Pass a name such as 'mse', a Loss, a config dict, or a function of y_true and y_pred.",
)


def get(identifier: object) -> Any:
    """A loss from its name or config; functions and objects pass unchanged, `None` stays `None`.

    >>> tf.keras.losses.get("mse").__name__
    'mean_squared_error'

    Raises:
        ValueError: nothing is known by that name.
    """
    return LOSSES.get(identifier)


def serialize(loss: Loss, use_legacy_format: bool = False) -> Any:
    """A loss as `{"class_name", "config"}`, or a function's name."""
    return serialize_keras_object(loss)


def deserialize(
    name: Any, custom_objects: Mapping[str, Any] | None = None, use_legacy_format: bool = False
) -> Any:
    """Create a loss from its name or from the result of `serialize`."""
    return LOSSES.deserialize(name, custom_objects)
