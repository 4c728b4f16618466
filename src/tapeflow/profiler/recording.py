"""The step-phase record: a JSON object a line, written while the profile goes on. docs/profiler.md has the format.

A thread writes what has been noted every tenth of a second and adds how much memory is in use, so a process that is
killed leaves a record that ends early, at worst in the middle of a line.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import time
from collections import deque
from typing import Any

from tapeflow.engine.programs.phases import Log

_log = logging.getLogger("tapeflow.profiler")
_INTERVAL_S = 0.1
VERSION = 1
SUFFIX = ".steps.jsonl"


class Recording:
    """Writes rows to a file.

    Args:
        path: the file.
        device: the kind of device that computes.
    """

    def __init__(self, path: str, device: str) -> None:
        self._file = open(path, "w", encoding="utf-8")  # noqa: SIM115 - closed by `close`
        self._rows: deque[dict[str, Any]] = deque()
        self._is_over = threading.Event()
        self._has_failed = False
        self._thread = threading.Thread(target=self._run, name="tf.profiler record", daemon=True)
        self.log: Log | None = None
        self.add(
            {
                "kind": "profile",
                "version": VERSION,
                "host": socket.gethostname(),
                "pid": os.getpid(),
                "device": device,
                "cores": os.cpu_count(),
                "wall_time": time.time(),
            }
        )

    def add(self, row: dict[str, Any]) -> None:
        """Have a row written soon."""
        self._rows.append(row)

    def start(self, log: Log) -> None:
        """Begin to write; `log` tells the time and how many bytes arrays take."""
        self.log = log
        self._thread.start()

    def _run(self) -> None:
        while True:
            is_over = self._is_over.wait(_INTERVAL_S)
            if self.log is not None:
                row = {"kind": "memory", "at_ns": self.log.at(), "rss_bytes": resident_bytes()}
                self.add(row | {"live_bytes": self.log.live_bytes})
            if is_over:
                return
            self._write()

    def _write(self) -> None:
        lines: list[str] = []
        while self._rows:
            lines.append(json.dumps(self._rows.popleft(), default=str) + "\n")
        try:
            self._file.write("".join(lines))
            self._file.flush()
        except OSError as error:
            if not self._has_failed:
                _log.error("tf.profiler: the record of steps in %r ends here: %s", self._file.name, error)
            self._has_failed = True

    def close(self) -> None:
        """Write the rest."""
        if self._thread.is_alive():
            self._is_over.set()
            self._thread.join()
        self.add({"kind": "end", "at_ns": 0 if self.log is None else self.log.at()})
        self._write()
        try:
            self._file.close()
        except OSError:
            self._has_failed = True  # said before


def resident_bytes() -> int:
    """How much memory this process has; where only the most it ever had is known, that."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        pass
    try:
        import resource  # not on Windows
    except ImportError:  # Windows
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if os.uname().sysname == "Darwin" else most * 1024
