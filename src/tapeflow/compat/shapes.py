"""`tf.compat.dimension_value`: sizes, for code that also ran where they were objects of their own."""

from __future__ import annotations

from typing import Any


def dimension_value(dimension: Any) -> int | None:
    """The size unchanged: a number, or None."""
    return dimension


def dimension_at_index(shape: Any, index: int) -> int | None:
    """The size at a place of a shape; None if the rank is not known."""
    return None if shape.rank is None else shape[index]
