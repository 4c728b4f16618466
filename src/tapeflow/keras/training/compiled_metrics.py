"""`compiled_metrics`: the metrics given to `compile`, made into objects at the first batch."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values import nest
from tapeflow.keras.annotations import DataLike
from tapeflow.keras.layers.base.naming import own_names
from tapeflow.keras.metrics import Metric
from tapeflow.keras.metrics.resolve import resolve_metric
from tapeflow.keras.training.outputs import (
    flat_data,
    masked_weight,
    matched,
    matched_shape,
    metrics_for,
    names_for,
)


class CompiledMetrics:
    """The metrics of a model's outputs.

    What a name such as 'accuracy' means is known when the first batch shows the shapes.

    Args:
        metrics: what `compile(metrics=...)` was given.
        weighted_metrics: what `compile(weighted_metrics=...)` was given.
        output_names: the model's names of its outputs, where it has any.
    """

    def __init__(
        self, metrics: object = None, weighted_metrics: object = None, output_names: list[str] | None = None
    ) -> None:
        self._given = metrics
        self._given_weighted = weighted_metrics
        self._output_names = output_names
        self.built = False
        self.names: list[str] = []
        self.reasons: list[list[str]] = []
        self._plain: list[list[Any]] = []
        self._weighted: list[list[Any]] = []

    @property
    def metrics(self) -> list[Any]:
        """The metric objects, plain and weighted, output by output; none before the first batch."""
        if not self.built:
            return []
        return [
            m
            for plain, weighted in zip(self._plain, self._weighted, strict=True)
            for m in (*plain, *weighted)
        ]

    def build(self, y_pred: Any, y_true: Any) -> None:
        """Make the metric objects for labels and predictions like these."""
        self.names = names_for(y_pred, self._output_names)
        predictions = nest.flatten(y_pred)
        labels = (
            flat_data(y_pred, y_true, self.names, "y") if y_true is not None else [None] * len(self.names)
        )
        plain = metrics_for(y_pred, self._given, self.names, "metrics")
        weighted = metrics_for(y_pred, self._given_weighted, self.names, "weighted_metrics")
        taken: set[str] = set()
        self.reasons = [[] for _ in self.names]
        with own_names():
            for given, made, prefix in ((plain, self._plain, ""), (weighted, self._weighted, "weighted_")):
                made[:] = [
                    [
                        self._made(m, i, labels[i], predictions[i], taken, prefix)
                        for m in found
                        if m is not None and m != ""
                    ]
                    for i, found in enumerate(given)
                ]
        self.built = True

    def _made(
        self, identifier: object, output: int, y_true: Any, y_pred: Any, taken: set[str], prefix: str
    ) -> Metric:
        """The metric that `identifier` means; `prefix` comes before a name that is taken already."""
        true_shape = None if y_true is None else matched_shape(y_true, y_pred)
        metric, reason = resolve_metric(identifier, true_shape, tuple(y_pred.shape))
        if metric is None:
            raise ValueError(f"compile expected metrics; got {identifier!r}.")
        owner = f"{self.names[output]}_" if len(self.names) > 1 else ""
        name = metric.name.removeprefix(owner)
        metric._name = owner + (prefix if owner + name in taken else "") + name
        if metric.name in taken:
            raise ValueError(
                f"Found two metrics with the same name: {metric.name}. All the metrics added to the model need to "
                "have unique names."
            )
        taken.add(metric.name)
        self.reasons[output].append(reason)
        return metric

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: DataLike = None) -> None:
        """Add a batch to every metric; only weighted metrics see `sample_weight`."""
        if y_true is None:
            return
        if not self.built:
            self.build(y_pred, y_true)
        predictions = nest.flatten(y_pred)
        labels = flat_data(y_pred, y_true, self.names, "y")
        weights = flat_data(y_pred, sample_weight, self.names, "sample_weight")
        for i, (true, pred, weight) in enumerate(zip(labels, predictions, weights, strict=True)):
            plain, weighted = self._plain[i], self._weighted[i]
            if true is None or not (plain or weighted):
                continue
            mask = getattr(pred, "_keras_mask", None)
            true, pred, weight = matched(true, pred, weight)
            if mask is not None:
                mask = tf.cast(mask, pred.dtype)
                weight = mask if weight is None else masked_weight(weight, mask)
            for metric in plain:
                metric.update_state(true, pred, **({} if mask is None else {"sample_weight": mask}))
            for metric in weighted:
                metric.update_state(true, pred, sample_weight=weight)

    def reset_state(self) -> None:
        """Forget the batches so far."""
        for metric in self.metrics:
            metric.reset_state()
