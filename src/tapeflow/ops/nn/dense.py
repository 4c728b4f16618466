"""The arithmetic of a fully connected layer as one op: a product over the last axis and a bias."""

from __future__ import annotations

from tapeflow.engine.backend import jax
from tapeflow.engine.recording.op import op
from tapeflow.ops.linalg import matrix_product


@op(name="Dense")
def dense_op(x: jax.Array, kernel: jax.Array, bias: jax.Array) -> jax.Array:
    """`x @ kernel + bias`, with any number of axes before the last."""
    return matrix_product.project(x, kernel) + bias


@op(name="MatMul")
def project_op(x: jax.Array, kernel: jax.Array) -> jax.Array:
    """`x @ kernel`, with any number of axes before the last."""
    return matrix_product.project(x, kernel)
