"""What Keras tells the user while it works: on standard output, or to the log instead."""

from __future__ import annotations

import logging
import sys

_logger = logging.getLogger("tapeflow.keras")
_is_interactive = True


def enable_interactive_logging() -> None:
    """Print progress and messages to standard output, as is the default."""
    global _is_interactive
    _is_interactive = True


def disable_interactive_logging() -> None:
    """Give progress and messages to the logger `tapeflow.keras`, at level INFO, instead of printing them."""
    global _is_interactive
    _is_interactive = False


def is_interactive_logging_enabled() -> bool:
    """Whether progress and messages are printed."""
    return _is_interactive


def say(text: str, end: str = "\n") -> None:
    """Tell the user something. Standard output is looked up at each call, as it may be redirected."""
    if _is_interactive:
        sys.stdout.write(text + end)
        sys.stdout.flush()
    elif line := text.strip("\b\r\n"):
        _logger.info(line)
