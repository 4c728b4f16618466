"""Counting true and false positives and negatives at many thresholds, one op for a batch.

Evenly spaced thresholds, as those of AUC, are counted by buckets: each prediction falls between two
thresholds, and a cumulative sum over the buckets gives all counts, so no array of thresholds times
predictions is made. Other thresholds are few; they are compared one by one inside a fused sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.recording.checks import index_check
from tapeflow.engine.recording.op import op
from tapeflow.ops.training.metric_totals import fit_weights, squeeze_pair

lax = jax.lax

# What takes the place of scores below the k largest: under every threshold.
NEG_INF = -1e10


@op(name="AddEvenCounts", same_dtype=False, differentiable=False)
def add_even_counts(
    *arrays: jax.Array,
    which: tuple[str, ...],
    is_widened: bool,
    per_label: bool,
    top_k: int | None,
    class_id: int | None,
) -> tuple[jax.Array, ...]:
    """The new totals of `which` of tp, fp, tn, fn at thresholds 0, 1/(n-1), ..., 1.

    Args:
        *arrays: the totals, as many as `which`, of shape (thresholds,) or, per label, (thresholds, labels);
            then `y_true`, where anything but 0 is positive; `y_pred`, scores that are clipped to [0, 1];
            weights, one for each sample, or for each score, or a scalar; weights of the labels, on the
            last axis, or a scalar.
        which: what the totals count.
        is_widened: the outer thresholds lie just outside [0, 1], so that 0 is above the lowest.
        per_label: count each column by itself.
        top_k: only the so many largest scores of a row count as positive.
        class_id: only this column counts.
    """
    totals, batch = arrays[: len(which)], arrays[len(which) :]
    dtype, size = totals[0].dtype, totals[0].shape[0]
    y_true, y_pred, weights = _prepare(batch, dtype, top_k, class_id)
    bucket = jnp.ceil(jnp.clip(y_pred, 0, 1) * (size - 1)) - 1
    if is_widened:
        bucket = jnp.maximum(bucket, 0)
    # A 0 that is above no threshold, or a NaN, goes to a bucket beyond the end, which is dropped.
    place = jnp.where(bucket >= 0, bucket, size).astype(jnp.int32)
    is_true = y_true.astype(jnp.int32)
    if per_label:
        label = lax.broadcasted_iota(jnp.int32, place.shape, place.ndim - 1)
        empty = jnp.zeros((2, size, place.shape[-1]), dtype)
        buckets = empty.at[is_true, place, label].add(weights, mode="drop")
    else:
        buckets = jnp.zeros((2, size), dtype).at[is_true, place].add(weights, mode="drop")
    above = lax.cumsum(buckets, 1, reverse=True)
    return _added(totals, which, above[1], above[0], *_sums(y_true, weights, per_label))


@op(name="AddCounts", same_dtype=False, differentiable=False)
def add_counts(
    *arrays: jax.Array,
    which: tuple[str, ...],
    per_label: bool,
    top_k: int | None,
    class_id: int | None,
) -> tuple[jax.Array, ...]:
    """As `add_even_counts`, at thresholds that come last: a score above one is positive there."""
    totals, (*batch, thresholds) = arrays[: len(which)], arrays[len(which) :]
    dtype = totals[0].dtype
    y_true, y_pred, weights = _prepare(batch, dtype, top_k, class_id)
    axes = tuple(range(1, y_pred.ndim if per_label else y_pred.ndim + 1))
    limits = thresholds.astype(dtype).reshape(-1, *[1] * y_pred.ndim)
    weight_above = jnp.where(y_pred > limits, weights, jnp.zeros((), dtype))
    tp = jnp.sum(jnp.where(y_true, weight_above, jnp.zeros((), dtype)), axes)
    fp = jnp.sum(jnp.where(y_true, jnp.zeros((), dtype), weight_above), axes)
    return _added(totals, which, tp, fp, *_sums(y_true, weights, per_label))


def _prepare(
    batch: Sequence[Any], dtype: np.dtype[Any], top_k: int | None, class_id: Any
) -> tuple[Any, Any, Any]:
    """Labels as bools, scores and weights, all of one shape."""
    y_true, y_pred, weights, label_weights = batch
    y_true, y_pred = squeeze_pair(y_true.astype(dtype), y_pred.astype(dtype))
    rank = y_pred.ndim
    if top_k is not None:
        y_pred = _keep_top(y_pred, top_k)
    if class_id is not None:
        y_true, y_pred = y_true[..., class_id, None], y_pred[..., class_id, None]
    weights = weights.astype(dtype)
    if weights.ndim == rank + 1:
        weights = jnp.squeeze(weights, -1)
    _, weights = fit_weights(y_pred, weights)
    if weights.shape != y_pred.shape:
        raise ValueError(f"weights can not be broadcast to values of shape {y_pred.shape}")
    return y_true != 0, y_pred, weights * label_weights.astype(dtype)


def _keep_top(scores: jax.Array, k: int) -> jax.Array:
    _, best = lax.top_k(scores, k)
    classes = jnp.arange(scores.shape[-1], dtype=best.dtype)
    is_best = jnp.any(best[..., None] == classes, -2)
    return jnp.where(is_best, scores, jnp.asarray(NEG_INF, scores.dtype))


def _sums(y_true: jax.Array, weights: jax.Array, per_label: bool) -> tuple[Any, Any]:
    """The weight of all positive and of all negative labels."""
    axes = tuple(range(weights.ndim - 1)) if per_label else None
    zero = jnp.zeros((), weights.dtype)
    return jnp.sum(jnp.where(y_true, weights, zero), axes), jnp.sum(jnp.where(y_true, zero, weights), axes)


def _added(
    totals: tuple[Any, ...],
    which: tuple[str, ...],
    tp: jax.Array,
    fp: jax.Array,
    positives: jax.Array,
    negatives: jax.Array,
) -> tuple[jax.Array, ...]:
    counts = {"tp": tp, "fp": fp, "tn": negatives - fp, "fn": positives - tp}
    return tuple(total + counts[kind] for total, kind in zip(totals, which, strict=True))


_in_range = index_check(arg=0, limit=lambda arrays, statics: statics["size"])


def _class_check(
    xp: ModuleType, values: jax.Array | np.ndarray, *, size: int, ignored: int | None, **_: Any
) -> jax.Array | np.ndarray:
    if ignored is not None:
        values = xp.where(values == ignored, xp.zeros_like(values), values)
    return _in_range(xp, values, size=size)


_class_check.arg = 0  # pyright: ignore[reportFunctionMemberAccess]
_class_check.looks_at_one = True  # pyright: ignore[reportFunctionMemberAccess]


@op(
    name="ClassNumbers",
    same_dtype=False,
    differentiable=False,
    check=_class_check,
    check_text="The IoU metric expected class numbers of at least 0 and below num_classes={limit}; got {value}: "
    "out of bound. Raise num_classes, or name the number of unlabelled pixels as ignore_class.",
)
def class_numbers(values: jax.Array, *, size: int, ignored: int | None) -> jax.Array:
    """Flat int32 class numbers; a check raises for those that are not in [0, size)."""
    return values.reshape(-1).astype(jnp.int32)


@op(name="AddConfusion", same_dtype=False, differentiable=False)
def add_confusion(
    matrix: jax.Array, labels: jax.Array, predictions: jax.Array, weights: jax.Array, *, ignored: int | None
) -> jax.Array:
    """A matrix of labels (rows) by predictions (columns) plus what flat class numbers add to it."""
    weights = jnp.broadcast_to(weights.astype(matrix.dtype).reshape(-1), labels.shape)
    if ignored is not None:
        weights = jnp.where(labels == ignored, jnp.zeros((), matrix.dtype), weights)
        labels = jnp.where(labels == ignored, 0, labels)
    return matrix.at[labels, predictions].add(weights, mode="drop")


@op(name="MeanIoU", differentiable=False)
def mean_iou(matrix: jax.Array, *, classes: tuple[int, ...]) -> jax.Array:
    """The mean over `classes` of intersection over union; a class that never occurs does not count."""
    hits = jnp.diagonal(matrix)
    union = jnp.sum(matrix, 0) + jnp.sum(matrix, 1) - hits
    chosen = jnp.asarray(classes, jnp.int32)
    hits, union = hits[chosen], union[chosen]
    iou = _over(hits, union)
    return _over(jnp.sum(iou), jnp.sum(union != 0, dtype=matrix.dtype))


def _over(x: jax.Array, y: jax.Array) -> jax.Array:
    """x / y, but 0 where y is 0."""
    return jnp.where(y == 0, jnp.zeros((), x.dtype), x / jnp.where(y == 0, jnp.ones((), y.dtype), y))


@op(name="AreaUnderCurve", same_dtype=False, differentiable=False)
def area_under_curve(
    tp: jax.Array,
    tn: jax.Array,
    fp: jax.Array,
    fn: jax.Array,
    label_weights: jax.Array,
    *,
    curve: str,
    method: str,
    per_label: bool,
) -> jax.Array:
    """The area under a curve given by counts at falling thresholds, the first axis; per label, the mean.

    Args:
        tp: true positives, and so on.
        tn: true negatives.
        fp: false positives.
        fn: false negatives.
        label_weights: the weight of each label's area in the mean.
        curve: "ROC", "PR" or "PR_GAIN".
        method: "interpolation", "majoring" or "minoring".
        per_label: the counts have a second axis, of labels.
    """
    if curve == "PR" and method == "interpolation":
        areas = _interpolated_pr(tp, fp, fn)
    else:
        x, y = _curve(tp, tn, fp, fn, curve)
        left, right = y[:-1], y[1:]
        heights = {
            "interpolation": lambda: (left + right) / 2,
            "minoring": lambda: jnp.minimum(left, right),
            "majoring": lambda: jnp.maximum(left, right),
        }[method]()
        areas = jnp.sum((x[:-1] - x[1:]) * heights, 0)
    if not per_label:
        return areas
    weights = jnp.broadcast_to(label_weights.astype(areas.dtype), areas.shape)
    return _over(jnp.sum(areas * weights), jnp.sum(weights))


def _curve(tp: jax.Array, tn: jax.Array, fp: jax.Array, fn: jax.Array, curve: str) -> tuple[Any, Any]:
    recall = _over(tp, tp + fn)
    if curve == "ROC":
        return _over(fp, fp + tn), recall
    if curve == "PR":
        return recall, _over(tp, tp + fp)
    one = jnp.ones((), tp.dtype)
    scale = _over(tp + fn, fp + tn)
    recall_gain = jnp.where(tp == 0, 0 * one, one - scale * _over(fn, tp))
    precision_gain = jnp.where(tp == 0, one, one - scale * _over(fp, tp))
    return jnp.maximum(recall_gain, 0), precision_gain


def _interpolated_pr(tp: jax.Array, fp: jax.Array, fn: jax.Array) -> jax.Array:
    """Davis & Goadrich 2006: between two thresholds, true positives are linear in all positives."""
    positives = tp + fp
    dtp, slope_base = tp[:-1] - tp[1:], positives[:-1] - positives[1:]
    slope = _over(dtp, jnp.maximum(slope_base, 0))
    intercept = tp[1:] - slope * positives[1:]
    both = (positives[:-1] > 0) & (positives[1:] > 0)
    ratio = jnp.where(both, _over(positives[:-1], jnp.maximum(positives[1:], 0)), jnp.ones((), tp.dtype))
    increments = _over(slope * (dtp + intercept * jnp.log(ratio)), jnp.maximum(tp[1:] + fn[1:], 0))
    return jnp.sum(increments, 0)


@op(name="BestUnderConstraint", same_dtype=True, differentiable=False)
def best_under_constraint(
    kept: jax.Array, kept_rest: jax.Array, sought: jax.Array, sought_rest: jax.Array, *, least: float
) -> jax.Array:
    """The largest sought/(sought + rest) where kept/(kept + rest) is at least `least`; 0 if nowhere."""
    constraint, dependent = _over(kept, kept + kept_rest), _over(sought, sought + sought_rest)
    feasible = constraint >= jnp.asarray(least, kept.dtype)
    return jnp.max(jnp.where(feasible, dependent, jnp.zeros((), kept.dtype)))
