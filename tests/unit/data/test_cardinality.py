"""Counting elements that may be without end or unknown."""

from __future__ import annotations

import pytest

from tapeflow.data import cardinality as counting

INF, UNKNOWN = counting.INFINITE, counting.UNKNOWN


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (counting.repeated(3, 2), 6),
        (counting.repeated(0, -1), 0),
        (counting.repeated(UNKNOWN, 2), UNKNOWN),
        (counting.repeated(INF, 2), INF),
        (counting.taken(INF, 4), 4),
        (counting.taken(UNKNOWN, 4), UNKNOWN),
        (counting.skipped(INF, 4), INF),
        (counting.skipped(3, 4), 0),
        (counting.batched(7, 2, False), 4),
        (counting.batched(7, 2, True), 3),
        (counting.batched(INF, 2, True), INF),
        (counting.sharded(10, 3, 1), 3),
        (counting.sharded(2, 5, 3), 0),
        (counting.shortest([INF, 4, 3]), 3),
        (counting.shortest([INF, INF]), INF),
        (counting.shortest([UNKNOWN, 4]), UNKNOWN),
        (counting.total([2, 3]), 5),
        (counting.total([2, INF]), INF),
        (counting.total([2, UNKNOWN]), UNKNOWN),
    ],
)
def test_counts(found: int, expected: int) -> None:
    assert found == expected
