"""Initializers that draw nothing: zeros, ones, a constant, the identity matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, Shape, TensorLike
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.initializers.initializer import Initializer, read_dtype, read_float_dtype, read_shape


def _filled(value: float, shape: Sequence[Any], dtype: DTypeLike | None, kwargs: dict[str, Any]) -> Tensor:
    found = read_dtype(dtype)
    if found == tf.string:
        raise ValueError(f"Expected numeric or boolean dtype, got {found}.")
    # Made by numpy even if it is large: a recorded tf.zeros would be part of the first step's program.
    return tf.constant(np.full(read_shape(shape, kwargs), value, found.as_numpy_dtype))


class Zeros(Initializer):
    """All zeros."""

    def __call__(self, shape: Any, dtype: DType | None = None, **kwargs: Any) -> Tensor:
        return _filled(0, shape, dtype, kwargs)


class Ones(Initializer):
    """All ones."""

    def __call__(self, shape: Any, dtype: DType | None = None, **kwargs: Any) -> Tensor:
        return _filled(1, shape, dtype, kwargs)


class Constant(Initializer):
    """Initializes with one number, or with the elements of an array that has the shape or broadcasts to it."""

    def __init__(self, value: TensorLike = 0) -> None:
        self.value: Any = value

    def __call__(self, shape: Any, dtype: DType | None = None, **kwargs: Any) -> Tensor:
        sizes = read_shape(shape, kwargs)
        array = np.asarray(self.value, read_dtype(dtype).as_numpy_dtype)
        if array.size == math.prod(sizes):
            return tf.constant(array.reshape(sizes))
        try:
            return tf.constant(np.ascontiguousarray(np.broadcast_to(array, sizes)))
        except ValueError:
            raise ValueError(
                f"Constant expected one number or {math.prod(sizes)} of them for shape={sizes}; got a "
                f"value of shape {array.shape}. Pass a number or an array of the weight's shape."
            ) from None

    def get_config(self) -> dict[str, Any]:
        value = self.value.tolist() if isinstance(self.value, (np.ndarray, np.generic)) else self.value
        return {"value": value}


class Identity(Initializer):
    """`gain` on the diagonal of a matrix and 0 elsewhere."""

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: Shape, dtype: DType | None = None, **kwargs: Any) -> Tensor:
        found = read_float_dtype(dtype)
        sizes = read_shape(shape, kwargs)
        if len(sizes) != 2:
            raise ValueError(
                "Identity matrix initializer can only be used for 2D matrices. "
                f"Received: shape={sizes} of rank {len(sizes)}."
            )
        return tf.constant((self.gain * np.eye(*sizes)).astype(found.as_numpy_dtype))

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain}


zeros = Zeros
ones = Ones
constant = Constant
identity = Identity
IdentityInitializer = Identity
