"""Constants of a graph as tensors."""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.saved_model.interpreter.kernels import GraphError, Node, shape_of
from tapeflow.summary.event_files.tensors import array_of

_MOST_BYTES = 1 << 31
_known: weakref.WeakKeyDictionary[Node, Any] = weakref.WeakKeyDictionary()


def constant_value(node: Node) -> Any:
    """The tensor of a `Const` node, made once."""
    found = _known.get(node)
    if found is None:
        found = _known[node] = tf.constant(proto_value(node.tensor("value"), node.name))
    return found


def proto_value(proto: Any, name: str) -> np.ndarray:
    """The array of a TensorProto.

    Raises:
        GraphError: its content does not fit its shape, or it stands for more than memory should hold.
    """
    sizes = shape_of(proto.tensor_shape)
    if sizes is None or None in sizes:
        raise GraphError(f"constant {name!r} has no shape")
    if math.prod(n or 0 for n in sizes) * 16 > _MOST_BYTES * 16:
        raise GraphError(f"constant {name!r} has shape {sizes}, which is more than memory should hold")
    try:
        if proto.dtype == tf.string.as_datatype_enum and len(proto.string_val) == 1 and sizes:
            filled = np.empty(tuple(n or 0 for n in sizes), object)
            filled.fill(proto.string_val[0])
            return filled
        return array_of(proto)
    except (ValueError, OverflowError) as error:
        raise GraphError(f"constant {name!r} is damaged: {error}") from error
