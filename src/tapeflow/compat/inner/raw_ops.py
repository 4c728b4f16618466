"""`tf.raw_ops`: the ops under the names that graphs have for them, called with keyword arguments alone.

A raw op is the public function that does its work, by a table: `_SAME` where the arguments have the same names,
`_RENAMED` where they do not. `compat.inner.raw_kernels` has those that have no public function. An attribute that
TensorFlow's kernels need and ours do not (`T`, `seed2`) is refused like any other unknown argument.
"""

from __future__ import annotations

import functools
import importlib
import operator
import re
from collections.abc import Callable
from typing import Any

# Names of ops by the namespace of the function; `BroadcastTo` is `tf.broadcast_to`.
_SAME = {
    "": (
        "Abs Acos Acosh Add AddN Asin Asinh Atan Atan2 Atanh Bitcast BroadcastTo ClipByValue Cos Cosh Cumsum "
        "DynamicPartition DynamicStitch Exp ExpandDims Fill Floor Gather GatherNd Greater GreaterEqual Identity "
        "IdentityN Less LessEqual LogicalAnd LogicalNot LogicalOr Maximum Minimum NoOp OneHot Pow Range Rank "
        "Reshape Roll Round ScatterNd Shape ShapeN Sigmoid Sign Sin Sinh Size Sqrt Square Squeeze StopGradient "
        "Tan Tanh Tile Unique UniqueWithCounts UnravelIndex Where"
    ),
    "bitwise": ("BitwiseAnd BitwiseOr BitwiseXor Invert LeftShift RightShift"),
    "image": ("DrawBoundingBoxes HSVToRGB NonMaxSuppression RGBToHSV"),
    "io": ("MatchingFiles ParseTensor ReadFile SerializeTensor WriteFile"),
    "linalg": ("Cholesky Cross"),
    "math": (
        "BesselI0 BesselI0e BesselI1 BesselI1e Betainc Ceil Cumprod CumulativeLogsumexp Digamma Erf Erfc Erfinv "
        "Expm1 Igamma Igammac InTopK InvertPermutation IsFinite IsInf IsNan Lgamma Log Log1p Ndtri Polygamma "
        "Reciprocal Rint Rsqrt SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum Softplus "
        "SquaredDifference UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum Xdivy "
        "Xlog1py Xlogy Zeta"
    ),
    "nn": (
        "BiasAdd DepthToSpace Elu L2Loss LeakyRelu LogSoftmax Relu Relu6 Selu Softmax Softsign SpaceToDepth"
    ),
    "signal": ("FFT IFFT"),
    "strings": ("AsString RegexFullMatch RegexReplace Substr"),
}

# The op, its function, and its arguments: with the name they have there, if it is another.
_RENAMED = """
All reduce_all input=input_tensor axis keep_dims=keepdims
Any reduce_any input=input_tensor axis keep_dims=keepdims
ArgMax argmax input dimension=axis output_type
ArgMin argmin input dimension=axis output_type
BatchMatMulV2 matmul x=a y=b adj_x=adjoint_a adj_y=adjoint_b
Cast cast x DstT=dtype
CheckNumerics debugging.check_numerics tensor message
Complex complex real imag
ComplexAbs abs x
ConcatV2 concat values axis
Conj math.conj input=x
Conv2D nn.conv2d input filter=filters strides padding data_format dilations
CropAndResize image.crop_and_resize image boxes box_ind=box_indices crop_size method extrapolation_value
Diag linalg.tensor_diag diagonal
DiagPart linalg.tensor_diag_part input
DivNoNan math.divide_no_nan x y
EnsureShape ensure_shape input=x shape
Equal equal x y
FloorDiv math.floordiv x y
FloorMod math.floormod x y
GatherV2 gather params indices axis batch_dims
Imag math.imag input
IRFFT signal.irfft input=input_tensor fft_length
MatMul matmul a b transpose_a transpose_b
MatrixDeterminant linalg.det input
MatrixDiag linalg.diag diagonal
MatrixDiagPart linalg.diag_part input
MatrixDiagPartV2 linalg.diag_part input k padding_value
MatrixDiagPartV3 linalg.diag_part input k padding_value align
MatrixInverse linalg.inv input adjoint
MatrixSetDiag linalg.set_diag input diagonal
MatrixSolve linalg.solve matrix rhs adjoint
MatrixTriangularSolve linalg.triangular_solve matrix rhs lower adjoint
Max reduce_max input=input_tensor axis keep_dims=keepdims
MaxPool nn.max_pool input ksize strides padding data_format
Mean reduce_mean input=input_tensor axis keep_dims=keepdims
Min reduce_min input=input_tensor axis keep_dims=keepdims
MirrorPad pad input=tensor paddings mode
Mul multiply x y
Neg negative x
NotEqual not_equal x y
OnesLike ones_like x=input
Pack stack values axis
Pad pad input=tensor paddings
PadV2 pad input=tensor paddings constant_values
Prod reduce_prod input=input_tensor axis keep_dims=keepdims
Real math.real input
RealDiv truediv x y
ReverseSequence reverse_sequence input seq_lengths seq_dim=seq_axis batch_dim=batch_axis
ReverseV2 reverse tensor axis
RFFT signal.rfft input=input_tensor fft_length
Select where condition x=x y=y
SelectV2 where condition t=x e=y
Slice slice input=input_ begin size
StridedSlice strided_slice input=input_ begin end strides begin_mask end_mask new_axis_mask shrink_axis_mask
Sub subtract x y
Sum reduce_sum input=input_tensor axis keep_dims=keepdims
TopKV2 math.top_k input k sorted
Transpose transpose x=a perm
TruncateDiv truncatediv x y
TruncateMod truncatemod x y
Unpack unstack value axis num
ZerosLike zeros_like x=input
"""

_OWN = (
    *(
        "BroadcastGradientArgs",
        "FusedBatchNorm",
        "FusedBatchNormV2",
        "FusedBatchNormV3",
        "IgammaGradA",
        "ImageProjectiveTransformV3",
        "PreventGradient",
        "RandomGammaGrad",
    ),
    *("ResourceApplyGradientDescent", "ResourceApplyKerasMomentum", "ResourceApplyProximalAdagrad"),
    *("Split", "SplitV", "UniqueV2", "UniqueWithCountsV2"),
)


def _snake(name: str) -> str:
    """`BroadcastTo` as `broadcast_to`, `HSVToRGB` as `hsv_to_rgb`."""
    separated = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name))
    return separated.lower()


@functools.cache
def _table() -> dict[str, tuple[str, dict[str, str] | None]]:
    """The path of the function for each op, and its arguments' names there; None if they are the same."""
    found: dict[str, tuple[str, dict[str, str] | None]] = {
        name: (".".join(filter(None, (space, _snake(name)))), None)
        for space, names in _SAME.items()
        for name in names.split()
    }
    for line in _RENAMED.strip().splitlines():
        name, path, *arguments = line.split()
        pairs = [argument.partition("=") for argument in arguments]
        found[name] = (path, {raw: ours or raw for raw, _, ours in pairs})
    return found


def _raw(name: str, function: Callable[..., Any], renamed: dict[str, str] | None) -> Callable[..., Any]:
    def raw_op(**kwargs: Any) -> Any:
        kwargs.pop("name", None)
        if renamed is None:
            return function(**kwargs)
        unknown = [argument for argument in kwargs if argument not in renamed]
        if unknown:
            raise TypeError(
                f"tf.raw_ops.{name} expected arguments among {list(renamed)}; got {unknown}. Leave them away."
            )
        return function(**{renamed[argument]: value for argument, value in kwargs.items()})

    raw_op.__name__ = raw_op.__qualname__ = name
    raw_op.__doc__ = (
        f"`tf.{_table()[name][0]}`, with keyword arguments alone." if name in _table() else function.__doc__
    )
    return raw_op


def __getattr__(name: str) -> Callable[..., Any]:
    if name in _OWN:
        own = getattr(importlib.import_module("tapeflow.compat.inner.raw_kernels"), _snake(name))
        made = _raw(name, own, None)
    elif name in _table():
        path, renamed = _table()[name]
        made = _raw(name, operator.attrgetter(path)(importlib.import_module("tapeflow")), renamed)
    else:
        raise AttributeError(
            f"module 'tensorflow.raw_ops' has no attribute {name!r}: TapeFlow has no such name"
        )
    globals()[name] = made
    return made


def __dir__() -> list[str]:
    return sorted((*_table(), *_OWN))
