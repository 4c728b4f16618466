"""`tensorflow.python.util.deprecation`: decorators that mark what a library is about to drop.

They warn once, as TensorFlow does, with Python's own `DeprecationWarning`.
"""

from __future__ import annotations

import functools
import inspect
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class _Silenced(threading.local):
    depth = 0


_silenced = _Silenced()


@contextmanager
def silence() -> Iterator[None]:
    """Give no warnings of deprecation in the block."""
    _silenced.depth += 1
    try:
        yield
    finally:
        _silenced.depth -= 1


def _marked(target: Any, told: Callable[[Any, Any], str | None], warn_once: bool) -> Any:
    """`target`, a function or a class, whose calls warn of what `told(args, kwargs)` says, if anything."""
    is_class = isinstance(target, type)
    function = target.__init__ if is_class else target
    has_warned = False

    @functools.wraps(function)
    def marked(*args: Any, **kwargs: Any) -> Any:
        nonlocal has_warned
        if not _silenced.depth and not (has_warned and warn_once):
            text = told(args, kwargs)
            if text is not None:
                has_warned = True
                warnings.warn(text, DeprecationWarning, stacklevel=2)
        return function(*args, **kwargs)

    if is_class:
        target.__init__ = marked
        return target
    return marked


def _text(what: str, date: str | None, instructions: str) -> str:
    when = f"after {date}" if date else "in a future version"
    return f"{what} is deprecated and will be removed {when}. {instructions}"


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[[Any], Any]:
    """Mark a function or a class as deprecated."""

    def mark(target: Any) -> Any:
        text = _text(target.__qualname__, date, instructions)
        return _marked(target, lambda *_: text, warn_once)

    return mark


def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, **kwargs: Any
) -> Callable[[Any], Any]:
    """Mark arguments as deprecated: a name, or a name and the value that does not count as given."""
    harmless = dict(a for a in deprecated_arg_names_or_tuples if isinstance(a, tuple))
    names = [a[0] if isinstance(a, tuple) else a for a in deprecated_arg_names_or_tuples]

    def is_given(name: str, value: Any) -> bool:
        return value is not None and not (name in harmless and value is harmless[name])

    return _marking_arguments(date, instructions, names, is_given, kwargs.get("warn_once", True))


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable[[Any], Any]:
    """Mark values of arguments as deprecated."""

    def is_given(name: str, value: Any) -> bool:
        return value is deprecated_kwargs[name]

    return _marking_arguments(date, instructions, list(deprecated_kwargs), is_given, warn_once)


def _marking_arguments(
    date: str | None,
    instructions: str,
    names: list[str],
    is_given: Callable[[str, Any], bool],
    warn_once: bool,
) -> Callable[[Any], Any]:
    def mark(target: Any) -> Any:
        signature = inspect.signature(target.__init__ if isinstance(target, type) else target)
        name_of_target = target.__qualname__

        def told(args: Any, kwargs: Any) -> str | None:
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError:  # the call itself says what is wrong with it
                return None
            shown = [f"{n}={given[n]!r}" for n in names if n in given and is_given(n, given[n])]
            return _text(f"{name_of_target} with {', '.join(shown)}", date, instructions) if shown else None

        return _marked(target, told, warn_once)

    return mark


def deprecated_alias(deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True) -> Any:
    """Another name for a function or a class, which warns when it is used."""
    text = _text(f"The name {deprecated_name}", None, f"Use {name} instead.")
    target = func_or_class
    if isinstance(target, type):
        target = type(target.__name__, (target,), {"__init__": target.__init__})
    return _marked(target, lambda *_: text, warn_once)


def deprecated_endpoints(*args: str) -> Callable[[Any], Any]:
    """Note the names of a function that are deprecated; nothing warns of them."""
    return lambda target: target


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """The value of an argument that has two names, of which one may be given."""
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(
            f"A call expected one of {old_name!r} and {new_name!r}; got both. Cannot specify both: pass {new_name!r}."
        )
    return old_value


def rewrite_argument_docstring(old_doc: str, old_argument: str, new_argument: str) -> str:
    """A docstring in which an argument has its new name."""
    return old_doc.replace(f"`{old_argument}`", f"`{new_argument}`").replace(
        f"{old_argument}:", f"{new_argument}:"
    )
