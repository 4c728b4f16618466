"""Arithmetic, functions of numbers, comparisons and reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.saved_model.interpreter.kernels import Node, forwards, implements, ints

_PLAIN: dict[str, Any] = {
    "Abs": tf.math.abs,
    "Acos": tf.math.acos,
    "Acosh": tf.math.acosh,
    "Add": tf.math.add,
    "AddV2": tf.math.add,
    "Asin": tf.math.asin,
    "Asinh": tf.math.asinh,
    "Atan": tf.math.atan,
    "Atan2": tf.math.atan2,
    "Atanh": tf.math.atanh,
    "BesselI0": tf.math.bessel_i0,
    "BesselI0e": tf.math.bessel_i0e,
    "BesselI1": tf.math.bessel_i1,
    "BesselI1e": tf.math.bessel_i1e,
    "BesselJ0": tf.math.special.bessel_j0,
    "BesselJ1": tf.math.special.bessel_j1,
    "BesselK0": tf.math.special.bessel_k0,
    "BesselK0e": tf.math.special.bessel_k0e,
    "BesselK1": tf.math.special.bessel_k1,
    "BesselK1e": tf.math.special.bessel_k1e,
    "BesselY0": tf.math.special.bessel_y0,
    "BesselY1": tf.math.special.bessel_y1,
    "Betainc": tf.math.betainc,
    "BitwiseAnd": tf.bitwise.bitwise_and,
    "BitwiseOr": tf.bitwise.bitwise_or,
    "BitwiseXor": tf.bitwise.bitwise_xor,
    "Ceil": tf.math.ceil,
    "Conj": tf.math.conj,
    "Cos": tf.math.cos,
    "Cosh": tf.math.cosh,
    "Cross": tf.linalg.cross,
    "Dawsn": tf.math.special.dawsn,
    "Digamma": tf.math.digamma,
    "DivNoNan": tf.math.divide_no_nan,
    "Erf": tf.math.erf,
    "Erfc": tf.math.erfc,
    "Erfinv": tf.math.erfinv,
    "Exp": tf.math.exp,
    "Expint": tf.math.special.expint,
    "Expm1": tf.math.expm1,
    "Floor": tf.math.floor,
    "FloorDiv": tf.math.floordiv,
    "FloorMod": tf.math.floormod,
    "FresnelCos": tf.math.special.fresnel_cos,
    "FresnelSin": tf.math.special.fresnel_sin,
    "Greater": tf.math.greater,
    "GreaterEqual": tf.math.greater_equal,
    "Igamma": tf.math.igamma,
    "Igammac": tf.math.igammac,
    "Inv": tf.math.reciprocal,
    "Invert": tf.bitwise.invert,
    "InvertPermutation": tf.math.invert_permutation,
    "IsFinite": tf.math.is_finite,
    "IsInf": tf.math.is_inf,
    "IsNan": tf.math.is_nan,
    "LeftShift": tf.bitwise.left_shift,
    "Less": tf.math.less,
    "LessEqual": tf.math.less_equal,
    "Lgamma": tf.math.lgamma,
    "Log": tf.math.log,
    "Log1p": tf.math.log1p,
    "LogicalAnd": tf.math.logical_and,
    "LogicalNot": tf.math.logical_not,
    "LogicalOr": tf.math.logical_or,
    "Maximum": tf.math.maximum,
    "Minimum": tf.math.minimum,
    "Mul": tf.math.multiply,
    "MulNoNan": tf.math.multiply_no_nan,
    "Ndtri": tf.math.ndtri,
    "Neg": tf.math.negative,
    "NextAfter": tf.math.nextafter,
    "Polygamma": tf.math.polygamma,
    "Pow": tf.math.pow,
    "RealDiv": tf.math.divide,
    "Reciprocal": tf.math.reciprocal,
    "RightShift": tf.bitwise.right_shift,
    "Rint": tf.math.rint,
    "Round": tf.math.round,
    "Rsqrt": tf.math.rsqrt,
    "Sigmoid": tf.math.sigmoid,
    "Sign": tf.math.sign,
    "Sin": tf.math.sin,
    "Sinh": tf.math.sinh,
    "Softplus": tf.math.softplus,
    "Softsign": tf.math.softsign,
    "Spence": tf.math.special.spence,
    "Sqrt": tf.math.sqrt,
    "Square": tf.math.square,
    "SquaredDifference": tf.math.squared_difference,
    "Sub": tf.math.subtract,
    "Tan": tf.math.tan,
    "Tanh": tf.math.tanh,
    "TruncateDiv": tf.truncatediv,
    "TruncateMod": tf.truncatemod,
    "Mod": tf.truncatemod,
    "Xdivy": tf.math.xdivy,
    "Xlog1py": tf.math.xlog1py,
    "Xlogy": tf.math.xlogy,
    "Zeta": tf.math.zeta,
}
for _op, _function in _PLAIN.items():
    forwards(_op, _function)


@implements("Div")
def _div(_: Node, x: Tensor, y: Tensor) -> Any:
    return tf.truncatediv(x, y) if x.dtype.is_integer else tf.math.divide(x, y)


@implements("Equal", "NotEqual")
def _equal(node: Node, x: Tensor, y: Tensor) -> Any:
    return (tf.math.equal if node.op == "Equal" else tf.math.not_equal)(x, y)


@implements("ApproximateEqual")
def _nearly_equal(node: Node, x: Tensor, y: Tensor) -> Any:
    return tf.abs(x - y) < tf.cast(node.real("tolerance", 1e-5), x.dtype)


@implements("AddN", "AccumulateNV2")
def _add_n(_: Node, *parts: Tensor) -> Any:
    return tf.add_n(list(parts))


@implements("Cast")
def _cast(node: Node, x: Tensor) -> Any:
    return tf.cast(x, node.dtype("DstT"))


@implements("Bitcast")
def _bitcast(node: Node, x: Tensor) -> Any:
    return tf.bitcast(x, node.dtype("type"))


@implements("Complex")
def _complex(_: Node, real: Tensor, imaginary: Tensor) -> Any:
    return tf.complex(real, imaginary)


@implements("ComplexAbs")
def _complex_abs(_: Node, x: Tensor) -> Any:
    return tf.abs(x)


@implements("Real", "Imag", "Angle")
def _part(node: Node, x: Tensor) -> Any:
    return {"Real": tf.math.real, "Imag": tf.math.imag, "Angle": tf.math.angle}[node.op](x)


@implements("ClipByValue")
def _clip(_: Node, x: Tensor, low: Tensor, high: Tensor) -> Any:
    return tf.clip_by_value(x, low, high)


_REDUCTIONS: dict[str, Any] = {
    "All": tf.reduce_all,
    "Any": tf.reduce_any,
    "EuclideanNorm": tf.math.reduce_euclidean_norm,
    "Max": tf.reduce_max,
    "Mean": tf.reduce_mean,
    "Min": tf.reduce_min,
    "Prod": tf.reduce_prod,
    "Sum": tf.reduce_sum,
}


@implements(*_REDUCTIONS)
def _reduce(node: Node, x: Tensor, axes: Tensor) -> Any:
    return _REDUCTIONS[node.op](x, axis=ints(axes), keepdims=node.flag("keep_dims"))


@implements("ArgMax", "ArgMin")
def _arg(node: Node, x: Tensor, axis: Tensor) -> Any:
    function = tf.argmax if node.op == "ArgMax" else tf.argmin
    return function(x, axis=ints(axis)[0], output_type=node.dtype("output_type", tf.int64))


@implements("Cumsum", "Cumprod")
def _cumulate(node: Node, x: Tensor, axis: Tensor) -> Any:
    function = tf.cumsum if node.op == "Cumsum" else tf.math.cumprod
    return function(x, ints(axis)[0], node.flag("exclusive"), node.flag("reverse"))


@implements("CumulativeLogsumexp")
def _cumulate_logs(node: Node, x: Tensor, axis: Tensor) -> Any:
    return tf.math.cumulative_logsumexp(x, ints(axis)[0], node.flag("exclusive"), node.flag("reverse"))


@implements("MatMul")
def _matmul(node: Node, a: Tensor, b: Tensor) -> Any:
    return tf.matmul(a, b, transpose_a=node.flag("transpose_a"), transpose_b=node.flag("transpose_b"))


@implements("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def _batch_matmul(node: Node, a: Tensor, b: Tensor) -> Any:
    wanted = node.dtype("Tout", a.dtype)
    adjoint_a, adjoint_b = node.flag("adj_x"), node.flag("adj_y")
    return tf.matmul(tf.cast(a, wanted), tf.cast(b, wanted), adjoint_a=adjoint_a, adjoint_b=adjoint_b)


@implements("Einsum")
def _einsum(node: Node, *parts: Tensor) -> Any:
    return tf.einsum(node.text("equation"), *parts)


@implements("Bincount")
def _bincount(node: Node, values: Tensor, size: Tensor, weights: Tensor) -> Any:
    count = ints(size)[0]
    given = weights if 0 not in weights.shape.as_list() else None
    return tf.math.bincount(values, given, minlength=count, maxlength=count, dtype=node.dtype("T", tf.int32))


@implements("DenseBincount")
def _dense_bincount(node: Node, values: Tensor, size: Tensor, weights: Tensor) -> Any:
    count = ints(size)[0]
    given = weights if 0 not in weights.shape.as_list() else None
    return tf.math.bincount(
        values,
        given,
        minlength=count,
        maxlength=count,
        dtype=node.dtype("T", tf.float32),
        axis=-1 if values.shape.rank == 2 else 0,
        binary_output=node.flag("binary_output"),
    )


@implements("HistogramFixedWidth")
def _histogram(node: Node, values: Tensor, bounds: Tensor, count: Tensor) -> Any:
    return tf.histogram_fixed_width(values, bounds, ints(count)[0], node.dtype("dtype", tf.int32))


_SEGMENTS: dict[str, Any] = {
    "SegmentMax": tf.math.segment_max,
    "SegmentMean": tf.math.segment_mean,
    "SegmentMin": tf.math.segment_min,
    "SegmentProd": tf.math.segment_prod,
    "SegmentSum": tf.math.segment_sum,
    "SegmentMaxV2": tf.math.unsorted_segment_max,
    "SegmentMinV2": tf.math.unsorted_segment_min,
    "SegmentProdV2": tf.math.unsorted_segment_prod,
    "SegmentSumV2": tf.math.unsorted_segment_sum,
    "UnsortedSegmentMax": tf.math.unsorted_segment_max,
    "UnsortedSegmentMin": tf.math.unsorted_segment_min,
    "UnsortedSegmentProd": tf.math.unsorted_segment_prod,
    "UnsortedSegmentSum": tf.math.unsorted_segment_sum,
}


@implements(*_SEGMENTS)
def _segments(node: Node, x: Tensor, rows: Tensor, *count: Tensor) -> Any:
    return _SEGMENTS[node.op](x, rows, *[ints(n)[0] for n in count])


_SPARSE_SEGMENTS: dict[str, Any] = {
    "SparseSegmentMean": tf.sparse.segment_mean,
    "SparseSegmentSqrtN": tf.sparse.segment_sqrt_n,
    "SparseSegmentSum": tf.sparse.segment_sum,
}


@implements(*_SPARSE_SEGMENTS, *[f"{op}WithNumSegments" for op in _SPARSE_SEGMENTS])
def _sparse_segments(node: Node, x: Tensor, places: Tensor, rows: Tensor, *count: Tensor) -> Any:
    function = _SPARSE_SEGMENTS[node.op.removesuffix("WithNumSegments")]
    return function(x, places, rows, *[ints(n)[0] for n in count])


@implements("FakeQuantWithMinMaxArgs")
def _fake_quant(node: Node, x: Tensor) -> Any:
    low, high = node.real("min", -6.0), node.real("max", 6.0)
    return _quantized(x, tf.constant(low), tf.constant(high), node)


@implements("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel")
def _fake_quant_vars(node: Node, x: Tensor, low: Tensor, high: Tensor) -> Any:
    return _quantized(x, low, high, node)


def _quantized(x: Any, low: Any, high: Any, node: Node) -> Tensor:
    """Rounded to steps between two bounds, which are moved so that zero is a step."""
    first = 1.0 if node.flag("narrow_range") else 0.0
    last = float(2 ** node.number("num_bits", 8) - 1)
    step = (high - low) / (last - first)
    zero = tf.clip_by_value(tf.round(first - low / step), first, last)
    least, most = (first - zero) * step, (last - zero) * step
    clipped = tf.clip_by_value(x, least, most)
    rounded = tf.floor((clipped - least) / step + 0.5) * step + least
    return clipped + tf.stop_gradient(rounded - clipped)


@implements("Range")
def _range(_: Node, start: Tensor, limit: Tensor, delta: Tensor) -> Any:
    return tf.range(start, limit, delta, dtype=start.dtype)


@implements("LinSpace")
def _linspace(_: Node, start: Tensor, stop: Tensor, count: Tensor) -> Any:
    return tf.linspace(start, stop, ints(count)[0])


@implements("IsotonicRegression", outputs=("output", "segments"))
def _isotonic(_: Node, x: Tensor) -> Any:
    return tuple(tf.nn.isotonic_regression(x, decreasing=True))


@implements("Bucketize")
def _bucketize(node: Node, x: Tensor) -> Any:
    bounds = np.asarray(node.floats("boundaries"), np.float32)
    flat = tf.reshape(tf.cast(x, tf.float32), [-1])
    return tf.reshape(tf.cast(tf.searchsorted(bounds, flat, side="right"), tf.int32), tf.shape(x))
