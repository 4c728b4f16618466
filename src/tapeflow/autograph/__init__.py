"""`tf.autograph`: Python control flow over tensors as part of recorded programs.

`conversion` reads the source of a function (`source`), lowers its jumps (`jumps`), finds what is read after each
branch and loop (`names`, `liveness`) and rewrites it (`rewriting`) to call operators. The operators, which know
tensors, are in `tapeflow.ops.autograph`; nothing here imports JAX or the engine. `callees` says what is converted:
functions of the user's own, from the one given to `tf.function` on.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from tapeflow.autograph import experimental as experimental
from tapeflow.autograph.callees import converted
from tapeflow.autograph.conversion import tree_of
from tapeflow.autograph.reporting import set_verbosity as set_verbosity
from tapeflow.autograph.rewriting import NotConvertible
from tapeflow.autograph.source import NoSource


def trace(*args: Any) -> None:
    """Print, while a function is recorded."""
    print(*args)  # noqa: T201 - what it is for


def to_graph(
    entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None
) -> Any:
    """The converted form of a function, which is what `tf.function` runs when it records a call."""
    _check("tf.autograph.to_graph", entity)
    return converted(_plain(entity))


def to_code(
    entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None
) -> str:
    """The converted form of a function as Python source."""
    where = "tf.autograph.to_code"
    _check(where, entity)
    function = inspect.unwrap(_plain(entity))
    function = getattr(function, "__func__", function)
    try:
        if not isinstance(function, FunctionType):
            raise NoSource("its source is not available")
        return ast.unparse(tree_of(function)) + "\n"
    except (NoSource, NotConvertible) as error:
        raise ValueError(
            f"{where} expected a function that can be converted; got {entity!r}: {error}."
        ) from None


def _check(where: str, entity: Any) -> None:
    if not callable(entity):
        raise TypeError(f"{where} expected a function; got entity={entity!r}, which is not callable.")


def _plain(entity: Any) -> Any:
    """The Python function behind a `tf.function`."""
    return getattr(entity, "python_function", entity)
