"""`tf.autograph.experimental`: marks for TensorFlow's rewriting of Python, which mean nothing here."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any


class Feature(enum.Enum):
    """Parts of the rewriting that TensorFlow lets one choose."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """The function as it is; also as a decorator with parentheses."""
    return do_not_convert if func is None else func


def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Nothing to do: a Python loop needs none of it."""
