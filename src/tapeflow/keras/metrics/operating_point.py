"""The best of one rate where another is good enough, over all thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.metrics.thresholds import CountingMetric, even_thresholds
from tapeflow.ops.training.confusion_counts import best_under_constraint


class _OperatingPoint(CountingMetric):
    """Counts of all four kinds, and a rate that must be at least `value`."""

    def __init__(
        self,
        argument: str,
        value: float,
        num_thresholds: int,
        class_id: int | None,
        name: str | None,
        dtype: Any,
    ) -> None:
        where = type(self).__name__
        if not 0 <= value <= 1:
            raise ValueError(
                f"{where} expected {argument} in [0, 1]: Argument `{argument}` must be in the range [0, 1]. "
                f"Received: {argument}={value}"
            )
        if num_thresholds <= 0:
            raise ValueError(
                f"{where} expected at least one threshold: Argument `num_thresholds` must be an integer > 0. "
                f"Received: num_thresholds={num_thresholds}"
            )
        limits = [0.5] if num_thresholds == 1 else even_thresholds(where, num_thresholds)
        super().__init__(limits, name=name, dtype=dtype, class_id=class_id)
        self.value = float(value)
        self.num_thresholds = num_thresholds
        self._argument = argument
        self.true_positives, self.true_negatives, self.false_positives, self.false_negatives = (
            self._add_totals("true_positives", "true_negatives", "false_positives", "false_negatives")
        )

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: np.ndarray | None = None
    ) -> None:
        """Add a batch."""
        totals = {
            "tp": self.true_positives,
            "tn": self.true_negatives,
            "fp": self.false_positives,
            "fn": self.false_negatives,
        }
        self._count(totals, y_true, y_pred, sample_weight)

    def get_config(self) -> dict[str, Any]:
        given = {
            "class_id": self.class_id,
            "num_thresholds": self.num_thresholds,
            self._argument: self.value,
        }
        return {**super().get_config(), **given}


class SensitivityAtSpecificity(_OperatingPoint):
    """The best sensitivity, tp / (tp + fn), where the specificity, tn / (tn + fp), is at least as given."""

    def __init__(
        self,
        specificity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__("specificity", specificity, num_thresholds, class_id, name, dtype)
        self.specificity = specificity

    def result(self) -> Tensor:
        """The sensitivity."""
        return best_under_constraint(
            self.true_negatives,
            self.false_positives,
            self.true_positives,
            self.false_negatives,
            least=self.value,
        )


class SpecificityAtSensitivity(_OperatingPoint):
    """The best specificity, tn / (tn + fp), where the sensitivity, tp / (tp + fn), is at least as given."""

    def __init__(
        self,
        sensitivity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__("sensitivity", sensitivity, num_thresholds, class_id, name, dtype)
        self.sensitivity = sensitivity

    def result(self) -> Tensor:
        """The specificity."""
        return best_under_constraint(
            self.true_positives,
            self.false_negatives,
            self.true_negatives,
            self.false_positives,
            least=self.value,
        )


class PrecisionAtRecall(_OperatingPoint):
    """The best precision, tp / (tp + fp), where the recall, tp / (tp + fn), is at least as given."""

    def __init__(
        self,
        recall: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__("recall", recall, num_thresholds, class_id, name, dtype)
        self.recall = recall

    def result(self) -> Tensor:
        """The precision."""
        return best_under_constraint(
            self.true_positives,
            self.false_negatives,
            self.true_positives,
            self.false_positives,
            least=self.value,
        )


class RecallAtPrecision(_OperatingPoint):
    """The best recall, tp / (tp + fn), where the precision, tp / (tp + fp), is at least as given."""

    def __init__(
        self,
        precision: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__("precision", precision, num_thresholds, class_id, name, dtype)
        self.precision = precision

    def result(self) -> Tensor:
        """The recall."""
        return best_under_constraint(
            self.true_positives,
            self.false_positives,
            self.true_positives,
            self.false_negatives,
            least=self.value,
        )
