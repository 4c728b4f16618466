"""`AUC`: the area under the ROC or the precision-recall curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import config
from tapeflow.keras.metrics.thresholds import CountingMetric, even_thresholds
from tapeflow.keras.metrics.weighting import as_tensor, as_weights
from tapeflow.ops.training.confusion_counts import area_under_curve

_CURVES = {"roc": "ROC", "pr": "PR", "pr_gain": "PR_GAIN", "prgain": "PR_GAIN"}
_METHODS = ("interpolation", "majoring", "minoring")


class AUC(CountingMetric):
    """The area under a curve, by a Riemann sum over thresholds.

    Args:
        num_thresholds: how many, evenly spaced from 0 to 1.
        curve: 'ROC', 'PR' (precision over recall) or 'PR_GAIN'.
        summation_method: 'interpolation', 'majoring' or 'minoring': the height between two points.
        name: the key in logs.
        dtype: of the result.
        thresholds: those to use instead, besides 0 and 1.
        multi_label: the columns of `y_true` are labels of their own; the result is the mean of their areas.
        num_labels: the number of columns, if `multi_label`; found at the first batch otherwise.
        label_weights: the weight of each column.
        from_logits: apply a sigmoid to `y_pred` first.

    >>> m = tf.keras.metrics.AUC(num_thresholds=3)
    >>> m.update_state([0, 0, 1, 1], [0, 0.5, 0.3, 0.9])
    >>> float(m.result())
    0.75
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        summation_method: str = "interpolation",
        name: str | None = None,
        dtype: Any = None,
        thresholds: Sequence[float] | None = None,
        multi_label: bool = False,
        num_labels: int | None = None,
        label_weights: Sequence[float] | None = None,
        from_logits: bool = False,
    ) -> None:
        self._check_arguments(num_thresholds, thresholds, multi_label, num_labels)
        self.curve = _read_curve(curve)
        self.summation_method = _read_method(summation_method)
        self._given_thresholds = None if thresholds is None else sorted(thresholds)
        inner = even_thresholds("AUC", num_thresholds)[1:-1] if thresholds is None else sorted(thresholds)
        # Just beyond 0 and 1, so that the lowest takes every score and the highest none.
        super().__init__([-config.epsilon(), *inner, 1.0 + config.epsilon()], name=name, dtype=dtype)
        self.num_thresholds = len(self.thresholds)
        self.multi_label = multi_label
        self.num_labels = num_labels
        self.label_weights = None if label_weights is None else _read_weights(label_weights, self._dtype)
        self.from_logits = from_logits
        self._statics["per_label"] = multi_label
        self._totals: dict[str, Any] = {}
        if not multi_label:
            self._build((self.num_thresholds,))
        elif num_labels:
            self._build((self.num_thresholds, num_labels))

    @staticmethod
    def _check_arguments(
        num_thresholds: int, thresholds: Any, multi_label: bool, num_labels: int | None
    ) -> None:
        if thresholds is None and num_thresholds <= 1:
            raise ValueError(
                "AUC expected at least two thresholds: Argument `num_thresholds` must be an integer > 1. "
                f"Received: num_thresholds={num_thresholds}"
            )
        if num_labels and not multi_label:
            raise ValueError(
                "AUC expected no num_labels: `num_labels` is needed only when `multi_label` is True; got "
                f"num_labels={num_labels}. Pass multi_label=True too."
            )

    def _build(self, shape: tuple[int, ...]) -> None:
        self.true_positives, self.true_negatives, self.false_positives, self.false_negatives = (
            self._add_totals(
                "true_positives", "true_negatives", "false_positives", "false_negatives", shape=shape
            )
        )
        self._totals = {
            "tp": self.true_positives,
            "tn": self.true_negatives,
            "fp": self.false_positives,
            "fn": self.false_negatives,
        }

    def update_state(
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> None:
        """Add a batch."""
        predictions = as_tensor(y_pred)
        self._check_labels(as_tensor(y_true).spec.shape, predictions.spec.shape)
        if self.from_logits:
            predictions = tf.sigmoid(predictions)
        if self.multi_label or self.label_weights is None:
            self._count(self._totals, y_true, predictions, sample_weight)
        else:
            self._count(self._totals, y_true, predictions, sample_weight, self.label_weights)

    def _check_labels(self, true_shape: tuple[int, ...], pred_shape: tuple[int, ...]) -> None:
        if self.multi_label and len(pred_shape) != 2:
            raise ValueError(
                "AUC expected y_pred of shape (batch, labels): `y_pred` must have rank 2 when "
                f"`multi_label=True`. Found rank {len(pred_shape)}. Full shape received for `y_pred`: "
                f"{pred_shape}"
            )
        if not self._totals:
            self._build((self.num_thresholds, pred_shape[1]))
        expected = {int(self._totals["tp"].shape[1])} if self.multi_label else set()
        if self.label_weights is not None:
            expected.add(self.label_weights.spec.shape[0])
        if expected and (len(true_shape) != 2 or expected != {true_shape[1]}):
            raise ValueError(
                "AUC expected as many labels as before and as label_weights: Number of labels is not "
                f"consistent; got y_true of shape {true_shape} for {sorted(expected)} labels."
            )

    def result(self) -> Tensor:
        """The area."""
        if not self._totals:
            raise ValueError(
                "AUC with multi_label=True does not have any value yet. Call update_state first, or pass "
                "num_labels."
            )
        return self._area(self.curve, self.summation_method)

    def interpolate_pr_auc(self) -> Tensor:
        """The area under the precision-recall curve, interpolated after Davis & Goadrich (2006)."""
        return self._area("PR", "interpolation")

    def _area(self, curve: str, method: str) -> Tensor:
        return area_under_curve(
            self.true_positives,
            self.true_negatives,
            self.false_positives,
            self.false_negatives,
            as_weights(self.label_weights, self._dtype),
            curve=curve,
            method=method,
            per_label=self.multi_label,
        )

    def get_config(self) -> dict[str, Any]:
        weights = None if self.label_weights is None else self.label_weights.numpy()
        given = {
            "num_thresholds": self.num_thresholds,
            "curve": self.curve,
            "summation_method": self.summation_method,
            "multi_label": self.multi_label,
            "num_labels": self.num_labels,
            "label_weights": weights,
            "from_logits": self.from_logits,
        }
        if self._given_thresholds is not None:
            given["thresholds"] = self._given_thresholds
        return {**super().get_config(), **given}


def _read_curve(curve: str) -> str:
    found = _CURVES.get(str(getattr(curve, "value", curve)).lower())
    if found is None:
        raise ValueError(
            f'AUC expected curve to be "ROC", "PR" or "PR_GAIN": Invalid AUC curve value: "{curve}". Expected '
            'values are ["PR", "ROC", "PR_GAIN"]'
        )
    return found


def _read_method(method: str) -> str:
    found = str(getattr(method, "value", method)).lower()
    if found not in _METHODS:
        raise ValueError(
            'AUC expected summation_method to be "interpolation", "majoring" or "minoring": Invalid AUC '
            f'summation method value: "{method}". Expected values are {list(_METHODS)}'
        )
    return found


def _read_weights(weights: Any, dtype: str) -> tf.Tensor:
    values = np.asarray(weights, tf.as_dtype(dtype).as_numpy_dtype)
    if (values < 0).any():
        raise ValueError(
            "AUC expected label_weights of at least 0: All values of `label_weights` must be non-negative; got "
            f"label_weights={weights!r}."
        )
    return tf.constant(values)
