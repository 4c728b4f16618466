"""Metrics by name: `get`, `serialize` and `deserialize`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from typing import Any

from tapeflow.keras import metrics
from tapeflow.keras.metrics.metric import Metric
from tapeflow.keras.saving.registry import deserialize_keras_object, serialize_keras_object


def get(identifier: Any) -> Any:
    """A metric from its name or config; functions and objects pass unchanged, `None` stays `None`.

    A function's name gives the function, a class's name an object. What 'accuracy' stands for depends
    on the shapes: `resolve_metric` decides that.

    >>> tf.keras.metrics.get("mse").__name__
    'mean_squared_error'

    Raises:
        ValueError: nothing is known by that name.
    """
    if identifier is None:
        return None
    if isinstance(identifier, (str, Mapping)):
        return deserialize(identifier)
    if inspect.isclass(identifier) and issubclass(identifier, Metric):
        return identifier()
    if callable(identifier):
        return identifier
    raise ValueError(
        f"Could not interpret metric identifier: {identifier}. Pass a name such as 'accuracy', a Metric, a "
        "config dict, or a function of y_true and y_pred."
    )


def serialize(metric: Any, use_legacy_format: bool = False) -> Any:
    """A metric as `{"class_name", "config"}`, or a function's name."""
    return serialize_keras_object(metric)


def deserialize(
    config: Any, custom_objects: Mapping[str, Any] | None = None, use_legacy_format: bool = False
) -> Any:
    """The metric that `serialize` or the user named."""
    return deserialize_keras_object(config, _known(), custom_objects, printable_module_name="metric function")


@cache
def _known() -> dict[str, Any]:
    """Every metric by every name it goes by."""
    found = {name: getattr(metrics, name) for name in dir(metrics)}
    return {name: metric for name, metric in found.items() if _is_metric(metric)}


def _is_metric(value: Any) -> bool:
    if inspect.isclass(value):
        return issubclass(value, Metric)
    return inspect.isfunction(value) and value not in (get, serialize, deserialize)
