"""A logged confusion matrix for the page."""

from __future__ import annotations

import numpy as np
from google.protobuf.message import DecodeError

from tapeflow.board.api.confusion.schema import ConfusionBlob
from tapeflow.summary.protos import message
from tapeflow.summary.values import Value

MOST_CLASSES = 4096
MOST_COUNTS = 4_000_000  # that are not 0
_MOST_CHARACTERS = 500


def confusion_blob(value: Value) -> ConfusionBlob:
    """Names and counts; where they are no matrix of counts, what they are."""
    counts = value.array
    problem = _problem(counts)
    if problem:
        return {"names": [], "gaps": [], "counts": [], "problem": problem}
    flat = counts.ravel()
    places = np.flatnonzero(flat)
    if len(places) > MOST_COUNTS:
        text = f"it has {len(places)} cells that are not 0; the page takes {MOST_COUNTS}"
        return {"names": [], "gaps": [], "counts": [], "problem": text}
    return {
        "names": _names(value.content, len(counts)),
        "gaps": np.diff(places, prepend=0).tolist(),
        "counts": flat[places].tolist(),
        "problem": "",
    }


def _problem(counts: np.ndarray) -> str:
    shape = counts.shape
    if len(shape) != 2 or shape[0] != shape[1] or counts.dtype.kind not in "iuf":
        return f"it expected a square matrix of counts; got shape {shape} of {counts.dtype}"
    if shape[0] > MOST_CLASSES:
        return f"it expected at most {MOST_CLASSES} classes; got {shape[0]}"
    if not (np.isfinite(counts) & (counts >= 0)).all():
        return "it expected counts from 0 on; got negative or infinite ones, or NaN"
    return ""


def _names(content: bytes, classes: int) -> list[str]:
    try:
        given = list(message("ConfusionPluginData").FromString(content).class_names)[:classes]
    except DecodeError:
        given = []
    return [name[:_MOST_CHARACTERS] for name in given] + [str(i) for i in range(len(given), classes)]
