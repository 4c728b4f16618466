"""Nodes that work element by element."""

from __future__ import annotations

import numpy as np

from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.ops.graphs.nodes.function_body import CannotLower
from tapeflow.saved_model.onnx.graph import Graph, Tensor, onnx_type
from tapeflow.saved_model.onnx.rules import Node, rule

_UNARY = {
    "Abs": "Abs",
    "Acos": "Acos",
    "Acosh": "Acosh",
    "Asin": "Asin",
    "Asinh": "Asinh",
    "Atan": "Atan",
    "Atanh": "Atanh",
    "Ceil": "Ceil",
    "Cos": "Cos",
    "Cosh": "Cosh",
    "Elu": "Elu",
    "Erf": "Erf",
    "Exp": "Exp",
    "Floor": "Floor",
    "IsInf": "IsInf",
    "IsNan": "IsNaN",
    "Log": "Log",
    "LogicalNot": "Not",
    "Neg": "Neg",
    "Reciprocal": "Reciprocal",
    "Relu": "Relu",
    "Rint": "Round",
    "Round": "Round",
    "Selu": "Selu",
    "Sigmoid": "Sigmoid",
    "Sign": "Sign",
    "Sin": "Sin",
    "Sinh": "Sinh",
    "Softplus": "Softplus",
    "Softsign": "Softsign",
    "Sqrt": "Sqrt",
    "Tan": "Tan",
    "Tanh": "Tanh",
}
_BINARY = {
    "AddV2": "Add",
    "BitwiseAnd": "BitwiseAnd",
    "BitwiseOr": "BitwiseOr",
    "BitwiseXor": "BitwiseXor",
    "Equal": "Equal",
    "FloorMod": "Mod",
    "Greater": "Greater",
    "GreaterEqual": "GreaterOrEqual",
    "Less": "Less",
    "LessEqual": "LessOrEqual",
    "LogicalAnd": "And",
    "LogicalOr": "Or",
    "Maximum": "Max",
    "Minimum": "Min",
    "Mul": "Mul",
    "Pow": "Pow",
    "RealDiv": "Div",
    "Sub": "Sub",
    "TruncateDiv": "Div",
}
_ON_TRUTHS = {"Equal", "LogicalAnd", "LogicalOr"}
_WIDER = {"int8": "int32", "int16": "int32", "uint8": "int32", "uint16": "int32", "uint32": "int64"}


def _wide(graph: Graph, value: Tensor) -> Tensor:
    """A tensor of whole numbers of a type that runtimes compute with."""
    return graph.cast(value, _WIDER.get(value.dtype.name, value.dtype))


@rule(*_UNARY)
def _unary(graph: Graph, node: Node, x: Tensor) -> Tensor:
    found = graph.emit(_UNARY[node.op], [_wide(graph, x)], node.shape, _result(node.dtype))
    return graph.cast(found, node.dtype)


def _result(dtype: DType) -> DType:
    return as_dtype(_WIDER.get(dtype.name, dtype))


@rule(*_BINARY)
def _binary(graph: Graph, node: Node, x: Tensor, y: Tensor) -> Tensor:
    if node.op == "FloorMod" and x.dtype.is_floating:
        raise CannotLower("is a remainder of fractions, which ONNX rounds otherwise")
    if x.dtype.is_bool and node.op not in _ON_TRUTHS:
        raise CannotLower("calculates with truth values")
    given = [_wide(graph, x), _wide(graph, y)]
    return graph.cast(graph.emit(_BINARY[node.op], given, node.shape, _result(node.dtype)), node.dtype)


@rule("NotEqual")
def _not_equal(graph: Graph, node: Node, x: Tensor, y: Tensor) -> Tensor:
    same = graph.emit("Equal", [_wide(graph, x), _wide(graph, y)], node.shape, "bool")
    return graph.emit("Not", [same], node.shape)


@rule("FloorDiv")
def _floor_div(graph: Graph, node: Node, x: Tensor, y: Tensor) -> Tensor:
    if x.dtype.is_floating:
        return graph.emit("Floor", [graph.emit("Div", [x, y], node.shape)], node.shape)
    rest = graph.emit("Mod", [x, y], node.shape)
    return graph.emit("Div", [graph.emit("Sub", [x, rest], node.shape), y], node.shape)


@rule("Mod", "TruncateMod")
def _truncated_mod(graph: Graph, node: Node, x: Tensor, y: Tensor) -> Tensor:
    return graph.emit("Mod", [x, y], node.shape, fmod=1)


@rule("Square")
def _square(graph: Graph, node: Node, x: Tensor) -> Tensor:
    return graph.emit("Mul", [x, x], node.shape)


@rule("SquaredDifference")
def _squared_difference(graph: Graph, node: Node, x: Tensor, y: Tensor) -> Tensor:
    apart = graph.emit("Sub", [x, y], node.shape)
    return graph.emit("Mul", [apart, apart], node.shape)


@rule("Rsqrt")
def _rsqrt(graph: Graph, node: Node, x: Tensor) -> Tensor:
    return graph.emit("Reciprocal", [graph.emit("Sqrt", [x], node.shape)], node.shape)


@rule("Erfc")
def _erfc(graph: Graph, node: Node, x: Tensor) -> Tensor:
    return graph.emit("Sub", [graph.scalar(1, x), graph.emit("Erf", [x], node.shape)], node.shape)


@rule("IsFinite")
def _is_finite(graph: Graph, node: Node, x: Tensor) -> Tensor:
    return graph.emit(
        "Less", [graph.emit("Abs", [x], node.shape), graph.scalar(np.inf, x)], node.shape, "bool"
    )


@rule("Expm1")
def _expm1(graph: Graph, node: Node, x: Tensor) -> Tensor:
    """tanh(x / 2) (exp(x) + 1): exact for small numbers, too."""
    half = graph.emit("Tanh", [graph.emit("Mul", [x, graph.scalar(0.5, x)], node.shape)], node.shape)
    more = graph.emit("Add", [graph.emit("Exp", [x], node.shape), graph.scalar(1, x)], node.shape)
    return graph.emit("Mul", [half, more], node.shape)


@rule("Log1p")
def _log1p(graph: Graph, node: Node, x: Tensor) -> Tensor:
    """log(u) x / (u - 1) for u = 1 + x as it is rounded: exact for small numbers, too."""
    shape, one = node.shape, graph.scalar(1, x)
    u = graph.emit("Add", [x, one], shape)
    apart = graph.emit("Sub", [u, one], shape)
    log = graph.emit("Log", [u], shape)
    mended = graph.emit("Mul", [log, graph.emit("Div", [x, apart], shape)], shape)
    is_zero = graph.emit("Equal", [apart, graph.scalar(0, x)], shape, "bool")
    small = graph.emit("Where", [is_zero, x, mended], shape, x.dtype)
    is_large = graph.emit("Greater", [u, graph.scalar(2, x)], shape, "bool")
    return graph.emit("Where", [is_large, log, small], shape, x.dtype)


@rule("Relu6")
def _relu6(graph: Graph, node: Node, x: Tensor) -> Tensor:
    return graph.emit("Clip", [x, graph.scalar(0, x), graph.scalar(6, x)], node.shape)


@rule("LeakyRelu")
def _leaky_relu(graph: Graph, node: Node, x: Tensor) -> Tensor:
    return graph.emit("LeakyRelu", [x], node.shape, alpha=node.number("alpha"))


@rule("Softmax", "LogSoftmax")
def _softmax(graph: Graph, node: Node, x: Tensor) -> Tensor:
    return graph.emit(node.op, [x], node.shape, axis=-1)


@rule("AddN")
def _add_all(graph: Graph, node: Node, *xs: Tensor) -> Tensor:
    return graph.emit("Sum", list(xs), node.shape)


@rule("SelectV2", "Select")
def _select(graph: Graph, node: Node, where: Tensor, x: Tensor, y: Tensor) -> Tensor:
    through = "uint8" if x.dtype.is_bool else x.dtype
    given = [where, graph.cast(x, through), graph.cast(y, through)]
    return graph.cast(graph.emit("Where", given, node.shape, through), x.dtype)


@rule("Cast")
def _cast(graph: Graph, node: Node, x: Tensor) -> Tensor:
    return graph.cast(x, node.dtype)


@rule("Bitcast")
def _bitcast(graph: Graph, node: Node, x: Tensor) -> Tensor:
    if not (x.dtype.is_integer and node.dtype.is_integer and x.dtype.size == node.dtype.size):
        raise CannotLower(f"reads the bits of {x.dtype.name} as {node.dtype.name}")
    return graph.emit("Cast", [x], node.shape, node.dtype, to=onnx_type(node.dtype))


@rule("Identity", "StopGradient", "PreventGradient", "CheckNumerics")
def _same(graph: Graph, node: Node, x: Tensor) -> Tensor:
    return x


_REDUCTIONS = {
    "Sum": "ReduceSum",
    "Max": "ReduceMax",
    "Min": "ReduceMin",
    "Prod": "ReduceProd",
    "Mean": "ReduceMean",
}


@rule(*_REDUCTIONS)
def _reduce(graph: Graph, node: Node, x: Tensor, axes: Tensor) -> Tensor:
    return graph.cast(_reduced(graph, node, _REDUCTIONS[node.op], _wide(graph, x), axes), node.dtype)


@rule("All", "Any")
def _reduce_truths(graph: Graph, node: Node, x: Tensor, axes: Tensor) -> Tensor:
    name = "ReduceMin" if node.op == "All" else "ReduceMax"
    return graph.cast(_reduced(graph, node, name, graph.cast(x, "int32"), axes), "bool")


def _reduced(graph: Graph, node: Node, name: str, x: Tensor, axes: Tensor) -> Tensor:
    if axes.constant is not None and not axes.constant.size:
        return x
    return graph.emit(name, [x, graph.int64(axes)], node.shape, keepdims=int(node.flag("keep_dims")))
