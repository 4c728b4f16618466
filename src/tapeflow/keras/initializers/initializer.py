"""`Initializer`: what makes the first value of a weight, and how its arguments are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, Shape
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras import config as keras_config

# What TensorFlow passes for a weight that is split over machines.
_PARTITION_ARGUMENTS = ("partition_shape", "partition_offset")


class Initializer:
    """The base class: `initializer(shape, dtype=None)` is a tensor.

    A subclass defines `__call__`, and `get_config` if its constructor has arguments.
    """

    def __call__(self, shape: Shape, dtype: DType | None = None, **kwargs: Any) -> Tensor:
        """A tensor of this shape and type; the type is `floatx()` unless given."""
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        return {}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """The initializer that `get_config` described."""
        # Files of the first Keras versions name a dtype that the constructors no longer take.
        return cls(**{key: value for key, value in config.items() if key != "dtype"})

    def clone(self) -> Self:
        """A copy of this initializer, which draws different values unless it has a seed."""
        return self.from_config(self.get_config())


def read_shape(shape: int | Iterable[Any], kwargs: Mapping[str, Any]) -> tuple[int, ...]:
    """`shape` as a tuple of sizes; the keyword arguments of a partition take its place."""
    unknown = [key for key in kwargs if key not in _PARTITION_ARGUMENTS]
    if unknown:
        raise TypeError(
            f"Unknown keyword arguments: {unknown}. Allowed keyword arguments: {list(_PARTITION_ARGUMENTS)}."
        )
    shape = kwargs.get("partition_shape", shape)
    sizes = [shape] if isinstance(shape, (int, np.integer)) else list(shape)
    if any(size is None for size in sizes):
        raise ValueError(
            f"An initializer expected a shape without unknown sizes; got shape={tuple(sizes)}. "
            "Define the size: a weight cannot depend on the batch."
        )
    return tuple(int(size) for size in sizes)


def read_dtype(dtype: DTypeLike | None) -> DType:
    """The `tf.DType` of a value; `floatx()` if none is given."""
    return tf.as_dtype(keras_config.floatx() if dtype is None else dtype)


def read_float_dtype(dtype: DTypeLike | None) -> DType:
    """`read_dtype`, for values that are fractions."""
    found = read_dtype(dtype)
    if not found.is_floating:
        raise ValueError(f"Expected floating point type, got {found}.")
    return found
