"""Convolutions, pools, normalizations, activations and losses."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.saved_model.interpreter.kernels import Node, forwards, implements, ints

_PLAIN: dict[str, Any] = {
    "Elu": tf.nn.elu,
    "Relu": tf.nn.relu,
    "Relu6": tf.nn.relu6,
    "Selu": tf.nn.selu,
    "Softmax": tf.nn.softmax,
    "LogSoftmax": tf.nn.log_softmax,
    "L2Loss": tf.nn.l2_loss,
}
for _op, _function in _PLAIN.items():
    forwards(_op, _function)


@implements("LeakyRelu")
def _leaky_relu(node: Node, x: Tensor) -> Any:
    return tf.nn.leaky_relu(x, node.real("alpha", 0.2))


def _layout(node: Node, rank: int) -> str:
    return node.text("data_format", "NHWC" if rank == 4 else "NDHWC")


def _padding(node: Node) -> Any:
    """`SAME`, `VALID`, or a pair for each axis."""
    padding = node.text("padding", "VALID")
    if padding != "EXPLICIT":
        return padding
    edges = node.ints("explicit_paddings")
    return [[edges[i], edges[i + 1]] for i in range(0, len(edges), 2)]


def _window(node: Node, rank: int) -> dict[str, Any]:
    return {
        "strides": node.ints("strides"),
        "padding": _padding(node),
        "data_format": _layout(node, rank),
        "dilations": node.ints("dilations", (1,) * rank),
    }


@implements("Conv2D")
def _conv2d(node: Node, x: Tensor, filters: Tensor) -> Any:
    return tf.nn.conv2d(x, filters, **_window(node, 4))


@implements("Conv3D")
def _conv3d(node: Node, x: Tensor, filters: Tensor) -> Any:
    return tf.nn.conv3d(x, filters, **_window(node, 5))


@implements("Conv")
def _conv(node: Node, x: Any, filters: Tensor) -> Any:
    return (tf.nn.conv2d if x.shape.rank == 4 else tf.nn.conv3d)(x, filters, **_window(node, x.shape.rank))


@implements("DepthwiseConv2dNative")
def _depthwise(node: Node, x: Tensor, filters: Tensor) -> Any:
    window = _window(node, 4)
    axes = (1, 2) if window["data_format"] == "NHWC" else (2, 3)
    window["dilations"] = [window["dilations"][a] for a in axes]
    return tf.nn.depthwise_conv2d(x, filters, **window)


@implements("Conv2DBackpropInput")
def _conv2d_transpose(node: Node, sizes: Tensor, filters: Tensor, x: Tensor) -> Any:
    return tf.nn.conv2d_transpose(x, filters, ints(sizes), **_window(node, 4))


@implements("Conv3DBackpropInputV2")
def _conv3d_transpose(node: Node, sizes: Tensor, filters: Tensor, x: Tensor) -> Any:
    return tf.nn.conv3d_transpose(x, filters, ints(sizes), **_window(node, 5))


@implements("DepthwiseConv2dNativeBackpropInput")
def _depthwise_transpose(node: Node, sizes: Tensor, filters: Tensor, x: Tensor) -> Any:
    return tf.nn.depthwise_conv2d_backprop_input(ints(sizes), filters, x, **_window(node, 4))


_POOLS: dict[str, Any] = {
    "MaxPool": tf.nn.max_pool2d,
    "AvgPool": tf.nn.avg_pool2d,
    "MaxPool3D": tf.nn.max_pool3d,
    "AvgPool3D": tf.nn.avg_pool3d,
}


@implements(*_POOLS)
def _pool(node: Node, x: Any) -> Any:
    layout = _layout(node, x.shape.rank)
    return _POOLS[node.op](x, node.ints("ksize"), node.ints("strides"), _padding(node), data_format=layout)


@implements("MaxPoolV2")
def _max_pool_v2(node: Node, x: Tensor, size: Tensor, strides: Tensor) -> Any:
    return tf.nn.max_pool2d(x, ints(size), ints(strides), _padding(node), data_format=_layout(node, 4))


@implements("MaxPoolWithArgmax", outputs=("output", "argmax"))
def _max_pool_places(node: Node, x: Tensor) -> Any:
    return tuple(
        tf.nn.max_pool_with_argmax(
            x,
            node.ints("ksize"),
            node.ints("strides"),
            node.text("padding"),
            output_dtype=node.dtype("Targmax", tf.int64),
            include_batch_in_index=node.flag("include_batch_in_index"),
        )
    )


@implements("BiasAdd")
def _bias_add(node: Node, x: Tensor, bias: Tensor) -> Any:
    return tf.nn.bias_add(x, bias, data_format=node.text("data_format", "NHWC"))


@implements("BiasAddV1")
def _old_bias_add(_: Node, x: Tensor, bias: Tensor) -> Any:
    return x + bias


_FUSED = ("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3")


@implements("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", outputs=_FUSED)
def _batch_norm(node: Node, x: Any, scale: Tensor, offset: Tensor, mean: Tensor, variance: Tensor) -> Any:
    epsilon = node.real("epsilon", 1e-4)
    is_first = node.text("data_format", "NHWC") in ("NCHW", "NCDHW")
    rank = x.shape.rank
    axes = [0, *range(2, rank)] if is_first else list(range(rank - 1))
    wide = [1, -1, *[1] * (rank - 2)] if is_first else [-1]
    if not node.flag("is_training", True):
        y = _normalized(x, mean, variance, scale, offset, epsilon, wide)
        return y, mean, variance, mean, variance, tf.zeros([0])
    work = tf.cast(x, scale.dtype)
    found_mean, found_variance = tf.nn.moments(work, axes)
    y = _normalized(x, found_mean, found_variance, scale, offset, epsilon, wide)
    count = int(_product(x.shape.as_list()[a] for a in axes))
    unbiased = found_variance * (count / max(count - 1, 1))
    pace = node.real("exponential_avg_factor", 1.0)
    new_mean = found_mean if pace == 1.0 else (1 - pace) * mean + pace * found_mean
    new_variance = unbiased if pace == 1.0 else (1 - pace) * variance + pace * unbiased
    return y, new_mean, new_variance, found_mean, found_variance, tf.zeros([0])


def _product(sizes: Any) -> int:
    found = 1
    for n in sizes:
        found *= n
    return found


def _normalized(
    x: Any, mean: Any, variance: Any, scale: Any, offset: Any, epsilon: float, wide: list[int]
) -> Tensor:
    factor = tf.math.rsqrt(variance + epsilon) * scale
    shift = offset - mean * factor
    work = tf.cast(x, scale.dtype)
    return tf.cast(work * tf.reshape(factor, wide) + tf.reshape(shift, wide), x.dtype)


@implements("BatchNormWithGlobalNormalization")
def _old_batch_norm(
    node: Node, x: Tensor, mean: Tensor, variance: Tensor, beta: Tensor, gamma: Tensor
) -> Any:
    scale = gamma if node.flag("scale_after_normalization") else tf.ones_like(beta)
    return _normalized(x, mean, variance, scale, beta, node.real("variance_epsilon"), [-1])


@implements("LRN")
def _lrn(node: Node, x: Tensor) -> Any:
    parts = (node.real("bias", 1.0), node.real("alpha", 1.0), node.real("beta", 0.5))
    return tf.nn.lrn(x, node.number("depth_radius", 5), *parts)


@implements("SoftmaxCrossEntropyWithLogits", outputs=("loss", "backprop"))
def _cross_entropy(_: Node, logits: Tensor, labels: Tensor) -> Any:
    shape = tf.broadcast_static_shape(logits.shape, labels.shape).as_list()
    logits, labels = tf.broadcast_to(logits, shape), tf.broadcast_to(labels, shape)
    loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
    return loss, tf.nn.softmax(logits) - labels


@implements("SparseSoftmaxCrossEntropyWithLogits", outputs=("loss", "backprop"))
def _sparse_cross_entropy(_: Node, logits: Any, labels: Tensor) -> Any:
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    return loss, tf.nn.softmax(logits) - tf.one_hot(labels, logits.shape[-1], dtype=logits.dtype)


@implements("DepthToSpace", "SpaceToDepth")
def _depth_space(node: Node, x: Tensor) -> Any:
    function = tf.nn.depth_to_space if node.op == "DepthToSpace" else tf.nn.space_to_depth
    return function(x, node.number("block_size"), data_format=node.text("data_format", "NHWC"))


@implements("Dilation2D")
def _dilation(node: Node, x: Tensor, filters: Tensor) -> Any:
    return tf.nn.dilation2d(
        x, filters, node.ints("strides"), node.text("padding"), "NHWC", node.ints("rates")
    )


@implements(
    "FractionalMaxPool",
    "FractionalAvgPool",
    outputs=("output", "row_pooling_sequence", "col_pooling_sequence"),
)
def _fractional_pool(node: Node, x: Tensor) -> Any:
    function = tf.nn.fractional_max_pool if node.op == "FractionalMaxPool" else tf.nn.fractional_avg_pool
    return tuple(
        function(x, node.floats("pooling_ratio"), node.flag("pseudo_random"), node.flag("overlapping"))
    )


@implements(
    "CTCGreedyDecoder", outputs=("decoded_indices", "decoded_values", "decoded_shape", "log_probability")
)
def _ctc_greedy(node: Node, x: Tensor, lengths: Tensor) -> Any:
    blank = node.number("blank_index", -1)
    found = tf.nn.ctc_greedy_decoder(x, lengths, node.flag("merge_repeated"), None if blank == -1 else blank)
    [decoded], score = found
    return decoded.indices, decoded.values, decoded.dense_shape, score


_CELL = ("i", "cs", "f", "o", "ci", "co", "h")


@implements("LSTMBlockCell", outputs=_CELL)
def _lstm_cell(
    node: Node, x: Tensor, c: Tensor, h: Tensor, w: Tensor, wci: Tensor, wcf: Tensor, wco: Tensor, b: Tensor
) -> Any:
    i, ci, f, o = tf.split(tf.matmul(tf.concat([x, h], 1), w) + b, 4, 1)
    peeps = node.flag("use_peephole")
    i = tf.sigmoid(i + c * wci if peeps else i)
    f = tf.sigmoid((f + c * wcf if peeps else f) + node.real("forget_bias", 1.0))
    ci = tf.tanh(ci)
    cs = ci * i + c * f
    clip = node.real("cell_clip", 3.0)
    cs = tf.clip_by_value(cs, -clip, clip) if clip > 0 else cs
    o = tf.sigmoid(o + cs * wco if peeps else o)
    co = tf.tanh(cs)
    return i, cs, f, o, ci, co, co * o


@implements(
    "ReluGrad",
    "EluGrad",
    "SigmoidGrad",
    "TanhGrad",
    "SqrtGrad",
    "RsqrtGrad",
    "ReciprocalGrad",
    "SoftplusGrad",
)
def _activation_gradient(node: Node, first: Tensor, second: Tensor) -> Any:
    """The gradients that functions of training steps hold, by their definitions."""
    if node.op == "ReluGrad":
        return first * tf.cast(second > 0, first.dtype)
    if node.op == "EluGrad":
        return tf.where(second < 0, first * (second + 1), first)
    if node.op == "SigmoidGrad":
        return second * first * (1 - first)
    if node.op == "TanhGrad":
        return second * (1 - first * first)
    if node.op == "SqrtGrad":
        return second * 0.5 / first
    if node.op == "RsqrtGrad":
        return second * -0.5 * first * first * first
    if node.op == "ReciprocalGrad":
        return -second * first * first
    return first * tf.sigmoid(second)


@implements("BiasAddGrad")
def _bias_gradient(node: Node, x: Any) -> Any:
    is_first = node.text("data_format", "NHWC") == "NCHW"
    return tf.reduce_sum(x, [a for a in range(x.shape.rank) if a != (1 if is_first else x.shape.rank - 1)])
