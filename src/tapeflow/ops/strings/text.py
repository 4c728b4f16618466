"""Text in string tensors: `tf.strings.join`, `length`, `lower` and `upper`.

Strings live on the host: every function reads its inputs and answers at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.recording.node import host_node, spec_of
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.ops.host_args import describe, invalid
from tapeflow.ops.strings.deferred import defer


def read_strings(value: TensorLike, where: str, name: str = "input") -> np.ndarray:
    """The elements of a string tensor as an array of bytes objects."""
    tensor = convert_to_tensor(value)
    if tensor.dtype is string:
        defer(tensor)
        return np.asarray(tensor.numpy(), object)
    text = f"{where} expected strings for {name}; got {name} {describe(tensor)}. Use tf.strings.as_string."
    raise invalid(text) if isinstance(value, TensorBase) else TypeError(text)


def string_tensor(elements: Any, shape: tuple[int, ...]) -> Tensor:
    """A string tensor of bytes objects given one after the other."""
    array = np.empty(shape, object)
    array.reshape(-1)[:] = list(elements)
    return tensor_of(host_node(array, spec_of(shape, string)))


def join(inputs: TensorLike, separator: str = "", name: str | None = None) -> Tensor:
    """Concatenate strings element by element; scalars are joined to every element.

    >>> tf.strings.join([tf.constant(["a", "b"]), "x"], separator="-").numpy().tolist()
    [b'a-x', b'b-x']
    """
    where = "tf.strings.join"
    if not isinstance(inputs, (list, tuple, TensorBase, np.ndarray)):
        raise TypeError(f"{where} expected a list of string tensors; got inputs={inputs!r}.")
    if not isinstance(separator, (str, bytes, type(None))):
        raise TypeError(f"{where} expected a Python string as separator; got separator={separator!r}.")
    between = separator.encode() if isinstance(separator, str) else separator or b""
    arrays = [read_strings(x, where, f"inputs[{i}]") for i, x in enumerate(inputs)]
    shapes = {a.shape for a in arrays if a.shape != ()}
    if len(shapes) > 1:
        said = " vs. ".join(str(list(a.shape)) for a in arrays)
        raise invalid(
            f"{where} expected inputs of one shape, or scalars: input shapes do not match; got {said}. "
            "Use tf.broadcast_to first."
        )
    shape = next(iter(shapes), ())
    columns = [np.broadcast_to(a, shape).reshape(-1) for a in arrays]
    rows = zip(*columns, strict=True) if columns else [()]
    return string_tensor([between.join(row) for row in rows], shape)


def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The length of each string, in bytes or with `unit="UTF8_CHAR"` in characters.

    >>> tf.strings.length(["abc", "über"], unit="UTF8_CHAR").numpy()
    array([3, 4], dtype=int32)
    """
    where = "tf.strings.length"
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise invalid(f"{where} expected unit to be 'BYTE' or 'UTF8_CHAR'; got unit={unit!r}.")
    array = read_strings(input, where)
    count = len if unit == "BYTE" else _characters
    return convert_to_tensor(np.array([count(s) for s in array.reshape(-1)], np.int32).reshape(array.shape))


def _characters(text: bytes) -> int:
    """Bytes that begin a character; those that continue one look like 10xxxxxx."""
    return sum(byte & 0xC0 != 0x80 for byte in text)


def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Convert strings to lower case; only ASCII letters unless `encoding="utf-8"`.

    >>> tf.strings.lower("Loss").numpy()
    b'loss'
    """
    return _changed("tf.strings.lower", input, encoding, bytes.lower, str.lower)


def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Convert strings to upper case; only ASCII letters unless `encoding="utf-8"`."""
    return _changed("tf.strings.upper", input, encoding, bytes.upper, str.upper)


def _changed(
    where: str,
    input: TensorLike,
    encoding: str | None,
    of_bytes: Callable[[bytes], bytes],
    of_text: Callable[[str], str],
) -> Tensor:
    if encoding not in ("", None, "utf-8"):
        raise invalid(f"{where} expected encoding to be '' or 'utf-8'; got encoding={encoding!r}.")
    array = read_strings(input, where)
    if encoding != "utf-8":
        return string_tensor([of_bytes(s) for s in array.reshape(-1)], array.shape)
    texts = [s.decode("utf-8", errors="replace") for s in array.reshape(-1)]
    return string_tensor([of_text(s).encode() for s in texts], array.shape)
