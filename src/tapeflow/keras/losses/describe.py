"""A loss in plain words: what it computes, what it averages over, and by what that divides.

Most disagreements between two ways of training the same model are here: Keras's MSE of ten outputs is
a mean over the ten, a hand-written sum over them is ten times that, and so is its gradient.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from tapeflow.keras.annotations import AxisLike
from tapeflow.keras.config import epsilon
from tapeflow.keras.losses.loss import Loss, LossFunctionWrapper
from tapeflow.keras.losses.reduction import Reduction
from tapeflow.keras.losses.shape_warning import Shape, broadcast_shape


class _Words(NamedTuple):
    """What a loss function computes for each value, and what it does over its axis."""

    value: str
    over_axis: str  # "mean", "sum" or "one", a value for the whole axis
    unit: str = "outputs"
    takes_logits: bool = False
    labels_differ: bool = False  # in shape, from the predictions, on purpose


_WORDS = {
    "mean_squared_error": _Words("the squared difference of prediction and label", "mean"),
    "mean_absolute_error": _Words("the absolute difference of prediction and label", "mean"),
    "mean_absolute_percentage_error": _Words("100 times the difference relative to the label", "mean"),
    "mean_squared_logarithmic_error": _Words(
        "the squared difference of log(1 + prediction) and log(1 + label)", "mean"
    ),
    "huber": _Words("half the squared difference (linear beyond delta)", "mean"),
    "log_cosh": _Words("log(cosh(prediction - label))", "mean"),
    "poisson": _Words("prediction - label * log(prediction)", "mean"),
    "hinge": _Words("max(1 - label * prediction, 0)", "mean"),
    "squared_hinge": _Words("max(1 - label * prediction, 0) ** 2", "mean"),
    "binary_crossentropy": _Words("the cross-entropy of a yes-or-no question", "mean", takes_logits=True),
    "binary_focal_crossentropy": _Words(
        "the focal cross-entropy of a yes-or-no question", "mean", takes_logits=True
    ),
    "kl_divergence": _Words("label * log(label / prediction)", "sum", "classes"),
    "categorical_crossentropy": _Words("-label * log(probability)", "sum", "classes", True),
    "categorical_focal_crossentropy": _Words("the focal -label * log(probability)", "sum", "classes", True),
    "sparse_categorical_crossentropy": _Words(
        "-log(probability of the label)", "one", "classes", True, labels_differ=True
    ),
    "categorical_hinge": _Words("max(best wrong score - right score + 1, 0)", "one", "classes"),
    "cosine_similarity": _Words("minus the cosine between prediction and label", "one", "components"),
}


def describe_loss(loss: Loss, y_true_shape: Sequence[int | None], y_pred_shape: Sequence[int | None]) -> str:
    """What `loss` computes of labels and predictions of these shapes, in a few lines.

    Args:
        loss: a `Loss`, or a function of `y_true` and `y_pred`.
        y_true_shape: with the batch, which may be `None`.
        y_pred_shape: with the batch.
    """
    true, pred = _lined_up(loss, tuple(y_true_shape), tuple(y_pred_shape))
    lines = [f"{_title(loss)}, y_true {tuple(y_true_shape)}, y_pred {tuple(y_pred_shape)}"]
    kwargs = loss._fn_kwargs if isinstance(loss, LossFunctionWrapper) else {}
    words = _WORDS.get(_function_name(loss))
    reduction = loss.reduction if isinstance(loss, Loss) else Reduction.AUTO
    if words is None:
        lines += [_unknown(loss, kwargs), _batch_in_words("the losses it returns", reduction)]
    else:
        lines += _known(words, true, pred, kwargs.get("axis", -1), reduction)
        lines += _options(words, kwargs)
    return "\n  ".join(lines)


def _title(loss: Loss) -> str:
    name = _function_name(loss)
    if not isinstance(loss, Loss) or type(loss) is LossFunctionWrapper:
        return name
    return type(loss).__name__ if name == type(loss).__name__ else f"{type(loss).__name__} ({name})"


def _function_name(loss: Any) -> str:
    if isinstance(loss, LossFunctionWrapper):
        loss = loss.fn
    return getattr(loss, "__name__", type(loss).__name__)


def _lined_up(loss: Loss, true: Shape, pred: Shape) -> tuple[Shape, Shape]:
    """The shapes the function sees: the class takes a last axis of length 1 away where ranks differ."""
    if isinstance(loss, LossFunctionWrapper):
        if len(pred) == len(true) + 1 and pred[-1] == 1:
            return true, pred[:-1]
        if len(true) == len(pred) + 1 and true[-1] == 1:
            return true[:-1], pred
    return true, pred


def _known(words: _Words, true: Shape, pred: Shape, axis: int, reduction: str) -> list[str]:
    together = pred if words.labels_differ else broadcast_shape(true, pred)
    shape = together or pred
    axes = [a % len(shape) for a in (axis if isinstance(axis, (list, tuple)) else [axis])] if shape else []
    per_sample = tuple(d for a, d in enumerate(shape) if a not in axes)
    width = [shape[a] for a in axes]
    if len(shape) == 1 and words.over_axis == "mean":  # no outputs: the function goes over the batch
        lines = [
            f"per sample: {words.value}",
            f"batch: mean over {_count(width, 'samples')}, in the function itself",
        ]
    else:
        lines = [
            f"per sample: {words.value}, {_axis_in_words(words, axis, width)}",
            _batch_in_words(_samples_in_words(per_sample), reduction),
        ]
        if words.over_axis == "mean":
            lines += _arithmetic(per_sample, width, reduction)
    if together and not words.labels_differ and not together == true == pred:
        lines.append(
            f"careful: the shapes broadcast to {shape}; labels and predictions do not pair up one to one"
        )
    return lines


def _axis_in_words(words: _Words, axis: AxisLike, width: Sequence[int | None]) -> str:
    where = "the last axis" if axis == -1 else f"axis {axis}"
    size = f"{where} ({_count(width, words.unit)})"
    if words.over_axis == "mean":
        return f"mean over {size}"
    return f"summed over {size}" if words.over_axis == "sum" else f"one value from {size}"


def _samples_in_words(per_sample: Shape) -> str:
    samples = f"the {_count(per_sample[:1], 'samples')} of the batch"
    return (
        samples
        if len(per_sample) == 1
        else f"{samples} and the {_count(per_sample[1:], 'positions')} of each"
    )


def _batch_in_words(samples: str, reduction: str) -> str:
    name = f"reduction '{reduction}'"
    if reduction == Reduction.NONE:
        return f"batch: not reduced ({name}): one value each for {samples}"
    if reduction == Reduction.SUM:
        return f"batch: sum over {samples} ({name}), not a mean: it grows with the batch"
    if reduction == Reduction.MEAN_WITH_SAMPLE_WEIGHT:
        return f"batch: weighted sum over {samples}, divided by the sum of the sample weights ({name})"
    if reduction == Reduction.AUTO:
        name += " = 'sum_over_batch_size'"
    return f"batch: mean over {samples} ({name}); sample weights do not change the divisor"


def _arithmetic(per_sample: Shape, width: Sequence[int | None], reduction: str) -> list[str]:
    """What is divided by what, and how a hand-written sum compares."""
    if reduction in (Reduction.NONE, Reduction.MEAN_WITH_SAMPLE_WEIGHT) or None in width:
        return []
    outputs = math.prod(d or 0 for d in width)
    if reduction == Reduction.SUM:
        divisor, by_hand = f"{outputs}", "tf.reduce_sum(...)"
    else:
        samples = " * ".join("batch size" if d is None else str(d) for d in per_sample)
        divisor = f"{samples} * {outputs}"
        by_hand = f"tf.reduce_sum(...) / {samples if len(per_sample) == 1 else f'({samples})'}"
    total = f"in all: the sum over every output of every sample, divided by {divisor}"
    if outputs == 1:
        return [total]
    return [
        total,
        f"by hand: {by_hand} sums over the {outputs} outputs instead: it is {outputs} times this loss, and "
        f"its gradients are {outputs} times as large",
    ]


def _count(dims: Sequence[int | None], units: str) -> str:
    """`3 samples`, `1 class`; only `samples` where a number is not known."""
    if None in dims:
        return units
    count = math.prod(d for d in dims if d is not None)
    one = units.removesuffix("es" if units == "classes" else "s")
    return f"{count} {one if count == 1 else units}"


def _options(words: _Words, kwargs: dict[str, Any]) -> list[str]:
    lines = []
    if words.takes_logits and kwargs.get("from_logits"):
        lines.append("from_logits=True: y_pred is taken as scores before the softmax or sigmoid")
    elif words.takes_logits:
        scaled = "scaled to sum to 1 and " if words.over_axis == "sum" else ""
        lines.append(
            f"from_logits=False: y_pred is taken as probabilities, {scaled}clipped to [{epsilon():g}, "
            f"1 - {epsilon():g}]; those of a Keras softmax or sigmoid by way of their logits. Raw scores need "
            "from_logits=True"
        )
    smoothing = kwargs.get("label_smoothing")
    if isinstance(smoothing, (int, float)) and smoothing:
        target = "1/2" if words.over_axis == "mean" else "1/classes"
        lines.append(f"label_smoothing={smoothing:g}: labels are moved by that part towards {target}")
    return lines + [
        f"{name}={value!r}"
        for name, value in kwargs.items()
        if name not in ("from_logits", "label_smoothing", "axis") and value is not None
    ]


def _unknown(loss: Loss, kwargs: dict[str, Any]) -> str:
    given = "".join(f", {k}={v!r}" for k, v in kwargs.items())
    return f"per sample: {_function_name(loss)}(y_true, y_pred{given}), which decides itself what it averages over"
