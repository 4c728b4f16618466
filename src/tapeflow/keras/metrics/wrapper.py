"""Metrics made of a function of one batch: the mean of what it gives."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import tapeflow as tf
from tapeflow.autograph.callees import converted
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras.metrics.accuracy_functions import MATCHINGS
from tapeflow.keras.metrics.match_shapes import check_match_shapes
from tapeflow.keras.metrics.metric import Metric
from tapeflow.keras.metrics.reduction import Mean
from tapeflow.keras.metrics.serialization import get
from tapeflow.keras.metrics.weighting import as_tensor, masked_weights, number, squeezed
from tapeflow.ops.training.metric_totals import Matching, add_weighted_batch
from tapeflow.ops.variables.update import update_variable, update_variables


class MeanMetricWrapper(Mean):
    """The weighted mean of `fn(y_true, y_pred, **kwargs)` over all batches.

    Args:
        fn: gives a value for each sample, or a scalar for the batch. A loss object will do.
        name: the key in logs.
        dtype: of the result; both inputs are cast to it.
        **kwargs: passed to `fn`.
    """

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self._fn = fn
        self._fn_kwargs = kwargs
        # An accuracy is updated by one op, which casts, squeezes, compares and sums.
        self._matching: Matching | None = MATCHINGS.get(fn) if isinstance(fn, FunctionType) else None

    def update_state(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> None:
        """Add a batch."""
        matching = self._matching
        if matching is None:
            self._update_with_function(y_true, y_pred, sample_weight)
            return
        labels, predictions = as_tensor(y_true), as_tensor(y_pred)
        shapes = labels.spec.shape, predictions.spec.shape
        check_match_shapes(matching.name, *shapes)
        if sample_weight is None:
            update_variable(self.total, matching.add, labels, predictions, **self._fn_kwargs)
            self.count.assign_add(number(matching.count(*shapes), self._dtype))
        else:
            totals = (self.total, self.count)
            weights = as_tensor(sample_weight)
            update_variables(totals, matching.add_weighted, labels, predictions, weights, **self._fn_kwargs)

    def _update_with_function(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: Any) -> None:
        labels, predictions = squeezed(tf.cast(y_true, self._dtype), tf.cast(y_pred, self._dtype))
        values = converted(self._fn)(labels, predictions, **self._fn_kwargs)
        weights = masked_weights(values, sample_weight, scale_mask=self._add_weighted is add_weighted_batch)
        super().update_state(values, sample_weight=weights)

    def get_config(self) -> dict[str, Any]:
        given = {k: v.numpy() if tf.is_tensor(v) else v for k, v in self._fn_kwargs.items()}
        if type(self) in (MeanMetricWrapper, SumOverBatchSizeMetricWrapper):
            given["fn"] = self._fn
        return {**super().get_config(), **given}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Metric:
        if cls not in (MeanMetricWrapper, SumOverBatchSizeMetricWrapper) or "fn" not in config:
            return super().from_config(config)
        return cls(**{**config, "fn": get(config["fn"])})


class SumOverBatchSizeMetricWrapper(MeanMetricWrapper):
    """As `MeanMetricWrapper`, but over the number of values, whatever their weights."""

    _add_weighted = add_weighted_batch

    def __init__(
        self,
        fn: Callable[..., Any],
        name: str | None = "sum_over_batch_size",
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(fn, name=name, dtype=dtype, **kwargs)
        self._matching = None
