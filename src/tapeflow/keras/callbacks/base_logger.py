"""`BaseLogger`: averages of batch logs over an epoch, for loops that log each batch on its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapeflow.keras.callbacks.callback import Callback


class BaseLogger(Callback):
    """Averages the logs of an epoch's batches, weighted by `logs["size"]`, into the epoch's logs.

    `fit` has no use for it, its logs are running values already; it is for hand-written loops. Which names
    to average says `params["metrics"]`.

    Args:
        stateful_metrics: names whose last value counts instead of the average.
    """

    supports_fused_steps = True

    def __init__(self, stateful_metrics: Iterable[str] | None = None) -> None:
        super().__init__()
        self.stateful_metrics = set(stateful_metrics or ())
        self.seen = 0
        self.totals: dict[str, Any] = {}

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self.seen = 0
        self.totals = {}

    def on_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        logs = logs or {}
        size = logs.get("size", 0)
        self.seen += size * logs.get("num_steps", 1)
        for name, value in logs.items():
            if name in self.stateful_metrics:
                self.totals[name] = value
            else:
                self.totals[name] = self.totals.get(name, 0) + value * size

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        if logs is None:
            return
        for name in (self.params or {}).get("metrics", ()):
            if name in self.stateful_metrics and name in self.totals:
                logs[name] = self.totals[name]
            elif name in self.totals and self.seen:
                logs[name] = self.totals[name] / self.seen
