"""Types of what ops take, for annotations.

Kernels, which run on arrays inside a program, are annotated with `jax.Array` instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tapeflow.engine.recording.symbolic import Symbolic
from tapeflow.engine.values.composite_tensor import CompositeTensor
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.shape import ShapeLike as ShapeLike
from tapeflow.engine.values.tensor import TensorBase

TensorLike: TypeAlias = TensorBase | CompositeTensor | Symbolic | npt.ArrayLike | Sequence[Any]
"""What an op takes for a tensor: tensors, Variables, Keras's symbolic tensors, arrays, numbers, strings, and lists."""

DTypeLike: TypeAlias = DType | str | type | np.dtype[Any]
"""What names a dtype: `tf.float32`, `"float32"`, `float`, `np.float32`, `np.dtype("float32")`."""

Shape: TypeAlias = tuple[int, ...]
"""The sizes of an array."""

StaticShape: TypeAlias = tuple[int | None, ...]
"""Sizes of which some may be unknown, as in the shape of `tf.keras.Input`."""
