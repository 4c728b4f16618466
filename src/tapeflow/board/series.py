"""What a run has logged under one tag: numbers as columns, anything else as the places where it stands.

Columns only grow. A reader takes a view of what is there and may use it in any thread, while more is appended
behind it: values once written stay where they are.
"""

from __future__ import annotations

import numpy as np

SCALAR_COLUMNS: dict[str, str] = {"steps": "<i8", "wall_times": "<f8", "values": "<f8"}
ENTRY_COLUMNS: dict[str, str] = {
    "steps": "<i8",
    "wall_times": "<f8",
    "files": "<i4",
    "offsets": "<i8",
    "nbytes": "<i8",
    "places": "<i4",  # which value of its event
    "samples": "<i4",
    "widths": "<i4",
    "heights": "<i4",
    "kinds": "<i4",  # a number of `blobs.KINDS`
}


class Columns:
    """Columns of equal length that grow at the end."""

    def __init__(self, dtypes: dict[str, str]) -> None:
        self._columns = {name: np.zeros(0, dtype) for name, dtype in dtypes.items()}
        self.count = 0

    def adopt(self, columns: dict[str, np.ndarray]) -> None:
        """Begin with these columns, without copying them."""
        self._columns = dict(columns)
        self.count = len(next(iter(columns.values())))

    def append(self, columns: dict[str, np.ndarray]) -> None:
        """Add rows at the end."""
        added = len(next(iter(columns.values())))
        end = self.count + added
        if end > len(self._columns["steps"]):
            room = max(end, 16) if not self.count else max(end, self.count * 3 // 2)
            grown = {}
            for name, column in self._columns.items():
                grown[name] = np.empty(room, column.dtype)
                grown[name][: self.count] = column[: self.count]
            self._columns = grown
        for name, column in self._columns.items():
            column[self.count : end] = columns[name]
        self.count = end

    def trim(self) -> None:
        """Let go of room that was made for more rows."""
        if self.count < len(self._columns["steps"]):
            self._columns = {name: column[: self.count].copy() for name, column in self._columns.items()}

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name][: self.count]

    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)


class Series:
    """One tag of one run.

    Attributes:
        tag: the tag.
        is_scalar: whether it holds numbers; otherwise places in files.
        plugin: the plugin that wrote it; "" if the file does not say.
        content: what the plugin says about it, serialised.
        display_name, description: what the user says about it.
        is_old: whether it was written as TensorFlow 1, PyTorch and tensorboardX do, in fields of a kind's own.
        panel: the panel that shows it, or "".
        version: the store's, when it last grew.
        columns: steps, wall times and the rest, in the order they were read.
        risen: how many rows have been looked at, and whether each column rises as far as that. One pair, which is
            replaced as a whole: several threads look.
    """

    def __init__(self, tag: str, is_scalar: bool) -> None:
        self.tag = tag
        self.is_scalar = is_scalar
        self.plugin = self.display_name = self.description = self.panel = ""
        self.content = b""
        self.is_old = False
        self.version = 0
        self.columns = Columns(SCALAR_COLUMNS if is_scalar else ENTRY_COLUMNS)
        self.risen: tuple[int, dict[str, bool]] = (0, {"steps": True, "wall_times": True})
        self._orders: dict[str, np.ndarray] = {}

    def __len__(self) -> int:
        return self.columns.count

    @property
    def last_step(self) -> int:
        """The largest step so far; 0 if there is none."""
        steps = self.columns["steps"]
        return int(steps[-1] if self._is_in_order("steps", len(steps)) else steps.max()) if len(steps) else 0

    def order(self, by: str, count: int) -> np.ndarray | None:
        """How the first `count` rows are sorted by a column, equal ones as they came; None if they already are."""
        if self._is_in_order(by, count):
            return None
        order = self._orders.get(by)
        if order is None or len(order) != count:
            order = self._orders[by] = np.argsort(self.columns[by][:count], kind="stable")
        return order

    def _is_in_order(self, by: str, count: int) -> bool:
        until, is_rising = self.risen
        if until < count:
            found = {}
            for name, was_rising in is_rising.items():
                part = self.columns[name][max(until - 1, 0) : count]
                found[name] = was_rising and bool((part[1:] >= part[:-1]).all())
            self.risen = until, is_rising = count, found
        return is_rising[by]
