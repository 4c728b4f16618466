"""Which of the functions that converted code calls are converted too: the user's own."""

from __future__ import annotations

import functools
import os
import sys
from types import FunctionType, MethodType
from typing import Any

from tapeflow.autograph.conversion import UNCONVERTED, converted_function

_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_LIBRARIES = frozenset(
    ["numpy", "jax", "jaxlib", "keras", "scipy", "pandas", "matplotlib", "tensorflow", "_pytest", "pytest"]
)

builtin_operators: dict[Any, Any] = {}
"""What takes the place of a built-in function in converted code; `tapeflow.ops` fills it."""


@functools.cache
def _is_library(name: str) -> bool:
    top = name.partition(".")[0]
    return top in _LIBRARIES or (top in sys.stdlib_module_names and top != "__main__")


def is_convertible(function: FunctionType) -> bool:
    """Whether a function is one of the user's."""
    return not function.__code__.co_filename.startswith(_PACKAGE) and not _is_library(
        function.__module__ or ""
    )


def converted(function: Any) -> Any:
    """Return the converted form of a function that the user wrote, or the function itself."""
    kind = type(function)
    if kind is FunctionType:
        return converted_function(function) if is_convertible(function) else function
    if kind is MethodType:
        inner = function.__func__
        if type(inner) is not FunctionType or not is_convertible(inner):
            return function
        made = converted_function(inner)
        return function if made is inner else MethodType(made, function.__self__)
    if kind is type or kind is _BUILTIN:
        return builtin_operators.get(function, function)
    if kind is functools.partial:
        made = converted(function.func)
        return (
            function
            if made is function.func
            else functools.partial(made, *function.args, **function.keywords)
        )
    return _called_object(function) if not isinstance(function, type) else function


_BUILTIN = type(len)


def _called_object(function: Any) -> Any:
    """An object with a `__call__` of the user's own."""
    method = next((vars(c)["__call__"] for c in type(function).__mro__ if "__call__" in vars(c)), None)
    if (
        type(method) is not FunctionType
        or not is_convertible(method)
        or getattr(function, UNCONVERTED, False)
    ):
        return function
    made = converted_function(method)
    return function if made is method else MethodType(made, function)
