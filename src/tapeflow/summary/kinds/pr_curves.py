"""`tf.summary.pr_curve`: precision and recall of a yes-or-no classifier at many thresholds."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, SupportsInt

import numpy as np
import numpy.typing as npt

from tapeflow.summary import hooks
from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit_together, tag_of
from tapeflow.summary.event_files import encoding
from tapeflow.summary.protos import message
from tapeflow.summary.totals import Total

PLUGIN = "pr_curves"
THRESHOLDS = 201
_LEAST_COUNT = 1e-7  # keeps 0 / 0 from being NaN, as TensorBoard does


def pr_curve(
    name: str,
    labels: npt.ArrayLike,
    predictions: npt.ArrayLike,
    step: SupportsInt | None = None,
    num_thresholds: int | None = None,
    weights: npt.ArrayLike | None = None,
    description: str | None = None,
    *,
    display_name: str | None = None,
    accumulate: bool = True,
) -> bool:
    """Write a precision-recall curve.

    Calls with the same name and step add up, so a curve may be logged batch by batch.

    Args:
        name: the tag; the name scope is put in front of it, and `/pr_curves` behind.
        labels: what is true, in any shape: booleans, or 0 and 1.
        predictions: the probabilities, from 0 to 1, in the same shape.
        step: the step, unless there is a default one.
        num_thresholds: at how many thresholds, evenly from 0 to 1; 201 unless given.
        weights: how much each example counts; 1 unless given.
        description: a text about the tag, in Markdown.
        display_name: what the board shows instead of the name.
        accumulate: whether to add to what was given for this step before.

    Returns:
        Whether it was recorded.
    """
    count = checked_thresholds(num_thresholds)
    writer = recording_writer()
    if writer is None:
        return False
    tag = tag_of(name, "pr_curve")
    meta = curve_metadata(display_name or tag, count, description)
    tag = f"{tag}/pr_curves"
    values = [hooks.value(d) for d in (labels, predictions, 1.0 if weights is None else weights)]
    _check(*[tuple(v.shape) for v in values])
    if not accumulate:
        return emit_together(
            writer, tag, values, step, meta, lambda *given: curve_of(threshold_counts(count, *given))
        )
    total = writer.source((tag, meta), lambda: Total(lambda found: [(tag, curve_of(found), meta)]))

    def add(step: int, *given: np.ndarray) -> None:
        total.add(step, threshold_counts(count, *given))

    return emit_together(writer, tag, values, step, meta, add, takes_step=True)


def checked_thresholds(num_thresholds: int | None) -> int:
    """The number of thresholds."""
    count = THRESHOLDS if num_thresholds is None else int(num_thresholds)
    if count < 2:
        raise ValueError(
            f"tf.summary.pr_curve expected at least 2 thresholds; got num_thresholds={num_thresholds!r}."
        )
    return count


def _check(labels: tuple[int, ...], predictions: tuple[int, ...], weights: tuple[int, ...]) -> None:
    if labels != predictions:
        raise ValueError(
            "tf.summary.pr_curve expected predictions in the shape of labels; got labels of shape "
            f"{labels} and predictions of shape {predictions}. For several classes, log one curve each."
        )
    try:
        fits = np.broadcast_shapes(labels, weights) == labels
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"tf.summary.pr_curve expected weights that fit labels of shape {labels}; got shape {weights}."
        )


@lru_cache(maxsize=256)
def curve_metadata(display_name: str, num_thresholds: int, description: str | None = None) -> bytes:
    """The SummaryMetadata of a curve, serialised."""
    content = message("PrCurvePluginData")(num_thresholds=num_thresholds).SerializeToString()
    found = message("SummaryMetadata").FromString(encoding.metadata(PLUGIN, content, description))
    found.display_name = display_name
    return found.SerializeToString()


def threshold_counts(
    num_thresholds: int, labels: np.ndarray, predictions: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The weights of true and of false examples at or above each threshold: shape `[2, thresholds]`."""
    chances = np.clip(np.nan_to_num(predictions.ravel()), 0, 1)
    places = np.floor(chances * chances.dtype.type(num_thresholds - 1)).astype(np.int64)
    truth = labels.astype(bool).ravel()
    heavy = np.broadcast_to(weights, labels.shape).astype(np.float64).ravel()
    found = [np.bincount(places, heavy * is_it, num_thresholds) for is_it in (truth, ~truth)]
    return np.cumsum(np.array(found)[:, ::-1], axis=1)[:, ::-1]


def curve_of(counts: np.ndarray) -> np.ndarray:
    """What a curve's summary holds: true and false positives, true and false negatives, precision, recall."""
    positives, false_positives = counts
    negatives, false_negatives = false_positives[0] - false_positives, positives[0] - positives
    precision = positives / np.maximum(_LEAST_COUNT, positives + false_positives)
    recall = positives / np.maximum(_LEAST_COUNT, positives + false_negatives)
    rows = [positives, false_positives, negatives, false_negatives, precision, recall]
    return np.array(rows, np.float32)


class Curve(NamedTuple):
    """A logged curve: an array for each, as long as there are thresholds."""

    thresholds: np.ndarray
    true_positives: np.ndarray
    false_positives: np.ndarray
    true_negatives: np.ndarray
    false_negatives: np.ndarray
    precision: np.ndarray
    recall: np.ndarray


def curve_from(value: np.ndarray) -> Curve:
    """A value of a `pr_curves` series as a `Curve`."""
    if value.ndim != 2 or len(value) != 6:
        raise ValueError(f"a PR curve of shape {value.shape}")
    return Curve(np.linspace(0, 1, value.shape[1]), *value)
