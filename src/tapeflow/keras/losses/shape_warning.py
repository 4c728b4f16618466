"""Warns when labels and predictions of different shapes would broadcast into a comparison nobody meant.

Labels of shape (n,) against predictions of shape (n, 1) compare every label with every prediction:
the loss is finite, the model trains, and it learns the mean. Losses and metrics say so here, once.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

from tapeflow.engine.recording.node import is_ours

Shape = tuple[int | None, ...]

_warned: set[tuple[str, tuple[bool, ...], tuple[bool, ...]]] = set()


def warn_of_broadcast(
    where: str, y_true_shape: Sequence[int | None], y_pred_shape: Sequence[int | None]
) -> None:
    """Warn, once for each `where` and kind of shapes, if the two would broadcast by accident.

    Silent for equal shapes, for a scalar (that is on purpose), for as many values on both sides, and
    for shapes that do not broadcast, since those raise.

    Args:
        where: the loss or metric, as the user knows it.
        y_true_shape: the labels' shape as the computation is about to see it.
        y_pred_shape: the predictions' shape.
    """
    true, pred = tuple(y_true_shape), tuple(y_pred_shape)
    if true == pred or not true or not pred or None in (*true, *pred):
        return
    result = broadcast_shape(true, pred)
    if result is None or _same_count(true, pred, result):
        return
    # The last batch of an epoch is smaller, and is no news.
    key = (where, tuple(d == 1 for d in true), tuple(d == 1 for d in pred))
    if key not in _warned:
        _warned.add(key)
        warn_user(_text(where, true, pred, result))


def warn_user(text: str, category: type[Warning] = UserWarning) -> None:
    """`warnings.warn` at the line that called into this package, however many of our frames lie between."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and is_ours[frame.f_code.co_filename]:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def broadcast_shape(a: Shape, b: Shape) -> Shape | None:
    """The shape two shapes broadcast to, or `None` if they do not; unknown dimensions are taken for equal."""
    rank = max(len(a), len(b))
    dims: list[int | None] = []
    for p, q in zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True):
        if p != q and 1 not in (p, q):
            return None
        dims.append(q if p == 1 else p)
    return tuple(dims)


def _same_count(true: Shape, pred: Shape, result: Shape) -> bool:
    """Whether they differ in axes of length 1 only, and line up all the same."""
    kept = [d for d in result if d != 1]
    return [d for d in true if d != 1] == kept == [d for d in pred if d != 1]


def _text(where: str, true: Shape, pred: Shape, result: Shape) -> str:
    return (
        f"{where} got y_true of shape {true} and y_pred of shape {pred}. They broadcast to "
        f"{result}, so that {_consequence(true, pred, result)}. {_fix(true, pred)}"
    )


def _consequence(true: Shape, pred: Shape, result: Shape) -> str:
    if result not in (true, pred):
        return "every label is compared with every prediction, not each with its own"
    repeated = "label" if result == pred else "prediction"
    return f"one {repeated} is compared with several {'predictions' if result == pred else 'labels'}"


def _fix(true: Shape, pred: Shape) -> str:
    if pred[-1] == 1 and pred[:-1] == true:
        return (
            "Give both one shape: y_true[:, None] or tf.expand_dims(y_true, -1), or tf.squeeze(y_pred, -1)."
        )
    if true[-1] == 1 and true[:-1] == pred:
        return "Give both one shape: tf.squeeze(y_true, -1), or tf.expand_dims(y_pred, -1)."
    if true in (pred[:-1], (*pred[:-1], 1)):
        return (
            f"Give y_true {pred[-1]} values for each sample, or the model one output. Class numbers need "
            f"tf.one_hot(y_true, {pred[-1]}), or a loss or metric whose name begins with Sparse."
        )
    return "Reshape one of them so that both have the same shape."
