"""Which shapes an accuracy takes, and the words for those that it does not or that surprise.

A wrong pair of shapes here does not fail by itself: an `argmax` over the wrong axis or a comparison
that broadcasts gives a number, and it looks like an accuracy.
"""

from __future__ import annotations

import warnings
from functools import lru_cache

from tapeflow.keras.losses.shape_warning import warn_of_broadcast

Shape = tuple[int, ...]

_SPARSE = ("SparseCategoricalAccuracy", "SparseTopKCategoricalAccuracy")
_ONE_HOT = ("CategoricalAccuracy", "TopKCategoricalAccuracy")


@lru_cache(maxsize=1024)
def check_match_shapes(name: str, true_shape: Shape, pred_shape: Shape) -> None:
    """Raise if the metric `name` cannot compare the two, warn if it compares something else than meant.

    Cached: a pair of shapes is looked at once.
    """
    if name in _SPARSE:
        _check_sparse(name, true_shape, pred_shape)
    elif name in _ONE_HOT:
        _check_one_hot(name, true_shape, pred_shape)
    else:
        _check_alike(name, true_shape, pred_shape)


def _check_sparse(name: str, true_shape: Shape, pred_shape: Shape) -> None:
    labels = true_shape[:-1] if len(true_shape) == len(pred_shape) else true_shape
    if not pred_shape or (len(true_shape) == len(pred_shape) and true_shape[-1] != 1):
        raise ValueError(
            f"{name} expected class numbers y_true of the shape of y_pred without its last axis (or with 1 "
            f"there); got y_true of shape {true_shape} and y_pred of shape {pred_shape}. Can not squeeze "
            f"the last axis of y_true. For one-hot labels use {name.removeprefix('Sparse')}; to compare "
            "class numbers with class numbers use Accuracy."
        )
    if labels != pred_shape[:-1]:
        _compare(name, true_shape, pred_shape, labels, pred_shape[:-1])


def _check_one_hot(name: str, true_shape: Shape, pred_shape: Shape) -> None:
    if not (pred_shape and true_shape):
        raise ValueError(
            f"{name} expected y_true and y_pred with classes on the last axis; got y_true of shape "
            f"{true_shape} and y_pred of shape {pred_shape}. To compare class numbers use Accuracy."
        )
    if len(pred_shape) == len(true_shape) == 1 and pred_shape[0] > 1:
        warnings.warn(
            f"{name} got y_true of shape {true_shape} and y_pred of shape {pred_shape}: it takes the last "
            "axis for classes, so it sees one sample, not a batch. To compare class numbers with class "
            "numbers use Accuracy; otherwise pass scores of shape (batch, classes), not their argmax.",
            stacklevel=4,
        )
    elif true_shape[:-1] != pred_shape[:-1]:
        _compare(name, true_shape, pred_shape, true_shape[:-1], pred_shape[:-1], f"Sparse{name}")


def _check_alike(name: str, true_shape: Shape, pred_shape: Shape) -> None:
    if true_shape == pred_shape:
        return
    for longer, shorter in ((true_shape, pred_shape), (pred_shape, true_shape)):
        if longer == (*shorter, 1):
            return  # squeezed
    if name == "Accuracy":
        raise ValueError(
            f"Accuracy expected y_true and y_pred of one shape: Shapes {true_shape} and {pred_shape} are "
            f"incompatible; got y_true of shape {true_shape} and y_pred of shape {pred_shape}. For scores "
            "of shape (batch, classes) use SparseCategoricalAccuracy or CategoricalAccuracy."
        )
    _compare(name, true_shape, pred_shape, true_shape, pred_shape)


def _compare(
    name: str, true_shape: Shape, pred_shape: Shape, left: Shape, right: Shape, instead: str | None = None
) -> None:
    """Warn if `left` and `right` broadcast; raise if they do not."""
    pairs = zip(reversed(left), reversed(right), strict=False)
    if not all(a == b or 1 in (a, b) for a, b in pairs):
        advice = f"For class numbers use {instead}." if instead else "Reshape one of them."
        raise ValueError(
            f"{name} expected y_true and y_pred of matching shapes: Shapes {left} and {right} are "
            f"incompatible; got y_true of shape {true_shape} and y_pred of shape {pred_shape}. {advice}"
        )
    if right == pred_shape:  # compared as they are
        warn_of_broadcast(name, true_shape, pred_shape)
        return
    warnings.warn(
        f"{name} got y_true of shape {true_shape} and y_pred of shape {pred_shape}: its classes taken from "
        f"shapes {left} and {right} broadcast, so one label is compared with several predictions. "
        + (
            f"For class numbers use {instead}."
            if instead
            else "Give y_true the shape of y_pred without classes."
        ),
        stacklevel=5,
    )
