"""`tf.autograph.experimental`: options for loops, and functions that are not converted."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from tapeflow.autograph.conversion import UNCONVERTED
from tapeflow.autograph.loop_options import set_loop_options as set_loop_options


class Feature(enum.Enum):
    """Parts of the conversion that TensorFlow lets one choose; here all that there is is always on."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """Do not convert a function and the functions it calls; also works as a decorator with parentheses."""
    if func is None:
        return do_not_convert
    setattr(getattr(func, "__func__", func), UNCONVERTED, True)
    return func
