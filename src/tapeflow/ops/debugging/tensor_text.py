"""A tensor's value as `tf.print` and `tf.strings.format` write it.

The form is TensorFlow's: brackets and spaces without commas, `...` for what is left out of a long
dimension, bools as 1 and 0, and a float with as few digits as give it back exactly: 6 or else 9 of
them (15 or else 17 for float64), as C's `%g` writes them. Two things differ on purpose: a complex
number is written, not replaced by a question mark, and a NaN has no sign.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.dtypes import DType, complex128, float64, string

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "'": "\\'", "\\": "\\\\"}
_ESCAPES.update({chr(i): f"\\{i:03o}" for i in (*range(32), 127) if chr(i) not in _ESCAPES})
_ESCAPE_TABLE = str.maketrans(_ESCAPES)


def tensor_text(value: TensorLike, dtype: DType, summarize: int) -> str:
    """The text of a value.

    Args:
        value: a numpy or JAX array.
        dtype: its dtype.
        summarize: how many elements to write at either end of each dimension; below 0, all.
    """
    array = np.asarray(value, object if dtype is string else None)
    ends = array.size if summarize < 0 else min(summarize, array.size)
    element = _element_text(dtype)
    return _array_text(array, ends, array.ndim, element) if array.ndim else element(array[()])


def _array_text(array: np.ndarray, ends: int, rank: int, element: Callable[[Any], str]) -> str:
    """The text of `array`, which is part of an array of `rank` dimensions."""

    def texts(places: range) -> list[str]:
        if array.ndim == 1:
            return [element(array[i]) for i in places]
        return [_array_text(array[i], ends, rank, element) for i in places]

    length = len(array)
    rows = texts(range(min(ends, length)))
    if length > 2 * ends:
        # Without anything to show (an empty tensor, summarize=0) TensorFlow still sets it off.
        rows = [*(rows or [""]), "..."]
    rows += texts(range(max(ends, length - ends), length))
    between = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * (rank - array.ndim + 1)
    return f"[{between.join(rows)}]"


def _element_text(dtype: DType) -> Callable[[Any], str]:
    if dtype is string:
        return _string_text
    if dtype.is_bool or dtype.is_integer:
        return lambda v: str(int(v))
    if dtype.is_complex:
        is_double = dtype is complex128
        return lambda v: f"({_float_text(v.real, is_double)}{_signed_text(v.imag, is_double)}j)"
    is_double = dtype is float64
    return lambda v: _float_text(v, is_double)


def _float_text(value: Any, is_double: bool) -> str:
    digits, all_digits, kind = (15, 17, np.float64) if is_double else (6, 9, np.float32)
    number = float(value)
    text = f"{number:.{digits}g}"
    return text if number != number or kind(text) == kind(number) else f"{number:.{all_digits}g}"


def _signed_text(value: object, is_double: bool) -> str:
    text = _float_text(value, is_double)
    return text if text.startswith("-") else f"+{text}"


def _string_text(value: bytes) -> str:
    return f'"{readable(value).translate(_ESCAPE_TABLE)}"'


def readable(value: bytes) -> str:
    """The characters of a string element; bytes that are no UTF-8 show as replacement marks."""
    return value.decode("utf-8", errors="replace")
