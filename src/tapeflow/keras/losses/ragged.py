"""Losses of ragged labels and predictions: one for each position, or for each row if its values are single numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.ops.ragged.dispatch import for_ragged


def takes_ragged(function: Callable[..., Any]) -> Callable[..., Any]:
    """A loss function, made to take ragged tensors, too."""
    return for_ragged(function, functools.partial(_ragged_loss, function))


def _ragged_loss(
    function: Callable[..., Any], y_true: TensorLike, y_pred: TensorLike, *args: Any, **kwargs: Any
) -> Any:
    true, pred, rows = same_rows(function.__name__, y_true, y_pred)
    if len(pred.shape) > 1:
        return rows.with_flat_values(function(true, pred, *args, **kwargs))
    # The last axis, which the function takes the mean over, is the ragged one.
    each = function(tf.expand_dims(true, -1), tf.expand_dims(pred, -1), *args, **kwargs)
    return tf.reduce_mean(rows.with_flat_values(each), axis=-1)


def same_rows(where: str, y_true: TensorLike, y_pred: TensorLike) -> tuple[Any, Any, tf.RaggedTensor]:
    """The values of labels and predictions, of which one at least is ragged, and the rows that both lie in."""
    ragged = [y for y in (y_true, y_pred) if isinstance(y, tf.RaggedTensor)]
    rank = min(y.ragged_rank for y in ragged)
    true, pred = (_values(y, rank) for y in (y_true, y_pred))
    splits = [y._nested_places[:rank] for y in (true, pred)]
    if not all(np.array_equal(a, b) for a, b in zip(*splits, strict=True)):
        raise ValueError(
            f"{where} expected y_true and y_pred with rows of the same lengths; got ragged tensors of shapes "
            f"{true.shape} and {pred.shape} whose row splits differ. Give each row as many labels as predictions."
        )
    return true.flat_values, pred.flat_values, pred


def _values(y: TensorLike, rank: int) -> tf.RaggedTensor:
    """A ragged tensor of a number of ragged dimensions; dimensions further in are filled up."""
    if not isinstance(y, tf.RaggedTensor):
        return tf.RaggedTensor.from_tensor(tf.convert_to_tensor(y), ragged_rank=rank)
    if y.ragged_rank == rank:
        return y
    inner: Any = y
    for _ in range(rank):
        inner = inner.values
    return tf.RaggedTensor.from_nested_row_splits(inner.to_tensor(), y.nested_row_splits[:rank])
