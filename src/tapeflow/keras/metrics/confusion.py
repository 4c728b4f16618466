"""Confusion counts, precision and recall, at one threshold or several."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.metrics.thresholds import CountingMetric, read_thresholds
from tapeflow.ops.training.confusion_counts import NEG_INF


class _ConditionCount(CountingMetric):
    """How many predictions are of one kind."""

    _kind: ClassVar[str]

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(read_thresholds(type(self).__name__, thresholds, 0.5), name=name, dtype=dtype)
        self.init_thresholds = thresholds
        (self.accumulator,) = self._add_totals("accumulator")

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: np.ndarray | None = None
    ) -> None:
        """Add a batch."""
        self._count({self._kind: self.accumulator}, y_true, y_pred, sample_weight)

    def result(self) -> Any:
        """The weighted number, for each threshold if there are several."""
        return self._per_threshold(self.accumulator)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "thresholds": self.init_thresholds}


class TruePositives(_ConditionCount):
    """The number of positives that were predicted as positive."""

    _kind = "tp"


class TrueNegatives(_ConditionCount):
    """The number of negatives that were predicted as negative."""

    _kind = "tn"


class FalsePositives(_ConditionCount):
    """The number of negatives that were predicted as positive."""

    _kind = "fp"


class FalseNegatives(_ConditionCount):
    """The number of positives that were predicted as negative."""

    _kind = "fn"


class _Rate(CountingMetric):
    """True positives among all that are positive in some sense."""

    def __init__(
        self,
        thresholds: list[float] | None = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        limits = read_thresholds(type(self).__name__, thresholds, 0.5 if top_k is None else NEG_INF)
        super().__init__(limits, name=name, dtype=dtype, top_k=top_k, class_id=class_id)
        self.init_thresholds = thresholds

    def get_config(self) -> dict[str, Any]:
        given = {"thresholds": self.init_thresholds, "top_k": self.top_k, "class_id": self.class_id}
        return {**super().get_config(), **given}


class Precision(_Rate):
    """The fraction of positive predictions that are correct; 0 if there are none.

    Args:
        thresholds: above which a score is positive, 0.5 by default; the result has one value for each.
        top_k: the `top_k` largest scores of a row are positive instead.
        class_id: look at this class alone.
        name: the key in logs.
        dtype: of the result.
    """

    def __init__(
        self,
        thresholds: list[float] | None = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(thresholds, top_k, class_id, name, dtype)
        self.true_positives, self.false_positives = self._add_totals("true_positives", "false_positives")

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> None:
        """Add a batch."""
        totals = {"tp": self.true_positives, "fp": self.false_positives}
        self._count(totals, y_true, y_pred, sample_weight)

    def result(self) -> Tensor:
        """The precision, for each threshold if there are several."""
        found = self.true_positives + self.false_positives
        return self._per_threshold(tf.math.divide_no_nan(self.true_positives, found))


class Recall(_Rate):
    """The fraction of positives that were predicted as positive; 0 if there are none. Arguments as for `Precision`."""

    def __init__(
        self,
        thresholds: list[float] | None = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(thresholds, top_k, class_id, name, dtype)
        self.true_positives, self.false_negatives = self._add_totals("true_positives", "false_negatives")

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> None:
        """Add a batch."""
        totals = {"tp": self.true_positives, "fn": self.false_negatives}
        self._count(totals, y_true, y_pred, sample_weight)

    def result(self) -> Tensor:
        """The recall, for each threshold if there are several."""
        positives = self.true_positives + self.false_negatives
        return self._per_threshold(tf.math.divide_no_nan(self.true_positives, positives))
