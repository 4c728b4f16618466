"""Layers that end a branch of a functional model: what `model.add_loss` and `model.add_metric` add."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras.layers.base.layer import Layer


class AddLoss(Layer):
    """Adds its input to the model's losses."""

    def call(self, inputs: Any) -> Any:
        self.add_loss(inputs)
        return inputs


class AddMetric(Layer):
    """Reports the mean of its input as a metric.

    Args:
        metric_name: its name in the logs.
    """

    def __init__(self, metric_name: str, aggregation: str | None = "mean", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.metric_name = metric_name
        self.aggregation = aggregation

    def call(self, inputs: TensorLike) -> Any:
        self.add_metric(inputs, name=self.metric_name, aggregation=self.aggregation)
        return inputs

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "metric_name": self.metric_name, "aggregation": self.aggregation}
