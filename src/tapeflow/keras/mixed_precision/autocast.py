"""Variables that a layer reads in its compute dtype: float32 weights, float16 arithmetic.

What a layer needs of it::

    from tapeflow.keras.mixed_precision.autocast import AutoCastVariable, autocast_scope

    self.kernel = AutoCastVariable(value, name="kernel")  # instead of tf.Variable, under any policy
    with autocast_scope(policy.compute_dtype):            # around `call`; None switches casting off
        x @ self.kernel                                   # reads the kernel in the compute dtype

Inside the scope every read of a floating `AutoCastVariable` (an op, `value()`, `convert_to_tensor`)
gives the scope's dtype; its `dtype`, `numpy()` and `assign` stay those of the stored value, and a
gradient comes back in the stored dtype. Outside a scope, or where the dtypes agree, it is a plain
`tf.Variable`, and nothing more is recorded.
"""

from __future__ import annotations

import threading
from typing import Any

from tapeflow.engine.primitives import cast_node
from tapeflow.engine.recording.node import Node
from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.engine.values.variable import Variable


class _Active(threading.local):
    """The dtype of this thread's innermost scope."""

    def __init__(self) -> None:
        self.dtype: DType | None = None


_active = _Active()


class autocast_scope:
    """Within it, `AutoCastVariable`s are read as `dtype`.

    Args:
        dtype: a floating dtype; None, or one that is not floating, reads them as they are.
    """

    __slots__ = ("_dtype", "_outer")

    def __init__(self, dtype: Any) -> None:
        found = None if dtype is None else as_dtype(dtype)
        self._dtype = found if found is not None and found.is_floating else None
        self._outer: DType | None = None

    def __enter__(self) -> None:
        self._outer = _active.dtype
        _active.dtype = self._dtype

    def __exit__(self, *exc_info: object) -> None:
        _active.dtype = self._outer


def autocast_dtype() -> DType | None:
    """The dtype that `AutoCastVariable`s are read in here; None if they are read as they are."""
    return _active.dtype


class AutoCastVariable(Variable):
    """A Variable whose reads inside an `autocast_scope` have the scope's dtype."""

    def _as_node(self) -> Node:
        node = super()._as_node()
        dtype = _active.dtype
        if dtype is None or node.spec.dtype is dtype or not node.spec.dtype.is_floating:
            return node
        return cast_node(node, dtype)

    @property
    def true_dtype(self) -> DType:
        """The dtype of the stored value: what `dtype` is too. Keras's older name for it."""
        return self.dtype
