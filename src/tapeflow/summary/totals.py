"""What adds up over several calls with one tag and step, and is written as one value.

A call adds to the total of its step; a call with another step begins a new one. The writer writes a total when
its step is over and when it is flushed or closed, and meanwhile each time it has grown fourfold: a live view
stays in touch, and a step of a thousand batches makes six records instead of a thousand. Of several records
of one step the last one is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tapeflow.summary.writer import Entry, Source, now

_GROWTH = 4

Values = Iterable[tuple[str, Any, bytes]]
"""Tags, values and metadata, as `SummaryWriter.add` takes them."""


class Total(Source):
    """The sum of what the calls of a step have given; for the writer's thread.

    Args:
        values: what is written of a sum.
    """

    def __init__(self, values: Callable[[np.ndarray], Values]) -> None:
        self._values = values
        self._over: list[tuple[float, int, np.ndarray]] = []
        self._step = 0
        self._sum: np.ndarray | None = None
        self._count = self._written = 0
        self._wall_time = 0.0

    def add(self, step: Any, array: np.ndarray) -> None:
        """Add to the total of a step. A larger array than before makes room for itself."""
        step = int(step)
        if self._sum is None or step != self._step:
            if self._sum is not None and self._count > self._written:
                self._over.append((self._wall_time, self._step, self._sum))
            self._step, self._sum, self._count, self._written = step, array, 0, 0
        else:
            self._sum = _sum(self._sum, array)
        self._count += 1
        self._wall_time = now()

    def due(self, is_flush: bool) -> Iterable[Entry]:
        """The totals of steps that are over, and that of the last one if it is time."""
        due, self._over = self._over, []
        is_time = self._count > self._written and (is_flush or self._count >= _GROWTH * self._written)
        if self._sum is not None and is_time:
            due.append((self._wall_time, self._step, self._sum))
            self._written = self._count
        for wall_time, step, total in due:
            for tag, value, metadata in self._values(total):
                yield Entry(wall_time, step, tag, value, metadata)


def _sum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.shape == b.shape:
        return a + b
    found = np.zeros(np.maximum(a.shape, b.shape), np.result_type(a, b))
    for part in (a, b):
        found[tuple([slice(n) for n in part.shape])] += part
    return found
