"""`tf.keras.ops` of networks: activations, losses, convolution, pooling, normalisation and attention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import activations, losses
from tapeflow.keras.annotations import WindowSizes
from tapeflow.keras.config import epsilon as least
from tapeflow.keras.config import floatx, read_data_format
from tapeflow.keras.ops.conversion import alike, floating, tensor
from tapeflow.keras.ops.linear import norm


def _activation(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: TensorLike, **arguments: Any) -> Any:
        return function(floating(x), **arguments)

    call.__doc__ = function.__doc__
    return call


relu6, selu = _activation(tf.nn.relu6), _activation(tf.nn.selu)
sigmoid, softplus, softsign = (
    _activation(tf.sigmoid),
    _activation(tf.nn.softplus),
    _activation(tf.nn.softsign),
)
silu = swish = _activation(tf.nn.silu)
hard_silu = hard_swish = _activation(activations.hard_silu)
hard_tanh, tanh_shrink = _activation(activations.hard_tanh), _activation(activations.tanh_shrink)
log_sigmoid, sparse_plus = _activation(activations.log_sigmoid), _activation(activations.sparse_plus)


def relu(x: TensorLike) -> Tensor:
    """Zero below zero."""
    return tf.nn.relu(tensor(x))


def hard_sigmoid(x: TensorLike) -> Tensor:
    """`relu6(x + 3) / 6`, as in Keras 3."""
    return tf.nn.relu6(floating(x) + 3.0) / 6.0


def elu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """Exponential below zero."""
    return activations.elu(floating(x), alpha)


def celu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """`elu` whose slope is continuous."""
    return activations.celu(floating(x), alpha)


def gelu(x: TensorLike, approximate: bool = True) -> Tensor:
    """`x` times the share of a normal distribution below it."""
    return tf.nn.gelu(floating(x), approximate)


def glu(x: TensorLike, axis: int = -1) -> Tensor:
    """One half of an axis, gated by the other."""
    return activations.glu(floating(x), axis)


def leaky_relu(x: TensorLike, negative_slope: float = 0.2) -> Tensor:
    """With a slope below zero."""
    return tf.nn.leaky_relu(floating(x), negative_slope)


def hard_shrink(x: TensorLike, threshold: float = 0.5) -> Tensor:
    """Zero near zero."""
    return activations.hard_shrink(floating(x), threshold)


def soft_shrink(x: TensorLike, threshold: float = 0.5) -> Tensor:
    """Moved towards zero."""
    return activations.soft_shrink(floating(x), threshold)


def squareplus(x: TensorLike, b: float = 4) -> Tensor:
    """A smooth `relu` without exponentials."""
    return activations.squareplus(floating(x), b)


def sparsemax(x: TensorLike, axis: int = -1) -> Tensor:
    """A softmax that gives zeros."""
    return activations.sparsemax(floating(x), axis)


def sparse_sigmoid(x: TensorLike) -> Tensor:
    """A sigmoid of straight lines, from -1 to 1."""
    return tf.clip_by_value(0.5 * (floating(x) + 1.0), 0.0, 1.0)


def threshold(x: TensorLike, threshold: Any, default_value: Any) -> Tensor:
    """Another value where `x` is not above a threshold."""
    x = floating(x)
    return tf.where(x > threshold, x, tf.ones_like(x) * default_value)


def softmax(x: TensorLike, axis: int | Sequence[int] = -1) -> Tensor:
    """Positive numbers that sum to one along an axis, several, or all."""
    return _over_axes(tf.nn.softmax, floating(x), axis)


def log_softmax(x: TensorLike, axis: int | Sequence[int] = -1) -> Tensor:
    """The logarithm of `softmax`."""
    return _over_axes(tf.nn.log_softmax, floating(x), axis)


def _over_axes(function: Callable[..., Any], x: Tensor, axis: Any) -> Any:
    if isinstance(axis, int):
        return function(x, axis)
    rank = len(x.shape)
    axes = list(range(rank)) if axis is None else [a % rank for a in axis]
    order = [a for a in range(rank) if a not in axes] + axes
    moved = tf.transpose(x, order)
    kept = tf.shape(moved)
    flat = function(tf.reshape(moved, tf.concat([kept[: rank - len(axes)], [-1]], 0)), -1)
    return tf.transpose(tf.reshape(flat, kept), np.argsort(order).tolist())


def one_hot(
    x: TensorLike, num_classes: int, axis: int = -1, dtype: DTypeLike | None = None, sparse: bool = False
) -> Any:
    """A vector with a one for each class number."""
    rows = tf.one_hot(tf.cast(tensor(x), "int32"), num_classes, axis=axis, dtype=dtype or floatx())
    return tf.sparse.from_dense(rows) if sparse else rows


def multi_hot(
    inputs: TensorLike,
    num_classes: int | None = None,
    axis: int = -1,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
    **kwargs: Any,
) -> Any:
    """A vector with ones for the class numbers of a sample."""
    classes = kwargs.pop("num_tokens", num_classes)
    x = tf.cast(tensor(inputs), "int32")
    reduced = 1 if len(x.shape) > 1 else 0
    rows = tf.reduce_max(tf.one_hot(x, classes, axis=axis, dtype=dtype or floatx()), reduced)
    return tf.sparse.from_dense(rows) if sparse else rows


def binary_crossentropy(target: TensorLike, output: Tensor, from_logits: bool = False) -> Tensor:
    """The cross-entropy of each yes-or-no question."""
    output = floating(output)
    target = tf.cast(tensor(target), output.dtype)
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)
    output = tf.clip_by_value(output, least(), 1.0 - least())
    return -(target * tf.math.log(output) + (1.0 - target) * tf.math.log(1.0 - output))


def categorical_crossentropy(
    target: TensorLike, output: TensorLike, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """The cross-entropy of distributions over classes."""
    return losses.categorical_crossentropy(tensor(target), floating(output), from_logits, axis=axis)


def sparse_categorical_crossentropy(
    target: TensorLike, output: TensorLike, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """The cross-entropy of class numbers."""
    return losses.sparse_categorical_crossentropy(tensor(target), floating(output), from_logits, axis=axis)


def normalize(x: Any, axis: int = -1, order: Any = 2, epsilon: float | None = None) -> Tensor:
    """Divided by the norm along an axis."""
    x = floating(x)
    return x / tf.maximum(norm(x, order, axis, True), tf.constant(epsilon or least(), x.dtype))


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    axis: int | Sequence[int],
    offset: Any = None,
    scale: Any = None,
    epsilon: float = 1e-3,
) -> Tensor:
    """Normalised by a mean and a variance for each place along an axis."""
    x = floating(x)
    axes = [a % len(x.shape) for a in ([axis] if isinstance(axis, int) else axis)]
    sizes = [x.shape[a] if a in axes else 1 for a in range(len(x.shape))]
    mean, variance, offset, scale = (
        None if v is None else tf.reshape(tensor(v), sizes) for v in (mean, variance, offset, scale)
    )
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, epsilon)


def layer_normalization(
    x: TensorLike,
    gamma: TensorLike | None = None,
    beta: TensorLike | None = None,
    axis: int | Sequence[int] = -1,
    epsilon: float | None = None,
    **kwargs: Any,
) -> Tensor:
    """Normalised along axes."""
    x = floating(x)
    axes = list(axis) if isinstance(axis, (tuple, list)) else [axis]
    mean, variance = tf.nn.moments(x, axes, keepdims=True)
    normalized = (x - mean) * tf.math.rsqrt(variance + (least() if epsilon is None else epsilon))
    normalized = normalized if gamma is None else normalized * tensor(gamma)
    return normalized if beta is None else normalized + tensor(beta)


def rms_normalization(
    x: TensorLike,
    scale: TensorLike | None = None,
    axis: int | Sequence[int] = -1,
    epsilon: float | None = None,
) -> Any:
    """Divided by the root of the mean square along axes."""
    x = floating(x)
    axes = list(axis) if isinstance(axis, (tuple, list)) else [axis]
    mean = tf.reduce_mean(tf.square(x), axes, keepdims=True)
    normalized = x * tf.math.rsqrt(mean + (least() if epsilon is None else epsilon))
    return normalized if scale is None else normalized * tensor(scale)


def _windows(x: Any, data_format: Any) -> tuple[Any, str, bool]:
    """The input, TensorFlow's name of its layout with channels last, and whether its channels came first."""
    is_first = read_data_format(data_format) == "channels_first"
    x = tensor(x)
    rank = len(x.shape)
    moved = tf.transpose(x, [0, *range(2, rank), 1]) if is_first else x
    return moved, {3: "NWC", 4: "NHWC", 5: "NDHWC"}[rank], is_first


def _back(x: Tensor, is_first: bool) -> Tensor:
    rank = len(x.shape)
    return tf.transpose(x, [0, rank - 1, *range(1, rank - 1)]) if is_first else x


def _each(value: Any, count: int) -> list[int]:
    return [value] * count if isinstance(value, int) else list(value)


def conv(
    inputs: TensorLike,
    kernel: TensorLike,
    strides: WindowSizes = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: WindowSizes = 1,
) -> Tensor:
    """A convolution of one, two or three dimensions."""
    x, layout, is_first = _windows(inputs, data_format)
    count = len(layout) - 2
    outputs = tf.nn.convolution(
        x, tensor(kernel), _each(strides, count), padding.upper(), layout, _each(dilation_rate, count)
    )
    return _back(outputs, is_first)


def conv_transpose(
    inputs: TensorLike,
    kernel: Any,
    strides: Any = 1,
    padding: str = "valid",
    output_padding: Any = None,
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Tensor:
    """What has a convolution's gradient by its input; the kernel's last axes are output and input channels."""
    x, layout, is_first = _windows(inputs, data_format)
    kernel = tensor(kernel)
    count = len(layout) - 2
    steps, rates = _each(strides, count), _each(dilation_rate, count)
    added = [None] * count if output_padding is None else _each(output_padding, count)
    sizes = [
        _grown(size, width, step, rate, padding, more)
        for size, width, step, rate, more in zip(
            x.shape[1:-1], kernel.shape, steps, rates, added, strict=False
        )
    ]
    whole = [tf.shape(x)[0], *sizes, kernel.shape[-2]]
    found = tf.nn.conv_transpose(x, kernel, whole, steps, padding.upper(), layout, rates)
    return _back(found, is_first)


def _grown(size: Any, width: Any, stride: int, rate: int, padding: str, more: int | None) -> int:
    """The size that a transposed convolution gives an axis."""
    width = rate * (width - 1) + 1
    if more is None:
        return size * stride + (max(width - stride, 0) if padding == "valid" else 0)
    return (size - 1) * stride + width + more - (2 * (width // 2) if padding == "same" else 0)


def depthwise_conv(
    inputs: TensorLike,
    kernel: TensorLike,
    strides: WindowSizes = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: WindowSizes = 1,
) -> Tensor:
    """A convolution of each channel by itself."""
    x, layout, is_first = _windows(inputs, data_format)
    kernel = tensor(kernel)
    is_flat = layout == "NWC"
    if is_flat:
        x, kernel = tf.expand_dims(x, 1), tf.expand_dims(kernel, 0)
    stride, dilation = (_each(value, 1 if is_flat else 2) for value in (strides, dilation_rate))
    stride, dilation = (value * 2 if is_flat else value for value in (stride, dilation))
    outputs = tf.nn.depthwise_conv2d(x, kernel, [1, *stride, 1], padding.upper(), dilations=dilation)
    return _back(tf.squeeze(outputs, 1) if is_flat else outputs, is_first)


def separable_conv(
    inputs: TensorLike,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: WindowSizes = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: WindowSizes = 1,
) -> Tensor:
    """A convolution of each channel by itself, and one over the channels."""
    by_channel = depthwise_conv(inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(by_channel, pointwise_kernel, 1, "valid", data_format)


def max_pool(
    inputs: TensorLike,
    pool_size: WindowSizes,
    strides: WindowSizes | None = None,
    padding: str = "valid",
    data_format: str | None = None,
) -> Tensor:
    """The largest of each window."""
    return _pooled("MAX", inputs, pool_size, strides, padding, data_format)


def average_pool(
    inputs: TensorLike,
    pool_size: WindowSizes,
    strides: WindowSizes | None = None,
    padding: str = "valid",
    data_format: str | None = None,
) -> Tensor:
    """The mean of each window."""
    return _pooled("AVG", inputs, pool_size, strides, padding, data_format)


def _pooled(
    kind: str, inputs: TensorLike, pool_size: WindowSizes, strides: Any, padding: str, data_format: str | None
) -> Tensor:
    x, layout, is_first = _windows(inputs, data_format)
    count = len(layout) - 2
    size = _each(pool_size, count)
    pooled = tf.nn.pool(
        x, size, kind, size if strides is None else _each(strides, count), padding.upper(), layout
    )
    return _back(pooled, is_first)


def depth_to_space(x: TensorLike, block_size: int, data_format: str = "channels_last") -> Tensor:
    """Channels as blocks of pixels."""
    moved, _, is_first = _windows(x, data_format)
    return _back(tf.nn.depth_to_space(moved, block_size), is_first)


def space_to_depth(x: TensorLike, block_size: int, data_format: str = "channels_last") -> Tensor:
    """Blocks of pixels as channels."""
    moved, _, is_first = _windows(x, data_format)
    return _back(tf.nn.space_to_depth(moved, block_size), is_first)


def dot_product_attention(
    query: Any,
    key: TensorLike,
    value: TensorLike,
    bias: TensorLike | None = None,
    mask: TensorLike | None = None,
    scale: float | None = None,
    is_causal: bool = False,
    flash_attention: bool | None = None,
    attn_logits_soft_cap: float | None = None,
) -> Tensor:
    """Attention of heads: tensors of shape (batch, length, heads, size)."""
    query, key, value = map(floating, alike(query, key, value))
    scores = tf.einsum("bqhd,bkhd->bhqk", query, key) * (scale or float(query.shape[-1]) ** -0.5)
    if bias is not None:
        scores = scores + tf.cast(tensor(bias), scores.dtype)
    if attn_logits_soft_cap is not None:
        scores = tf.tanh(scores / attn_logits_soft_cap) * attn_logits_soft_cap
    lowest = tf.constant(-0.7 * float(scores.dtype.max), scores.dtype)
    if mask is not None:
        scores = tf.where(tf.cast(tensor(mask), tf.bool), scores, lowest)
    if is_causal:
        sizes = tf.shape(scores)
        seen = tf.range(sizes[-2])[:, tf.newaxis] >= tf.range(sizes[-1])[tf.newaxis]
        scores = tf.where(seen, scores, lowest)
    return tf.einsum("bhqk,bkhd->bqhd", tf.nn.softmax(scores, -1), value)


def psnr(x1: TensorLike, x2: TensorLike, max_val: float) -> Tensor:
    """The ratio of the largest signal and the noise between two, in decibels."""
    one, two = map(floating, alike(x1, x2))
    error = tf.reduce_mean(tf.square(one - two))
    return 20.0 * tf.math.log(float(max_val)) / np.log(10.0) - 10.0 * tf.math.log(error) / np.log(10.0)
