"""What the API gives of PR curves."""

from __future__ import annotations

from typing import TypedDict


class PrCurveBlob(TypedDict):
    """What the URL of a PR curve gives: a number for each threshold, evenly from 0 to 1; null where it is none.

    Thresholds at the end which nothing reaches are left out: precision means nothing there. `thresholds` counts all.
    `problem` says why there is no curve; "" if all is well.
    """

    thresholds: int
    true_positives: list[float | None]
    false_positives: list[float | None]
    true_negatives: list[float | None]
    false_negatives: list[float | None]
    precision: list[float | None]
    recall: list[float | None]
    problem: str
