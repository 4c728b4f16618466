"""A logged PR curve for the page."""

from __future__ import annotations

import numpy as np

from tapeflow.board.api.pr_curves.schema import PrCurveBlob
from tapeflow.summary.event_files.values import Value
from tapeflow.summary.kinds.pr_curves import Curve, curve_from

MOST_THRESHOLDS = 100_000
_MOST_COUNT = 2.0**62  # an int64 can be


def curve_of(value: Value) -> Curve:
    """A logged value as a curve, without the thresholds at the end that nothing reaches.

    Raises:
        ValueError: it is no curve.
    """
    array = value.array
    if array.ndim != 2 or len(array) != 6 or array.dtype.kind not in "iuf" or not array.shape[1]:
        raise ValueError(
            f"it expected 6 rows of numbers, one for each threshold; got shape {array.shape} of {array.dtype}"
        )
    if array.shape[1] > MOST_THRESHOLDS:
        raise ValueError(f"it expected at most {MOST_THRESHOLDS} thresholds; got {array.shape[1]}")
    curve = curve_from(array)
    reached = np.flatnonzero(whole(curve.true_positives) + whole(curve.false_positives))
    end = reached[-1] + 1 if len(reached) else 1
    return Curve(*(column[:end] for column in curve))


def whole(counts: np.ndarray) -> np.ndarray:
    """Counts as TensorBoard gives them, without what weights add behind the point."""
    finite = np.nan_to_num(counts.astype(np.float64), posinf=0, neginf=0)
    return np.clip(finite, -_MOST_COUNT, _MOST_COUNT).astype(np.int64)


def curve_blob(value: Value) -> PrCurveBlob:
    """The curve of a step; where it is none, what it is."""
    try:
        found, problem, thresholds = curve_of(value), "", value.array.shape[1]
    except ValueError as error:
        found, problem, thresholds = Curve(*np.zeros((7, 0))), str(error), 0
    return {
        "thresholds": thresholds,
        "true_positives": found.true_positives.tolist(),
        "false_positives": found.false_positives.tolist(),
        "true_negatives": found.true_negatives.tolist(),
        "false_negatives": found.false_negatives.tolist(),
        "precision": found.precision.tolist(),
        "recall": found.recall.tolist(),
        "problem": problem,
    }
