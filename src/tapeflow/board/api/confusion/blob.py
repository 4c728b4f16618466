"""A logged confusion matrix for the page."""

from __future__ import annotations

import numpy as np
from google.protobuf.message import DecodeError

from tapeflow.board.api.confusion.schema import ConfusionBlob
from tapeflow.board.notes import Phrases
from tapeflow.board.schema import Note
from tapeflow.summary.event_files.values import Value
from tapeflow.summary.protos import message

NOTES = Phrases(
    shape="it expected a square matrix of counts; got shape {shape} of {dtype}",
    classes="it expected at most {most} classes; got {n}",
    counts="it expected counts from 0 on; got negative or infinite ones, or NaN",
    cells="it has {n} cells that are not 0; the page takes {most}",
)

MOST_CLASSES = 4096
MOST_COUNTS = 4_000_000  # that are not 0
_MOST_CHARACTERS = 500


def confusion_blob(value: Value) -> ConfusionBlob:
    """Names and counts; where they are no matrix of counts, what they are."""
    counts = value.array
    if problem := _problem(counts):
        return _nothing(problem)
    flat = counts.ravel()
    places = np.flatnonzero(flat)
    if len(places) > MOST_COUNTS:
        return _nothing(NOTES("cells", n=len(places), most=MOST_COUNTS))
    return {
        "names": _names(value.content, len(counts)),
        "gaps": np.diff(places, prepend=0).tolist(),
        "counts": flat[places].tolist(),
        "problem": "",
        "notes": [],
    }


def _nothing(note: Note) -> ConfusionBlob:
    return {"names": [], "gaps": [], "counts": [], "problem": note["text"], "notes": [note]}


def _problem(counts: np.ndarray) -> Note | None:
    shape = counts.shape
    if len(shape) != 2 or shape[0] != shape[1] or counts.dtype.kind not in "iuf":
        return NOTES("shape", shape=str(shape), dtype=str(counts.dtype))
    if shape[0] > MOST_CLASSES:
        return NOTES("classes", most=MOST_CLASSES, n=shape[0])
    if not (np.isfinite(counts) & (counts >= 0)).all():
        return NOTES("counts")
    return None


def _names(content: bytes, classes: int) -> list[str]:
    try:
        given = list(message("ConfusionPluginData").FromString(content).class_names)[:classes]
    except DecodeError:
        given = []
    return [name[:_MOST_CHARACTERS] for name in given] + [str(i) for i in range(len(given), classes)]
