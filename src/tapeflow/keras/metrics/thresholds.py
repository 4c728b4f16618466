"""Counts at thresholds: what confusion counts, precision, recall and AUC share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras import config
from tapeflow.keras.metrics.metric import Metric
from tapeflow.keras.metrics.weighting import as_tensor, as_weights
from tapeflow.ops.training.confusion_counts import add_counts, add_even_counts
from tapeflow.ops.variables.update import update_variables

_MAX_THRESHOLDS = 1 << 20


def read_thresholds(where: str, thresholds: Any, default: float) -> list[float]:
    """One threshold or several as a list, each looked at to be in [0, 1]."""
    if thresholds is None:
        return [default]
    given = list(thresholds) if isinstance(thresholds, (list, tuple, np.ndarray)) else [thresholds]
    wrong = [t for t in given if t is None or not 0 <= t <= 1]
    if wrong:
        raise ValueError(
            f"{where} expected thresholds in [0, 1]: Threshold values must be in [0, 1]. Received: {wrong}. "
            "Apply a sigmoid to logits before comparing them."
        )
    return given


def even_thresholds(where: str, count: int) -> list[float]:
    """`count` thresholds from 0 to 1, evenly spaced."""
    if count > _MAX_THRESHOLDS:
        raise ValueError(
            f"{where} expected at most {_MAX_THRESHOLDS} thresholds; got num_thresholds={count!r}. A few hundred are "
            "usual."
        )
    return [0.0, *((i + 1) / (count - 1) for i in range(count - 2)), 1.0]


def are_even(thresholds: Sequence[float]) -> bool:
    """Whether thresholds are evenly spaced from 0 to 1, up to Keras's epsilon."""
    count = len(thresholds)
    if count < 3:
        return False
    even = np.arange(count, dtype=np.float32) / (count - 1)
    return bool(np.allclose(thresholds, even, atol=config.epsilon()))


class CountingMetric(Metric):
    """A metric whose state are totals of tp, fp, tn or fn, each for every threshold.

    Args:
        thresholds: in the order of the result.
        name: the key in logs.
        dtype: of the totals.
        top_k: only the so many largest scores of a row count as positive.
        class_id: only this class counts.
    """

    def __init__(
        self,
        thresholds: Sequence[float],
        name: str | None = None,
        dtype: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.thresholds: list[float] = list(thresholds)
        self.top_k = top_k
        self.class_id = class_id
        self._statics: dict[str, Any] = {"per_label": False, "top_k": top_k, "class_id": class_id}
        self._is_even = are_even(self.thresholds)
        if self._is_even:
            self._statics["is_widened"] = self.thresholds[0] < 0 or self.thresholds[-1] > 1
            self._limits = ()
        else:
            self._limits = (tf.constant(np.asarray(self.thresholds), dtype=self._dtype),)

    def _count(
        self,
        totals: dict[str, Any],
        y_true: TensorLike,
        y_pred: TensorLike,
        sample_weight: Any,
        label_weights: tf.Tensor | None = None,
    ) -> None:
        """Add a batch to `totals`, which are by kind: 'tp', 'fp', 'tn', 'fn'."""
        labels, predictions = as_tensor(y_true), as_tensor(y_pred)
        self._check_shapes(labels.spec.shape, predictions.spec.shape)
        update_variables(
            tuple(totals.values()),
            add_even_counts if self._is_even else add_counts,
            labels,
            predictions,
            as_weights(sample_weight, self._dtype),
            as_weights(label_weights, self._dtype),
            *self._limits,
            which=tuple(totals),
            **self._statics,
        )

    def _check_shapes(self, true_shape: tuple[int, ...], pred_shape: tuple[int, ...]) -> None:
        if true_shape == pred_shape:
            return
        for longer, shorter in ((true_shape, pred_shape), (pred_shape, true_shape)):
            if longer == (*shorter, 1):
                return
        raise ValueError(
            f"{type(self).__name__} expected y_true and y_pred of one shape: Shapes {pred_shape} and "
            f"{true_shape} are incompatible; got y_true of shape {true_shape} and y_pred of shape "
            f"{pred_shape}. For class numbers y_true, pass tf.one_hot(y_true, classes)."
        )

    def _add_totals(self, *names: str, shape: tuple[int, ...] | None = None) -> list[Any]:
        sizes = (len(self.thresholds),) if shape is None else shape
        return [self.add_weight(name, shape=sizes, initializer="zeros") for name in names]

    def _per_threshold(self, values: Tensor | Variable) -> Any:
        """A scalar if there is but one threshold."""
        return values[0] if len(self.thresholds) == 1 else values
