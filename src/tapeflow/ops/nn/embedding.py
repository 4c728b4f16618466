"""Embeddings: rows of a table looked up by number."""

from __future__ import annotations

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.checks import index_check
from tapeflow.engine.recording.op import op
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.array.joining import concat
from tapeflow.ops.host_args import describe, index_tensor, invalid

lax = jax.lax


@op(
    name="EmbeddingLookup",
    same_dtype=False,
    check=index_check(arg=1, limit=lambda arrays, statics: arrays[0].shape[0]),
    check_text=(
        "tf.nn.embedding_lookup expected every id to be a row of params; got id {value}, which is "
        "not in [0, {limit})."
    ),
)
def _embedding_lookup(params: jax.Array, ids: jax.Array, *, max_norm: float | None) -> jax.Array:
    # The check has seen the ids, so no time goes into clamping them.
    rows = params.at[ids].get(mode="promise_in_bounds")
    if max_norm is None:
        return rows
    axes = tuple(range(ids.ndim, rows.ndim))
    squares = jnp.sum(rows * rows, axes, keepdims=True)
    # A root of 0 would make the gradient of an all-zero row NaN.
    norm = jnp.where(squares > 0, lax.sqrt(jnp.where(squares > 0, squares, 1)), squares)
    return rows * max_norm / jnp.maximum(norm, max_norm)


@op(
    name="Embedding",
    same_dtype=False,
    check=index_check(arg=1, limit=lambda arrays, statics: arrays[0].shape[0]),
    check_text=(
        "Embedding expected every index to be a row of its table, in [0, input_dim); got index {value}, which is "
        "not in [0, {limit}). Make input_dim at least the largest index plus 1."
    ),
)
def embed_op(table: jax.Array, ids: jax.Array) -> jax.Array:
    """The rows of a layer's table."""
    return table.at[ids].get(mode="promise_in_bounds")


def embedding_lookup(
    params: TensorLike, ids: TensorLike, max_norm: float | None = None, name: str | None = None
) -> Tensor:
    """The rows of `params` with numbers `ids`.

    Args:
        params: a table, rows first; or a list of tables, taken as one with all their rows.
        ids: int32 or int64, of any shape.
        max_norm: if given, rows longer than this are scaled down to it.
        name: ignored.

    Returns:
        A tensor of shape `ids.shape + params.shape[1:]`.

    Raises:
        InvalidArgumentError: an id is no row of the table.
    """
    where = "tf.nn.embedding_lookup"
    if params is None or (isinstance(params, (list, tuple)) and len(params) == 0):
        raise ValueError(
            f"{where} expected a table for params; got params={params!r}. Need at least one param: "
            "pass a tensor or Variable of shape [rows, width]."
        )
    if isinstance(params, (list, tuple)):
        params = params[0] if len(params) == 1 else concat(list(params), 0)
    table = convert_to_tensor(params)
    if not table.spec.shape:
        raise invalid(f"{where} expected a table of rank 1 or more; got params {describe(table)}.")
    rows = index_tensor(ids, where, "ids")
    return _embedding_lookup(table, rows, max_norm=None if max_norm is None else float(max_norm))
