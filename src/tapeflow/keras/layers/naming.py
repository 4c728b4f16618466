"""Names for layers and models that were given none: `dense`, `dense_1`, ... in each process."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_lock = threading.Lock()
_given: dict[str, int] = {}
_own: ContextVar[dict[str, int] | None] = ContextVar("_own", default=None)


def unique_name(base: str, is_zero_based: bool = True) -> str:
    """The next name made of `base`: with `is_zero_based` the first one has no number."""
    own = _own.get()
    given = _given if own is None else own
    with _lock:
        count = given.get(base, 0)
        given[base] = count + 1
    number = count if is_zero_based else count + 1
    return f"{base}_{number}" if number else base


@contextmanager
def own_names() -> Iterator[None]:
    """Number what is made inside from the start, and nothing outside differently.

    Metrics that `compile` knows by name are called the same in every model, as in Keras, where a graph names them.
    """
    token = _own.set({})
    try:
        yield
    finally:
        _own.reset(token)


def snake_case(class_name: str) -> str:
    """A class name as Keras makes it a layer's: `Conv2D` -> `conv2d`, `MyLayer` -> `my_layer`."""
    spaced = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", class_name)
    insecure = re.sub(r"([a-z])([A-Z])", r"\1_\2", spaced).lower()
    return f"private{insecure}" if insecure.startswith("_") else insecure


def get_uid(prefix: str = "") -> int:
    """The next number for names with this prefix, from 1: `tf.keras.backend.get_uid`."""
    with _lock:
        _given[prefix] = _given.get(prefix, 0) + 1
        return _given[prefix]


def reset_names() -> None:
    """Begin again with the first names."""
    with _lock:
        _given.clear()
