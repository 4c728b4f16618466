"""Losses as metrics: the mean of a loss function over everything seen."""

from __future__ import annotations

from typing import Any

from tapeflow.keras.metrics import loss_functions as functions
from tapeflow.keras.metrics.wrapper import MeanMetricWrapper


class MeanSquaredError(MeanMetricWrapper):
    """The mean of (y_true - y_pred)²."""

    def __init__(self, name: str | None = "mean_squared_error", dtype: Any = None) -> None:
        super().__init__(functions.mean_squared_error, name, dtype=dtype)


class MeanAbsoluteError(MeanMetricWrapper):
    """The mean of |y_true - y_pred|."""

    def __init__(self, name: str | None = "mean_absolute_error", dtype: Any = None) -> None:
        super().__init__(functions.mean_absolute_error, name, dtype=dtype)


class MeanAbsolutePercentageError(MeanMetricWrapper):
    """The mean of 100 · |y_true - y_pred| / |y_true|."""

    def __init__(self, name: str | None = "mean_absolute_percentage_error", dtype: Any = None) -> None:
        super().__init__(functions.mean_absolute_percentage_error, name, dtype=dtype)


class MeanSquaredLogarithmicError(MeanMetricWrapper):
    """The mean of (log(1 + y_true) - log(1 + y_pred))²."""

    def __init__(self, name: str | None = "mean_squared_logarithmic_error", dtype: Any = None) -> None:
        super().__init__(functions.mean_squared_logarithmic_error, name, dtype=dtype)


class LogCoshError(MeanMetricWrapper):
    """The mean of log(cosh(y_pred - y_true))."""

    def __init__(self, name: str | None = "logcosh", dtype: Any = None) -> None:
        super().__init__(functions.log_cosh, name, dtype=dtype)


class Hinge(MeanMetricWrapper):
    """The hinge loss, for labels of -1 and 1."""

    def __init__(self, name: str | None = "hinge", dtype: Any = None) -> None:
        super().__init__(functions.hinge, name, dtype=dtype)


class SquaredHinge(MeanMetricWrapper):
    """The squared hinge loss, for labels of -1 and 1."""

    def __init__(self, name: str | None = "squared_hinge", dtype: Any = None) -> None:
        super().__init__(functions.squared_hinge, name, dtype=dtype)


class CategoricalHinge(MeanMetricWrapper):
    """The hinge loss between the right class and the best wrong one."""

    def __init__(self, name: str | None = "categorical_hinge", dtype: Any = None) -> None:
        super().__init__(functions.categorical_hinge, name, dtype=dtype)


class Poisson(MeanMetricWrapper):
    """The mean of y_pred - y_true · log(y_pred)."""

    def __init__(self, name: str | None = "poisson", dtype: Any = None) -> None:
        super().__init__(functions.poisson, name, dtype=dtype)


class KLDivergence(MeanMetricWrapper):
    """The Kullback-Leibler divergence of y_pred from y_true."""

    def __init__(self, name: str | None = "kullback_leibler_divergence", dtype: Any = None) -> None:
        super().__init__(functions.kl_divergence, name, dtype=dtype)


class BinaryCrossentropy(MeanMetricWrapper):
    """The cross-entropy of labels of 0 and 1."""

    def __init__(
        self,
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        super().__init__(
            functions.binary_crossentropy,
            name,
            dtype=dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
        )


class CategoricalCrossentropy(MeanMetricWrapper):
    """The cross-entropy of one-hot labels."""

    def __init__(
        self,
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
        axis: int = -1,
    ) -> None:
        super().__init__(
            functions.categorical_crossentropy,
            name,
            dtype=dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The cross-entropy of class numbers."""

    def __init__(
        self,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        ignore_class: int | None = None,
        axis: int = -1,
    ) -> None:
        super().__init__(
            functions.sparse_categorical_crossentropy,
            name,
            dtype=dtype,
            from_logits=from_logits,
            ignore_class=ignore_class,
            axis=axis,
        )
