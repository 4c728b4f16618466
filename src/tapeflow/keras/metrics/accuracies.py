"""The accuracies: how often predictions are right."""

from __future__ import annotations

from typing import Any

from tapeflow.keras.metrics import accuracy_functions as functions
from tapeflow.keras.metrics.wrapper import MeanMetricWrapper


class Accuracy(MeanMetricWrapper):
    """The fraction of predictions that equal their labels, both class numbers.

    >>> m = tf.keras.metrics.Accuracy()
    >>> m.update_state([1, 2, 3, 4], [0, 2, 3, 4])
    >>> float(m.result())
    0.75
    """

    def __init__(self, name: str | None = "accuracy", dtype: Any = None) -> None:
        super().__init__(functions.accuracy, name, dtype=dtype)


class BinaryAccuracy(MeanMetricWrapper):
    """The fraction of elements for which `y_pred > threshold` equals the label, 0 or 1.

    For logits the threshold that goes with a probability of one half is 0.
    """

    def __init__(
        self, name: str | None = "binary_accuracy", dtype: Any = None, threshold: float = 0.5
    ) -> None:
        super().__init__(functions.binary_matches, name, dtype=dtype, threshold=float(threshold))


class CategoricalAccuracy(MeanMetricWrapper):
    """The fraction of samples whose largest score is the right class; labels are one-hot.

    The last axis is that of the classes. For class numbers use `SparseCategoricalAccuracy`.
    """

    def __init__(self, name: str | None = "categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(functions.categorical_accuracy, name, dtype=dtype)


class SparseCategoricalAccuracy(MeanMetricWrapper):
    """The fraction of samples whose largest score is the right class; labels are class numbers."""

    def __init__(self, name: str | None = "sparse_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(functions.sparse_categorical_accuracy, name, dtype=dtype)


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """The fraction of samples whose class is among the `k` largest scores; labels are one-hot."""

    def __init__(
        self, k: int = 5, name: str | None = "top_k_categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(functions.top_k_categorical_accuracy, name, dtype=dtype, k=k)


class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """The fraction of samples whose class is among the `k` largest scores; labels are class numbers."""

    def __init__(
        self, k: int = 5, name: str | None = "sparse_top_k_categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(functions.sparse_top_k_categorical_accuracy, name, dtype=dtype, k=k)
