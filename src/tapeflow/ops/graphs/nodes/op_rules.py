"""Ops that become the TensorFlow ops they stand for, whatever their kernels do."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.ops.graphs.nodes import (  # noqa: F401 - register their rules
    rules_control,
    rules_indexing,
    rules_random,
    rules_shaping,
    rules_strings,
)
from tapeflow.ops.graphs.nodes.function_body import CannotLower, FunctionBody, Value
from tapeflow.ops.graphs.nodes.lowering import RecordedOp, op_rule
from tapeflow.ops.graphs.nodes.rules_mixing import convolved, depthwise, padded, product


def _last(body: FunctionBody, value: Value, layout: Any) -> Value:
    """A tensor with its channels last."""
    if not layout.is_channels_first:
        return value
    rank = len(value.sizes)
    return body.transpose(value, [0, *range(2, rank), 1])


def _first(body: FunctionBody, value: Value, layout: Any) -> Value:
    """A tensor with its channels where the layout has them."""
    if not layout.is_channels_first:
        return value
    rank = len(value.sizes)
    return body.transpose(value, [0, rank - 1, *range(1, rank - 1)])


def _biased(body: FunctionBody, value: Value, bias: tuple[Value, ...]) -> Value:
    return body.emit("BiasAdd", [value, bias[0]], value.sizes) if bias else value


def _spatial(op: RecordedOp, layout: Any) -> tuple[Any, ...]:
    shape = op.shapes[0]
    return shape[2:] if layout.is_channels_first else shape[1:-1]


def _flattened(body: FunctionBody, x: Value, rank: int) -> tuple[Value, tuple[Any, ...] | None]:
    """A tensor with one batch axis, and the batch axes that it had, if there were more."""
    if len(x.sizes) == rank:
        return x, None
    batch = x.sizes[: len(x.sizes) - rank + 1]
    rows: Any = 1
    for size in batch:
        rows = rows * size
    return body.reshape(x, (rows, *x.sizes[len(batch) :])), batch


@op_rule("Conv2D")
def _conv(body: FunctionBody, op: RecordedOp, x: Value, filters: Value, *bias: Value) -> Value | None:
    statics, layout = op.statics, op.statics["layout"]
    if not x.dtype.is_floating:
        return None
    x, batch = _flattened(body, x, layout.rank)
    images = _last(body, x, layout)
    groups = images.sizes[-1] // filters.sizes[-2]
    shape = op.shapes[0] if batch is None else op.shapes[0][len(batch) - 1 :]
    spatial = shape[2:] if layout.is_channels_first else shape[1:-1]
    outputs = convolved(
        body, images, filters, statics["strides"], statics["padding"], statics["dilations"], groups, spatial
    )
    outputs = _first(body, _biased(body, outputs, bias), layout)
    return outputs if batch is None else body.reshape(outputs, (*batch, *outputs.sizes[1:]))


@op_rule("DepthwiseConv2dNative")
def _depthwise(body: FunctionBody, op: RecordedOp, x: Value, filters: Value, *bias: Value) -> Value | None:
    statics, layout = op.statics, op.statics["layout"]
    strides, dilations, padding = statics["strides"], statics["dilations"], statics["padding"]
    if len(x.sizes) != layout.rank or layout.spatial > 2:
        return None
    images = _last(body, x, layout)
    spatial = _spatial(op, layout)
    outputs = filters.sizes[-1] * filters.sizes[-2]
    if layout.spatial == 1:
        # A window of height 1 may move by any stride, and TensorFlow wants the same along both axes.
        images = body.reshape(images, (images.sizes[0], 1, *images.sizes[1:]))
        filters = body.reshape(filters, (1, *filters.sizes))
        if isinstance(padding, str):
            strides, dilations = (strides[0], strides[0]), (dilations[0], dilations[0])
        else:
            strides, dilations = (strides[0], strides[0]), (dilations[0], dilations[0])
            padding = [(0, 0), *padding]
        spatial = (1, *spatial)
    images, word = padded(body, images, padding)
    found = depthwise(body, images, filters, strides, word, dilations, (images.sizes[0], *spatial, outputs))
    if layout.spatial == 1:
        found = body.reshape(found, (images.sizes[0], *spatial[1:], outputs))
    return _first(body, _biased(body, found, bias), layout)


@op_rule("Conv2DBackpropInput")
def _conv_transpose(
    body: FunctionBody, op: RecordedOp, y: Value, filters: Value, *bias: Value
) -> Value | None:
    statics, layout = op.statics, op.statics["layout"]
    *spatial, channels = statics["shape"]
    strides, dilations, padding = statics["strides"], statics["dilations"], statics["padding"]
    if len(y.sizes) != layout.rank or any(d != 1 for d in dilations) or channels != filters.sizes[-2]:
        raise CannotLower(
            "is a dilated or grouped transposed convolution, for which TensorFlow has no kernel on CPUs"
        )
    images = _last(body, y, layout)
    if layout.spatial == 1:
        images = body.reshape(images, (images.sizes[0], 1, *images.sizes[1:]))
        filters = body.reshape(filters, (1, *filters.sizes))
        spatial, strides, dilations = [1, *spatial], (1, *strides), (1, *dilations)
        padding = padding if isinstance(padding, str) else ((0, 0), *padding)
    attributes: dict[str, Any] = {
        "strides": [1, *strides, 1],
        "dilations": [1, *dilations, 1],
        "padding": padding if isinstance(padding, str) else "EXPLICIT",
    }
    if not isinstance(padding, str):
        if len(strides) == 3:
            raise CannotLower("is a transposed convolution over volumes with explicit padding")
        attributes["explicit_paddings"] = [0, 0, *[n for pair in padding for n in pair], 0, 0]
    batch = images.sizes[0]
    shape = (batch, *spatial, channels)
    name = "Conv3DBackpropInputV2" if len(strides) == 3 else "Conv2DBackpropInput"
    outputs = body.emit(name, [body.shape(shape), filters, images], shape, **attributes)
    if layout.spatial == 1:
        outputs = body.reshape(outputs, (batch, *spatial[1:], channels))
    return _first(body, _biased(body, outputs, bias), layout)


@op_rule("MaxPool", "AvgPool")
def _pool(body: FunctionBody, op: RecordedOp, x: Value) -> Value | None:
    statics, layout = op.statics, op.statics["layout"]
    size, strides, padding = statics["size"], statics["strides"], statics["padding"]
    if any(d != 1 for d in statics["dilations"]) or not x.dtype.is_floating:
        return None
    if op.name == "AvgPool" and not isinstance(padding, str):
        return None  # cells of padding are not counted
    images, spatial = _last(body, x, layout), _spatial(op, layout)
    channels = images.sizes[-1]
    if layout.spatial == 1:
        images = body.reshape(images, (images.sizes[0], 1, *images.sizes[1:]))
        size, strides = (1, *size), (1, *strides)
        padding = padding if isinstance(padding, str) else [(0, 0), *padding]
    images, word = padded(body, images, padding, np.finfo(np.float32).min)
    shape = (images.sizes[0], *((1, *spatial) if layout.spatial == 1 else spatial), channels)
    name = op.name + ("3D" if layout.spatial == 3 else "")
    pooled = body.emit(name, [images], shape, ksize=[1, *size, 1], strides=[1, *strides, 1], padding=word)
    if layout.spatial == 1:
        pooled = body.reshape(pooled, (images.sizes[0], *spatial, channels))
    return _first(body, pooled, layout)


@op_rule("Dense")
def _dense(body: FunctionBody, op: RecordedOp, x: Value, kernel: Value, bias: Value) -> Value:
    rank = len(x.sizes)
    products = product(body, x, kernel, [rank - 1], [0], [], [], (*x.sizes[:-1], kernel.sizes[-1]))
    if rank == 1:
        return body.emit("AddV2", [products, bias], products.sizes)
    return body.emit("BiasAdd", [products, bias], products.sizes)


@op_rule("Softmax", "LogSoftmax")
def _softmax(body: FunctionBody, op: RecordedOp, x: Value) -> Value | None:
    rank = len(x.sizes)
    if op.statics["axis"] % max(rank, 1) != rank - 1 or not x.dtype.is_floating:
        return None
    return body.emit(op.name, [x], x.sizes)


@op_rule("Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign", "Sigmoid", "Tanh")
def _activation(body: FunctionBody, op: RecordedOp, x: Value) -> Value | None:
    return body.emit(op.name, [x], x.sizes) if x.dtype.is_floating and not op.statics else None


@op_rule("LeakyRelu")
def _leaky_relu(body: FunctionBody, op: RecordedOp, x: Value) -> Value | None:
    if not isinstance(op.statics.get("alpha"), float) or not x.dtype.is_floating:
        return None
    return body.emit("LeakyRelu", [x], x.sizes, alpha=op.statics["alpha"])


@op_rule("Embedding")
def _embedding(body: FunctionBody, op: RecordedOp, table: Value, ids: Value) -> Value:
    ids = ids if ids.dtype.name in ("int32", "int64") else body.cast(ids, "int32")
    shape = (*ids.sizes, *table.sizes[1:])
    return body.emit("GatherV2", [table, ids, body.constant(0, "int32")], shape)


@op_rule("ResizeImages")
def _resize(body: FunctionBody, op: RecordedOp, x: Value) -> Value | None:
    statics = op.statics
    names = {"bilinear": "ResizeBilinear", "nearest": "ResizeNearestNeighbor"}
    name = names.get(statics["method"])
    if name is None or statics.get("antialias") or len(x.sizes) != 4:
        return None
    size = body.shape(list(statics["size"]))
    shape = (x.sizes[0], *statics["size"], x.sizes[-1])
    resized = body.emit(name, [x, size], shape, half_pixel_centers=True, align_corners=False)
    return resized if str(resized.dtype.name) == str(op.kinds[0].name) else body.cast(resized, op.kinds[0])


@op_rule("ResizeMixed")
def _enlarge(body: FunctionBody, op: RecordedOp, x: Value) -> Value | None:
    factors = dict(op.statics["factors"])
    if op.statics["method"] != "bilinear" or len(x.sizes) != 4 or x.dtype.name != "float32":
        return None
    if 0 in factors or {1, 3} <= set(factors):
        return None
    is_last = 3 not in factors  # the channels
    images = x if is_last else body.transpose(x, [0, 2, 3, 1])
    axes = (1, 2) if is_last else (2, 3)
    size = [x.sizes[axis] * factors.get(axis, 1) for axis in axes]
    shape = (images.sizes[0], *size, images.sizes[3])
    resized = body.emit("ResizeBilinear", [images, body.shape(size)], shape, half_pixel_centers=True)
    return resized if is_last else body.transpose(resized, [0, 3, 1, 2])


@op_rule("CropAndResize")
def _crop(body: FunctionBody, op: RecordedOp, images: Value, boxes: Value, owners: Value) -> Value:
    statics = op.statics
    given = [images, boxes, body.cast(owners, "int32"), body.shape(list(statics["size"]))]
    outside = {"method": statics["method"], "extrapolation_value": statics["outside"]}
    return body.emit("CropAndResize", given, op.shapes[0], **outside)


@op_rule("StopGradient")
def _stop_gradient(body: FunctionBody, op: RecordedOp, x: Value) -> Value:
    return body.emit("StopGradient", [x], x.sizes)


@op_rule("CheckBody")
def _checked(body: FunctionBody, op: RecordedOp, x: Value) -> Value:
    """What checks inside of loops have found; in TensorFlow, ops check for themselves."""
    return x
