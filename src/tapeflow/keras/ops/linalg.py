"""`tf.keras.ops.linalg`: the functions of matrices, which are in `tf.keras.ops` themselves."""

from __future__ import annotations

from typing import Any

from tapeflow.keras import ops as _ops


def __getattr__(name: str) -> Any:
    return getattr(_ops, name)
