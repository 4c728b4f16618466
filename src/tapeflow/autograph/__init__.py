"""`tf.autograph`: what scripts switch off or look at of TensorFlow's rewriting of Python.

Nothing is rewritten here: `if` and `for` in a `tf.function` run as Python, which `tf.function` tells apart from
what it can stage. So there is nothing to switch off, and the code that runs is the code that was written.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tapeflow.autograph import experimental as experimental


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Nothing to do: there are no conversions to tell of."""


def trace(*args: Any) -> None:
    """Print, while a function is recorded."""
    print(*args)  # noqa: T201 - what it is for


def to_graph(
    entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None
) -> Any:
    """The function as it is, which is what runs."""
    return entity


def to_code(
    entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None
) -> str:
    """The source of a function as it is, which is what runs."""
    return inspect.getsource(inspect.unwrap(entity))
