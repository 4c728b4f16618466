"""`tf.compat.v1.logging`: the logger called `tensorflow`, under TensorFlow 1's names."""

from __future__ import annotations

import logging as _logging
from logging import DEBUG as DEBUG
from logging import ERROR as ERROR
from logging import FATAL as FATAL
from logging import INFO as INFO
from logging import WARN as WARN
from typing import Any

from tapeflow.ops.introspection import get_logger as get_logger


def set_verbosity(v: int | str) -> None:
    """Show messages of this level and above."""
    get_logger().setLevel(v)


def get_verbosity() -> int:
    """The level from which on messages are shown."""
    return get_logger().getEffectiveLevel()


def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Log a message at a level."""
    get_logger().log(level, msg, *args, **kwargs)


debug = get_logger().debug
info = get_logger().info
warning = warn = get_logger().warning
error = get_logger().error
fatal = get_logger().fatal


def flush() -> None:
    """Write out what handlers hold back."""
    for handler in _logging.getLogger("tensorflow").handlers:
        handler.flush()
