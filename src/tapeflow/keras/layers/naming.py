"""Names for layers and models that were given none: `dense`, `dense_1`, ... in each process."""

from __future__ import annotations

import re
import threading

_lock = threading.Lock()
_given: dict[str, int] = {}


def unique_name(base: str, is_zero_based: bool = True) -> str:
    """The next name made of `base`: with `is_zero_based` the first one has no number."""
    with _lock:
        count = _given.get(base, 0)
        _given[base] = count + 1
    number = count if is_zero_based else count + 1
    return f"{base}_{number}" if number else base


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
