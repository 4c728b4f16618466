"""Kernels of metrics: no float64 in a float32 one, weights by Keras's rules, empty batches."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.ops.training import confusion_counts, metric_totals
from tapeflow.ops.training.metric_totals import (
    BINARY,
    CATEGORICAL,
    SPARSE,
    SPARSE_TOP_K,
    add_weighted_mean,
    fit_weights,
)

SCALAR, ROW = jnp.zeros((), "float32"), jnp.zeros((4,), "float32")
MATRIX, LABELS = jnp.ones((4, 3), "float32"), jnp.zeros((4,), "int64")
PER_CLASS = [jnp.zeros((3,), "float32")] * 4
EVEN = {"which": ("tp", "fp", "tn", "fn"), "per_label": False, "top_k": 2, "class_id": None}


@pytest.mark.parametrize(
    ("op", "arrays", "statics"),
    [
        (metric_totals.add_sum, (SCALAR, MATRIX), {}),
        (metric_totals.add_weighted_sum, (SCALAR, MATRIX, ROW), {}),
        (metric_totals.add_weighted_mean, (SCALAR, SCALAR, MATRIX, ROW), {}),
        (metric_totals.add_weighted_batch, (SCALAR, SCALAR, MATRIX, ROW), {}),
        (BINARY.add, (SCALAR, MATRIX, MATRIX), {"threshold": 0.5}),
        (SPARSE.add, (SCALAR, LABELS, MATRIX), {}),
        (CATEGORICAL.add_weighted, (SCALAR, SCALAR, MATRIX, MATRIX, ROW), {}),
        (SPARSE_TOP_K.add, (SCALAR, LABELS, MATRIX), {"k": 2}),
        (
            metric_totals.add_f_score_counts,
            (*PER_CLASS, MATRIX, MATRIX, ROW),
            {"threshold": None, "per_class": True},
        ),
        (metric_totals.add_squares, (*PER_CLASS, MATRIX, MATRIX, ROW), {}),
        (
            confusion_counts.add_even_counts,
            (*[ROW] * 4, MATRIX, MATRIX, ROW, SCALAR),
            {**EVEN, "is_widened": True},
        ),
        (confusion_counts.add_counts, (*[ROW] * 4, MATRIX, MATRIX, ROW, SCALAR, ROW), EVEN),
        (confusion_counts.mean_iou, (MATRIX[:3],), {"classes": (0, 2)}),
        *[
            (
                confusion_counts.area_under_curve,
                (*[MATRIX] * 4, SCALAR),
                {"curve": curve, "method": "interpolation", "per_label": True},
            )
            for curve in ("ROC", "PR", "PR_GAIN")
        ],
        (confusion_counts.best_under_constraint, (ROW, ROW, ROW, ROW), {"least": 0.5}),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_float32_kernels_hold_no_float64(op: Any, arrays: Any, statics: Any) -> None:
    assert "f64" not in str(jax.make_jaxpr(lambda *a: op.kernel(*a, **statics))(*arrays))


def test_weights_of_a_rank_too_much_or_too_little_are_lined_up() -> None:
    values = jnp.ones((4, 3))
    for shape in ((), (4,), (4, 1), (4, 3), (4, 3, 1)):
        fitted, weights = fit_weights(values, jnp.ones(shape))
        assert fitted.shape == weights.shape == (4, 3)
    fitted, weights = fit_weights(jnp.ones((4, 3, 2)), jnp.ones((4,)))
    assert fitted.shape == weights.shape == (4,)


def test_an_empty_batch_adds_nothing() -> None:
    total, count = add_weighted_mean(1.0, 2.0, tf.zeros((0, 3)), tf.zeros((0,)))
    assert (total.numpy(), count.numpy()) == (1.0, 2.0)
    assert SPARSE.add(1.0, tf.zeros((0,), tf.int32), tf.zeros((0, 3))).numpy() == 1.0
    assert SPARSE.count((0,), (0, 3)) == 0


def test_buckets_give_what_comparing_gives() -> None:
    random = np.random.default_rng(0)
    labels, scores = random.integers(0, 2, (40, 3)), random.uniform(size=(40, 3)).astype("float32")
    thresholds = np.linspace(0, 1, 9).astype("float32")
    for per_label, shape in ((False, (9,)), (True, (9, 3))):
        statics = {**EVEN, "top_k": None, "per_label": per_label}
        totals = [tf.zeros(shape)] * 4
        even = confusion_counts.add_even_counts(
            *totals, labels, scores, 1.0, 1.0, is_widened=False, **statics
        )
        compared = confusion_counts.add_counts(*totals, labels, scores, 1.0, 1.0, thresholds, **statics)
        for one, other in zip(even, compared, strict=True):
            np.testing.assert_array_equal(one.numpy(), other.numpy())
