"""What is known of a run's tags without their points: enough for lists, counts and the table of runs.

Runs of one kind have the same tags, so these are kept once for all of them: a `Layout`. What differs is one array of
numbers for each run. Thousands of runs are thus told from a few arrays, and their points stay on disk until somebody
wants to see them.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tapeflow.board.extremes import extremes_of
from tapeflow.board.series import Series

if TYPE_CHECKING:
    from tapeflow.board.runs import Run

COUNT, LAST_STEP, FIRST_EXTREME = 0, 1, 2
NUMBERS = 8
"""The numbers of a tag: how many values, the largest step, then last, least and largest value, each with its step."""


class TagFacts(NamedTuple):
    """What runs that have a tag say of it alike."""

    tag: str
    is_scalar: bool
    panel: str
    display_name: str
    description: str


class Layout:
    """The tags of a run in the order they came; one object for all runs that have the same."""

    __slots__ = ("__weakref__", "places", "tags")

    def __init__(self, tags: tuple[TagFacts, ...]) -> None:
        self.tags = tags
        self.places = {(one.tag, one.is_scalar): place for place, one in enumerate(tags)}


_layouts: weakref.WeakValueDictionary[tuple[TagFacts, ...], Layout] = weakref.WeakValueDictionary()


def layout_of(tags: tuple[TagFacts, ...]) -> Layout:
    """The layout with these tags."""
    found = _layouts.get(tags)
    if found is None:
        found = _layouts[tags] = Layout(tags)
    return found


class Outline(NamedTuple):
    """The tags of a run, and the `NUMBERS` of each; NaN for the extremes of what is no scalar."""

    layout: Layout
    numbers: np.ndarray

    def has(self, tag: str, is_scalar: bool) -> bool:
        """Whether the run has a tag."""
        return (tag, is_scalar) in self.layout.places


class Alike(NamedTuple):
    """Runs of one layout: their places among all, and an array of runs, tags and numbers."""

    layout: Layout
    places: np.ndarray
    numbers: np.ndarray


def outlines_of(runs: Iterable[Run]) -> list[Outline]:
    """The outlines of runs; only those of runs that have grown since they were last asked for are made."""
    runs = list(runs)
    stale = [(run, run.points, run.loaded_series()) for run in runs if run.is_outline_stale]
    scalars = [one for _, _, series in stale for one in series if one.is_scalar]
    extremes = extremes_of(scalars)
    for run, points, series in stale:
        numbers = np.full((len(series), NUMBERS), np.nan)
        for row, one in zip(numbers, series, strict=True):
            row[:FIRST_EXTREME] = len(one), one.last_step
            if one in extremes:
                row[FIRST_EXTREME:] = extremes[one][1:]
        run.set_outline(Outline(layout_of(tuple(map(_facts, series))), numbers), points)
    return [run.outline for run in runs]


def _facts(one: Series) -> TagFacts:
    return TagFacts(one.tag, one.is_scalar, one.panel, one.display_name, one.description)


def alike(outlines: Sequence[Outline]) -> list[Alike]:
    """Outlines by their layout, in the order in which layouts first come."""
    places: dict[Layout, list[int]] = {}
    for place, outline in enumerate(outlines):
        places.setdefault(outline.layout, []).append(place)
    return [
        Alike(layout, np.array(rows), np.stack([outlines[row].numbers for row in rows]))
        for layout, rows in places.items()
    ]
