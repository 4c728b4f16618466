"""`tf.keras.activations`: activation functions.

Those of Keras 2, and those that Keras 3 added. Where the two differ Keras 2 is followed: `hard_sigmoid`
is `0.2 x + 0.5` between 0 and 1. They are compositions of `tf` functions, so they take whatever those
take, symbolic tensors among it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import tapeflow as tf
from tapeflow.engine.recording.symbolic import dispatching
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import ActivationLike
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.saving.family import Family
from tapeflow.keras.saving.registry import serialize_keras_object

# Layers that may be named where an activation is wanted.
_LAYERS = ("ELU", "LeakyReLU", "PReLU", "ReLU", "Softmax", "ThresholdedReLU")


def linear(x: TensorLike) -> Any:
    """x itself."""
    return x


def relu(
    x: TensorLike,
    alpha: float = 0.0,
    max_value: float | None = None,
    threshold: float = 0.0,
    negative_slope: float | None = None,
) -> Tensor:
    """x above `threshold`, at most `max_value`, and `alpha * (x - threshold)` below.

    `negative_slope` is Keras 3's name of `alpha`.
    """
    slope = alpha if negative_slope is None else negative_slope
    if threshold == 0 and max_value is None:
        return tf.nn.relu(x) if slope == 0 else tf.nn.leaky_relu(x, alpha=slope)
    if threshold != 0:
        above = tf.where(tf.greater(x, threshold), x, tf.zeros_like(x))
    else:
        above = tf.nn.relu6(x) if max_value == 6 else tf.nn.relu(x)
    if max_value is not None and not (max_value == 6 and threshold == 0):
        above = tf.clip_by_value(above, 0.0, float(max_value))
    if slope == 0:
        return above
    return above - slope * tf.nn.relu(tf.subtract(threshold, x))


def leaky_relu(x: TensorLike, alpha: float = 0.2, negative_slope: float | None = None) -> Tensor:
    """x above 0 and `alpha * x` below; `negative_slope` is Keras 3's name of `alpha`."""
    return tf.nn.leaky_relu(x, alpha=alpha if negative_slope is None else negative_slope)


def relu6(x: TensorLike) -> Tensor:
    """min(max(x, 0), 6)."""
    return tf.nn.relu6(x)


def elu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """x above 0 and `alpha * (exp(x) - 1)` below."""
    result = tf.nn.elu(x)
    return result if alpha == 1 else tf.where(tf.greater(x, 0.0), result, alpha * result)


def celu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """x above 0 and `alpha * (exp(x / alpha) - 1)` below: `elu` without a kink for any alpha."""
    return tf.where(tf.greater(x, 0.0), x, alpha * tf.nn.elu(tf.divide(x, alpha)))


def selu(x: TensorLike) -> Tensor:
    """`elu`, scaled so that values keep mean 0 and variance 1; use with `lecun_normal` weights."""
    return tf.nn.selu(x)


def gelu(x: TensorLike, approximate: bool = False) -> Tensor:
    """x times the probability that a standard normal number is below x."""
    return tf.nn.gelu(x, approximate)


def silu(x: TensorLike) -> Tensor:
    """x * sigmoid(x)."""
    return tf.nn.silu(x)


def swish(x: TensorLike) -> Tensor:
    """x * sigmoid(x): `silu` under the name that Keras 2 writes into configs."""
    return tf.nn.silu(x)


def hard_silu(x: TensorLike) -> Tensor:
    """x * min(max(x + 3, 0), 6) / 6: a piecewise linear approximation of `silu`."""
    return tf.nn.relu6(tf.add(x, 3.0)) * (1.0 / 6.0) * x


def hard_swish(x: TensorLike) -> Tensor:
    """`hard_silu` under its other name."""
    return hard_silu(x)


def mish(x: TensorLike) -> Tensor:
    """x * tanh(softplus(x))."""
    return tf.tanh(tf.math.softplus(x)) * x


def softplus(x: TensorLike) -> Tensor:
    """log(exp(x) + 1)."""
    return tf.math.softplus(x)


def softsign(x: TensorLike) -> Tensor:
    """x / (abs(x) + 1)."""
    return tf.math.softsign(x)


def squareplus(x: TensorLike, b: float = 4) -> Tensor:
    """(x + sqrt(x² + b)) / 2: like `softplus`, without an exponential."""
    return (tf.sqrt(tf.square(x) + float(b)) + x) * 0.5


def sparse_plus(x: TensorLike) -> Tensor:
    """0 up to -1, x from 1, and a parabola that joins them."""
    middle = tf.square(tf.add(x, 1.0)) * 0.25
    return tf.where(tf.less_equal(x, -1.0), tf.zeros_like(x), tf.where(tf.less(x, 1.0), middle, x))


@dispatching
def sigmoid(x: TensorLike) -> Any:
    """1 / (1 + exp(-x)). A cross-entropy finds x on the result, and is exact where this rounds to 0 or 1."""
    logits = convert_to_tensor(x)
    probabilities = tf.sigmoid(logits)
    probabilities._keras_logits = logits
    return probabilities


def log_sigmoid(x: TensorLike) -> Tensor:
    """log(sigmoid(x)), without overflow."""
    return tf.math.log_sigmoid(x)


def hard_sigmoid(x: TensorLike) -> Tensor:
    """0.2 x + 0.5, clipped to 0 and 1: a piecewise linear `sigmoid`."""
    return tf.clip_by_value(tf.multiply(x, 0.2) + 0.5, 0.0, 1.0)


def sparse_sigmoid(x: TensorLike) -> Tensor:
    """(x + 1) / 2, between 0 and 1."""
    return tf.clip_by_value(tf.add(x, 1.0) * 0.5, 0.0, 1.0)


def tanh(x: TensorLike) -> Tensor:
    """The hyperbolic tangent."""
    return tf.tanh(x)


def hard_tanh(x: TensorLike) -> Tensor:
    """x, between -1 and 1."""
    return tf.clip_by_value(x, -1.0, 1.0)


def tanh_shrink(x: TensorLike) -> Tensor:
    """x - tanh(x)."""
    return x - tf.tanh(x)


def hard_shrink(x: TensorLike, threshold: float = 0.5) -> Tensor:
    """x where its size is over `threshold`, and 0 elsewhere."""
    return tf.where(tf.greater(tf.abs(x), threshold), x, tf.zeros_like(x))


def soft_shrink(x: TensorLike, threshold: float = 0.5) -> Tensor:
    """x brought nearer to 0 by `threshold`, and 0 where it is nearer already."""
    return tf.nn.relu(tf.subtract(x, threshold)) - tf.nn.relu(tf.subtract(-threshold, x))


def threshold(x: TensorLike, threshold: float, default_value: float) -> Tensor:
    """x above `threshold` and `default_value` elsewhere."""
    return tf.where(tf.greater(x, threshold), x, default_value * tf.ones_like(x))


def exponential(x: TensorLike) -> Tensor:
    """exp(x)."""
    return tf.exp(x)


@dispatching
def softmax(x: TensorLike, axis: int = -1) -> Tensor:
    """exp(x) divided by its sum along `axis`, which may be several axes.

    A cross-entropy finds x on the result, and is exact where this rounds to 0 or 1.
    """
    logits = convert_to_tensor(x)
    rank = len(logits.spec.shape)
    if rank <= 1:
        raise ValueError(
            f"Cannot apply softmax to a tensor that is 1D. Received input of shape {logits.shape}. "
            "Use tf.nn.softmax for a single vector."
        )
    if not isinstance(axis, int):
        powers = tf.exp(logits - tf.reduce_max(logits, axis=axis, keepdims=True))
        return powers / tf.reduce_sum(powers, axis=axis, keepdims=True)
    probabilities = tf.nn.softmax(logits, axis=axis)
    if axis in (-1, rank - 1):  # where a cross-entropy takes the classes to be
        probabilities._keras_logits = logits
    return probabilities


def log_softmax(x: TensorLike, axis: int = -1) -> Tensor:
    """The logarithm of `softmax`, without overflow."""
    return tf.nn.log_softmax(x, axis=axis)


def sparsemax(x: Any, axis: int = -1) -> Tensor:
    """The probability vector nearest to x: like `softmax`, but with exact zeros."""
    ordered = tf.sort(x, axis=axis, direction="DESCENDING")
    sums = tf.cumsum(ordered, axis=axis)
    size = int(x.shape[axis])
    place = [1] * len(x.shape)
    place[axis] = size
    ranks = tf.reshape(tf.range(1, size + 1, dtype=ordered.dtype), place)
    is_support = 1.0 + ranks * ordered > sums
    count = tf.reduce_sum(tf.cast(is_support, ordered.dtype), axis=axis, keepdims=True)
    total = tf.reduce_sum(tf.where(is_support, ordered, tf.zeros_like(ordered)), axis=axis, keepdims=True)
    return tf.nn.relu(x - (total - 1.0) / count)


def glu(x: TensorLike, axis: int = -1) -> Tensor:
    """The first half of x along `axis` times the sigmoid of the second."""
    value, gate = tf.split(x, 2, axis=axis)
    return value * tf.sigmoid(gate)


_FUNCTIONS: dict[str, Any] = {
    function.__name__: function
    for function in (
        *(linear, relu, leaky_relu, relu6, elu, celu, selu, gelu, silu, swish, hard_silu, hard_swish, mish),
        *(softplus, softsign, squareplus, sparse_plus, sigmoid, log_sigmoid, hard_sigmoid, sparse_sigmoid),
        *(tanh, hard_tanh, tanh_shrink, hard_shrink, soft_shrink, threshold, exponential),
        *(softmax, log_softmax, sparsemax, glu),
    )
}


def serialize(activation: ActivationLike, use_legacy_format: bool = False) -> Any:
    """The name of an activation function, or the config of a layer used as one."""
    return serialize_keras_object(activation)


def deserialize(
    name: Any, custom_objects: Mapping[str, Any] | None = None, use_legacy_format: bool = False
) -> Callable[..., Any]:
    """Look up an activation by name or config."""
    return ACTIVATIONS.deserialize(name, custom_objects)


def _own() -> dict[str, Any]:
    layers = importlib.import_module("tapeflow.keras.layers")
    return {**_FUNCTIONS, **{name: getattr(layers, name) for name in _LAYERS}}


ACTIVATIONS = Family(
    "activation function", Layer, _own, takes_functions=True, protocol=("__call__", "get_config")
)


def get(identifier: object) -> Any:
    """The activation for a name, a config or any callable; `linear` for `None`.

    >>> tf.keras.activations.get("relu").__name__
    'relu'
    """
    if identifier is None:
        return linear
    if isinstance(identifier, (str, Mapping)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise TypeError(f"Could not interpret activation function identifier: {identifier}")
