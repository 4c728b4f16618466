"""Metrics by name: `get`, `serialize` and `deserialize`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeflow.keras.metrics.metric import Metric
from tapeflow.keras.saving.family import Family, named_in
from tapeflow.keras.saving.registry import serialize_keras_object

METRICS = Family(
    "metric function",
    Metric,
    lambda: named_in("tapeflow.keras.metrics", Metric),
    takes_functions=True,
    noun="metric",
    advice="Pass a name such as 'accuracy', a Metric, a config dict, or a function of y_true and y_pred.",
)


def get(identifier: object) -> Any:
    """A metric from its name or config; functions and objects pass unchanged, `None` stays `None`.

    A function's name gives the function, a class's name an object. What 'accuracy' stands for depends
    on the shapes: `resolve_metric` decides that.

    >>> tf.keras.metrics.get("mse").__name__
    'mean_squared_error'

    Raises:
        ValueError: nothing is known by that name.
    """
    return METRICS.get(identifier)


def serialize(metric: Any, use_legacy_format: bool = False) -> dict[str, Any]:
    """A metric as `{"class_name", "config"}`, or a function's name."""
    return serialize_keras_object(metric)


def deserialize(
    config: str | Mapping[str, Any],
    custom_objects: Mapping[str, Any] | None = None,
    use_legacy_format: bool = False,
) -> Any:
    """Create a metric from its name or from the result of `serialize`."""
    return METRICS.deserialize(config, custom_objects)
