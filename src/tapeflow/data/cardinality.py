"""How many elements a dataset has: a count, or one of two marks for no count.

The marks are TensorFlow's: -1 for without end, -2 for unknown.
"""

from __future__ import annotations

from collections.abc import Iterable

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2

INFINITE = INFINITE_CARDINALITY
UNKNOWN = UNKNOWN_CARDINALITY


def repeated(cardinality: int, count: int) -> int:
    """That many elements, `count` times over; a negative count is without end."""
    if count == 0 or cardinality == 0:
        return 0
    if count < 0 or cardinality == INFINITE:
        return INFINITE
    return cardinality if cardinality == UNKNOWN else cardinality * count


def taken(cardinality: int, count: int) -> int:
    """At most `count` of that many elements; a negative count takes all."""
    if count < 0:
        return cardinality
    if cardinality == INFINITE:
        return count
    return cardinality if cardinality == UNKNOWN else min(cardinality, count)


def skipped(cardinality: int, count: int) -> int:
    """What is left without the first `count`; a negative count skips all."""
    if count < 0:
        return 0
    return cardinality if cardinality < 0 else max(0, cardinality - count)


def batched(cardinality: int, size: int, drop_remainder: bool) -> int:
    """How many groups of `size` that many elements make."""
    if cardinality < 0:
        return cardinality
    return cardinality // size if drop_remainder else -(-cardinality // size)


def sharded(cardinality: int, count: int, index: int) -> int:
    """How many of that many elements have position `index` modulo `count`."""
    return cardinality if cardinality < 0 else max(0, -(-(cardinality - index) // count))


def shortest(cardinalities: Iterable[int]) -> int:
    """How far several go together."""
    known = list(cardinalities)
    counts = [c for c in known if c >= 0]
    if UNKNOWN in known:
        return 0 if 0 in counts else UNKNOWN
    return min(counts) if counts else INFINITE


def total(cardinalities: Iterable[int]) -> int:
    """How many there are one after the other."""
    known = list(cardinalities)
    if INFINITE in known:
        return INFINITE
    return UNKNOWN if UNKNOWN in known else sum(known)
