"""The arithmetic of multi-head attention: projections to heads, and attention over any axes, one op each."""

from __future__ import annotations

import math
from string import ascii_lowercase
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import op
from tapeflow.ops.math import stable_math
from tapeflow.ops.random.noise import dropout_op


@op(name="EinsumDense")
def heads_op(x: jax.Array, kernel: jax.Array, *bias: jax.Array, bound: int) -> jax.Array:
    """The product over the last `bound` axes of `x` and the first of the kernel, plus a bias if there is one."""
    found = jnp.tensordot(x, kernel, bound)
    return found + bias[0] if bias else found


def _equations(rank: int, axes: tuple[int, ...]) -> tuple[str, str]:
    """The einsums of attention: query and key to scores, scores and value to the result.

    Query, key and value have batch axes, the axes to attend over, heads and features; scores have batch
    axes, heads, the query's axes and the key's.
    """
    query = ascii_lowercase[:rank]
    others = dict(zip(axes, ascii_lowercase[rank:], strict=False))
    key = "".join([others.get(i, query[i]) for i in range(rank)])
    batch = "".join([query[i] for i in range(rank - 1) if i not in axes])
    scores = batch + "".join([query[i] for i in axes]) + "".join([others[i] for i in axes])
    return f"{query},{key}->{scores}", f"{scores},{key}->{query}"


@op(name="Attention", same_dtype=False)
def attention_op(
    query: jax.Array,
    key: jax.Array,
    value: jax.Array,
    *rest: jax.Array,
    axes: tuple[int, ...],
    scale: float,
    has_mask: bool,
    is_robust: bool,
    dropout: float,
) -> tuple[Any, Any]:
    """Attention of heads, and its weights.

    Args:
        query, key, value: (batch, ..., heads, features).
        rest: a mask (with `has_mask`), which need not have the heads' axis; a random key (with `dropout`).
        axes: those attended over.
        scale: what the query is multiplied with.
        has_mask: whether there is a mask: 0 where not to attend.
        is_robust: set masked scores, instead of lowering them by much.
        dropout: the share of the weights that is dropped.
    """
    scoring, combining = _equations(query.ndim, axes)
    scores = jnp.einsum(scoring, query * jnp.asarray(scale, query.dtype), key)
    if has_mask:
        scores = _masked(scores, rest[0], len(axes), is_robust)
    kept = scores.ndim - len(axes)
    flat = scores.reshape((*scores.shape[:kept], math.prod(scores.shape[kept:])))
    weights = stable_math.softmax(flat, flat.ndim - 1).reshape(scores.shape)
    dropped = weights
    if dropout:
        dropped = dropout_op.kernel(weights, rest[-1], rate=dropout, noise_shape=weights.shape)
    return jnp.einsum(combining, dropped, value), weights


def _masked(scores: jax.Array, mask: jax.Array, count: int, is_robust: bool) -> jax.Array:
    for _ in range(scores.ndim - mask.ndim):
        mask = jnp.expand_dims(mask, -2 * count - 1)
    # Half of what float16 holds, so that a sum with a score is still a number.
    low = jnp.asarray(-32752.0 if scores.dtype == jnp.float16 else -1e9, scores.dtype)
    if is_robust:
        is_kept = mask if mask.dtype == jnp.bool_ else mask > 0.5
        return jnp.where(is_kept, scores, low)
    return scores + (1 - mask.astype(scores.dtype)) * low
