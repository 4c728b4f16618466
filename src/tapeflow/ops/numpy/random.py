"""`tf.experimental.numpy.random`: NumPy's older random functions, drawing as `tf.random` does."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.random import set_seed
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.dtypes import as_dtype, int64
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.numpy.functions import as_data, fraction_type
from tapeflow.ops.random import distributions as draws


def _shape(size: Any) -> Any:
    return () if size is None else (size,) if np.ndim(size) == 0 else size


def seed(s: int) -> None:
    """Fix the seed, that of `tf.random` too."""
    set_seed(s)


def standard_normal(size: TensorLike | None = None) -> Tensor:
    """Normal numbers of mean 0 and standard deviation 1."""
    return draws.normal(_shape(size), dtype=fraction_type())


def randn(*args: int) -> Tensor:
    """As `standard_normal`, the sizes of the axes one by one."""
    return standard_normal(args)


def uniform(low: TensorLike = 0.0, high: TensorLike = 1.0, size: TensorLike | None = None) -> Tensor:
    """Numbers from `low` up to `high`."""
    if size is None:
        size = np.broadcast_shapes(as_data(low).spec.shape, as_data(high).spec.shape)
    return draws.uniform(_shape(size), low, high, dtype=fraction_type())


def random(size: TensorLike | None = None) -> Tensor:
    """Numbers from 0 up to 1."""
    return uniform(0.0, 1.0, _shape(size))


def rand(*size: int) -> Tensor:
    """As `random`, the sizes of the axes one by one."""
    return uniform(0.0, 1.0, size)


def randint(
    low: int, high: int | None = None, size: TensorLike | None = None, dtype: Any = np.int64
) -> Tensor:
    """Whole numbers from `low` up to `high`, or from 0 up to `low`, without the last."""
    wanted = as_dtype(dtype)
    if wanted.name not in ("int32", "int64"):
        raise ValueError(
            f"tf.experimental.numpy.random.randint expected dtype int32 or int64; got dtype={wanted.name}. Use astype."
        )
    first, last = (0, int(low)) if high is None else (int(low), int(high))
    return draws.uniform(_shape(size), first, last, dtype=wanted)


def poisson(lam: Any = 1.0, size: TensorLike | None = None) -> Tensor:
    """Whole numbers with the mean `lam`."""
    return draws.poisson(_shape(size), lam, dtype=int64)
