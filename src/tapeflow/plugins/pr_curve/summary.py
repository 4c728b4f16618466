"""Writing PR curves, by TensorBoard's names; `tf.summary.pr_curve` is the shorter way."""

from __future__ import annotations

from typing import Any, SupportsInt

import numpy as np
import numpy.typing as npt

from tapeflow.summary import hooks
from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit_together, tag_of
from tapeflow.summary.event_files.tensors import tensor_bytes
from tapeflow.summary.kinds.pr_curves import (
    checked_thresholds,
    curve_metadata,
    curve_of,
    pr_curve,
    threshold_counts,
)
from tapeflow.summary.protos import message

__all__ = ["op", "pb", "raw_data_op", "raw_data_pb", "streaming_op"]


def op(
    name: str,
    labels: npt.ArrayLike,
    predictions: npt.ArrayLike,
    num_thresholds: int | None = None,
    weights: npt.ArrayLike | None = None,
    display_name: str | None = None,
    description: str | None = None,
    collections: object = None,
    step: SupportsInt | None = None,
) -> bool:
    """Write the curve of these examples alone. See `tf.summary.pr_curve`; `collections` is ignored."""
    return pr_curve(
        name,
        labels,
        predictions,
        step,
        num_thresholds,
        weights,
        description,
        display_name=display_name,
        accumulate=False,
    )


def streaming_op(
    name: str,
    labels: npt.ArrayLike,
    predictions: npt.ArrayLike,
    num_thresholds: int | None = None,
    weights: npt.ArrayLike | None = None,
    metrics_collections: object = None,
    updates_collections: object = None,
    display_name: str | None = None,
    description: str | None = None,
    step: SupportsInt | None = None,
) -> bool:
    """Write the curve of these examples and of all others given with the same name and step.

    See `tf.summary.pr_curve`; collections are ignored.
    """
    return pr_curve(
        name, labels, predictions, step, num_thresholds, weights, description, display_name=display_name
    )


def pb(
    name: str,
    labels: npt.ArrayLike,
    predictions: npt.ArrayLike,
    num_thresholds: int | None = None,
    weights: npt.ArrayLike | None = None,
    display_name: str | None = None,
    description: str | None = None,
) -> Any:
    """A Summary message with the curve of these examples, which are numpy arrays."""
    count = checked_thresholds(num_thresholds)
    counts = threshold_counts(
        count, np.asarray(labels), np.asarray(predictions), np.asarray(1.0 if weights is None else weights)
    )
    return _summary(name, curve_of(counts), count, display_name, description)


def raw_data_op(
    name: str,
    true_positive_counts: npt.ArrayLike,
    false_positive_counts: npt.ArrayLike,
    true_negative_counts: npt.ArrayLike,
    false_negative_counts: npt.ArrayLike,
    precision: npt.ArrayLike,
    recall: npt.ArrayLike,
    num_thresholds: int | None = None,
    display_name: str | None = None,
    description: str | None = None,
    collections: object = None,
    step: SupportsInt | None = None,
) -> bool:
    """Write a curve whose numbers have been computed already, one for each threshold from 0 to 1."""
    writer = recording_writer()
    if writer is None:
        return False
    data = [
        *(true_positive_counts, false_positive_counts),
        *(true_negative_counts, false_negative_counts, hooks.value(precision), recall),
    ]
    tag = tag_of(name, "pr_curve")
    count = checked_thresholds(data[4].shape[0] if num_thresholds is None else num_thresholds)
    meta = curve_metadata(display_name or tag, count, description)
    return emit_together(writer, f"{tag}/pr_curves", data, step, meta, _stacked)


def raw_data_pb(
    name: str,
    true_positive_counts: Any,
    false_positive_counts: Any,
    true_negative_counts: Any,
    false_negative_counts: Any,
    precision: Any,
    recall: Any,
    num_thresholds: int | None = None,
    display_name: str | None = None,
    description: str | None = None,
) -> Any:
    """A Summary message with a curve whose numbers have been computed already."""
    rows = [
        *(true_positive_counts, false_positive_counts),
        *(true_negative_counts, false_negative_counts, precision, recall),
    ]
    count = checked_thresholds(len(precision) if num_thresholds is None else num_thresholds)
    return _summary(name, _stacked(*rows), count, display_name, description)


def _summary(
    name: str, curve: np.ndarray, count: int, display_name: str | None, description: str | None
) -> Any:
    found = message("Summary")()
    value = found.value.add(tag=f"{name}/pr_curves")
    value.metadata.MergeFromString(curve_metadata(display_name or name, count, description))
    value.tensor.MergeFromString(tensor_bytes(curve))
    return found


def _stacked(*rows: Any) -> np.ndarray:
    return np.stack([np.asarray(row, np.float32) for row in rows])
