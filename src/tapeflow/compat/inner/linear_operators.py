"""`tensorflow.python.ops.linalg.linear_operator` and `linear_operator_addition`: what makes operators of one's own."""

from __future__ import annotations


def make_composite_tensor(cls: type, module_name: str = "tf.linalg") -> type:
    """A class of operators; they are handed on whole, so nothing is added to it."""
    return cls
