"""What a metric named in `compile` is, and why: 'accuracy' is three different metrics.

Which one depends on the shapes of labels and predictions at the first batch. The choice is Keras 2's;
the sentence that says why is shown by `model.explain()`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tapeflow.keras.metrics.metric import Metric
from tapeflow.keras.metrics.serialization import get
from tapeflow.keras.metrics.wrapper import MeanMetricWrapper

_ACCURACY = {
    "binary": ("BinaryAccuracy", "binary_accuracy"),
    "sparse": ("SparseCategoricalAccuracy", "sparse_categorical_accuracy"),
    "categorical": ("CategoricalAccuracy", "categorical_accuracy"),
}
_CROSSENTROPY = {
    "binary": ("BinaryCrossentropy", "binary_crossentropy"),
    "sparse": ("SparseCategoricalCrossentropy", "sparse_categorical_crossentropy"),
    "categorical": ("CategoricalCrossentropy", "categorical_crossentropy"),
}
_BY_SHAPE = {"accuracy": _ACCURACY, "acc": _ACCURACY, "crossentropy": _CROSSENTROPY, "ce": _CROSSENTROPY}

Dims = Sequence[int | None]


def resolve_metric(
    identifier: Any, y_true_shape: Dims | None = None, y_pred_shape: Dims | None = None
) -> tuple[Metric | None, str]:
    """The `Metric` that an entry of `compile(metrics=[...])` stands for, and a sentence saying why.

    Args:
        identifier: a name, a function of (y_true, y_pred), a loss, a `Metric` or its config.
        y_true_shape: of the labels of this output, with the batch; None where a dimension is unknown.
        y_pred_shape: of the predictions.

    Returns:
        The metric: the given one if it is a `Metric`, otherwise a new one that bears the name given.
        `(None, "")` for None.

    Raises:
        ValueError: nothing is known by that name.

    >>> resolve_metric("accuracy", (None, 1), (None, 10))[1]
    "'accuracy' -> SparseCategoricalAccuracy, because y_true (None, 1) holds one class number for each \
10 scores of y_pred (None, 10)"
    """
    if identifier is None:
        return None, ""
    if isinstance(identifier, Metric):
        return identifier, f"{identifier.name!r} is the {type(identifier).__name__} that was passed"
    family = _BY_SHAPE.get(identifier.lower()) if isinstance(identifier, str) else None
    if family is not None:
        return _by_shape(identifier, family, y_true_shape, y_pred_shape)
    found = get(identifier)
    if isinstance(found, Metric):
        return found, f"{identifier!r} -> {type(found).__name__}, the metric of that name"
    name = identifier if isinstance(identifier, str) else _name_of(found)
    return MeanMetricWrapper(found, name=name), f"{name!r} -> the mean of {_name_of(found)}(y_true, y_pred)"


def _by_shape(
    identifier: str, family: dict[str, tuple[str, str]], y_true_shape: Dims | None, y_pred_shape: Dims | None
) -> tuple[Metric, str]:
    if not y_true_shape or not y_pred_shape:
        raise ValueError(
            f"resolve_metric expected shapes with at least one axis, since what {identifier!r} means depends on "
            f"them; got y_true_shape={y_true_shape!r} and y_pred_shape={y_pred_shape!r}. Name the metric itself, "
            f"for example {family['sparse'][1]!r}."
        )
    kind, why = _kind(tuple(y_true_shape), tuple(y_pred_shape))
    class_name, function_name = family[kind]
    metric = MeanMetricWrapper(get(function_name), name=identifier)
    return metric, f"{identifier!r} -> {class_name}, because {why}"


def _kind(true: tuple[int | None, ...], pred: tuple[int | None, ...]) -> tuple[str, str]:
    """Keras 2's rule, and the reason in words."""
    if pred[-1] == 1:
        return "binary", f"y_pred {_show(pred)} has a single column: one score, of class 1 against class 0"
    scores = "its" if pred[-1] is None else f"{pred[-1]}"
    if len(true) < len(pred):
        return "sparse", (
            f"y_true {_show(true)} has one axis less than y_pred {_show(pred)}: one class number for each "
            f"{scores} scores"
        )
    if true[-1] == 1 and (pred[-1] or 0) > 1:
        return "sparse", (
            f"y_true {_show(true)} holds one class number for each {scores} scores of y_pred {_show(pred)}"
        )
    if len(pred) == 1:
        return "categorical", (
            f"y_true {_show(true)} and y_pred {_show(pred)} are alike. Their only axis is taken for classes, so "
            "a whole batch counts as one sample: pass scores of shape (batch, classes) rather than their argmax, "
            "or use metrics.Accuracy() to compare class numbers"
        )
    return "categorical", (
        f"y_true {_show(true)} and y_pred {_show(pred)} have the same shape with more than one column: one-hot "
        "labels"
        if true == pred
        else f"y_true {_show(true)} has as many axes as y_pred {_show(pred)} and more than one column: one-hot labels"
    )


def _show(shape: tuple[int | None, ...]) -> str:
    return str(shape)


def _name_of(found: object) -> str:
    """What a function or loss object is called in logs."""
    for attribute in ("name", "__name__"):
        name = getattr(found, attribute, None)
        if isinstance(name, str):
            return name
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(found).__name__).lower()
