"""Losses by name: `get`, `serialize` and `deserialize`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from typing import Any

from tapeflow.keras import losses
from tapeflow.keras.losses.loss import Loss
from tapeflow.keras.saving.registry import deserialize_keras_object, serialize_keras_object


def get(identifier: Any) -> Any:
    """A loss from its name or config; functions and objects pass unchanged, `None` stays `None`.

    >>> tf.keras.losses.get("mse").__name__
    'mean_squared_error'

    Raises:
        ValueError: nothing is known by that name.
    """
    if identifier is None:
        return None
    if isinstance(identifier, (str, Mapping)):
        return deserialize(identifier)
    if inspect.isclass(identifier) and issubclass(identifier, Loss):
        return identifier()
    if callable(identifier):
        return identifier
    raise ValueError(
        f"Could not interpret loss function identifier: {identifier}. Pass a name such as 'mse', a Loss, a "
        "config dict, or a function of y_true and y_pred."
    )


def serialize(loss: Any, use_legacy_format: bool = False) -> Any:
    """A loss as `{"class_name", "config"}`, or a function's name."""
    return serialize_keras_object(loss)


def deserialize(
    name: Any, custom_objects: Mapping[str, Any] | None = None, use_legacy_format: bool = False
) -> Any:
    """The loss that `serialize` or the user named."""
    return deserialize_keras_object(name, _known(), custom_objects, printable_module_name="loss function")


@cache
def _known() -> dict[str, Any]:
    """Every loss by every name it goes by."""
    found = {name: getattr(losses, name) for name in dir(losses)}
    return {name: loss for name, loss in found.items() if _is_loss(loss)}


def _is_loss(value: Any) -> bool:
    if inspect.isclass(value):
        return issubclass(value, Loss)
    return inspect.isfunction(value) and value not in (get, serialize, deserialize)
