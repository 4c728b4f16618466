"""JAX's primitives that mix along axes, as nodes: reductions, products, convolutions, windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_letters
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine.shapes.expression import Size, is_symbolic
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.ops.graphs.nodes.function_body import CannotLower, FunctionBody, Value, kind_of
from tapeflow.ops.graphs.nodes.lowering import primitive
from tapeflow.ops.graphs.nodes.rules_elementwise import out_dtype, out_shape

if TYPE_CHECKING:
    from jax.extend.core import JaxprEqn


_REDUCTIONS = {
    "reduce_sum": "Sum",
    "reduce_max": "Max",
    "reduce_min": "Min",
    "reduce_prod": "Prod",
    "reduce_and": "All",
    "reduce_or": "Any",
}


@primitive(*_REDUCTIONS)
def _reduce(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    name = _REDUCTIONS[equation.primitive.name]
    if x.dtype.is_bool and name in ("Max", "Min"):
        name = {"Max": "Any", "Min": "All"}[name]
    axes = body.constant(list(equation.params["axes"]), np.int32)
    return body.emit(name, [x, axes], out_shape(equation), keep_dims=False)


@primitive("argmax", "argmin")
def _arg(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    name = {"argmax": "ArgMax", "argmin": "ArgMin"}[equation.primitive.name]
    (axis,) = equation.params["axes"]
    dtype = out_dtype(equation)
    kind = kind_of(dtype if dtype.name in ("int32", "int64") else "int64")
    x = body.cast(x, "int32") if x.dtype.is_bool else x
    found = body.emit(name, [x, body.constant(axis, "int32")], out_shape(equation), output_type=kind)
    return body.cast(found, dtype)


@primitive("cumsum", "cumprod")
def _cumulate(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    name = {"cumsum": "Cumsum", "cumprod": "Cumprod"}[equation.primitive.name]
    axis = body.constant(equation.params["axis"], "int32")
    return body.emit(name, [x, axis], out_shape(equation), reverse=equation.params["reverse"])


@primitive("cummax", "cummin", "cumlogsumexp")
def _running(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    """The largest so far: of a square of all pairs of places, since TensorFlow has no op for it."""
    name = equation.primitive.name
    if name == "cumlogsumexp":
        raise CannotLower("adds up exponentials along an axis, for which TensorFlow's converters have no op")
    axis, shape = equation.params["axis"], out_shape(equation)
    wide = (*shape[:axis], 1, *shape[axis:])
    square = (*shape[: axis + 1], *shape[axis:])
    size = body.size(shape[axis])
    zero, one = body.constant(0, "int32"), body.constant(1, "int32")
    places = body.emit("Range", [zero, size, one], (shape[axis],))
    rest = [1] * (len(shape) - axis - 1)
    rows = body.reshape(places, [shape[axis], 1, *rest])
    columns = body.reshape(places, [1, shape[axis], *rest])
    compared = "GreaterEqual" if equation.params["reverse"] else "LessEqual"
    seen = body.emit(compared, [columns, rows], (shape[axis], shape[axis], *rest))
    dtype = np.dtype(x.dtype.as_numpy_dtype)
    least = -np.inf if dtype.kind == "f" else np.iinfo(dtype).min
    most = np.inf if dtype.kind == "f" else np.iinfo(dtype).max
    fill = body.constant(least if name == "cummax" else most, x.dtype)
    kept = body.emit("SelectV2", [seen, body.reshape(x, wide), fill], square)
    reduced = "Max" if name == "cummax" else "Min"
    return body.emit(reduced, [kept, body.constant([axis + 1], np.int32)], shape)


@primitive("dot_general")
def _dot(body: FunctionBody, equation: JaxprEqn, x: Value, y: Value) -> Value:
    (contract_x, contract_y), (batch_x, batch_y) = equation.params["dimension_numbers"]
    dtype = out_dtype(equation)
    x, y = body.cast(x, dtype), body.cast(y, dtype)
    return product(body, x, y, contract_x, contract_y, batch_x, batch_y, out_shape(equation))


def product(
    body: FunctionBody,
    x: Value,
    y: Value,
    contract_x: Sequence[int],
    contract_y: Sequence[int],
    batch_x: Sequence[int],
    batch_y: Sequence[int],
    shape: tuple[Size, ...],
) -> Value:
    """A sum of products: a product of matrices if it is one, an Einsum otherwise."""
    rank_x, rank_y, batch = len(x.sizes), len(y.sizes), len(batch_x)
    leading = list(range(batch))
    if len(contract_x) == 1 and list(batch_x) == leading and list(batch_y) == leading:
        (of_x,), (of_y,) = contract_x, contract_y
        if rank_x == rank_y == batch + 2:
            flips = {"x": of_x == batch, "y": of_y == batch + 1}
            if batch:
                return body.emit("BatchMatMulV2", [x, y], shape, adj_x=flips["x"], adj_y=flips["y"])
            return body.emit("MatMul", [x, y], shape, transpose_a=flips["x"], transpose_b=flips["y"])
        if not batch and rank_y == 2 and rank_x > 2 and of_x == rank_x - 1:
            rows: Size = math.prod(x.sizes[:-1])
            flat = body.reshape(x, (rows, x.sizes[-1]))
            out = body.emit("MatMul", [flat, y], (rows, shape[-1]), transpose_b=of_y == 1)
            return body.reshape(out, shape)
    letters = iter(ascii_letters)
    names_x = [next(letters) for _ in range(rank_x)]
    names_y = [next(letters) for _ in range(rank_y)]
    for a, b in [*zip(contract_x, contract_y, strict=True), *zip(batch_x, batch_y, strict=True)]:
        names_y[b] = names_x[a]
    out_names = [names_x[i] for i in batch_x]
    out_names += [n for i, n in enumerate(names_x) if i not in (*contract_x, *batch_x)]
    out_names += [n for i, n in enumerate(names_y) if i not in (*contract_y, *batch_y)]
    text = f"{''.join(names_x)},{''.join(names_y)}->{''.join(out_names)}"
    return body.emit("Einsum", [[x, y]], shape, equation=text)


@primitive("conv_general_dilated")
def _conv(body: FunctionBody, equation: JaxprEqn, x: Value, filters: Value) -> Value:
    params = equation.params
    numbers, spatial = params["dimension_numbers"], len(x.sizes) - 2
    is_plain = params["batch_group_count"] == 1 and all(d == 1 for d in params["lhs_dilation"])
    if spatial not in (1, 2, 3) or not is_plain:
        raise CannotLower("is a convolution that TensorFlow has no op for")
    lhs, rhs, out = numbers.lhs_spec, numbers.rhs_spec, numbers.out_spec
    images = body.transpose(x, [lhs[0], *lhs[2:], lhs[1]])
    kernel = body.transpose(filters, [*rhs[2:], rhs[1], rhs[0]])
    found = convolved(
        body, images, kernel, params["window_strides"], params["padding"], params["rhs_dilation"],
        params["feature_group_count"], [out_shape(equation)[i] for i in out[2:]],
    )  # fmt: skip
    order = [out[0], *out[2:], out[1]]
    return body.transpose(found, [order.index(i) for i in range(len(order))])


def convolved(
    body: FunctionBody,
    x: Value,
    filters: Value,
    strides: Sequence[int],
    padding: str | Sequence[Any],
    dilations: Sequence[int],
    groups: int,
    spatial: Sequence[Any],
) -> Value:
    """A convolution with channels last.

    Args:
        body: the function.
        x: `(batch, *spatial, channels)`, of one, two or three spatial axes.
        filters: `(*size, channels of a group, outputs)`.
        strides, dilations: one for each spatial axis.
        padding: "SAME", "VALID" or pairs.
        groups: how many groups of channels there are.
        spatial: the sizes of the result.
    """
    axes = len(strides)
    if axes == 1:
        wide = body.reshape(x, (x.sizes[0], 1, *x.sizes[1:]))
        flat = body.reshape(filters, (1, *filters.sizes))
        pads = padding if isinstance(padding, str) else [(0, 0), *padding]
        found = convolved(body, wide, flat, (1, *strides), pads, (1, *dilations), groups, (1, *spatial))
        return body.reshape(found, (x.sizes[0], *spatial, filters.sizes[-1]))
    outputs = filters.sizes[-1]
    shape = (x.sizes[0], *spatial, outputs)
    x, padding = padded(body, x, padding)
    channels = x.sizes[-1]
    attributes = {"strides": [1, *strides, 1], "padding": padding, "dilations": [1, *dilations, 1]}
    if axes == 3:
        if groups > 1:
            return _grouped(body, x, filters, strides, padding, dilations, groups, spatial)
        return body.emit("Conv3D", [x, filters], shape, **attributes)
    if groups > 1 and groups == channels:
        size = filters.sizes[:-2]
        multiplier = outputs // channels
        kernel = body.reshape(filters, (*size, channels, multiplier))
        return depthwise(body, x, kernel, strides, padding, dilations, shape)
    if groups > 1:
        return _grouped(body, x, filters, strides, padding, dilations, groups, spatial)
    return body.emit("Conv2D", [x, filters], shape, **attributes)


def depthwise(
    body: FunctionBody,
    x: Value,
    kernel: Value,
    strides: Any,
    padding: Any,
    dilations: Any,
    shape: TensorLike,
) -> Value:
    """A convolution of every channel by itself; strides along both axes must be the same."""
    if len(set(strides)) > 1:
        raise CannotLower("is a depthwise convolution with different strides along its axes")
    attributes = {"strides": [1, *strides, 1], "padding": padding, "dilations": [1, *dilations, 1]}
    return body.emit("DepthwiseConv2dNative", [x, kernel], shape, **attributes)


def _grouped(
    body: FunctionBody,
    x: Value,
    filters: Value,
    strides: Any,
    padding: str | Sequence[Any],
    dilations: Any,
    groups: int,
    spatial: Any,
) -> Value:
    """A convolution of groups of channels, each by itself: not all kernels of TensorFlow know groups."""
    part, outputs = x.sizes[-1] // groups, filters.sizes[-1]
    last = body.constant(len(x.sizes) - 1, "int32")
    of_filters = body.constant(len(filters.sizes) - 1, "int32")
    inputs = body.emit("Split", [last, x], [(*x.sizes[:-1], part)] * groups, num_split=groups)
    kernels = body.emit(
        "Split", [of_filters, filters], [(*filters.sizes[:-1], outputs // groups)] * groups, num_split=groups
    )
    found = [
        convolved(body, a, b, strides, padding, dilations, 1, spatial)
        for a, b in zip(inputs, kernels, strict=True)
    ]
    return body.emit("ConcatV2", [found, last], (x.sizes[0], *spatial, outputs))


def padded(
    body: FunctionBody, x: Value, padding: str | Sequence[Any], value: TensorLike = 0
) -> tuple[Value, str]:
    """A tensor with explicit padding done, and the word for the padding that is left."""
    if isinstance(padding, str):
        return x, padding
    pairs = [(0, 0), *[tuple(p) for p in padding], (0, 0)]
    if not any(n for pair in pairs for n in pair):
        return x, "VALID"
    if any(is_symbolic(n) for pair in pairs for n in pair):
        raise CannotLower("pads by sizes that are open")
    sizes = tuple(s + low + high for s, (low, high) in zip(x.sizes, pairs, strict=True))
    pads = body.constant(pairs, np.int32)
    if value == 0:
        return body.emit("Pad", [x, pads], sizes), "VALID"
    return body.emit("PadV2", [x, pads, body.constant(value, x.dtype)], sizes), "VALID"


@primitive("reduce_window_max", "reduce_window_min", "reduce_window_sum")
def _reduce_window(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    params, shape = equation.params, out_shape(equation)
    size, strides = params["window_dimensions"], params["window_strides"]
    is_plain = all(d == 1 for d in (*params["base_dilation"], *params["window_dilation"]))
    if len(size) != 4 or not is_plain or size[0] != 1 or size[3] != 1 or not x.dtype.is_floating:
        raise CannotLower("slides a window in a way that TensorFlow has no op for")
    name, sign = equation.primitive.name, equation.primitive.name == "reduce_window_min"
    x = body.emit("Neg", [x], x.sizes) if sign else x
    lowest = 0 if name == "reduce_window_sum" else np.finfo(np.float32).min
    x, word = padded(body, x, params["padding"][1:3], lowest)
    pooled = "AvgPool" if name == "reduce_window_sum" else "MaxPool"
    found = body.emit(pooled, [x], shape, ksize=list(size), strides=list(strides), padding=word)
    if name == "reduce_window_sum":
        return body.emit("Mul", [found, body.constant(size[1] * size[2], x.dtype)], shape)
    return body.emit("Neg", [found], shape) if sign else found


@primitive("cholesky")
def _cholesky(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    return body.emit("Cholesky", [x], out_shape(equation))


@primitive("triangular_solve")
def _triangular_solve(body: FunctionBody, equation: JaxprEqn, a: Value, b: Value) -> Value:
    params = equation.params
    if (
        not params["left_side"]
        or params["unit_diagonal"]
        or (params["conjugate_a"] and not params["transpose_a"])
    ):
        raise CannotLower("solves a triangular system in a way that TensorFlow has no op for")
    return body.emit(
        "MatrixTriangularSolve",
        [a, b],
        out_shape(equation),
        lower=params["lower"],
        adjoint=params["transpose_a"],
    )


@primitive("fft")
def _fft(body: FunctionBody, equation: JaxprEqn, x: Value) -> Value:
    kind, lengths = str(equation.params["fft_type"]).rpartition(".")[2], equation.params["fft_lengths"]
    if len(lengths) > (3 if kind in ("FFT", "IFFT") else 1):
        raise CannotLower("is a Fourier transform that TensorFlow has no op for")
    if kind in ("FFT", "IFFT"):
        name = kind if len(lengths) == 1 else f"{kind}{len(lengths)}D"
        if name not in ("FFT", "IFFT", "FFT2D", "FFT3D"):
            raise CannotLower("is a Fourier transform that TensorFlow has no op for")
        return body.emit(name, [x], out_shape(equation))
    length = body.shape(list(lengths))
    dtype = out_dtype(equation)
    name = "Tcomplex" if kind == "RFFT" else "Treal"
    return body.emit(kind, [x, length], out_shape(equation), dtype, **{name: kind_of(dtype)})
