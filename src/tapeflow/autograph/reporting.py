"""What conversion tells of itself: `tf.autograph.set_verbosity`, `AUTOGRAPH_VERBOSITY`."""

from __future__ import annotations

import logging
import os
import sys

_logger = logging.getLogger("tapeflow.autograph")


class _Verbosity:
    level: int | None = None
    is_on_stdout = False


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Say what is converted and what is not, in the log of `tapeflow.autograph`.

    Args:
        level: 0 is silent; from 1 on, functions that are left as they are are named, from 3 on, those converted.
        alsologtostdout: print it, too.
    """
    _Verbosity.level, _Verbosity.is_on_stdout = int(level), bool(alsologtostdout)


def _level() -> int:
    if _Verbosity.level is not None:
        return _Verbosity.level
    given = os.environ.get("AUTOGRAPH_VERBOSITY", "0")
    return int(given) if given.lstrip("-").isdigit() else 0


def report(level: int, message: str) -> None:
    """Log a message, if it is asked for."""
    if level > _level():
        return
    _logger.warning(message)
    if _Verbosity.is_on_stdout:
        sys.stdout.write(f"{message}\n")
