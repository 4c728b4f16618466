"""`tf.compat.v1.logging`: the logger called `tensorflow`, under TensorFlow 1's names."""

from __future__ import annotations

import logging as _logging
import sys
from collections import Counter
from logging import DEBUG as DEBUG
from logging import ERROR as ERROR
from logging import FATAL as FATAL
from logging import INFO as INFO
from logging import WARN as WARN
from typing import Any

from tapeflow.ops.debugging.introspection import get_logger as get_logger


def set_verbosity(v: int | str) -> None:
    """Show messages of this level and above."""
    get_logger().setLevel(v)


def get_verbosity() -> int:
    """The level from which on messages are shown."""
    return get_logger().getEffectiveLevel()


def log(level: int, msg: str, *args: str, **kwargs: Any) -> None:
    """Log a message at a level."""
    get_logger().log(level, msg, *args, **kwargs)


debug = get_logger().debug
info = get_logger().info
warning = warn = get_logger().warning
error = get_logger().error
fatal = get_logger().fatal


_counts: Counter[tuple[str, int]] = Counter()


def _count() -> int:
    """How many times the line that called our caller has been here before."""
    caller = sys._getframe(2)
    place = (caller.f_code.co_filename, caller.f_lineno)
    _counts[place] += 1
    return _counts[place] - 1


def log_every_n(level: int, msg: str, n: int, *args: str) -> None:
    """Log a message the first time, and every `n`-th time after it."""
    if _count() % n == 0:
        log(level, msg, *args)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Log a message the first `n` times."""
    if _count() < n:
        log(level, msg, *args)


def log_if(level: int, msg: str, condition: bool, *args: Any) -> None:
    """Log a message if a condition holds."""
    if condition:
        log(level, msg, *args)


def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Log a message at a level."""
    log(level, msg, *args, **kwargs)


def flush() -> None:
    """Write out what handlers hold back."""
    for handler in _logging.getLogger("tensorflow").handlers:
        handler.flush()


def TaskLevelStatusMessage(msg: str) -> None:
    """Log a message as an error, as TensorFlow does with the state of a task."""
    log(ERROR, msg)
