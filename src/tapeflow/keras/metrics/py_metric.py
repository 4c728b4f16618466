"""`PyMetric`: a metric in plain Python, for what cannot be written with ops."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.metrics.metric import Metric


class PyMetric(Metric):
    """The base class of metrics whose state is Python's: numbers, lists, sets, what other libraries hold.

    A subclass writes `reset_state`, which is called at the start too, `update_state`, which gets tensors with
    values, and `result`. A training step that has one runs as plain Python, since it must call them.

    Args:
        name: the key in logs.
        dtype: of the result.

    >>> class Labels(tf.keras.metrics.experimental.PyMetric):
    ...     def reset_state(self):
    ...         self.seen = set()
    ...
    ...     def update_state(self, y_true, y_pred, sample_weight=None):
    ...         self.seen.update(y_true.numpy().tolist())
    ...
    ...     def result(self):
    ...         return len(self.seen)
    >>> float(Labels()([1, 2, 2], [0, 0, 0]))
    2.0
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        for name, wrap in (("update_state", _updating), ("result", _resulting)):
            if name in vars(cls):
                setattr(cls, name, wrap(vars(cls)[name]))
        super().__init_subclass__(**kwargs)

    def __init__(self, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        self.reset_state()

    def reset_state(self) -> None:
        """Forget all batches."""
        raise NotImplementedError(
            f"{type(self).__name__} expected a method `reset_state(self)` that makes its state; it has none."
        )


def _updating(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def update_state(
        self: PyMetric, y_true: TensorLike, y_pred: TensorLike, sample_weight: list[float] | None = None
    ) -> None:
        given = [y_true, y_pred] if sample_weight is None else [y_true, y_pred, sample_weight]
        tf.py_function(lambda *values: method(self, *values), given, [])

    return update_state


def _resulting(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def result(self: PyMetric) -> Tensor:
        return tf.py_function(lambda: tf.cast(method(self), self.dtype), [], self.dtype)

    return result
