"""The last, least and largest value of series, and the steps of these: of thousands of short series in one go."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tapeflow.board.series import Series

_MOST_POINTS = 4_000_000  # at a time


class Extremes(NamedTuple):
    """What a table shows of a series. NaN is the least and the largest only where there is nothing else."""

    points: int
    last: float
    last_step: int
    least: float
    least_step: int
    largest: float
    largest_step: int


_known: weakref.WeakKeyDictionary[Series, Extremes] = weakref.WeakKeyDictionary()


def extremes_of(wanted: Iterable[Series]) -> dict[Series, Extremes]:
    """The extremes of series that have points. Of one that was asked about before, only what is new is looked at."""
    counts = {series: len(series) for series in wanted}
    for part in _parts({one: n for one, n in counts.items() if n and _seen(one) < n}):
        for series, fresh in zip(part, _fresh(part), strict=True):
            _known[series] = _joined(_known.get(series), fresh)
    return {series: _known[series] for series, count in counts.items() if count}


def _seen(series: Series) -> int:
    known = _known.get(series)
    return known.points if known else 0


def _parts(stale: dict[Series, int]) -> Iterator[dict[Series, int]]:
    part: dict[Series, int] = {}
    points = 0
    for series, count in stale.items():
        part[series] = count
        points += count - _seen(series)
        if points >= _MOST_POINTS:
            yield part
            part, points = {}, 0
    if part:
        yield part


def _fresh(part: dict[Series, int]) -> list[Extremes]:
    """The extremes of what is new in each of these series, up to these counts."""
    spans = [(_seen(series), count) for series, count in part.items()]
    values = _together("values", part, spans)
    steps = _together("steps", part, spans)
    ends = np.cumsum([end - begin for begin, end in spans])
    starts = np.concatenate([[0], ends[:-1]])
    least, least_at = _first(np.minimum, values, np.inf, starts, ends)
    largest, largest_at = _first(np.maximum, values, -np.inf, starts, ends)
    columns = (
        list(part.values()),
        values[ends - 1].tolist(),
        steps[ends - 1].tolist(),
        least.tolist(),
        steps[least_at].tolist(),
        largest.tolist(),
        steps[largest_at].tolist(),
    )
    return list(map(Extremes._make, zip(*columns, strict=True)))


def _together(column: str, part: dict[Series, int], spans: Sequence[tuple[int, int]]) -> np.ndarray:
    found = [one.columns[column][begin:end] for one, (begin, end) in zip(part, spans, strict=True)]
    return np.concatenate(found)


def _first(
    extreme: np.ufunc, values: np.ndarray, instead: float, starts: np.ndarray, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The extreme of each stretch, and where it first is."""
    is_nan = np.isnan(values)
    clean = np.where(is_nan, instead, values)
    found = extreme.reduceat(clean, starts)
    # Where infinity is the extreme, NaN looks like it; it is meant only if there is nothing else.
    is_void = np.logical_and.reduceat(is_nan, starts)
    lengths = ends - starts
    is_it = (clean == np.repeat(found, lengths)) & (~is_nan | np.repeat(is_void, lengths))
    places = np.flatnonzero(is_it)
    first = places[np.searchsorted(places, starts)]
    return np.where(is_void, np.nan, found), first


def _joined(old: Extremes | None, new: Extremes) -> Extremes:
    if old is None:
        return new
    keeps_least = old.least <= new.least or new.least != new.least
    keeps_largest = old.largest >= new.largest or new.largest != new.largest
    least, largest = (old if keeps_least else new), (old if keeps_largest else new)
    return Extremes(
        new.points,
        new.last,
        new.last_step,
        least.least,
        least.least_step,
        largest.largest,
        largest.largest_step,
    )
