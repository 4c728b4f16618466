"""What the API gives of confusion matrices."""

from __future__ import annotations

from typing import TypedDict

from tapeflow.board.schema import Note


class ConfusionBlob(TypedDict):
    """What the URL of a confusion matrix gives: `names` of classes, and counts, a row for each true class.

    Only counts that are not 0 are given, row by row: `gaps` says how many cells on from the one before each stands,
    the first from the first cell. `notes`, and `problem` in one text, say why there is none.
    """

    names: list[str]
    gaps: list[int]
    counts: list[float]
    problem: str
    notes: list[Note]
