"""`tf.experimental.numpy`: NumPy's functions on tensors."""

from __future__ import annotations

from typing import Any

import numpy as _np

from tapeflow.engine.values import dtypes as _dtypes
from tapeflow.engine.values.annotations import DTypeLike
from tapeflow.engine.values.dtypes import complex64 as complex64
from tapeflow.engine.values.dtypes import complex128 as complex128
from tapeflow.engine.values.dtypes import float16 as float16
from tapeflow.engine.values.dtypes import float32 as float32
from tapeflow.engine.values.dtypes import float64 as float64
from tapeflow.engine.values.dtypes import int8 as int8
from tapeflow.engine.values.dtypes import int16 as int16
from tapeflow.engine.values.dtypes import int32 as int32
from tapeflow.engine.values.dtypes import int64 as int64
from tapeflow.engine.values.dtypes import uint8 as uint8
from tapeflow.engine.values.dtypes import uint16 as uint16
from tapeflow.engine.values.dtypes import uint32 as uint32
from tapeflow.engine.values.dtypes import uint64 as uint64
from tapeflow.engine.values.tensor import Tensor
from tapeflow.experimental.numpy import random as random
from tapeflow.ops.numpy.arrays import atleast_1d as atleast_1d
from tapeflow.ops.numpy.arrays import atleast_2d as atleast_2d
from tapeflow.ops.numpy.arrays import atleast_3d as atleast_3d
from tapeflow.ops.numpy.arrays import broadcast_arrays as broadcast_arrays
from tapeflow.ops.numpy.arrays import compress as compress
from tapeflow.ops.numpy.arrays import diag_indices as diag_indices
from tapeflow.ops.numpy.arrays import empty_like as empty_like
from tapeflow.ops.numpy.arrays import fix as fix
from tapeflow.ops.numpy.arrays import flatten as flatten
from tapeflow.ops.numpy.arrays import iscomplexobj as iscomplexobj
from tapeflow.ops.numpy.arrays import isrealobj as isrealobj
from tapeflow.ops.numpy.arrays import issubdtype as issubdtype
from tapeflow.ops.numpy.arrays import ix_ as ix_
from tapeflow.ops.numpy.arrays import promote_types as promote_types
from tapeflow.ops.numpy.arrays import result_type as result_type
from tapeflow.ops.numpy.arrays import select as select
from tapeflow.ops.numpy.behavior import (
    experimental_enable_numpy_behavior as experimental_enable_numpy_behavior,
)
from tapeflow.ops.numpy.functions import CREATIONS as _CREATIONS
from tapeflow.ops.numpy.functions import FUNCTIONS as _FUNCTIONS
from tapeflow.ops.numpy.functions import array as array
from tapeflow.ops.numpy.functions import einsum as einsum
from tapeflow.ops.numpy.functions import meshgrid as meshgrid
from tapeflow.ops.numpy.functions import nonzero as nonzero
from tapeflow.ops.numpy.functions import where as where

e, inf, newaxis, pi = _np.e, _np.inf, _np.newaxis, _np.pi
ndarray = Tensor
bool_, complex_, float_, int_ = _dtypes.bool, complex128, float64, int64
inexact, object_, string_, unicode_ = _np.inexact, _np.object_, _np.bytes_, _np.str_
asarray = asanyarray = ascontiguousarray = array


def __getattr__(name: str) -> Any:
    found = _FUNCTIONS.get(name) or _CREATIONS.get(name)
    if found is None:
        raise AttributeError(f"module 'tapeflow.experimental.numpy' has no attribute {name!r}")
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_FUNCTIONS, *_CREATIONS})


def finfo(dtype: DTypeLike) -> Any:
    """The limits of a floating type."""
    return _np.finfo(_dtypes.as_dtype(dtype).as_numpy_dtype)


def iinfo(dtype: DTypeLike) -> Any:
    """The limits of an integer type."""
    return _np.iinfo(_dtypes.as_dtype(dtype).as_numpy_dtype)


def shape(a: Any) -> tuple[int, ...]:
    """The shape of an array."""
    return array(a).spec.shape


def ndim(a: Any) -> int:
    """The number of axes of an array."""
    return len(shape(a))


def size(x: Any, axis: int | None = None) -> int:
    """The number of elements of an array, or the length of an axis."""
    dims = shape(x)
    return int(_np.prod(dims)) if axis is None else dims[axis]


def isscalar(num: Any) -> bool:
    """Whether it is one number."""
    return ndim(num) == 0
