"""Constants, shapes, slices, and what moves elements."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.saved_model.interpreter.kernels import (
    GraphError,
    Node,
    array,
    forwards,
    implements,
    integer,
    ints,
)
from tapeflow.saved_model.interpreter.values import constant_value

_PLAIN: dict[str, Any] = {
    "ZerosLike": tf.zeros_like,
    "OnesLike": tf.ones_like,
    "StopGradient": tf.stop_gradient,
    "PreventGradient": tf.identity,
    "GatherNd": tf.gather_nd,
    "TensorScatterUpdate": tf.tensor_scatter_nd_update,
    "TensorScatterAdd": tf.tensor_scatter_nd_add,
    "TensorScatterSub": tf.tensor_scatter_nd_sub,
    "TensorScatterMax": tf.tensor_scatter_nd_max,
    "TensorScatterMin": tf.tensor_scatter_nd_min,
    "MatrixTranspose": tf.linalg.matrix_transpose,
    "Where": tf.where,
}
for _op, _function in _PLAIN.items():
    forwards(_op, _function)


@implements("Const", "HostConst")
def _const(node: Node) -> Any:
    return constant_value(node)


@implements(
    "Identity",
    "Snapshot",
    "CheckNumerics",
    "ReadOnlyIdentity",
    "GuaranteeConst",
    "EnsureShape",
    "PlaceholderWithDefault",
    "Copy",
    "CopyHost",
    "DeepCopy",
    "OptimizationBarrier",
    "RefIdentity",
)
def _identity(node: Node, x: Any) -> Any:
    if node.op == "EnsureShape":
        return tf.ensure_shape(x, node.shape("shape"))
    if isinstance(x, tf.Variable) and node.dtype("T") != tf.resource:
        return x.value()  # of a reference Variable of TensorFlow 1
    return tf.identity(x) if isinstance(x, tf.Tensor) else x


@implements("CheckNumericsV2")
def _check_numerics(node: Node, x: Tensor) -> Any:
    return tf.debugging.check_numerics(x, node.text("message"))


@implements("IdentityN")
def _identity_n(node: Node, *parts: Tensor) -> Any:
    """What an op with a gradient of its own leaves in a graph: its results, and its inputs behind them.

    Behind its own inputs come those that only its gradient takes.
    """
    gradient = node.library.gradients.get(node.text("_gradient_op_type"))
    if gradient is None:
        return list(parts)
    library, count = node.library, len(node.types("T"))
    parts, captures = parts[:count], parts[count:]

    @tf.custom_gradient
    def same(*given: Any) -> Any:
        def backward(*upstream: Any) -> Any:
            found = library.call(gradient, [*upstream, *captures])
            return (*[None] * (len(given) - len(found)), *found)  # what is missing is that of the results

        return tuple(tf.identity(p) for p in given), backward

    return list(same(*parts))


@implements("NoOp", "ControlTrigger")
def _no_op(_: Node, *parts: Any) -> Any:
    return []


@implements("Placeholder", "PlaceholderV2")
def _placeholder(node: Node) -> Any:
    raise GraphError(f"placeholder {node.name!r} is given no value")


@implements("Shape")
def _shape(node: Node, x: Tensor) -> Any:
    return tf.shape(x, out_type=node.dtype("out_type", tf.int32))


@implements("ShapeN")
def _shape_n(node: Node, *parts: Tensor) -> Any:
    return [tf.shape(x, out_type=node.dtype("out_type", tf.int32)) for x in parts]


@implements("Size")
def _size(node: Node, x: Tensor) -> Any:
    return tf.size(x, out_type=node.dtype("out_type", tf.int32))


@implements("Rank")
def _rank(_: Node, x: Tensor) -> Any:
    return tf.rank(x)


@implements("Reshape")
def _reshape(_: Node, x: Tensor, shape: Tensor) -> Any:
    return tf.reshape(x, ints(shape))


@implements("ExpandDims")
def _expand_dims(_: Node, x: Tensor, axis: Tensor) -> Any:
    return tf.expand_dims(x, integer(axis))


@implements("Squeeze")
def _squeeze(node: Node, x: Tensor) -> Any:
    return tf.squeeze(x, node.ints("squeeze_dims") or node.ints("axis") or None)


@implements("Transpose", "ConjugateTranspose")
def _transpose(node: Node, x: Tensor, order: Tensor) -> Any:
    return tf.transpose(x, ints(order), conjugate=node.op == "ConjugateTranspose")


@implements("Pack")
def _pack(node: Node, *parts: Tensor) -> Any:
    return tf.stack(list(parts), node.number("axis"))


@implements("Unpack")
def _unpack(node: Node, x: Tensor) -> Any:
    return list(tf.unstack(x, axis=node.number("axis")))


@implements("ConcatV2")
def _concat(_: Node, *parts: Tensor) -> Any:
    return tf.concat(list(parts[:-1]), integer(parts[-1]))


@implements("Concat")
def _old_concat(_: Node, axis: Tensor, *parts: Tensor) -> Any:
    return tf.concat(list(parts), integer(axis))


@implements("ConcatOffset")
def _concat_offset(_: Node, axis: Tensor, *shapes: Tensor) -> Any:
    at, found, offset = integer(axis), [], 0
    for shape in shapes:
        sizes = ints(shape)
        found.append(tf.constant([offset if i == at % len(sizes) else 0 for i in range(len(sizes))]))
        offset += sizes[at]
    return found


@implements("ParallelConcat")
def _parallel_concat(_: Node, *parts: Tensor) -> Any:
    return tf.concat(list(parts), 0)


@implements("Split")
def _split(node: Node, axis: Tensor, x: Tensor) -> Any:
    return list(tf.split(x, node.number("num_split", 1), integer(axis)))


@implements("SplitV")
def _split_v(_: Node, x: Tensor, sizes: Tensor, axis: Tensor) -> Any:
    return list(tf.split(x, ints(sizes), integer(axis)))


@implements("Slice")
def _slice(_: Node, x: Tensor, begin: Tensor, size: Tensor) -> Any:
    if begin.host_value() is None:  # computed: the sizes are all that must be known
        return tf.slice(x, begin, ints(size))
    return tf.slice(x, ints(begin), ints(size))


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


@implements("StridedSlice")
def _strided_slice(node: Node, x: Tensor, begin: Tensor, end: Tensor, strides: Tensor) -> Any:
    masks: dict[str, Any] = {name: node.number(name) for name in _MASKS}
    if begin.host_value() is None and masks["shrink_axis_mask"]:
        return _computed_slice(x, begin, end, strides, masks)
    return tf.strided_slice(x, ints(begin), ints(end), ints(strides), **masks)


def _computed_slice(x: Any, begin: Any, end: Any, strides: Any, masks: dict[str, Any]) -> Any:
    """A slice whose places are computed, as `x[i]` in a loop; where each such place is one element."""
    count = begin.shape.as_list()[0] or 0
    keys: list[Any] = []
    for i in range(count):
        bit = 1 << i
        if masks["ellipsis_mask"] & bit:
            keys.append(Ellipsis)
        elif masks["new_axis_mask"] & bit:
            keys.append(None)
        elif masks["shrink_axis_mask"] & bit:
            keys.append(begin[i])
        else:
            first = None if masks["begin_mask"] & bit else begin[i]
            last = None if masks["end_mask"] & bit else end[i]
            keys.append(slice(first, last, int(array(strides)[i])))
    return x[tuple(keys)]


@implements("TensorStridedSliceUpdate")
def _slice_update(node: Node, x: Any, begin: Tensor, end: Tensor, strides: Tensor, value: Tensor) -> Any:
    masks: dict[str, Any] = {name: node.number(name) for name in _MASKS}
    count = int(np.prod(x.shape.as_list()))
    places = tf.reshape(tf.range(count), tf.shape(x))
    chosen = tf.strided_slice(places, ints(begin), ints(end), ints(strides), **masks)
    updates = tf.reshape(tf.broadcast_to(value, tf.shape(chosen)), [-1])
    flat = tf.tensor_scatter_nd_update(tf.reshape(x, [-1]), tf.reshape(chosen, [-1, 1]), updates)
    return tf.reshape(flat, tf.shape(x))


@implements("Gather", "GatherV2")
def _gather(node: Node, x: Any, places: Any, axis: Any = None) -> Any:
    at = 0 if axis is None else integer(axis)
    return tf.gather(x, places, axis=at, batch_dims=node.number("batch_dims"))


@implements("ScatterNd")
def _scatter_nd(_: Node, places: Tensor, updates: Tensor, shape: Tensor) -> Any:
    return tf.scatter_nd(places, updates, ints(shape))


@implements("Tile")
def _tile(_: Node, x: Tensor, counts: Tensor) -> Any:
    return tf.tile(x, ints(counts))


@implements("Fill")
def _fill(_: Node, shape: Tensor, value: Tensor) -> Any:
    return tf.fill(ints(shape), value)


@implements("BroadcastTo")
def _broadcast_to(_: Node, x: Tensor, shape: Tensor) -> Any:
    return tf.broadcast_to(x, ints(shape))


@implements("BroadcastArgs")
def _broadcast_args(_: Node, a: Tensor, b: Tensor) -> Any:
    return tf.constant(np.broadcast_shapes(tuple(ints(a)), tuple(ints(b))), a.dtype)


@implements("BroadcastGradientArgs", outputs=("r0", "r1"))
def _broadcast_axes(_: Node, a: Tensor, b: Tensor) -> Any:
    x, y = ints(a), ints(b)
    rank = max(len(x), len(y))
    x, y = [1] * (rank - len(x)) + x, [1] * (rank - len(y)) + y
    first = [i for i in range(rank) if x[i] == 1 and (y[i] != 1 or i < rank - len(ints(a)))]
    second = [i for i in range(rank) if y[i] == 1 and (x[i] != 1 or i < rank - len(ints(b)))]
    return tf.constant(np.array(first), a.dtype), tf.constant(np.array(second), a.dtype)


@implements("Pad", "PadV2")
def _pad(_: Node, x: Any, paddings: Any, value: Any = None) -> Any:
    return tf.pad(x, array(paddings).tolist(), constant_values=0 if value is None else value)


@implements("MirrorPad")
def _mirror_pad(node: Node, x: Tensor, paddings: Tensor) -> Any:
    return tf.pad(x, array(paddings).tolist(), node.text("mode"))


@implements("ReverseV2")
def _reverse(_: Node, x: Tensor, axes: Tensor) -> Any:
    return tf.reverse(x, ints(axes))


@implements("Reverse")
def _old_reverse(_: Node, x: Tensor, chosen: Tensor) -> Any:
    return tf.reverse(x, [i for i, is_on in enumerate(array(chosen).tolist()) if is_on])


@implements("ReverseSequence")
def _reverse_sequence(node: Node, x: Tensor, lengths: Tensor) -> Any:
    return tf.reverse_sequence(x, lengths, node.number("seq_dim"), node.number("batch_dim"))


@implements("Roll")
def _roll(_: Node, x: Tensor, shift: Tensor, axis: Tensor) -> Any:
    return tf.roll(x, ints(shift), ints(axis))


@implements("Select")
def _select(_: Node, condition: Tensor, x: Tensor, y: Tensor) -> Any:
    if condition.shape.rank == 1 and (x.shape.rank or 0) > 1:
        condition = tf.reshape(condition, [-1, *[1] * ((x.shape.rank or 1) - 1)])
    return _select_v2(_, condition, x, y)


@implements("SelectV2")
def _select_v2(_: Node, condition: Any, x: Any, y: Any) -> Any:
    parts = [p.host_value() for p in (condition, x, y)]
    if all(p is not None and p.size <= 64 for p in parts) and x.dtype.is_integer:  # a size: it stays known
        return tf.constant(np.where(*parts).astype(x.dtype.as_numpy_dtype))
    return tf.where(condition, x, y)


@implements("OneHot")
def _one_hot(node: Node, places: Tensor, depth: Tensor, on: Tensor, off: Tensor) -> Any:
    return tf.one_hot(places, integer(depth), on, off, node.number("axis", -1), dtype=on.dtype)


@implements("Diag")
def _tensor_diag(_: Node, x: Tensor) -> Any:
    return tf.linalg.tensor_diag(x)


@implements("DiagPart")
def _tensor_diag_part(_: Node, x: Tensor) -> Any:
    return tf.linalg.tensor_diag_part(x)


@implements("MatrixDiag", "MatrixDiagV2", "MatrixDiagV3")
def _matrix_diag(node: Node, x: Tensor, *rest: Tensor) -> Any:
    if not rest:
        return tf.linalg.diag(x)
    k, rows, columns, padding = rest
    return tf.linalg.diag(
        x,
        *[_diagonals(k)],
        num_rows=integer(rows),
        num_cols=integer(columns),
        padding_value=padding,
        align=node.text("align", "RIGHT_LEFT" if node.op.endswith("3") else "LEFT_LEFT"),
    )


@implements("MatrixDiagPart", "MatrixDiagPartV2", "MatrixDiagPartV3")
def _matrix_diag_part(node: Node, x: Tensor, *rest: Tensor) -> Any:
    if not rest:
        return tf.linalg.diag_part(x)
    k, padding = rest
    return tf.linalg.diag_part(
        x,
        k=_diagonals(k),
        padding_value=padding,
        align=node.text("align", "RIGHT_LEFT" if node.op.endswith("3") else "LEFT_LEFT"),
    )


@implements("MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3")
def _matrix_set_diag(node: Node, x: Tensor, diagonal: Tensor, *rest: Tensor) -> Any:
    if not rest:
        return tf.linalg.set_diag(x, diagonal)
    return tf.linalg.set_diag(
        x,
        diagonal,
        k=_diagonals(rest[0]),
        align=node.text("align", "RIGHT_LEFT" if node.op.endswith("3") else "LEFT_LEFT"),
    )


def _diagonals(k: Any) -> Any:
    found = ints(k)
    return found[0] if len(found) == 1 or found[0] == found[1] else tuple(found)


@implements("MatrixBandPart")
def _band_part(_: Node, x: Tensor, lower: Tensor, upper: Tensor) -> Any:
    return tf.linalg.band_part(x, integer(lower), integer(upper))


@implements("Unique", "UniqueV2", outputs=("y", "idx"))
def _unique(node: Node, x: Any, axis: Any = None) -> Any:
    _require_vector(node, x, axis)
    return tuple(tf.unique(x, out_idx=node.dtype("out_idx", tf.int32)))


@implements("UniqueWithCounts", "UniqueWithCountsV2", outputs=("y", "idx", "count"))
def _unique_with_counts(node: Node, x: Any, axis: Any = None) -> Any:
    _require_vector(node, x, axis)
    return tuple(tf.unique_with_counts(x, out_idx=node.dtype("out_idx", tf.int32)))


def _require_vector(node: Node, x: Any, axis: object) -> None:
    if x.shape.rank != 1:
        raise NotImplementedError(
            f"{node.op} expected a vector; got shape {x.shape} at node {node.name!r}. Flatten it before."
        )


@implements("TopK", "TopKV2", outputs=("values", "indices"))
def _top_k(node: Node, x: Any, k: Any = None) -> Any:
    count = node.number("k") if k is None else integer(k)
    return tuple(tf.math.top_k(x, count, node.flag("sorted", True)))


@implements("NthElement")
def _nth_element(node: Node, x: Tensor, n: Tensor) -> Any:
    return tf.sort(x, direction="DESCENDING" if node.flag("reverse") else "ASCENDING")[..., integer(n)]


@implements("InTopK", "InTopKV2")
def _in_top_k(node: Node, predictions: Any, targets: Any, k: Any = None) -> Any:
    return tf.math.in_top_k(targets, predictions, node.number("k") if k is None else integer(k))


@implements("LowerBound", "UpperBound")
def _bound(node: Node, x: Tensor, values: Tensor) -> Any:
    side = "left" if node.op == "LowerBound" else "right"
    return tf.searchsorted(x, values, side, node.dtype("out_type", tf.int32))


@implements("DynamicPartition")
def _dynamic_partition(node: Node, x: Tensor, parts: Tensor) -> Any:
    return list(tf.dynamic_partition(x, parts, node.number("num_partitions", 1)))


@implements("DynamicStitch", "ParallelDynamicStitch")
def _dynamic_stitch(node: Node, *parts: Tensor) -> Any:
    half = len(parts) // 2
    return tf.dynamic_stitch(list(parts[:half]), list(parts[half:]))


@implements("SpaceToBatchND", "BatchToSpaceND", "SpaceToBatch", "BatchToSpace")
def _batch_space(node: Node, x: Tensor, *rest: Tensor) -> Any:
    is_old = len(rest) == 1
    block = [node.number("block_size")] * 2 if is_old else ints(rest[0])
    edges = array(rest[-1]).tolist()
    return (tf.space_to_batch if node.op.startswith("S") else tf.batch_to_space)(x, block, edges)


@implements("UnravelIndex")
def _unravel(_: Node, places: Tensor, shape: Tensor) -> Any:
    return tf.unravel_index(places, shape)


@implements("ListDiff", outputs=("out", "idx"))
def _list_diff(node: Node, x: Tensor, y: Tensor) -> Any:
    values, others = array(x), array(y)
    places = np.flatnonzero(~np.isin(values, others))
    return tf.constant(values[places]), tf.constant(places, node.dtype("out_idx", tf.int32))


@implements("Empty")
def _empty(node: Node, shape: Tensor) -> Any:
    return tf.zeros(ints(shape), node.dtype("dtype"))


@implements("Timestamp")
def _timestamp(_: Node) -> Any:
    return tf.timestamp()
