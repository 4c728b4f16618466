"""`tf.experimental.numpy`: NumPy's names, on tensors."""

from __future__ import annotations

from typing import Any

import numpy as _np

from tapeflow.engine import dtypes as _dtypes
from tapeflow.engine.dtypes import complex64 as complex64
from tapeflow.engine.dtypes import complex128 as complex128
from tapeflow.engine.dtypes import float16 as float16
from tapeflow.engine.dtypes import float32 as float32
from tapeflow.engine.dtypes import float64 as float64
from tapeflow.engine.dtypes import int8 as int8
from tapeflow.engine.dtypes import int16 as int16
from tapeflow.engine.dtypes import int32 as int32
from tapeflow.engine.dtypes import int64 as int64
from tapeflow.engine.dtypes import uint8 as uint8
from tapeflow.engine.dtypes import uint16 as uint16
from tapeflow.engine.dtypes import uint32 as uint32
from tapeflow.engine.dtypes import uint64 as uint64
from tapeflow.engine.tensor import Tensor
from tapeflow.ops.numpy_functions import CREATIONS as _CREATIONS
from tapeflow.ops.numpy_functions import FUNCTIONS as _FUNCTIONS
from tapeflow.ops.numpy_functions import array as array
from tapeflow.ops.numpy_functions import einsum as einsum
from tapeflow.ops.numpy_functions import meshgrid as meshgrid
from tapeflow.ops.numpy_functions import nonzero as nonzero
from tapeflow.ops.numpy_functions import where as where

e, inf, newaxis, pi = _np.e, _np.inf, _np.newaxis, _np.pi
finfo, iinfo = _np.finfo, _np.iinfo
ndarray = Tensor
bool_, float_, int_ = _dtypes.bool, float64, int64
asarray = asanyarray = ascontiguousarray = array


def __getattr__(name: str) -> Any:
    found = _FUNCTIONS.get(name) or _CREATIONS.get(name)
    if found is None:
        raise AttributeError(f"module 'tapeflow.experimental.numpy' has no attribute {name!r}")
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_FUNCTIONS, *_CREATIONS})


def shape(a: Any) -> tuple[int, ...]:
    """The shape of an array."""
    return array(a).spec.shape


def ndim(a: Any) -> int:
    """How many axes an array has."""
    return len(shape(a))


def size(x: Any, axis: int | None = None) -> int:
    """How many elements an array has, or how long an axis is."""
    dims = shape(x)
    return int(_np.prod(dims)) if axis is None else dims[axis]


def isscalar(num: Any) -> bool:
    """Whether it is one number."""
    return ndim(num) == 0
