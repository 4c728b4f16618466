"""Shows how far a download has come, on standard error."""

import shutil
import sys
import time
from typing import TextIO

REDRAW_INTERVAL_S = 0.1
LINE_INTERVAL_S = 10.0
BAR_WIDTH = 30
MEGABYTE = 1_000_000


class DownloadProgress:
    """A bar redrawn in place on a terminal; elsewhere a plain line now and then.

    Log files and notebooks' captured output would keep every redraw, so off a terminal there is one
    line at the start, one every ten seconds and one at the end.
    """

    def __init__(self, label: str, total_bytes: int | None, stream: TextIO | None = None) -> None:
        self._label = label
        self._total_bytes = total_bytes
        self._stream = sys.stderr if stream is None else stream
        self._is_terminal = self._stream.isatty()
        self._received_bytes = 0
        self._started_s = time.monotonic()
        self._shown_s = self._started_s
        if not self._is_terminal:
            size = "" if total_bytes is None else f" ({_megabytes(total_bytes)})"
            self._write(f"Downloading {label}{size}\n")

    def advance(self, count: int) -> None:
        """Take note of `count` more bytes; show them if the last showing was long enough ago."""
        self._received_bytes += count
        now_s = time.monotonic()
        interval_s = REDRAW_INTERVAL_S if self._is_terminal else LINE_INTERVAL_S
        if now_s - self._shown_s >= interval_s:
            self._shown_s = now_s
            self._show(now_s)

    def close(self) -> None:
        """Show the final state and leave the line."""
        self._show(time.monotonic())
        if self._is_terminal:
            self._write("\n")

    def _show(self, now_s: float) -> None:
        rate = self._received_bytes / max(now_s - self._started_s, 1e-6)
        amount = _megabytes(self._received_bytes)
        if self._total_bytes:
            share = min(self._received_bytes / self._total_bytes, 1.0)
            amount = f"{share:4.0%}  {amount} of {_megabytes(self._total_bytes)}"
            filled = round(share * BAR_WIDTH)
            bar = f"[{'=' * filled}{' ' * (BAR_WIDTH - filled)}] "
        else:
            bar = ""
        text = f"{amount}  {_megabytes(rate)}/s"
        if self._is_terminal:
            columns = shutil.get_terminal_size().columns - 1
            self._write("\r" + f"{self._label} {bar}{text}"[:columns].ljust(columns))
        else:
            self._write(f"{self._label}: {text.strip()}\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _megabytes(count: float) -> str:
    return f"{count / MEGABYTE:.1f} MB"
