"""The tags of a run: in memory, or only in the index until somebody asks for their points.

A board may show more runs than fit into memory. What lists and tables need of a run is its outline, which is small;
its points are loaded when a chart, a panel or the reading of what is new asks for them, and let go of again.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from tapeflow.board.outline import NUMBERS, Outline, layout_of
from tapeflow.board.series import Series
from tapeflow.summary.event_files.reader import EventFileReader


class RunTags:
    """What a run has logged, by tag.

    Attributes:
        points: how many values there are.
        used_at: when the points were last asked for or added to, by the monotonic clock.
        unloaded_at: the store's version when the points were last let go of; 0 if they never were.
    """

    def __init__(self) -> None:
        self.points = 0
        self.used_at = 0.0
        self.unloaded_at = 0
        self._readers: dict[str, EventFileReader] = {}
        self._scalars: dict[str, Series] = {}
        self._entries: dict[str, Series] = {}
        self._load: Callable[[], None] | None = None
        self._kept_bytes = 0
        self._outline: Outline | None = None
        self._outlined_points = -1

    @property
    def bytes_read(self) -> int:
        """How much of them has been read."""
        if self._load is not None:
            return self._kept_bytes
        return sum(reader.offset for reader in list(self._readers.values()))

    @property
    def scalars(self) -> dict[str, Series]:
        """Tags with numbers."""
        self.load()
        return self._scalars

    @property
    def entries(self) -> dict[str, Series]:
        """Tags with anything else."""
        self.load()
        return self._entries

    @property
    def readers(self) -> dict[str, EventFileReader]:
        """Its files, by path."""
        self.load()
        return self._readers

    @property
    def is_loaded(self) -> bool:
        """Whether its points are in memory."""
        return self._load is None

    def load(self) -> None:
        """Have its points in memory, if they are only in the index."""
        self.used_at = time.monotonic()
        load = self._load
        if load is not None:
            load()

    def loaded(self) -> None:
        """Note that its points are in memory; the store's lock is held."""
        self._load = None

    def unload(self, load: Callable[[], None], version: int) -> None:
        """Let go of its points, all of which are in the index; `load` fetches them. The store's lock is held."""
        self._kept_bytes = self.bytes_read
        self._load, self.unloaded_at = load, version
        self._readers, self._scalars, self._entries = {}, {}, {}

    def keep(self, outline: Outline, bytes_read: int, load: Callable[[], None]) -> None:
        """Begin with points that are only in the index: `load` fetches them."""
        self._outline, self._kept_bytes, self._load = outline, bytes_read, load

    def series(self) -> list[Series]:
        """All tags."""
        self.load()
        return self.loaded_series()

    def loaded_series(self) -> list[Series]:
        """The tags that are in memory."""
        return [*self._scalars.values(), *self._entries.values()]

    @property
    def series_total(self) -> int:
        """How many series are in memory."""
        return len(self._scalars) + len(self._entries)

    def has(self, tag: str, is_scalar: bool = False) -> bool:
        """Whether it has a tag, without loading it for that."""
        if self._load is not None and self._outline is not None:
            return self._outline.has(tag, is_scalar)
        return tag in (self.scalars if is_scalar else self.entries)

    @property
    def outline(self) -> Outline:
        """Its tags and their numbers, as of the last time that `outlines_of` was asked; none before."""
        return self._outline or Outline(layout_of(()), np.zeros((0, NUMBERS)))

    @property
    def is_outline_stale(self) -> bool:
        """Whether something has been read since the outline was made."""
        return self._load is None and self._outlined_points != self.points

    def set_outline(self, outline: Outline, points: int) -> None:
        """Keep the outline, which was made when it had so many points."""
        self._outline, self._outlined_points = outline, points
