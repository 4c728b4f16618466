"""What `tensorflow.python.framework.tensor_shape` and `tensor_util` have beside public names."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.shape import as_shape as as_shape
from tapeflow.ops.debugging.introspection import get_static_value


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """The shape that a vector of integers spells, if its value is known; -1 stands for an unknown size."""
    value = get_static_value(tensor)
    if value is None:
        return TensorShape([None] * tensor.shape[0])
    return TensorShape([None if size < 0 else int(size) for size in value])
