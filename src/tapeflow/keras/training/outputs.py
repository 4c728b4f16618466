"""What `compile` was given for each output: losses, metrics and weights as lists, dicts or one for all."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor, TensorBase


def names_for(y_pred: Any, given: list[str] | None) -> list[str]:
    """The names of a model's outputs: its own, the keys of a dict, or `output_1` and so on."""
    if given is not None and len(given) == len(nest.flatten(y_pred)):
        return given
    if isinstance(y_pred, dict):
        return sorted(y_pred)
    return [f"output_{i + 1}" for i in range(len(nest.flatten(y_pred)))]


def flat_for(y_pred: Any, value: object, names: list[str], what: str) -> list[Any]:
    """A value for each output: of a dict by name, of a list in order, anything else for all of them."""
    count = len(names)
    if value is None:
        return [None] * count
    if isinstance(value, dict):
        return _by_key(y_pred, value, names, what)
    if isinstance(value, (list, tuple)):
        if len(value) == 1:
            return list(value) * count
        if len(value) != count:
            raise ValueError(
                f"When passing a list as `{what}`, it should have one entry per model output: expected {count} "
                f"({names}); got {len(value)} in {what}={_short(value)}."
            )
        return list(value)
    return [value] * count


def flat_data(y_pred: Any, value: object, names: list[str], what: str) -> list[Any]:
    """Labels or sample weights for each output; if they are given once, for every output."""
    if isinstance(value, dict):
        return _by_key(y_pred, value, names, what)
    flat = nest.flatten(value) if isinstance(value, (list, tuple)) else [value]
    if len(flat) == 1:
        return flat * len(names)
    if len(flat) != len(names):
        raise ValueError(
            f"Model.fit expected {what} for each of the model's outputs {names}; got {len(flat)} for {len(names)} "
            "outputs. Pass a list or a dict with one entry an output."
        )
    return flat


def _by_key(y_pred: Any, value: dict[str, Any], names: list[str], what: str) -> list[Any]:
    """The values of a dict in the order of the outputs; keys are the outputs' own where they are a dict."""
    keys = sorted(y_pred) if isinstance(y_pred, dict) and not set(value) <= set(names) else names
    unknown = [k for k in value if k not in keys]
    if unknown:
        raise ValueError(
            f"Found unexpected {what} keys that do not correspond to any Model output: {unknown}. Expected some of "
            f"{keys}."
        )
    return [value.get(k) for k in keys]


def metrics_for(y_pred: Any, metrics: object, names: list[str], what: str) -> list[list[Any]]:
    """The metrics of each output: a flat list is for every output, a list of lists or a dict for each."""
    if metrics is None:
        return [[] for _ in names]
    if isinstance(metrics, dict):
        per_output = _by_key(y_pred, metrics, names, what)
    elif isinstance(metrics, (list, tuple)) and any(isinstance(m, (list, tuple)) for m in metrics):
        if len(metrics) != len(names):
            raise ValueError(
                f"When passing a list of lists as `{what}`, it should have one entry per model output: expected "
                f"{len(names)} ({names}); got {len(metrics)}."
            )
        per_output = list(metrics)
    else:
        shared = list(metrics) if isinstance(metrics, (list, tuple)) else [metrics]
        per_output = [
            shared if i == 0 else [copy.copy(m) if isinstance(m, str) else _copied(m) for m in shared]
            for i in range(len(names))
        ]
    return [[] if m is None else list(m) if isinstance(m, (list, tuple)) else [m] for m in per_output]


def _copied(metric: Any) -> Any:
    """A metric object of its own for a further output."""
    if isinstance(metric, tf.keras.metrics.Metric):
        return type(metric).from_config(metric.get_config())
    return metric


def matched_shape(y_true: Any, y_pred: Any) -> tuple[int | None, ...]:
    """The shape that `matched` gives labels; without an op, for the first step is to be recorded as all others are."""
    true, pred = (
        tuple((y if isinstance(y, tf.RaggedTensor) else _tensor(y)).shape) for y in (y_true, y_pred)
    )
    return (*true, 1) if len(true) == 1 and len(pred) == 2 else true


def matched(y_true: Any, y_pred: Any, weight: TensorLike) -> tuple[Any, Any, Any]:
    """Labels and weights in the rank and dtype of the predictions, as Keras brings them there."""
    if isinstance(y_true, tf.RaggedTensor) or isinstance(y_pred, tf.RaggedTensor):
        return _as_floats_of(y_true, y_pred), y_pred, weight
    given, y_true, y_pred = y_pred, _tensor(y_true), _tensor(y_pred)
    if len(y_true.spec.shape) == 1 and len(y_pred.spec.shape) == 2:
        y_true = tf.expand_dims(y_true, -1)
    if weight is not None:
        weight = _tensor(weight)
        if len(weight.spec.shape) == 1 and len(y_pred.spec.shape) == 2:
            weight = tf.expand_dims(weight, -1)
    true, pred = y_true.spec.dtype, y_pred.spec.dtype
    if true is not pred and (
        (true.is_floating and pred.is_floating) or (true.is_integer and pred.is_integer)
    ):
        y_true = tf.cast(y_true, pred)
    if weight is not None and pred.is_floating and weight.spec.dtype is not pred:
        weight = tf.cast(weight, pred)
    return y_true, given if _stands_for_tensor(given) else y_pred, weight


def _as_floats_of(y_true: Any, y_pred: Any) -> Any:
    """Labels, ragged or for ragged predictions, in the predictions' dtype if both are floats."""
    labels = y_true if isinstance(y_true, tf.RaggedTensor) else _tensor(y_true)
    is_cast = labels.dtype.is_floating and y_pred.dtype.is_floating and labels.dtype is not y_pred.dtype
    return tf.cast(labels, y_pred.dtype) if is_cast else labels


def masked_weight(weight: Tensor, mask: Tensor) -> Tensor:
    """Sample weights with what is masked left out; the one of lower rank counts for every step of the other."""
    while len(weight.spec.shape) < len(mask.spec.shape):
        weight = tf.expand_dims(weight, -1)
    while len(mask.spec.shape) < len(weight.spec.shape):
        mask = tf.expand_dims(mask, -1)
    return weight * mask


def _tensor(value: object) -> Tensor:
    return value if type(value) is Tensor else tf.convert_to_tensor(value)


def _stands_for_tensor(value: object) -> bool:
    """Whether a prediction is an object that only converts to a tensor: a loss may ask a distribution for more."""
    plain = (TensorBase, np.ndarray, np.generic, list, tuple, float, int)
    return not isinstance(value, plain) and hasattr(value, "shape") and hasattr(value, "dtype")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) < 80 else text[:77] + "..."
