"""`tf.__internal__.decorator`: functions that stand for others and say so."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


def make_decorator(
    target: Callable[..., Any],
    decorator_func: Callable[..., Any],
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: inspect.FullArgSpec | None = None,
) -> Callable[..., Any]:
    """`decorator_func` with the name, text and signature of `target`."""
    return functools.update_wrapper(decorator_func, target)


def unwrap(maybe_decorator: Callable[..., Any]) -> tuple[list[Callable[..., Any]], Callable[..., Any]]:
    """The decorators of a function, the outermost first, and what it stands for."""
    found: list[Callable[..., Any]] = []
    target = maybe_decorator
    while hasattr(target, "__wrapped__"):
        found.append(target)
        target = target.__wrapped__  # pyright: ignore[reportFunctionMemberAccess]
    return found, target


def remove_undocumented(
    module_name: str, allowed_exception_list: Any = None, doc_string_modules: Any = None
) -> None:
    """`tensorflow.python.util.all_util`: a module keeps the names that its text does not mention."""


def tf_export(*args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    """`tensorflow.python.util.tf_export`: a decorator that leaves what it decorates as it is."""
    return lambda target: target
