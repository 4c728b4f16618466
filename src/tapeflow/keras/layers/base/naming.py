"""Names for layers and models that were given none: `dense`, `dense_1`, ... in each process."""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from tapeflow.engine.recording.trace import state

_lock = threading.Lock()
_given: dict[str, int] = {}
_own: ContextVar[dict[str, int] | None] = ContextVar("_own", default=None)


def unique_name(base: str, is_zero_based: bool = True) -> str:
    """The next name made of `base`: with `is_zero_based` the first one has no number."""
    given = _counts()
    with _lock:
        count = given.get(base, 0)
        given[base] = count + 1
    number = count if is_zero_based else count + 1
    return f"{base}_{number}" if number else base


class _Recorded(threading.local):
    """The names given in what this thread records, and which record that is."""

    def __init__(self) -> None:
        self.record: Callable[[], Any] = lambda: None
        self.given: dict[str, int] = {}


_recorded = _Recorded()


def _counts() -> dict[str, int]:
    """How often each name has been given: what is made while a call is recorded or sketched has names of its own.

    So it is in Keras, where a graph has its names: how often TensorFlow, or we, record a call shows in no name.
    """
    own = _own.get()
    if own is not None:
        return own
    record = state.recording or (state.trace if state.trace.is_body else state.lifted_from)
    if record is None:
        return _given
    if _recorded.record() is not record:
        _recorded.record, _recorded.given = weakref.ref(record), {}
    return _recorded.given


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
