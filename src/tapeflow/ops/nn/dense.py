"""The arithmetic of a fully connected layer as one op: a product over the last axis and a bias."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.recording.op import op
from tapeflow.ops.linalg import matrix_product


@op(name="Dense")
def dense_op(x: Any, kernel: Any, bias: Any) -> Any:
    """`x @ kernel + bias`, with any number of axes before the last."""
    return matrix_product.project(x, kernel) + bias


@op(name="MatMul")
def project_op(x: Any, kernel: Any) -> Any:
    """`x @ kernel`, with any number of axes before the last."""
    return matrix_product.project(x, kernel)
