"""Running totals of metrics, each update one op: a total and what one batch adds to it.

A metric is updated at every step, so an update records as few nodes as it can. The kernels take the
old total and give the new one, in the total's dtype. They follow Keras 2 in how weights meet values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.op import Op, op
from tapeflow.engine.values.dtypes import DType

lax = jax.lax


def fit_weights(values: jax.Array, weights: jax.Array, *, sums: bool = False) -> tuple[Any, Any]:
    """Values and weights of shapes that multiply, by Keras 2's rules.

    Weights of one axis more lose their last, of one axis less get one. Weights that still do not
    broadcast are taken to be for the leading axes: the values are averaged (or summed) over the rest.
    """
    if weights.ndim == values.ndim + 1 and weights.ndim > 0:
        weights = jnp.squeeze(weights, -1)
    elif weights.ndim == values.ndim - 1 and weights.ndim > 0:
        weights = weights[..., None]
    if weights.ndim == 0 or _broadcasts(weights.shape, values.shape):
        return values, jnp.broadcast_to(weights, values.shape)
    rest = tuple(range(weights.ndim, values.ndim))
    return (jnp.sum if sums else jnp.mean)(values, rest), weights


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    return len(shape) == len(to) and all(a in (1, b) for a, b in zip(shape, to, strict=True))


@op(name="AddSum", same_dtype=False, differentiable=False)
def add_sum(total: jax.Array, values: jax.Array) -> jax.Array:
    """`total` plus the sum of `values`."""
    return total + jnp.sum(values.astype(total.dtype))


@op(name="AddWeightedSum", same_dtype=False, differentiable=False)
def add_weighted_sum(total: jax.Array, values: jax.Array, weights: jax.Array) -> jax.Array:
    """`total` plus the sum of `values` times `weights`."""
    values, weights = fit_weights(values.astype(total.dtype), weights.astype(total.dtype), sums=True)
    return total + jnp.sum(values * weights)


@op(name="AddWeightedMean", same_dtype=False, differentiable=False)
def add_weighted_mean(
    total: jax.Array, count: jax.Array, values: jax.Array, weights: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """The total and the count of a mean after a batch of weighted values."""
    values, weights = fit_weights(values.astype(total.dtype), weights.astype(total.dtype))
    return total + jnp.sum(values * weights), count + jnp.sum(weights)


@op(name="AddWeightedBatch", same_dtype=False, differentiable=False)
def add_weighted_batch(
    total: jax.Array, count: jax.Array, values: jax.Array, weights: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """As `add_weighted_mean`, but the count grows by the number of values."""
    values, weights = fit_weights(values.astype(total.dtype), weights.astype(total.dtype))
    return total + jnp.sum(values * weights), count + jnp.asarray(values.size, count.dtype)


class Matching:
    """A rule that says of each prediction whether it is right, and the ops that count with it.

    Args:
        name: its name in messages.
        rule: `rule(y_true, y_pred, **statics)` gives 1 where they match and 0 elsewhere, in the dtype of
            both.
    """

    def __init__(self, name: str, rule: Callable[..., Any]) -> None:
        self.name = name
        self.rule = rule
        self.matches: Op = op(name=name, same_dtype=False, differentiable=False)(self._matches)
        self.add: Op = op(name=f"Add{name}", same_dtype=False, differentiable=False)(self._add)
        self.add_weighted: Op = op(name=f"AddWeighted{name}", same_dtype=False, differentiable=False)(
            self._add_weighted
        )

    def _matches(self, y_true: Any, y_pred: Any, *, dtype: DType, **statics: Any) -> jax.Array:
        wanted = dtype.as_numpy_dtype
        return self.rule(y_true.astype(wanted), y_pred.astype(wanted), **statics)

    def _squeezed(
        self, dtype: Any, y_true: jax.Array, y_pred: jax.Array, statics: dict[str, Any]
    ) -> jax.Array:
        y_true, y_pred = squeeze_pair(y_true.astype(dtype), y_pred.astype(dtype))
        return self.rule(y_true, y_pred, **statics)

    def _add(self, total: jax.Array, y_true: jax.Array, y_pred: jax.Array, **statics: Any) -> jax.Array:
        return total + jnp.sum(self._squeezed(total.dtype, y_true, y_pred, statics))

    def _add_weighted(
        self,
        total: jax.Array,
        count: jax.Array,
        y_true: jax.Array,
        y_pred: jax.Array,
        weights: jax.Array,
        **statics: Any,
    ) -> tuple[jax.Array, jax.Array]:
        matches = self._squeezed(total.dtype, y_true, y_pred, statics)
        matches, weights = fit_weights(matches, weights.astype(total.dtype))
        return total + jnp.sum(matches * weights), count + jnp.sum(weights)

    @lru_cache(maxsize=256)  # noqa: B019 - the few matchings live as long as the program
    def count(self, true_shape: tuple[int, ...], pred_shape: tuple[int, ...]) -> int:
        """How many predictions a batch of these shapes holds, after squeezing."""
        pair = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in (true_shape, pred_shape)]
        # The number of matches depends on no static: any will do.
        found = jax.eval_shape(lambda t, p: self._squeezed(jnp.float32, t, p, {}), *pair)
        return math.prod(found.shape)


def squeeze_pair(y_true: jax.Array, y_pred: jax.Array) -> tuple[Any, Any]:
    """Drop a last axis of length 1 that only one of the two has."""
    if y_pred.ndim == y_true.ndim + 1 and y_pred.shape[-1] == 1:
        return y_true, jnp.squeeze(y_pred, -1)
    if y_true.ndim == y_pred.ndim + 1 and y_true.shape[-1] == 1:
        return jnp.squeeze(y_true, -1), y_pred
    return y_true, y_pred


def _are_equal(y_true: jax.Array, y_pred: jax.Array) -> jax.Array:
    return (y_true == y_pred).astype(y_true.dtype)


def _binary(y_true: jax.Array, y_pred: jax.Array, *, threshold: float = 0.5) -> jax.Array:
    limit = jnp.asarray(threshold, y_pred.dtype)
    return _are_equal(y_true, (y_pred > limit).astype(y_true.dtype))


def _binary_mean(y_true: jax.Array, y_pred: jax.Array, *, threshold: float = 0.5) -> jax.Array:
    return jnp.mean(_binary(y_true, y_pred, threshold=threshold), -1)


def _best(scores: jax.Array) -> jax.Array:
    return lax.argmax(scores, scores.ndim - 1, jnp.int32)


def _sparse(y_true: jax.Array, y_pred: jax.Array) -> jax.Array:
    labels = jnp.squeeze(y_true, -1) if y_true.ndim == y_pred.ndim else y_true
    matches = _are_equal(labels, _best(y_pred).astype(y_true.dtype))
    return matches.reshape(y_true.shape) if labels is not y_true else matches


def _categorical(y_true: jax.Array, y_pred: jax.Array) -> jax.Array:
    return _sparse(_best(y_true).astype(y_true.dtype), y_pred)


def _sparse_top_k(y_true: jax.Array, y_pred: jax.Array, *, k: int = 5) -> jax.Array:
    scores = y_pred.reshape(-1, y_pred.shape[-1])
    labels = y_true.reshape(-1).astype(jnp.int32)
    classes = lax.broadcasted_iota(jnp.int32, scores.shape, 1)
    is_label = classes == labels[:, None]
    own = jnp.sum(jnp.where(is_label, scores, jnp.zeros((), scores.dtype)), -1, keepdims=True)
    better = jnp.sum(scores > own, -1, dtype=jnp.int32)
    # As TensorFlow's in_top_k: a row with an Inf or NaN, or a label that is no class, is no match.
    counts = jnp.any(is_label, -1) & jnp.all(jnp.isfinite(scores), -1)
    return ((better < k) & counts).astype(y_true.dtype).reshape(y_true.shape)


def _top_k(y_true: jax.Array, y_pred: jax.Array, *, k: int = 5) -> jax.Array:
    return _sparse_top_k(_best(y_true).astype(y_true.dtype), y_pred, k=k)


EQUAL = Matching("Accuracy", _are_equal)
BINARY = Matching("BinaryAccuracy", _binary)
BINARY_MEAN = Matching("BinaryAccuracyPerSample", _binary_mean)
CATEGORICAL = Matching("CategoricalAccuracy", _categorical)
SPARSE = Matching("SparseCategoricalAccuracy", _sparse)
TOP_K = Matching("TopKCategoricalAccuracy", _top_k)
SPARSE_TOP_K = Matching("SparseTopKCategoricalAccuracy", _sparse_top_k)


@op(name="AddFScoreCounts", same_dtype=False, differentiable=False)
def add_f_score_counts(*arrays: jax.Array, threshold: float | None, per_class: bool) -> Any:
    """New totals of true positives, false positives, false negatives and labels.

    The four totals come first, then labels, scores and weights. Without a threshold the largest score
    of a row is the positive one.
    """
    *totals, y_true, y_pred, weights = arrays
    dtype = totals[0].dtype
    y_true, y_pred = y_true.astype(dtype), y_pred.astype(dtype)
    if threshold is None:
        is_best = y_pred >= jnp.max(y_pred, -1, keepdims=True)
        chosen = (is_best & (jnp.abs(y_pred) > 1e-9)).astype(dtype)
    else:
        chosen = (y_pred > jnp.asarray(threshold, dtype)).astype(dtype)
    weights = weights.astype(dtype)
    weights = weights[:, None] if weights.ndim == 1 else weights
    axis = 0 if per_class else None
    counts = (chosen * y_true, chosen * (1 - y_true), (1 - chosen) * y_true, y_true)
    return tuple(total + jnp.sum(c * weights, axis) for total, c in zip(totals, counts, strict=True))


@op(name="AddSquares", same_dtype=False, differentiable=False)
def add_squares(*arrays: jax.Array) -> Any:
    """New totals of y², y, the squared error and the weights, for each column.

    The four totals come first, then labels, predictions and weights.
    """
    *totals, y_true, y_pred, weights = arrays
    dtype = totals[0].dtype
    y_true, y_pred, weights = y_true.astype(dtype), y_pred.astype(dtype), weights.astype(dtype)
    weights = weights[:, None] if weights.ndim == 1 else weights
    weights = jnp.broadcast_to(weights, y_true.shape)
    error = y_true - y_pred
    added = (y_true * y_true * weights, y_true * weights, error * error * weights, weights)
    return tuple(total + jnp.sum(a, 0) for total, a in zip(totals, added, strict=True))
