"""What code may ask about where it runs and what it holds."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.tensor import TensorLike
from tapeflow.engine.trace import state
from tapeflow.ops.indexed_slices import IndexedSlices


def executing_eagerly() -> bool:
    """Whether ops are those of eager code: False only while a `tf.function` is being recorded.

    It is True in the bodies of loops and branches of eager code, and in a `tf.function` that runs as
    plain Python.

    >>> tf.executing_eagerly()
    True
    """
    return state.recording is None


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, a Variable or `tf.IndexedSlices`; arrays and numbers are not.

    >>> tf.is_tensor(tf.constant(1.0)), tf.is_tensor(1.0)
    (True, False)
    """
    return isinstance(x, (TensorLike, IndexedSlices))
