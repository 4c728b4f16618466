"""Convolutions, pooling and resizing: TensorFlow has the channels last, ONNX first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow.ops.graphs.nodes.function_body import CannotLower
from tapeflow.saved_model.onnx.graph import Graph, Sizes, Tensor
from tapeflow.saved_model.onnx.rules import Node, rule


def _first(graph: Graph, x: Tensor) -> Tensor:
    """Images with their channels first."""
    return graph.transpose(x, [0, x.rank - 1, *range(1, x.rank - 1)])


def _last(graph: Graph, x: Tensor) -> Tensor:
    """Images with their channels last."""
    return graph.transpose(x, [0, *range(2, x.rank), 1])


def _moved(shape: Sizes | None) -> Sizes | None:
    """A shape with the channels first."""
    return None if shape is None else (shape[0], shape[-1], *shape[1:-1])


def _outer(filters: Tensor, graph: Graph) -> Tensor:
    """Filters as ONNX has them: outputs, inputs, size."""
    rank = filters.rank
    return graph.transpose(filters, [rank - 1, rank - 2, *range(rank - 2)])


def _padding(
    node: Node,
    sizes: Sequence[int | None],
    window: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> dict[str, Any]:
    """The attributes for a node's padding; ONNX splits an odd one as TensorFlow does."""
    word = node.text("padding")
    if word == "VALID":
        return {"pads": [0] * (2 * len(sizes))}
    if word == "EXPLICIT":
        pairs = node.ints("explicit_paddings")[2:-2]
        return {"pads": [*pairs[::2], *pairs[1::2]]}
    if any(size is None and stride > 1 for size, stride in zip(sizes, strides, strict=True)):
        return {"auto_pad": "SAME_UPPER"}
    low, high = [], []
    for size, part, stride, dilation in zip(sizes, window, strides, dilations, strict=True):
        reach = (part - 1) * dilation + 1
        # Steps of 1 need the same padding for every size.
        total = reach - 1 if size is None else max((-(-size // stride) - 1) * stride + reach - size, 0)
        low.append(total // 2)
        high.append(total - total // 2)
    return {"pads": [*low, *high]}


def _window(filters: Tensor) -> list[int]:
    found = [size for size in filters.sizes[:-2] if size is not None]
    if len(found) < filters.rank - 2:
        raise CannotLower("has filters whose size is open")
    return found


@rule("Conv2D", "Conv3D", "DepthwiseConv2dNative")
def _conv(graph: Graph, node: Node, x: Tensor, filters: Tensor) -> Tensor:
    strides, dilations = node.ints("strides")[1:-1], node.ints("dilations")[1:-1]
    window, groups = _window(filters), 1
    if node.op == "DepthwiseConv2dNative":
        channels, times = filters.sizes[-2:]
        if channels is None or times is None:
            raise CannotLower("has filters whose size is open")
        groups = channels
        turned = graph.transpose(filters, [2, 3, 0, 1])
        kernel = graph.reshape(turned, [channels * times, 1, *window])
    else:
        kernel = _outer(filters, graph)
    attributes = _padding(node, x.sizes[1:-1], window, strides, dilations)
    found = graph.emit(
        "Conv",
        [_first(graph, x), kernel],
        _moved(node.shape),
        kernel_shape=window,
        strides=strides,
        dilations=dilations,
        group=groups,
        **attributes,
    )
    return _last(graph, found)


@rule("Conv2DBackpropInput", "Conv3DBackpropInputV2")
def _conv_transpose(graph: Graph, node: Node, sizes: Tensor, filters: Tensor, y: Tensor) -> Tensor:
    strides, window = node.ints("strides")[1:-1], _window(filters)
    if node.shape is None:
        raise CannotLower("has a result of unknown rank")
    before, after, more = [], [], []
    explicit = node.ints("explicit_paddings")[2:-2] if node.text("padding") == "EXPLICIT" else None
    for axis, (part, stride) in enumerate(zip(window, strides, strict=True)):
        size, given = node.shape[1 + axis], y.sizes[1 + axis]
        if explicit is not None:
            low, high = explicit[2 * axis : 2 * axis + 2]
        else:
            total = max(part - stride, 0) if node.text("padding") == "SAME" else 0
            if size is not None and given is not None and node.text("padding") == "SAME":
                total = max((given - 1) * stride + part - size, 0)
            low, high = total // 2, total - total // 2
        extra = max(stride - part, 0)
        if size is not None and given is not None:
            extra = size - ((given - 1) * stride + part - low - high)
        before.append(low)
        after.append(high)
        more.append(extra)
    found = graph.emit(
        "ConvTranspose",
        [_first(graph, y), _outer(filters, graph)],
        _moved(node.shape),
        kernel_shape=window,
        strides=strides,
        pads=[*before, *after],
        output_padding=more,
    )
    return _last(graph, found)


@rule("MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D")
def _pool(graph: Graph, node: Node, x: Tensor) -> Tensor:
    size, strides = node.ints("ksize")[1:-1], node.ints("strides")[1:-1]
    attributes = _padding(node, x.sizes[1:-1], size, strides, [1] * len(size))
    name = "MaxPool" if node.op.startswith("Max") else "AveragePool"
    found = graph.emit(
        name, [_first(graph, x)], _moved(node.shape), kernel_shape=size, strides=strides, **attributes
    )
    return _last(graph, found)


@rule("BiasAdd")
def _bias_add(graph: Graph, node: Node, x: Tensor, bias: Tensor) -> Tensor:
    return graph.emit("Add", [x, bias], node.shape)


@rule("ResizeBilinear", "ResizeNearestNeighbor")
def _resize(graph: Graph, node: Node, x: Tensor, size: Tensor) -> Tensor:
    if not node.flag("half_pixel_centers") or node.flag("align_corners"):
        raise CannotLower("places pixels in a way that is not written here")
    images = _first(graph, graph.cast(x, "float32") if node.op == "ResizeBilinear" else x)
    lead = graph.emit(
        "Slice", [graph.emit("Shape", [images], (4,), "int64"), *map(graph.vector, ([0], [2]))], (2,)
    )
    sizes = graph.emit("Concat", [lead, graph.int64(size)], (4,), axis=0)
    modes: dict[str, Any] = {"mode": "linear"}
    if node.op == "ResizeNearestNeighbor":
        modes = {"mode": "nearest", "nearest_mode": "round_prefer_ceil"}
    found = graph.emit(
        "Resize",
        [images, None, None, sizes],
        _moved(node.shape),
        coordinate_transformation_mode="half_pixel",
        **modes,
    )
    return _last(graph, found)
