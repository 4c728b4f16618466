"""`tensorflow.python.ops.rnn_cell_impl`: how the shape of a state is put together, and cells that are only named."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.engine.absent import absent
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.shape import TensorShape, as_shape
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.array.joining import concat
from tapeflow.ops.array.shaping import reshape

_ADVICE = (
    "Cells are layers: use tf.keras.layers.LSTMCell, or derive one from tf.keras.layers.AbstractRNNCell."
)
BasicLSTMCell = absent("tf.compat.v1.nn.rnn_cell.BasicLSTMCell", _ADVICE)
BasicRNNCell = absent("tf.compat.v1.nn.rnn_cell.BasicRNNCell", _ADVICE)
GRUCell = absent("tf.compat.v1.nn.rnn_cell.GRUCell", _ADVICE)
LSTMCell = absent("tf.compat.v1.nn.rnn_cell.LSTMCell", _ADVICE)
RNNCell = absent("tf.compat.v1.nn.rnn_cell.RNNCell", _ADVICE)


def _concat(prefix: Any, suffix: Any, static: bool = False) -> TensorShape | Tensor:
    """One shape after the other; a number is a shape of one dimension.

    Args:
        prefix: a shape, a number, or an integer tensor of rank 0 or 1.
        suffix: another.
        static: whether to give a `TensorShape` instead of a tensor.
    """
    if static:
        known = [as_shape([part] if isinstance(part, int) else part) for part in (prefix, suffix)]
        return known[0].concatenate(known[1])
    return concat([_vector(part) for part in (prefix, suffix)], 0)


def _vector(part: Any) -> Tensor:
    if not isinstance(part, TensorBase):
        return convert_to_tensor(np.ravel(part).astype(np.int32))
    return reshape(part, [-1])
