"""NumPy's functions of several arrays, of choices and of dtypes: the rest of `tf.experimental.numpy`.

What has one or two arrays first and nothing else that is unusual is in `numpy_functions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.array.creation import zeros_like
from tapeflow.ops.array.data_dependent import boolean_mask
from tapeflow.ops.array.indexing import where as _either
from tapeflow.ops.array.shaping import broadcast_to, reshape, transpose
from tapeflow.ops.math.casting import cast
from tapeflow.ops.math.elementwise import ceil, floor
from tapeflow.ops.numpy.functions import NARROW, as_data, fraction_type, nonzero


def _each(arrays: Sequence[Any], least: int, wider: Any) -> Any:
    tensors = [as_data(a) for a in arrays]
    grown = [reshape(a, wider(a.spec.shape)) if a.ndim < least else a for a in tensors]
    return grown[0] if len(grown) == 1 else grown


def atleast_1d(*arys: Any) -> Any:
    """Arrays with at least one axis: a scalar becomes a vector of one."""
    return _each(arys, 1, lambda shape: (1,))


def atleast_2d(*arys: Any) -> Any:
    """Arrays with at least two axes: a vector becomes a row."""
    return _each(arys, 2, lambda shape: (1,) * (2 - len(shape)) + shape)


def atleast_3d(*arys: Any) -> Any:
    """Convert to arrays with at least three axes: a vector fills the middle one, a matrix the first two."""
    return _each(arys, 3, lambda shape: (1, *shape, 1)[-3:] if len(shape) < 2 else (*shape, 1))


def broadcast_arrays(*args: Any) -> list[Tensor]:
    """Arrays stretched to the one shape that they broadcast to."""
    tensors = [as_data(a) for a in args]
    shape = np.broadcast_shapes(*[a.spec.shape for a in tensors])
    return [broadcast_to(a, shape) for a in tensors]


def compress(condition: TensorLike, a: TensorLike, axis: int | None = None) -> Tensor:
    """The slices along an axis for which a vector of truth values holds; what it does not reach is left out."""
    tensor, kept = as_data(a), np.asarray(as_data(condition).numpy(), bool)
    if kept.ndim != 1:
        raise ValueError(
            f"tf.experimental.numpy.compress expected a vector of truth values: condition must be a 1-d array; got "
            f"condition of shape {list(kept.shape)}."
        )
    if axis is None or not tensor.ndim:
        tensor, axis = reshape(tensor, [-1]), 0
    missing = tensor.spec.shape[axis] - len(kept)
    return boolean_mask(tensor, np.pad(kept, (0, missing)) if missing > 0 else kept, axis=axis)


def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """Indices of the diagonal of an array with `ndim` axes of length `n`."""
    if n < 0 or ndim < 0:
        raise ValueError(
            f"tf.experimental.numpy.diag_indices expected n and ndim of at least 0; got n={n}, ndim={ndim}."
        )
    return (convert_to_tensor(np.arange(n, dtype=np.int32)),) * ndim


def ix_(*args: Any) -> list[Tensor]:
    """Vectors of indices, or of truth values, turned so that together they index a grid."""
    grids = []
    for number, arg in enumerate(args):
        vector = as_data(arg)
        if vector.ndim != 1 or not (vector.dtype.is_bool or vector.dtype.is_integer):
            raise ValueError(
                f"tf.experimental.numpy.ix_ expected vectors of integers or truth values: arguments must be 1-d; got "
                f"argument {number} of shape {list(vector.spec.shape)}, {vector.dtype.name}."
            )
        places = nonzero(vector)[0] if vector.dtype.is_bool else vector
        grids.append(reshape(places, [-1 if i == number else 1 for i in range(len(args))]))
    return grids


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Tensor:
    """Of each place the first choice whose condition holds there, or the default."""
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError(
            "tf.experimental.numpy.select expected as many conditions as choices, and at least one: condlist must "
            f"have length equal to choicelist; got {len(condlist)} and {len(choicelist)}."
        )
    dtype = result_type(default, *choicelist)
    selected = cast(as_data(default), dtype)
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        selected = _either(as_data(condition), cast(as_data(choice), dtype), selected)
    return selected


def flatten(a: TensorLike, order: str = "C") -> Tensor:
    """The elements as a vector, row by row, or with order 'F' column by column."""
    if order not in ("C", "A", "K", "F"):
        raise ValueError(
            "tf.experimental.numpy.flatten expected order to be C, A or K (row by row) or F (column by column); got "
            f"order={order!r}."
        )
    tensor = as_data(a)
    return reshape(transpose(tensor) if order == "F" else tensor, [-1])


def fix(x: TensorLike) -> Tensor:
    """Rounded towards zero."""
    tensor = as_data(x)
    if not tensor.dtype.is_floating:
        tensor = cast(tensor, fraction_type())
    return _either(tensor < 0, ceil(tensor), floor(tensor))


def empty_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros in the shape of an array."""
    return zeros_like(as_data(a), dtype)


def _for_promotion(value: object) -> Any:
    """What NumPy's rules take: a dtype, or a Python number, which gives way to arrays."""
    if isinstance(value, DType):
        return value.as_numpy_dtype
    if isinstance(value, TensorBase):
        return value.dtype.as_numpy_dtype
    if isinstance(value, (list, tuple)):
        return as_data(value).dtype.as_numpy_dtype
    return value


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype that arrays and numbers have together by NumPy's rules; float32 may be preferred to float64."""
    given = [_for_promotion(v) for v in arrays_and_dtypes]
    common = np.result_type(*given)
    if fraction_type() is np.float32 and not any(
        np.result_type(g) in NARROW for g in given if not _is_number(g)
    ):
        common = np.dtype(NARROW.get(common, common))
    return as_dtype(common)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, complex)) and not isinstance(value, np.generic)


def promote_types(type1: Any, type2: Any) -> np.dtype:
    """The smallest dtype that both may be cast to."""
    return np.promote_types(_for_promotion(type1), _for_promotion(type2))


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Whether a dtype is of a kind, such as `np.inexact`."""
    return np.issubdtype(_for_promotion(arg1), _for_promotion(arg2))


def iscomplexobj(x: TensorLike) -> bool:
    """Whether the dtype of an array is complex."""
    return as_data(x).dtype.is_complex


def isrealobj(x: TensorLike) -> bool:
    """Whether the dtype of an array is not complex."""
    return not iscomplexobj(x)
