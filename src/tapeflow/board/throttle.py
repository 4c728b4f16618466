"""A log that cannot be flooded: what is said again and again is said once in a while."""

from __future__ import annotations

import logging
import time

EVERY_S = 60.0
_MOST_KEPT = 1000

Key = tuple[str, type[BaseException] | None, int]


class Throttle(logging.Filter):
    """Lets a message through once in `EVERY_S` seconds; the next one says how many were left out.

    Messages with tracebacks are the same if the errors come from the same line.
    """

    def __init__(self) -> None:
        super().__init__()
        self._reported: dict[Key, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a message is to be logged."""
        key, now = _key(record), time.monotonic()
        reported_at, left_out = self._reported.get(key, (-EVERY_S, 0))
        if now - reported_at < EVERY_S:
            self._reported[key] = reported_at, left_out + 1
            return False
        if len(self._reported) >= _MOST_KEPT:
            self._reported.clear()
        self._reported[key] = now, 0
        if left_out:
            record.msg = f"{record.getMessage()} ({left_out} more of these since the last)"
            record.args = ()
        return True


def _key(record: logging.LogRecord) -> Key:
    kind, _, trace = record.exc_info or (None, None, None)
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return record.getMessage(), kind, trace.tb_lineno if trace is not None else 0


THROTTLE = Throttle()
