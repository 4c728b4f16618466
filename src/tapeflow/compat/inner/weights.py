"""`tensorflow.python.ops.weights_broadcast_ops`: weights of examples for each value."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.creation import ones_like
from tapeflow.ops.math.casting import cast


def broadcast_weights(weights: Any, values: Any) -> Tensor:
    """Weights in the shape of the values they are for."""
    ones = ones_like(values)
    return cast(weights, ones.dtype) * ones
