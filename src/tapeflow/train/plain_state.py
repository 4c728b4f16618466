"""Plain state in files: numbers, texts, arrays and structures of them, as JSON that refers to tensors.

What comes out is what went in, type by type and bit by bit: tuples stay tuples, numpy's numbers stay numpy's.
Nothing else is taken, so nothing in a file can stand for code.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

_PLAIN = (bool, int, float, str, type(None))
_MARK = "$"


def packed(state: Any, tensors: dict[str, np.ndarray], prefix: str) -> Any:
    """`state` as something that JSON holds; its arrays are put into `tensors`, under names that begin so."""

    def pack(value: object) -> Any:
        if type(value) in _PLAIN:
            return value
        if isinstance(value, dict):
            if all(isinstance(k, str) and not k.startswith(_MARK) for k in value):
                return {k: pack(v) for k, v in value.items()}
            return {"$dict": [[pack(k), pack(v)] for k, v in value.items()]}
        if isinstance(value, list):
            return [pack(v) for v in value]
        if isinstance(value, tuple):
            return {"$tuple": [pack(v) for v in value]}
        if isinstance(value, (bytes, bytearray)):
            return {"$bytes": base64.b64encode(value).decode()}
        if isinstance(value, np.ndarray) and value.dtype == object:
            return {"$objects": [pack(v) for v in value.reshape(-1)], "shape": list(value.shape)}
        if isinstance(value, (np.ndarray, np.generic)):
            if value.dtype.kind in "SU":
                return {"$texts": [pack(v) for v in value.tolist()] if value.ndim else pack(value.item())}
            name = f"{prefix}/{len(tensors)}"
            tensors[name] = np.asarray(value)
            return {"$array" if isinstance(value, np.ndarray) else "$number": name}
        raise TypeError(
            f"Saving state expected numbers, texts, arrays and structures of them; got a {type(value).__name__}: "
            f"{str(value)[:100]!r}."
        )

    return pack(state)


def unpacked(data: Any, read: Any) -> Any:
    """The state that `packed` made `data` of; `read` gives a tensor for its name."""

    def unpack(value: object) -> Any:
        if isinstance(value, list):
            return [unpack(v) for v in value]
        if not isinstance(value, dict):
            return value
        mark = next(iter(value), "")
        if not mark.startswith(_MARK):
            return {k: unpack(v) for k, v in value.items()}
        held = value[mark]
        if mark == "$dict":
            return {unpack(k): unpack(v) for k, v in held}
        if mark == "$tuple":
            return tuple([unpack(v) for v in held])
        if mark == "$bytes":
            return base64.b64decode(held, validate=True)
        if mark == "$array":
            return read(held)
        if mark == "$number":
            return read(held)[()]
        if mark == "$texts":
            return np.array(unpack(held))
        if mark == "$objects":
            return _objects([unpack(v) for v in held], value["shape"])
        raise ValueError(f"Loading state expected a known mark; got {mark[:20]!r}.")

    return unpack(data)


def _objects(values: list[Any], shape: list[int]) -> np.ndarray:
    found = np.empty(len(values), object)
    for i, value in enumerate(values):
        found[i] = value
    return found.reshape(shape)
