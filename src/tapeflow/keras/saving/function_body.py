"""Code that a file brings along or names: lambdas, as Keras writes them, and classes of modules to be imported.

Running such code means trusting who wrote the file with everything, so it is done only inside `code_allowed`, which
`load_model(..., safe_mode=False)` opens.
"""

from __future__ import annotations

import base64
import contextlib
import importlib
import json
import marshal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy as np

import tapeflow as tf

CLASS_NAME = "__lambda__"
_is_allowed: ContextVar[bool | None] = ContextVar("_is_allowed", default=None)
"""Whether the load that runs now may run code; None outside of loads, where nothing may."""


@contextlib.contextmanager
def code_allowed(is_allowed: bool) -> Iterator[None]:
    """Whether functions may be made of code in files, for a while; never inside a load that may not."""
    token = _is_allowed.set(is_allowed and _is_allowed.get() is not False)
    try:
        yield
    finally:
        _is_allowed.reset(token)


def is_code_allowed() -> bool:
    """Whether a load runs that may run code."""
    return _is_allowed.get() is True


def is_load_safe() -> bool:
    """Whether a load runs that trusts its file with nothing."""
    return _is_allowed.get() is False


def imported(module: Any, name: str) -> Any:
    """What a module that a file names has under a name; None where files may not say what to import."""
    if not is_code_allowed() or not isinstance(module, str):
        return None
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None


def body_of(function: Callable[..., Any]) -> dict[str, Any] | None:
    """A function as Keras 3 writes it; None if it holds on to something that JSON does not have."""
    if not isinstance(function, FunctionType):
        return None
    cells = function.__closure__
    body = {
        "code": base64.encodebytes(marshal.dumps(function.__code__)).decode("ascii"),
        "defaults": function.__defaults__,
        "closure": None if cells is None else [cell.cell_contents for cell in cells],
        "module": function.__module__,
    }
    try:
        json.dumps(body)
    except (TypeError, ValueError):
        return None
    return {"class_name": CLASS_NAME, "config": body}


def is_body(value: object, kind: str) -> bool:
    """Whether a value of a config is code: Keras 3's dict, or the list that Keras 2 writes for a lambda."""
    if isinstance(value, Mapping):
        return value.get("class_name") == CLASS_NAME
    return kind == "lambda" and isinstance(value, (list, tuple))


def function_of(value: Any, module: Any, where: str) -> Callable[..., Any]:
    """The function of a body.

    Args:
        value: what `is_body` knows.
        module: the name of the module the function was written in, if `value` does not say it: what that has now,
            the function can use.
        where: what it is, for errors.
    """
    if not is_code_allowed():
        raise ValueError(
            f"{where} is code inside the file, which can do anything once it is run. If you trust who wrote the file, "
            "pass safe_mode=False to load_model. Otherwise pass the function under the layer's name in custom_objects."
        )
    parts = value["config"] if isinstance(value, Mapping) else value
    if isinstance(parts, Mapping):
        module = parts.get("module", module)
        parts = [parts.get(name) for name in ("code", "defaults", "closure")]
    code, defaults, closure = parts
    try:
        made = marshal.loads(base64.b64decode(str(code)))
    except (ValueError, EOFError, TypeError) as error:
        raise ValueError(f"{where} expected code of this Python; got something else ({error}).") from error
    if not isinstance(made, CodeType):
        raise ValueError(f"{where} expected the code of a function; got {type(made).__name__}.")
    known = {"tf": tf, "np": np, "keras": tf.keras, "K": tf.keras.backend}
    known |= vars(sys.modules[module]) if module in sys.modules else {}
    cells = None if closure is None else tuple(CellType(content) for content in closure)
    return FunctionType(made, known, "<lambda>", None if defaults is None else tuple(defaults), cells)
