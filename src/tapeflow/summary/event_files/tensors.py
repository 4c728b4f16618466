"""numpy arrays, strings and numbers as TensorProto and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from tapeflow.summary.event_files import wire

# By name, as bfloat16 is known to numpy only where ml_dtypes has been imported.
TYPE_NUMBERS = {
    "float32": 1,
    "float64": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 5,
    "int8": 6,
    "complex64": 8,
    "int64": 9,
    "bool": 10,
    "bfloat16": 14,
    "uint16": 17,
    "complex128": 18,
    "float16": 19,
    "uint32": 22,
    "uint64": 23,
}
STRING = 7


def tensor_bytes(value: Any) -> bytes:
    """A TensorProto, serialised: numbers as `tensor_content`, strings as `string_val`.

    Args:
        value: an array or what numpy makes one of; `str` and `bytes` make a string tensor.

    >>> tensor_bytes("hi")
    b'\\x08\\x07\\x12\\x00B\\x02hi'
    """
    array = np.asarray(value)
    if array.dtype.kind in "USO":
        strings = b"".join([wire.block(8, _as_bytes(s)) for s in _strings(value, array)])
        return wire.number(1, STRING) + _shape(array.shape) + strings
    kind = TYPE_NUMBERS.get(array.dtype.name)
    if kind is None:
        raise TypeError(
            f"tf.summary expected numbers, booleans or strings; got an array of dtype {array.dtype}. "
            "Convert it first, for example with .astype(numpy.float32)."
        )
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return wire.number(1, kind) + _shape(array.shape) + wire.block(4, little.tobytes())


def _shape(shape: tuple[int, ...]) -> bytes:
    # A size of zero is written too, as TensorFlow does not: a reader may not tell it from "not given".
    return wire.block(2, b"".join([wire.block(2, wire.number(1, n)) for n in shape]))


def _strings(value: npt.ArrayLike, array: np.ndarray) -> list[Any]:
    # numpy drops the NULs at the end of its fixed-width strings, so single ones are taken as they came.
    return [value] if isinstance(value, (str, bytes)) else array.ravel().tolist()


def _as_bytes(text: Any) -> bytes:
    if isinstance(text, bytes):
        return text
    if isinstance(text, str):
        return text.encode("utf-8", "surrogateescape")
    raise TypeError(f"tf.summary expected numbers, booleans or strings; got an element {text!r}.")


_TYPE_NAMES = {number: name for name, number in TYPE_NUMBERS.items()}
_FIELDS = {
    "float32": "float_val",
    "float64": "double_val",
    "int64": "int64_val",
    "bool": "bool_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
    "complex64": "scomplex_val",
    "complex128": "dcomplex_val",
    "float16": "half_val",
    "bfloat16": "half_val",
}


def array_of(proto: Any) -> np.ndarray:
    """The array of a TensorProto message; strings as `bytes` objects.

    Raises:
        ValueError: its content does not fit its shape, or its type is none that an array can have.
    """
    shape = tuple([d.size for d in proto.tensor_shape.dim])
    if any(n < 0 for n in shape):
        raise ValueError(f"a tensor of shape {shape}")
    if proto.dtype == STRING:
        strings = np.empty(len(proto.string_val), dtype=object)
        strings[:] = proto.string_val
        return strings.reshape(shape)
    name = _TYPE_NAMES.get(proto.dtype)
    if name is None:
        raise ValueError(f"a tensor of type {proto.dtype}")
    dtype = _dtype(name)
    if proto.tensor_content:
        return np.frombuffer(proto.tensor_content, dtype).reshape(shape)
    found = getattr(proto, _FIELDS.get(name, "int_val"))
    size = math.prod(shape)
    if name in ("float16", "bfloat16"):
        flat = np.array(found, np.int64).astype(np.uint16).view(dtype)
    elif name.startswith("complex"):
        flat = np.array(found, np.float64).view(np.complex128).astype(dtype)
    else:
        flat = np.array(found).astype(dtype)
    if flat.size < size:  # the last one given stands for the rest
        if size > _MOST_FILLED:
            raise ValueError(f"a tensor of shape {shape} with {flat.size} elements")
        if flat.size < 2:
            return np.broadcast_to(flat[0] if flat.size else dtype.type(0), shape)  # takes no memory
        flat = np.concatenate([flat, np.full(size - flat.size, flat[-1] if flat.size else 0, dtype)])
    return flat.reshape(shape)


_MOST_FILLED = 1 << 22


def _dtype(name: str) -> np.dtype:
    if name == "bfloat16":
        import ml_dtypes  # start-up

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name).newbyteorder("<")
