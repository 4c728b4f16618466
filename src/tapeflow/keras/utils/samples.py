"""Batches as `fit` hands them to a training step: `(x, y, sample_weight)`, less what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow.engine.values.annotations import TensorLike


def unpack_x_y_sample_weight(data: Sequence[Any]) -> tuple[Any, Any, Any]:
    """`x`, `(x,)`, `(x, y)` or `(x, y, sample_weight)` as three values, `None` for what is missing.

    >>> tf.keras.utils.unpack_x_y_sample_weight((1, 2))
    (1, 2, None)
    """
    if not isinstance(data, (tuple, list)):
        return data, None, None
    if not 1 <= len(data) <= 3:
        raise ValueError(
            "Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, "
            f"found: {type(data).__name__} of length {len(data)}. Put several inputs into one tuple or dict."
        )
    x, y, sample_weight = (*data, None, None)[:3]
    return x, y, sample_weight


def pack_x_y_sample_weight(x: Any, y: Any = None, sample_weight: TensorLike | None = None) -> Any:
    """The inverse of `unpack_x_y_sample_weight`; a single `x` is wrapped only if it is a list or tuple."""
    if y is None:
        return (x,) if isinstance(x, (tuple, list)) else x
    return (x, y) if sample_weight is None else (x, y, sample_weight)
