"""What TensorFlow 2 keeps in `tf.math`, `tf.random` and `tf.linalg`, or does by `tf.cast`."""

from __future__ import annotations

from tapeflow import linalg, math, random
from tapeflow.engine.values import dtypes
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.indexing import where as where_
from tapeflow.ops.array.shaping import reshape
from tapeflow.ops.math.casting import cast

ceil = math.ceil
digamma = math.digamma
erf = math.erf
is_finite = math.is_finite
is_inf = math.is_inf
is_nan = math.is_nan
lgamma = math.lgamma
log = math.log
log1p = math.log1p
log_sigmoid = math.log_sigmoid
mod = math.mod
reciprocal = math.reciprocal
rsqrt = math.rsqrt
matrix_determinant = linalg.det
matrix_inverse = linalg.inv
random_normal = random.normal
random_shuffle = random.shuffle
random_uniform = random.uniform
truncated_normal = random.truncated_normal


def where(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """As `tf.where`; a vector as the condition chooses whole rows of `x` and `y`."""
    if x is None or y is None:
        return where_(condition, x, y)
    condition, x = convert_to_tensor(condition), convert_to_tensor(x)
    if len(condition.shape) == 1 and len(x.shape) > 1:
        condition = reshape(condition, [-1, *[1] * (len(x.shape) - 1)])
    return where_(condition, x, y)


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """A quotient as Python 2 had it: whole for whole numbers."""
    x = convert_to_tensor(x)
    return math.floordiv(x, y) if x.dtype.is_integer else math.divide(x, y)


def to_double(x: TensorLike, name: str = "ToDouble") -> Tensor:
    """`tf.cast(x, tf.float64)`."""
    return cast(x, dtypes.float64)


def to_float(x: TensorLike, name: str = "ToFloat") -> Tensor:
    """`tf.cast(x, tf.float32)`."""
    return cast(x, dtypes.float32)


def to_int32(x: TensorLike, name: str = "ToInt32") -> Tensor:
    """`tf.cast(x, tf.int32)`."""
    return cast(x, dtypes.int32)


def to_int64(x: TensorLike, name: str = "ToInt64") -> Tensor:
    """`tf.cast(x, tf.int64)`."""
    return cast(x, dtypes.int64)
