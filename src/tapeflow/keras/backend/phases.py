"""One of two results: by the learning phase, or by a condition."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.layers.base.call_context import call_context, default_training
from tapeflow.keras.layers.base.call_context import learning_phase as learning_phase
from tapeflow.keras.layers.base.call_context import set_learning_phase as set_learning_phase


@contextmanager
def learning_phase_scope(value: TensorLike) -> Iterator[None]:
    """Set the learning phase for a while."""
    before = default_training(None)
    set_learning_phase(value)
    try:
        yield
    finally:
        set_learning_phase(before)


def in_train_phase(x: TensorLike, alt: Any, training: Any = None) -> Any:
    """`x` in training and `alt` otherwise; either may be a function that makes it."""
    if training is None:
        training = learning_phase() if call_context.training is None else call_context.training
    if tf.is_tensor(training) or isinstance(training, tf.Variable):
        return switch(training, x, alt)
    chosen = x if training else alt
    return chosen() if callable(chosen) else chosen


def in_test_phase(x: TensorLike, alt: Any, training: bool | None = None) -> Any:
    """`alt` in training and `x` otherwise."""
    return in_train_phase(alt, x, training=training)


def switch(condition: TensorLike, then_expression: TensorLike, else_expression: Any) -> Tensor:
    """Choose one of two values by a scalar condition, or element by element; either may be a function.

    A condition of several axes, but fewer than the results have, belongs to their first ones; a vector
    belongs to the last.
    """
    condition = tf.cast(condition, tf.bool)
    then = then_expression if callable(then_expression) else lambda: then_expression
    otherwise = else_expression if callable(else_expression) else lambda: else_expression
    rank = len(condition.shape)
    if rank == 0:
        return tf.cond(condition, then, otherwise)
    chosen, alternative = tf.convert_to_tensor(then()), tf.convert_to_tensor(otherwise())
    if rank > len(chosen.shape):
        raise ValueError(
            "Rank of `condition` should be less than or equal to rank of `then_expression` and "
            f"`else_expression`. ndim(condition)={rank}, ndim(then_expression)={len(chosen.shape)}"
        )
    if rank > 1:
        missing = [1] * (len(chosen.shape) - rank)
        condition = tf.reshape(condition, (*condition.shape, *missing))
    return tf.where(condition, chosen, alternative)
