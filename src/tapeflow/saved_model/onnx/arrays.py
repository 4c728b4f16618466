"""Nodes that make, move, pick and multiply elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tapeflow.ops.graphs.nodes.function_body import CannotLower
from tapeflow.saved_model.onnx.graph import Graph, Sizes, Tensor
from tapeflow.saved_model.onnx.rules import Node, rule

_END = (1 << 63) - 1  # as far as a slice can go


def _known(value: Tensor, what: str) -> np.ndarray:
    if value.constant is None:
        raise CannotLower(f"computes its {what} when it runs")
    return value.constant


def _axis(value: Tensor, rank: int) -> int:
    return int(_known(value, "axis")) % max(rank, 1)


# Sizes and constants


@rule("Shape")
def _shape(graph: Graph, node: Node, x: Tensor) -> Tensor:
    return graph.cast(graph.emit("Shape", [x], node.shape, "int64"), node.dtype)


@rule("Fill")
def _fill(graph: Graph, node: Node, sizes: Tensor, value: Tensor) -> Tensor:
    return graph.emit("Expand", [value, graph.int64(sizes)], node.shape)


@rule("Range")
def _range(graph: Graph, node: Node, start: Tensor, limit: Tensor, step: Tensor) -> Tensor:
    return graph.emit("Range", [start, limit, step], node.shape)


@rule("BroadcastTo")
def _broadcast(graph: Graph, node: Node, x: Tensor, sizes: Tensor) -> Tensor:
    return graph.emit("Expand", [x, graph.int64(sizes)], node.shape)


@rule("Tile")
def _tile(graph: Graph, node: Node, x: Tensor, times: Tensor) -> Tensor:
    return graph.emit("Tile", [x, graph.int64(times)], node.shape)


# Shapes


@rule("Reshape")
def _reshape(graph: Graph, node: Node, x: Tensor, sizes: Tensor) -> Tensor:
    target = sizes.constant
    if target is not None and 0 not in target:
        if x.constant is not None:
            return graph.reshape(x, [int(n) for n in target])
        return graph.emit("Reshape", [x, graph.int64(sizes)], node.shape)
    return graph.emit("Reshape", [x, graph.int64(sizes)], node.shape, allowzero=1)


@rule("Transpose")
def _transpose(graph: Graph, node: Node, x: Tensor, order: Tensor) -> Tensor:
    return graph.transpose(x, [int(n) for n in _known(order, "order of axes")])


@rule("ConcatV2")
def _concat(graph: Graph, node: Node, *inputs: Tensor) -> Tensor:
    *parts, axis = inputs
    return graph.emit("Concat", parts, node.shape, axis=_axis(axis, parts[0].rank))


@rule("Pack")
def _pack(graph: Graph, node: Node, *parts: Tensor) -> Tensor:
    axis = node.integer("axis")
    values = [part.constant for part in parts]
    if all(value is not None for value in values):
        return graph.constant(np.stack([v for v in values if v is not None], axis))
    where = graph.vector([axis])
    wide = [graph.emit("Unsqueeze", [part, where], _with_axis(part.sizes, axis)) for part in parts]
    return graph.emit("Concat", wide, node.shape, axis=axis)


def _with_axis(sizes: Sizes, axis: int) -> Sizes:
    return (*sizes[:axis], 1, *sizes[axis:])


@rule("Split")
def _split(graph: Graph, node: Node, axis: Tensor, x: Tensor) -> list[Tensor]:
    number, count = _axis(axis, x.rank), node.integer("num_split")
    dtypes = [x.dtype] * count
    return graph.emit_all("Split", [x], node.shapes, dtypes, axis=number, num_outputs=count)


@rule("SplitV")
def _split_sizes(graph: Graph, node: Node, x: Tensor, sizes: Tensor, axis: Tensor) -> list[Tensor]:
    dtypes = [x.dtype] * len(node.shapes)
    return graph.emit_all("Split", [x, graph.int64(sizes)], node.shapes, dtypes, axis=_axis(axis, x.rank))


@rule("Pad", "PadV2")
def _pad(graph: Graph, node: Node, x: Tensor, pairs: Tensor, *value: Tensor) -> Tensor:
    if pairs.constant is not None:
        ends = graph.vector(pairs.constant.T.reshape(-1).tolist())
    else:
        turned = graph.transpose(graph.int64(pairs), [1, 0])
        ends = graph.reshape(turned, [-1])
    through = "int32" if x.dtype.is_bool else x.dtype
    fill = graph.cast(value[0], through) if value else graph.constant(0, through)
    found = graph.emit("Pad", [graph.cast(x, through), ends, fill], node.shape)
    return graph.cast(found, x.dtype)


# Parts


@rule("StridedSlice")
def _strided_slice(graph: Graph, node: Node, x: Tensor, begin: Tensor, end: Tensor, by: Tensor) -> Tensor:
    if node.integer("ellipsis_mask") or node.integer("new_axis_mask"):
        raise CannotLower("adds axes to a slice")
    steps = _known(by, "steps").astype(np.int64)
    count = len(steps)
    axes = range(count)
    masks = {name: node.integer(f"{name}_mask") for name in ("begin", "end", "shrink_axis")}
    is_single = [bool(masks["shrink_axis"] >> i & 1) for i in axes]
    starts = _masked(
        graph, begin, [bool(masks["begin"] >> i & 1) for i in axes], np.where(steps > 0, 0, _END)
    )
    is_open = [bool(masks["end"] >> i & 1) for i in axes]
    if any(is_single):
        at = _known(begin, "place").astype(np.int64)
        after = np.where(at == -1, _END, at + 1)
        stops = _known(end, "end").astype(np.int64)
        stops = np.where(is_open, np.where(steps > 0, _END, -_END), stops)
        ends = graph.vector(np.where(is_single, after, stops).tolist())
    else:
        ends = _masked(graph, end, is_open, np.where(steps > 0, _END, -_END))
    dropped = [i for i in axes if is_single[i]]
    shape = None if dropped else node.shape
    found = graph.emit("Slice", [x, starts, ends, graph.vector(axes), graph.vector(steps.tolist())], shape)
    return graph.emit("Squeeze", [found, graph.vector(dropped)], node.shape) if dropped else found


def _masked(graph: Graph, value: Tensor, is_masked: Sequence[bool], others: np.ndarray) -> Tensor:
    """Ends of a slice, with others where the mask says so."""
    if value.constant is not None:
        return graph.vector(np.where(is_masked, others, value.constant).tolist())
    value = graph.int64(value)
    if not any(is_masked):
        return value
    mask, fill = graph.constant(np.array(is_masked)), graph.vector(others.tolist())
    return graph.emit("Where", [mask, fill, value], value.shape, "int64")


@rule("Slice")
def _slice(graph: Graph, node: Node, x: Tensor, begin: Tensor, size: Tensor) -> Tensor:
    starts = graph.int64(begin)
    ends = graph.emit("Add", [starts, graph.int64(size)], starts.shape)
    return graph.emit("Slice", [x, starts, ends], node.shape)


@rule("ReverseV2")
def _reverse(graph: Graph, node: Node, x: Tensor, axes: Tensor) -> Tensor:
    turned = [int(n) for n in _known(axes, "axes").reshape(-1)]
    ends = [[-1] * len(turned), [-_END] * len(turned), turned, [-1] * len(turned)]
    return graph.emit("Slice", [x, *map(graph.vector, ends)], node.shape) if turned else x


@rule("GatherV2")
def _gather(graph: Graph, node: Node, x: Tensor, places: Tensor, axis: Tensor) -> Tensor:
    number, batch = _axis(axis, x.rank), node.integer("batch_dims")
    if not batch:
        return graph.emit("Gather", [x, places], node.shape, axis=number)
    if number != x.rank - 1 or batch != number or places.rank != x.rank:
        raise CannotLower("picks from the rows of a batch along an axis that is not the last")
    return graph.emit("GatherElements", [x, places], node.shape, axis=number)


@rule("GatherNd")
def _gather_nd(graph: Graph, node: Node, x: Tensor, places: Tensor) -> Tensor:
    return graph.emit("GatherND", [x, graph.int64(places)], node.shape)


_SCATTERS = {
    "TensorScatterUpdate": "none",
    "TensorScatterAdd": "add",
    "TensorScatterMax": "max",
    "TensorScatterMin": "min",
}


@rule(*_SCATTERS, "TensorScatterSub")
def _scatter(graph: Graph, node: Node, x: Tensor, places: Tensor, updates: Tensor) -> Tensor:
    if node.op == "TensorScatterSub":
        updates = graph.emit("Neg", [updates], updates.shape)
    reduction = _SCATTERS.get(node.op, "add")
    through = "int32" if x.dtype.is_bool else x.dtype
    given = [graph.cast(x, through), graph.int64(places), graph.cast(updates, through)]
    return graph.cast(graph.emit("ScatterND", given, node.shape, reduction=reduction), x.dtype)


# Along an axis


@rule("ArgMax", "ArgMin")
def _arg(graph: Graph, node: Node, x: Tensor, axis: Tensor) -> Tensor:
    number = _axis(axis, x.rank)
    x = graph.cast(x, "int32") if x.dtype.name in ("int64", "uint32") else x
    return graph.cast(graph.emit(node.op, [x], node.shape, "int64", axis=number, keepdims=0), node.dtype)


@rule("Cumsum")
def _cumsum(graph: Graph, node: Node, x: Tensor, axis: Tensor) -> Tensor:
    flags = {name: int(node.flag(name)) for name in ("exclusive", "reverse")}
    return graph.emit("CumSum", [x, graph.int64(axis)], node.shape, **flags)


@rule("TopKV2")
def _top_k(graph: Graph, node: Node, x: Tensor, count: Tensor) -> list[Tensor]:
    k = graph.reshape(graph.int64(count), [1])
    kinds = [x.dtype, graph.vector([0]).dtype]
    values, places = graph.emit_all("TopK", [x, k], node.shapes, kinds)
    return [values, graph.cast(places, node.dtypes[1])]


# Products


def _flipped(graph: Graph, x: Tensor, is_flipped: bool) -> Tensor:
    order = list(range(x.rank))
    return graph.transpose(x, [*order[:-2], order[-1], order[-2]]) if is_flipped else x


@rule("MatMul", "BatchMatMulV2")
def _product(graph: Graph, node: Node, x: Tensor, y: Tensor) -> Tensor:
    names = ("transpose_a", "transpose_b") if node.op == "MatMul" else ("adj_x", "adj_y")
    flips = [node.flag(name) for name in names]
    return graph.emit("MatMul", [_flipped(graph, x, flips[0]), _flipped(graph, y, flips[1])], node.shape)


@rule("Einsum")
def _einsum(graph: Graph, node: Node, *inputs: Tensor) -> Tensor:
    return graph.emit("Einsum", list(inputs), node.shape, equation=node.text("equation"))
