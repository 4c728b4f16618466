"""The values of one tag, as columns."""

from __future__ import annotations

from typing import Any

import numpy as np


class Series:
    """The logged data of a run under one tag.

    Attributes:
        tag: the tag.
        plugin: the plugin that shows it: "scalars", "images", ...; "" if the file does not say.
        content: what the plugin needs to know, serialised by it.
        description: a text about the tag.
    """

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.plugin = ""
        self.content = b""
        self.description = ""
        self._pieces: list[tuple[np.ndarray, ...]] = []
        self._is_scalar = True
        self.first_row = 1 << 62

    def describe(self, plugin: str, content: bytes, description: str) -> None:
        """Read the metadata of the tag from the file."""
        self.plugin, self.content, self.description = plugin, content, description

    def add(self, rows: np.ndarray, steps: np.ndarray, wall_times: np.ndarray, values: np.ndarray) -> None:
        """Add values; `rows` says where among the others they belong."""
        self._pieces.append((rows, steps, wall_times, values))
        self._is_scalar &= values.dtype != object
        self.first_row = min(self.first_row, int(rows[0]))

    @property
    def is_scalar(self) -> bool:
        """Whether the values are single numbers."""
        return self._is_scalar

    @property
    def steps(self) -> np.ndarray:
        """The steps, int64, in the order written."""
        return self._whole()[1]

    @property
    def wall_times(self) -> np.ndarray:
        """When each was written, in seconds since 1970."""
        return self._whole()[2]

    @property
    def values(self) -> np.ndarray:
        """The values: float64 for scalars; otherwise an array of arrays."""
        return self._whole()[3]

    def _whole(self) -> tuple[np.ndarray, ...]:
        if len(self._pieces) != 1:
            pieces = self._pieces
            if not self._is_scalar:
                pieces = [(*rest, _as_objects(values)) for *rest, values in pieces]
            columns = [np.concatenate(parts) for parts in zip(*pieces, strict=True)]
            rows = columns[0]
            if (rows[1:] < rows[:-1]).any():
                order = np.argsort(rows, kind="stable")
                columns = [c[order] for c in columns]
            self._pieces = [tuple(columns)]
        return self._pieces[0]

    def __len__(self) -> int:
        return sum(len(p[0]) for p in self._pieces)

    def __repr__(self) -> str:
        return f"<Series {self.tag!r} ({self.plugin or 'no plugin'}): {len(self)} values>"

    def to_pandas(self) -> Any:
        """A DataFrame with a row a point: step, wall_time, value."""
        import pandas  # optional

        return pandas.DataFrame({"step": self.steps, "wall_time": self.wall_times, "value": self.values})


def _as_objects(values: np.ndarray) -> np.ndarray:
    if values.dtype == object:
        return values
    found = np.empty(len(values), dtype=object)
    found[:] = list(map(np.asarray, values))
    return found
