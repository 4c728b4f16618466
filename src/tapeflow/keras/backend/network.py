"""What layers compute: activations, cross-entropies, convolution, pooling, normalisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.recording.symbolic import dispatching
from tapeflow.engine.values.annotations import ShapeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import config
from tapeflow.keras.activations import elu as elu
from tapeflow.keras.activations import hard_sigmoid as hard_sigmoid
from tapeflow.keras.activations import relu as relu
from tapeflow.keras.activations import sigmoid as sigmoid
from tapeflow.keras.activations import softmax as softmax
from tapeflow.keras.activations import softplus as softplus
from tapeflow.keras.activations import softsign as softsign
from tapeflow.keras.activations import tanh as tanh
from tapeflow.keras.annotations import AxisLike, WindowSizes
from tapeflow.keras.losses.crossentropy import binary_inputs
from tapeflow.keras.losses.crossentropy import categorical_crossentropy as _categorical
from tapeflow.keras.losses.crossentropy import sparse_categorical_crossentropy as _sparse
from tapeflow.keras.losses.inputs import logits_behind
from tapeflow.ops.training import loss as kernels

_CHANNELS = {"channels_last": ("NWC", "NHWC", "NDHWC"), "channels_first": ("NCW", "NCHW", "NCDHW")}


def categorical_crossentropy(
    target: TensorLike, output: TensorLike, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """The cross-entropy of one-hot labels, a number for each sample. Mind the order of the arguments."""
    return _categorical(target, output, from_logits=from_logits, axis=axis)


def sparse_categorical_crossentropy(
    target: TensorLike,
    output: TensorLike,
    from_logits: bool = False,
    axis: int = -1,
    ignore_class: int | None = None,
) -> Tensor:
    """The cross-entropy of class numbers, a number for each sample."""
    return _sparse(target, output, from_logits=from_logits, axis=axis, ignore_class=ignore_class)


@dispatching
def binary_crossentropy(target: TensorLike, output: TensorLike, from_logits: bool = False) -> Tensor:
    """The cross-entropy of yes-or-no questions; unlike the loss of that name, not averaged."""
    where = "binary_crossentropy"
    predicted, from_logits = logits_behind(where, convert_to_tensor(output), from_logits, "Sigmoid")
    labels, predicted = binary_inputs(where, target, predicted, from_logits, 0.0)
    return kernels.binary_cross_entropy(predicted, labels, from_logits=from_logits, epsilon=config.epsilon())


def binary_focal_crossentropy(
    target: TensorLike,
    output: TensorLike,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
) -> Tensor:
    """The same with easy answers counting less, by `(1 - probability of the truth) ** gamma`; not averaged.

    With `apply_class_balancing`, ones count `alpha` and zeros `1 - alpha`.
    """
    likely = tf.sigmoid(output) if from_logits else tf.convert_to_tensor(output)
    truth = tf.cast(target, likely.dtype)
    right = truth * likely + (1 - truth) * (1 - likely)
    found = tf.pow(1 - right, gamma) * binary_crossentropy(target, output, from_logits)
    return (truth * alpha + (1 - truth) * (1 - alpha)) * found if apply_class_balancing else found


def dropout(
    x: TensorLike, level: float, noise_shape: ShapeLike | None = None, seed: int | None = None
) -> Tensor:
    """The share `level` of elements set to 0, the others enlarged to make up for it."""
    return tf.nn.dropout(x, rate=level, noise_shape=noise_shape, seed=seed)


def l2_normalize(x: TensorLike, axis: AxisLike | None = None) -> Tensor:
    """x divided by its norm along `axis`."""
    return tf.math.l2_normalize(x, axis=axis)


def in_top_k(predictions: TensorLike, targets: TensorLike, k: int) -> Tensor:
    """Whether each target is among the `k` largest predictions."""
    return tf.math.in_top_k(targets, predictions, k)


def bias_add(x: Tensor, bias: Tensor, data_format: str | None = None) -> Tensor:
    """Add a bias per channel, or one with the shape of a sample."""
    channels_first = config.read_data_format(data_format) == "channels_first"
    rank, bias_rank = len(x.shape), len(bias.shape)
    if bias_rank not in (1, rank - 1):
        raise ValueError(f"Unexpected bias dimensions {bias_rank}, expect to be 1 or {rank - 1} dimensions")
    if bias_rank == 1:
        return tf.nn.bias_add(x, bias, data_format="NC..." if channels_first and rank > 2 else None)
    # Keras reads the bias of channels that come first in the order it lies in, and saved weights rely on it.
    return x + (tf.reshape(bias, (bias.shape[-1], *bias.shape[:-1])) if channels_first else bias)


def conv1d(
    x: TensorLike,
    kernel: Any,
    strides: int = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: int = 1,
) -> Tensor:
    """Convolution of sequences; with padding 'causal' a step sees none after it."""
    if padding == "causal":
        before = dilation_rate * (int(kernel.shape[0]) - 1)
        channels_first = config.read_data_format(data_format) == "channels_first"
        x = tf.pad(x, [[0, 0], [0, 0], [before, 0]] if channels_first else [[0, 0], [before, 0], [0, 0]])
        padding = "valid"
    return _convolve(x, kernel, (strides,), padding, data_format, (dilation_rate,))


def conv2d(
    x: TensorLike,
    kernel: TensorLike,
    strides: WindowSizes = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: WindowSizes = (1, 1),
) -> Tensor:
    """Convolution of images."""
    return _convolve(x, kernel, strides, padding, data_format, dilation_rate)


def conv3d(
    x: TensorLike,
    kernel: TensorLike,
    strides: WindowSizes = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: WindowSizes = (1, 1, 1),
) -> Tensor:
    """Convolution of volumes."""
    return _convolve(x, kernel, strides, padding, data_format, dilation_rate)


def _convolve(
    x: Any, kernel: Any, strides: Any, padding: str, data_format: str | None, dilations: Any
) -> Tensor:
    layout = _layout(data_format, len(strides))
    return tf.nn.convolution(
        x,
        kernel,
        strides=list(strides),
        padding=_padding(padding),
        data_format=layout,
        dilations=list(dilations),
    )


def conv2d_transpose(
    x: TensorLike,
    kernel: TensorLike,
    output_shape: Sequence[Any],
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Any = (1, 1),
) -> Tensor:
    """The transpose of `conv2d`: from its output's shape back to its input's, which is `output_shape`."""
    return tf.nn.conv2d_transpose(
        x,
        kernel,
        output_shape,
        strides=list(strides),
        padding=_padding(padding),
        data_format=_layout(data_format, 2),
        dilations=list(dilation_rate),
    )


def depthwise_conv2d(
    x: TensorLike,
    depthwise_kernel: Any,
    strides: WindowSizes = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: WindowSizes = (1, 1),
) -> Tensor:
    """Convolve each channel separately."""
    window = _window(strides, padding, data_format, dilation_rate)
    return tf.nn.depthwise_conv2d(x, depthwise_kernel, **window)


def separable_conv2d(
    x: TensorLike,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: WindowSizes = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: WindowSizes = (1, 1),
) -> Tensor:
    """Convolve each channel separately, then combine the channels at each position."""
    window = _window(strides, padding, data_format, dilation_rate)
    return tf.nn.separable_conv2d(x, depthwise_kernel, pointwise_kernel, **window)


def _window(strides: Any, padding: str, data_format: str | None, dilations: Any) -> dict[str, Any]:
    """How a window moves over images, as `tf.nn` wants it: with a stride for every axis."""
    layout = _layout(data_format, 2)
    return {
        "strides": [1, 1, *strides] if layout == "NCHW" else [1, *strides, 1],
        "padding": _padding(padding),
        "data_format": layout,
        "dilations": list(dilations),
    }


def pool2d(
    x: TensorLike,
    pool_size: WindowSizes,
    strides: WindowSizes = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Tensor:
    """The largest element ('max') or the mean ('avg') of each window of an image."""
    return _pool(x, pool_size, strides, padding, data_format, pool_mode)


def pool3d(
    x: TensorLike,
    pool_size: WindowSizes,
    strides: WindowSizes = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Tensor:
    """The largest element ('max') or the mean ('avg') of each window of a volume."""
    return _pool(x, pool_size, strides, padding, data_format, pool_mode)


def _pool(x: Any, size: Any, strides: Any, padding: str, data_format: str | None, mode: str) -> Tensor:
    if mode not in ("max", "avg"):
        raise ValueError(f"Invalid pooling mode: {mode}. Expected 'max' or 'avg'.")
    return tf.nn.pool(
        x,
        list(size),
        mode.upper(),
        strides=list(strides),
        padding=_padding(padding),
        data_format=_layout(data_format, len(size)),
    )


def _layout(data_format: str | None, spatial_rank: int) -> str:
    return _CHANNELS[config.read_data_format(data_format)][spatial_rank - 1]


def _padding(padding: str) -> str:
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}. Expected 'same' or 'valid'.")
    return padding.upper()


def batch_normalization(
    x: Tensor,
    mean: TensorLike,
    var: Any,
    beta: TensorLike,
    gamma: TensorLike,
    axis: int = -1,
    epsilon: float = 1e-3,
) -> Tensor:
    """(x - mean) / sqrt(var + epsilon) * gamma + beta, with a number for each place along `axis`."""
    places = [1] * len(x.shape)
    places[axis] = -1
    mean, var = tf.reshape(mean, places), tf.reshape(var, places)
    beta, gamma = _placed(beta, places), _placed(gamma, places)
    return tf.nn.batch_normalization(x, mean, var, beta, gamma, epsilon)


def normalize_batch_in_training(
    x: Any, gamma: TensorLike, beta: TensorLike, reduction_axes: Any, epsilon: float = 1e-3
) -> tuple[Any, Any, Any]:
    """x with mean 0 and variance 1 over `reduction_axes`, times gamma plus beta; and the two."""
    mean, variance = tf.nn.moments(x, reduction_axes, keepdims=True)
    kept = [1 if axis in reduction_axes else size for axis, size in enumerate(x.shape)]
    beta, gamma = _placed(beta, kept), _placed(gamma, kept)
    normalised = tf.nn.batch_normalization(x, mean, variance, beta, gamma, epsilon)
    return normalised, tf.squeeze(mean, reduction_axes), tf.squeeze(variance, reduction_axes)


def _placed(part: Any, shape: ShapeLike) -> Any:
    return None if part is None else tf.reshape(part, shape)
