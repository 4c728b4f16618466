"""What code may ask about where it runs and what it holds."""

from __future__ import annotations

import logging
import time
from typing import Any

from tapeflow.engine.recording.symbolic import DispatchTarget, Symbolic
from tapeflow.engine.recording.trace import state
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import float64
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.ops.array.indexed_slices import IndexedSlices


def executing_eagerly() -> bool:
    """Whether ops are those of eager code: False only while a `tf.function` is being recorded.

    It is True in the bodies of loops and branches of eager code, and in a `tf.function` that runs as
    plain Python.

    >>> tf.executing_eagerly()
    True
    """
    return state.recording is None


def is_tensor(x: TensorLike) -> bool:
    """Whether `x` is a tensor of any kind, a Variable or `tf.IndexedSlices`; arrays and numbers are not.

    >>> tf.is_tensor(tf.constant(1.0)), tf.is_tensor(1.0)
    (True, False)
    """
    return isinstance(x, (TensorBase, IndexedSlices)) or (
        isinstance(x, DispatchTarget) and not isinstance(x, Symbolic)
    )


def get_static_value(tensor: TensorLike, partial: bool = False) -> Any:
    """The value of a tensor if it is known without running a program; None if it is not.

    In eager code every tensor's value is known, once it is computed; a Variable's is none, as in TensorFlow.
    """
    if isinstance(tensor, Tensor):
        known = tensor.host_value()
        is_open = state.recording is not None or state.trace.is_body
        return tensor.numpy() if known is None and not is_open else known
    return None if isinstance(tensor, TensorBase) else tensor


def is_symbolic_tensor(tensor: TensorLike) -> bool:
    """Whether `tensor` is symbolic, without a value, such as a `tf.keras.Input`."""
    return isinstance(tensor, Symbolic)


def inside_function() -> bool:
    """Whether a `tf.function` is being recorded."""
    return state.recording is not None


def type_spec_from_value(value: TensorLike) -> Any:
    """The spec of a value: a `tf.TensorSpec` if it can be converted to a tensor, otherwise the spec of its kind."""
    own = None if isinstance(value, TensorBase) else getattr(value, "_type_spec", None)
    if own is not None:
        return own
    tensor = value if isinstance(value, TensorBase) else convert_to_tensor(value)
    return TensorSpec(tensor.shape, tensor.dtype)


def get_logger() -> logging.Logger:
    """The logger of this name that TensorFlow scripts set the level of."""
    return logging.getLogger("tensorflow")


def timestamp(name: str | None = None) -> Tensor:
    """Seconds since 1970, as a float64 tensor; in a `tf.function`, those when it was recorded."""
    return convert_to_tensor(time.time(), float64)
