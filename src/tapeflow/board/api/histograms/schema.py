"""What the histograms' routes give."""

from __future__ import annotations

from typing import TypedDict


class HistogramBlob(TypedDict):
    """What the URL of one histogram gives: left edge, right edge and count of each bucket, and the percentiles."""

    buckets: list[list[float]]
    percentiles: list[float]


class HistogramsHead(TypedDict):
    """The JSON at the head of many histograms of one series, in the order they were written.

    Of the `total` there are, `steps` follow the cursor that was asked with, with `buckets` buckets in all. If
    `is_reset`, that cursor no longer holds, and these are from the first on.
    """

    run: str
    tag: str
    total: int
    cursor: str
    is_reset: bool
    steps: int
    buckets: int
