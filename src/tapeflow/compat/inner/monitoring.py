"""`tensorflow.python.eager.monitoring`: what libraries count of their own use. It stays in the process."""

from __future__ import annotations

from collections import defaultdict
from typing import Any


class Cell:
    """One value, which a label names."""

    def __init__(self) -> None:
        self._value: Any = 0

    def set(self, value: Any) -> None:
        """Replace the value."""
        self._value = value

    def increase_by(self, value: int) -> None:
        """Add to the value."""
        self._value += value

    def value(self) -> Any:
        """The value."""
        return self._value


class Metric:
    """Values by labels."""

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self.name, self.description, self.labels = name, description, labels
        self._cells: defaultdict[tuple[str, ...], Cell] = defaultdict(Cell)

    def get_cell(self, *labels: str) -> Cell:
        """The value that has these labels."""
        if len(labels) != len(self.labels):
            raise ValueError(
                f"{type(self).__name__}.get_cell expected {len(self.labels)} labels, {list(self.labels)}; got "
                f"{list(labels)}. Give one for each."
            )
        return self._cells[labels]


class BoolGauge(Metric):
    """Truth values by labels."""


class IntGauge(Metric):
    """Numbers by labels."""


class StringGauge(Metric):
    """Texts by labels."""


class Counter(Metric):
    """Counts by labels."""
